//! The problem `chain`: what chain happens on a field?

use ikeru_core::{
    Check, Checked, Deadline, Direction, Generator, InputError, Measure, Picture, Problem,
    ProblemInfo, Rejection, Score, Settings, Variant, Wrong, read_json,
};
use serde_json::{Value as Json, json};

use crate::board::Board;
use crate::fields::{Fields, Outcome, REPEAT};
use crate::firing::Firing;
use crate::format::read_field;
use crate::simulate::{Chain, Simulator};
use crate::{Simulation, generate, picture, variants};

impl Problem for Simulation {
    const INFO: ProblemInfo = ProblemInfo {
        name: "chain",
        about: "Let the chain of a Puyo field happen: how many steps, how many puyos, how much attack?",
        direction: Direction::Equal,
        settings: &[REPEAT.info()],
        counters: &[
            Measure::neither("simulations", "Fields simulated, repetitions included."),
            Measure::neither("steps", "Chain steps simulated, repetitions included."),
            Measure::lower("cells", "Cells scanned for groups."),
            Measure::lower("groups", "Groups of any size flooded."),
            Measure::lower("puyos", "Puyos of these groups."),
        ],
        measures: &[
            Measure::neither("chains", "Chain steps, summed over the fields."),
            Measure::neither("cleared", "Vanished puyos, summed over the fields."),
            Measure::neither("attack", "Attack by formula 6.1, summed over the fields."),
        ],
        lattices: &[],
        aliases: &[],
    };
    const VARIANTS: &'static [Variant<Self>] = variants::ALL;
    const GENERATORS: &'static [Generator<Self>] = generate::ALL;
    type Instance = Fields;
    type Answer = Vec<Outcome>;
    type Referee = Check<Self>;

    fn default_variant(_: &Fields) -> &'static str {
        if Simulator::avx2().is_some() {
            "bitboard-avx2"
        } else {
            "bitboard"
        }
    }

    fn read(text: &str) -> Result<Fields, InputError> {
        Fields::read(text)
    }

    fn write(instance: &Fields) -> String {
        instance.write()
    }

    fn ask(instance: &Fields, settings: &Settings) -> Result<Fields, InputError> {
        instance.ask(settings)
    }

    fn size(instance: &Fields) -> u64 {
        instance.fields.len() as u64
    }

    fn referee(_: &Fields) -> Check<Self> {
        check
    }

    fn score(answer: &Vec<Outcome>) -> Option<Score> {
        Some(total(answer)[0] as Score)
    }

    /// The totals over all fields, and each field with the puyos that are left.
    fn answer_json(_: &Fields, answer: &Vec<Outcome>) -> Json {
        let mut json = chain_json(total(answer));
        let fields = answer.iter().map(|outcome| {
            let mut field = chain_json(of_chain(outcome.chain));
            field["rest"] = outcome.rest.to_string().lines().collect();
            field
        });
        json["fields"] = fields.collect();
        json
    }

    fn read_answer(instance: &Fields, answer: &Json) -> Result<Vec<Outcome>, InputError> {
        #[derive(serde::Deserialize)]
        struct Claims {
            fields: Vec<Claim>,
        }
        #[derive(serde::Deserialize)]
        struct Claim {
            chains: u32,
            cleared: u32,
            attack: u32,
            rest: Vec<String>,
        }
        let Claims { fields } = read_json(answer)?;
        let size = instance.fields.first().map(Board::size);
        let outcomes = fields.into_iter().enumerate().map(|(index, claim)| {
            let size = instance.fields.get(index).map(Board::size).or(size);
            let head = size.map_or(String::new(), |size| format!("board: {size}\n"));
            let rest = read_field(&(head + &claim.rest.join("\n")));
            Ok(Outcome {
                chain: Chain {
                    steps: claim.chains,
                    cleared: claim.cleared,
                    attack: claim.attack,
                },
                rest: rest.map_err(|error| {
                    InputError::new(format!("`rest` of field {}: {}", index + 1, error.message))
                })?,
            })
        });
        outcomes.collect()
    }

    fn answer_text(_: &Fields, answer: &Vec<Outcome>) -> String {
        let lines = answer.iter().map(|Outcome { chain, rest }| {
            format!(
                "{} chains, {} puyos cleared, attack {}\nleft:\n{rest}",
                chain.steps, chain.cleared, chain.attack
            )
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The first field's chain, step by step.
    fn pictures(instance: &Fields, _: &Vec<Outcome>) -> Vec<Picture> {
        let field = instance.fields.first();
        field.map_or(Vec::new(), |field| {
            picture::firing(field, &Firing::of(field))
        })
    }
}

/// Compares each outcome with the chain step by step.
fn check(
    instance: &Fields,
    answer: &Vec<Outcome>,
    deadline: Deadline,
) -> Result<Checked, Rejection> {
    if answer.len() != instance.fields.len() {
        return Err(Wrong(format!(
            "{} outcomes of {} fields",
            answer.len(),
            instance.fields.len()
        ))
        .into());
    }
    for (number, (field, outcome)) in (1..).zip(instance.fields.iter().zip(answer)) {
        if deadline.passed() {
            return Err(Rejection::Timeout);
        }
        let firing = Firing::of(field);
        let truth = firing.chain();
        if outcome.chain != truth {
            return Err(Wrong(format!(
                "field {number}: claimed {:?}, true is {truth:?}",
                outcome.chain
            ))
            .into());
        }
        if outcome.rest != firing.rest {
            return Err(Wrong(format!("field {number}: another field is left")).into());
        }
    }
    let [steps, cleared, attack] = total(answer);
    Ok(Checked {
        score: Some(steps as Score),
        measures: vec![
            ("chains", steps as f64),
            ("cleared", cleared as f64),
            ("attack", attack as f64),
        ],
    })
}

/// Steps, vanished puyos and attack of all fields together.
fn total(outcomes: &[Outcome]) -> [u64; 3] {
    outcomes.iter().fold([0; 3], |total, outcome| {
        let one = of_chain(outcome.chain);
        std::array::from_fn(|index| total[index] + one[index])
    })
}

fn of_chain(chain: Chain) -> [u64; 3] {
    [chain.steps, chain.cleared, chain.attack].map(u64::from)
}

fn chain_json([steps, cleared, attack]: [u64; 3]) -> Json {
    json!({ "chains": steps, "cleared": cleared, "attack": attack })
}
