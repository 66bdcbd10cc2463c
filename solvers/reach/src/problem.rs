//! The problem `reach` as a [`Problem`].

use ikeru_core::{
    Choice, Direction, Extras, Generator, InputError, Picture, Problem, ProblemInfo, Score,
    Settings, Variant, input_error, measures, read_json, refuse,
};
use serde_json::{Value as Json, json};

use crate::answer::{Answer, Approximation, VertexSets, insert};
use crate::graph::Vertex;
use crate::instance::{Instance, SETTINGS, Starts};
use crate::{Reach, format, generate, picture, referee, variants};

impl Problem for Reach {
    const INFO: ProblemInfo = ProblemInfo {
        name: "reach",
        about: "which vertices can be reached in exactly K steps by a non-backtracking walk",
        direction: Direction::Equal,
        settings: SETTINGS,
        counters: measures! {
            lower states: "(steps, vertex, arrival, holder) states visited, equal ones as often as the variant visits them";
            lower arcs: "directed edges looked at, once per step that looks";
            lower pairs: "pairs of vertices in tables filled for the question";
            lower cells: "cells of tables cleared for the question or scanned by its steps";
            lower words: "words of bit planes computed, four of 64 bits for every 64 squares of a colour";
            lower rows: "rows of bit planes walked, once per step and holder";
        },
        measures: measures! {
            neither reachable: "vertices reached, summed over the starts";
            neither god_free: "vertices reached with the god on another player, summed over the starts";
            neither routes_replayed: "reconstructed routes that the referee walked";
            neither edges: "edges of the map";
            neither tree_width_at_most: "an upper bound on the map's tree width, by eliminating vertices of few neighbours first; up to 4,096 vertices";
            neither target_reached: "1 if the target asked for is reached, else 0";
            lower errors: "vertices about which an inexact rule is wrong: god-free ones, or without the god reached ones, missed, or others taken for such; summed over the starts";
        },
        words: &[("size", "vertices")],
        batch: None,
    };
    const VARIANTS: &'static [Variant<Self>] = &variants::ALL;
    const GENERATORS: &'static [Generator<Self>] = generate::ALL;
    const EXTRAS: Extras<Self> = Extras {
        recorded: picture::recorded,
        // A command's set is a claim: another set, smaller or larger, would put the exact answers in dispute.
        admit: |answer, is_proven| match answer.god_free_is {
            Approximation::Inner | Approximation::Outer if answer.with_god.is_none() => {
                let word = answer.god_free_is.word();
                refuse!("`god_free_is` is `{word}` in a question without the god")
            }
            Approximation::Inner | Approximation::Outer if is_proven => {
                let word = answer.god_free_is.word();
                refuse!("`god_free_is` is `{word}` in an answer that is proven")
            }
            _ => Ok(()),
        },
        ..Extras::NONE
    };
    type Instance = Instance;
    type Answer = Answer;
    type Referee = referee::QuestionReferee;

    fn default_variant(instance: &Instance) -> &'static str {
        variants::best(instance)
    }

    fn read(text: &str) -> Result<Instance, InputError> {
        format::read(text).map(Instance::new)
    }

    fn write(instance: &Instance) -> String {
        format::write(&instance.map)
    }

    fn ask(instance: &Instance, settings: &Settings) -> Result<Instance, InputError> {
        instance.ask(settings)
    }

    fn size(instance: &Instance) -> u64 {
        instance.map.graph.vertices() as u64
    }

    fn referee(_: &Instance) -> Self::Referee {
        referee::referee()
    }

    fn score(answer: &Answer) -> Option<Score> {
        Some(answer.reachable.count() as Score)
    }

    fn answer_json(instance: &Instance, answer: &Answer) -> Json {
        let god_free = answer.god_free();
        let mut json = match instance.question.starts {
            Starts::One(start) => json!({
                "start": start,
                "reachable": vertices(&answer.reachable, 0),
                "god_free": vertices(god_free, 0),
            }),
            Starts::All => {
                let all = |sets| {
                    (0..instance.start_count())
                        .map(|row| vertices(sets, row))
                        .collect()
                };
                let (reachable, god_free): (Vec<Json>, Vec<Json>) =
                    (all(&answer.reachable), all(god_free));
                json!({ "starts": "all", "reachable": reachable, "god_free": god_free })
            }
        };
        json["steps"] = json!(instance.question.steps);
        if answer.god_free_is != Approximation::Exact {
            json["god_free_is"] = json!(answer.god_free_is.word());
        }
        if let Some(target) = instance.question.target {
            json["target"] = json!(target);
            json["route"] = json!(answer.route);
        }
        json
    }

    fn read_answer(instance: &Instance, answer: &Json) -> Result<Answer, InputError> {
        #[derive(serde::Deserialize)]
        struct Claim {
            reachable: Json,
            god_free: Option<Json>,
            god_free_is: Option<String>,
            route: Option<Vec<Vertex>>,
        }
        let claim: Claim = read_json(answer)?;
        let mut answer = Answer::empty(instance);
        fill(&mut answer.reachable, instance, &claim.reachable)?;
        match (&mut answer.with_god, &claim.god_free) {
            (Some(sets), Some(claimed)) => fill(sets, instance, claimed)?,
            (Some(_), None) => {
                refuse!("expected `god_free`, the vertices where the god is on somebody else")
            }
            (None, Some(claimed)) => {
                let mut sets =
                    VertexSets::empty(answer.reachable.rows(), answer.reachable.vertices());
                fill(&mut sets, instance, claimed)?;
                if sets != answer.reachable {
                    refuse!("`god_free` differs from `reachable` in a question without the god");
                }
            }
            (None, None) => {}
        }
        if let Some(word) = claim.god_free_is {
            answer.god_free_is = approximation(&word)?;
        }
        answer.route = claim.route;
        Ok(answer)
    }

    fn answer_text(instance: &Instance, answer: &Answer) -> String {
        let (vertices, steps) = (instance.graph.vertices(), instance.question.steps);
        let starts = match instance.question.starts {
            Starts::One(start) => format!("from {start}"),
            Starts::All => "from every vertex in turn".to_owned(),
        };
        let mut text = format!("{starts} in exactly {steps} steps\n");
        text += &describe("reachable", &answer.reachable, vertices);
        if let Some(god_free) = &answer.with_god {
            text += &describe("god-free", god_free, vertices);
        }
        if let Some(target) = instance.question.target {
            text += &match &answer.route {
                None => format!("route to {target}: none\n"),
                Some(route) => {
                    let stops: Vec<String> = route.iter().map(ToString::to_string).collect();
                    format!("route to {target}: {}\n", stops.join(" "))
                }
            };
        }
        text
    }

    fn pictures(instance: &Instance, answer: &Answer) -> Vec<Picture> {
        picture::draw(instance, answer).into_iter().collect()
    }
}

fn vertices(sets: &VertexSets, row: usize) -> Json {
    sets.iter(row).collect()
}

/// Reads one list of vertices, or one list for every start.
fn fill(sets: &mut VertexSets, instance: &Instance, json: &Json) -> Result<(), InputError> {
    let rows: Vec<Vec<Vertex>> = match instance.question.starts {
        Starts::One(_) => vec![read_json(json)?],
        Starts::All => read_json(json)?,
    };
    if rows.len() != sets.rows() {
        refuse!(
            "{} lists of vertices for {} starts",
            rows.len(),
            sets.rows()
        );
    }
    for (row, vertices) in rows.into_iter().enumerate() {
        for vertex in vertices {
            if vertex as usize >= sets.vertices() {
                refuse!("there is no vertex {vertex}");
            }
            insert(sets.row_mut(row), vertex);
        }
    }
    Ok(())
}

/// One line with the number of vertices, and the vertices as far as they fit.
fn describe(what: &str, sets: &VertexSets, vertices: usize) -> String {
    const SHOWN: usize = 32;
    let count = sets.count();
    if sets.rows() > 1 {
        return format!("{what}: {count} pairs of start and vertex\n");
    }
    let list = |reached: bool| -> Vec<String> {
        let wanted = |vertex: &u32| sets.contains(0, *vertex) == reached;
        let all = (0..vertices as u32).filter(wanted);
        all.map(|vertex| vertex.to_string()).collect()
    };
    let missing = vertices - count as usize;
    let which = if count == 0 {
        "none".to_owned()
    } else if missing == 0 {
        "every vertex".to_owned()
    } else if missing <= SHOWN.min(count as usize) {
        format!("every vertex except {}", list(false).join(" "))
    } else if count as usize <= SHOWN {
        list(true).join(" ")
    } else {
        let first = list(true);
        let first = first[..SHOWN.min(first.len())].join(" ");
        format!("{first} … (all of them with --json)")
    };
    format!("{what}: {count} of {vertices} vertices: {which}\n")
}

/// Reads the word of an approximation.
fn approximation(word: &str) -> Result<Approximation, InputError> {
    Approximation::of(word).ok_or_else(|| {
        let words = Approximation::WORDS.iter().map(|(word, _)| *word);
        let words: Vec<&str> = words.collect();
        input_error!(
            "`god_free_is` is `{word}`, expected one of {}",
            words.join(", ")
        )
    })
}
