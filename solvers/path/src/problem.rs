//! The problem `path` as a [`Problem`].

use ikeru_core::{
    Direction, Extras, Generator, InputError, Open, Picture, Problem, ProblemInfo, Score, Settings,
    Variant, measures, read_json, refuse,
};
use serde_json::{Value as Json, json};

use crate::answer::{Answer, Path};
use crate::cost::{Costs, Length};
use crate::instance::{Instance, MapInput};
use crate::map::Cell;
use crate::referee::PathReferee;
use crate::{GridPath, format, generate, picture, question, variants};

/// The most steps of a path that is written cell by cell; a longer path is written as its waypoints.
const MOST_STEPS: usize = 64;

impl Problem for GridPath {
    const INFO: ProblemInfo = ProblemInfo {
        name: "path",
        about: "The cheapest path from start to goal on a grid with terrain.",
        direction: Direction::Minimize,
        settings: question::SETTINGS,
        counters: measures! {
            lower expansions: "cells or jump points expanded";
            lower generated: "steps or jumps looked at";
            lower queued: "entries put into the open list";
            lower words: "words of 64 cells that jumps scanned after their first";
        },
        measures: measures! {
            neither queries: "queries answered";
            neither ways: "queries that have a path";
            lower length: "sum of the lengths of all paths, in straight steps on plain ground";
            neither root_two: "the same with a diagonal step of √2, whatever it costs in the question";
            neither steps: "sum of the steps of all paths";
            neither forest: "of these, steps into forest";
            neither dijkstra_checked: "paths compared with the referee's own Dijkstra";
            neither published_checked: "rows compared with the scenario's published length";
            neither published_contradicted: "of these, rows whose published length is not that of the shortest path";
            neither left_out: "rows of the scenario that start or end on ground that cannot be entered, or are for another map";
            lower excess_percent: "mean excess over the shortest length, in percent, of paths not claimed shortest";
        },
        words: &[
            ("size", "cells of the map"),
            ("setting_tenth", "tenth of the scenario"),
            ("setting_forest", "factor of forest"),
            ("counter_expansions", "expanded cells"),
            ("measure_excess_percent", "excess over the shortest path, %"),
            (
                "warning_published_contradicted",
                "rows of scenarios whose published length is not that of the shortest path",
            ),
            (
                "warning_left_out",
                "rows of scenarios that were left out, because an end cannot be entered or the map is another",
            ),
        ],
        batch: Some("queries"),
    };
    const VARIANTS: &'static [Variant<Self>] = &variants::ALL;
    const GENERATORS: &'static [Generator<Self>] = generate::ALL;
    const EXTRAS: Extras<Self> = Extras {
        read_with,
        asked: |instance| {
            let scenario = instance.queries.to_vec();
            let input = instance.input.as_ref().clone();
            format::write(&MapInput { scenario, ..input })
        },
        admit: |answer, is_proven| {
            answer.optimal &= is_proven;
            Ok(())
        },
        recorded: picture::recorded,
        ..Extras::NONE
    };
    type Instance = Instance;
    type Answer = Answer;
    type Referee = PathReferee;

    fn default_variant(_: &Instance) -> &'static str {
        variants::auto::AUTO.name
    }

    fn read(text: &str) -> Result<Instance, InputError> {
        format::read(text)
    }

    fn write(instance: &Instance) -> String {
        format::write(&instance.input)
    }

    fn ask(instance: &Instance, settings: &Settings) -> Result<Instance, InputError> {
        instance.ask(settings)
    }

    fn size(instance: &Instance) -> u64 {
        instance.map().letters().len() as u64
    }

    fn referee(_: &Instance) -> PathReferee {
        PathReferee::default()
    }

    fn score(answer: &Answer) -> Option<Score> {
        answer
            .paths()
            .any(|path| path.is_some())
            .then_some(answer.claimed)
    }

    fn answer_json(instance: &Instance, answer: &Answer) -> Json {
        let costs = instance.question.costs;
        match answer.len() {
            1 => path_json(costs, answer.path(0)),
            _ => Json::Array(answer.paths().map(|path| path_json(costs, path)).collect()),
        }
    }

    fn read_answer(instance: &Instance, answer: &Json) -> Result<Answer, InputError> {
        let mut read = Answer::new();
        match (instance.queries.len(), answer) {
            (queries, Json::Array(all)) if all.len() == queries => {
                for one in all {
                    push_claim(&mut read, instance, one)?;
                }
            }
            (1, one) => push_claim(&mut read, instance, one)?,
            (queries, _) => {
                refuse!("expected an array of {queries} answers");
            }
        }
        read.claim(instance.question.costs);
        Ok(read)
    }

    fn answer_text(instance: &Instance, answer: &Answer) -> String {
        let text = match answer.len() {
            1 => path_text(instance.question.costs, answer.path(0)),
            queries => {
                let paths = answer.paths().flatten().count();
                let total = answer.claimed as f64 / 1e6;
                format!("{queries} queries, {paths} with a path, total cost {total}")
            }
        };
        let left_out = instance.left_out_in_words();
        let parts = [text, left_out].into_iter();
        let parts = parts.filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join("\n")
    }

    fn pictures(instance: &Instance, answer: &Answer) -> Vec<Picture> {
        picture::pictures(instance, answer)
    }
}

/// Reads an instance. For a scenario without its map, it opens the map that the rows name, in the same folder.
fn read_with(text: &str, open: Open) -> Result<Instance, InputError> {
    let Some(named) = format::named_map(text) else {
        return format::read(text);
    };
    let name = named.rsplit(['/', '\\']).next().unwrap_or(named);
    let map = open(name).map_err(|error| {
        InputError::new(format!(
            "cannot open the map `{name}` beside the scenario: {error}"
        ))
    })?;
    format::read_scenario(&map, text).map_err(|error| match format::read(&map) {
        // The error is in the map, so its line is a line of the map.
        Err(error) => InputError::new(error.in_file(name)),
        Ok(_) => error,
    })
}

/// Reads one path as [`path_json`] writes it. Lengths that are not claimed are computed from the cells.
fn push_claim(answer: &mut Answer, instance: &Instance, json: &Json) -> Result<(), InputError> {
    #[derive(serde::Deserialize)]
    struct Claim {
        path: Option<Vec<[u16; 2]>>,
        straight_hundredths: Option<u64>,
        diagonal_hundredths: Option<u64>,
    }
    if json.get("path").is_none() {
        refuse!(
            "expected an object with the key `path`: pairs of x and y, or null where there is no path"
        );
    }
    let claim: Claim = read_json(json)?;
    let Some(path) = claim.path else {
        answer.push_none();
        return Ok(());
    };
    let cells: Vec<Cell> = path.into_iter().map(|[x, y]| Cell::new(x, y)).collect();
    let walked = walked(instance, &cells);
    let length = Length {
        straight: claim.straight_hundredths.unwrap_or(walked.straight),
        diagonal: claim.diagonal_hundredths.unwrap_or(walked.diagonal),
    };
    answer.push_path(cells, length);
    Ok(())
}

/// The length of a path, counting only cells that can be entered: the referee checks whether the steps are legal.
fn walked(instance: &Instance, waypoints: &[Cell]) -> Length {
    let path = Path {
        waypoints,
        length: Length::default(),
    };
    let cells: Vec<Cell> = path.cells().collect();
    let mut length = Length::default();
    for step in cells.windows(2) {
        let factor = instance.factor(step[1]).map_or(0, u64::from);
        match step[0].x != step[1].x && step[0].y != step[1].y {
            true => length.diagonal += factor,
            false => length.straight += factor,
        }
    }
    length
}

/// One path as text: its cost, and its cells or waypoints.
fn path_text(costs: Costs, path: Option<Path>) -> String {
    let Some(path) = path else {
        return "no path".to_owned();
    };
    let cells: Vec<String> = path.cells().map(|cell| cell.to_string()).collect();
    let length = costs.decimal(path.length);
    let steps = cells.len() - 1;
    if steps <= MOST_STEPS {
        return format!("cost {length}, {steps} steps\n{}", cells.join(" "));
    }
    let waypoints: Vec<String> = path.waypoints.iter().map(ToString::to_string).collect();
    format!(
        "cost {length}, {steps} steps over {} waypoints\n{}",
        waypoints.len(),
        waypoints.join(" ")
    )
}

/// `path` as pairs and `cost` as a decimal; both are null if there is no path.
fn path_json(costs: Costs, path: Option<Path>) -> Json {
    match path {
        None => json!({ "path": null, "cost": null }),
        Some(path) => {
            let cells: Vec<[u16; 2]> = path.cells().map(|cell| [cell.x, cell.y]).collect();
            json!({
                "path": cells,
                "cost": costs.decimal(path.length),
                "straight_hundredths": path.length.straight,
                "diagonal_hundredths": path.length.diagonal,
            })
        }
    }
}
