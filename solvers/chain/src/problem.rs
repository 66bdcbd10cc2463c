//! The implementation of [`Problem`] for `chain`: the chains on fields.

use ikeru_core::{
    Check, Checked, Deadline, Direction, Generator, InputError, Picture, Problem, ProblemInfo,
    Refereed, Rejection, Score, Settings, Variant, Wrong, input_error, measures, read_json,
    settings,
};
use serde_json::{Value as Json, json};

use crate::board::Board;
use crate::fields::{ASKED, FieldList, FieldQuestion, Outcomes, REPEAT};
use crate::firing::Firing;
use crate::format::read_field;
use crate::simulate::FieldOutcome;
use crate::simulate::{Chain, Simulator};
use crate::{Simulation, generate, picture, variants};

impl Problem for Simulation {
    const INFO: ProblemInfo = ProblemInfo {
        name: "chain",
        about: "Let the chain of a Puyo field happen: how many steps, how many puyos, how much attack?",
        direction: Direction::Equal,
        settings: settings![REPEAT ASKED],
        counters: measures! {
            neither simulations: "Fields simulated, repetitions included.";
            neither steps: "Chain steps simulated, repetitions included.";
            lower cells: "Cells scanned for groups.";
            lower groups: "Groups of any size flooded.";
            lower puyos: "Puyos of these groups.";
        },
        measures: measures! {
            neither chains: "Chain steps, summed over the fields.";
            neither cleared: "Vanished puyos, summed over the fields.";
            neither attack: "Attack by formula 6.1, summed over the fields.";
        },
        words: &[
            ("param_stones", "stones on the board"),
            ("measure_attack", "garbage sent"),
        ],
        batch: None,
    };
    const VARIANTS: &'static [Variant<Self>] = &variants::ALL;
    const GENERATORS: &'static [Generator<Self>] = generate::ALL;
    type Instance = FieldList;
    type Answer = Outcomes;
    type Referee = Check<Self>;

    fn default_variant(_: &FieldList) -> &'static str {
        if Simulator::avx2().is_some() {
            "bitboard-avx2"
        } else {
            "bitboard"
        }
    }

    fn read(text: &str) -> Result<FieldList, InputError> {
        FieldList::read(text)
    }

    fn write(instance: &FieldList) -> String {
        instance.write()
    }

    fn ask(instance: &FieldList, settings: &Settings) -> Result<FieldList, InputError> {
        instance.ask(settings)
    }

    fn size(instance: &FieldList) -> u64 {
        instance.fields.len() as u64
    }

    fn referee(_: &FieldList) -> Check<Self> {
        check
    }

    fn score(answer: &Outcomes) -> Option<Score> {
        Some(match answer {
            Outcomes::Whole(outcomes) => total(outcomes)[0] as Score,
            Outcomes::Steps(steps) => sum(steps) as Score,
        })
    }

    /// The totals over all fields, and each field with the puyos that are left, or with only its number of steps.
    fn answer_json(instance: &FieldList, answer: &Outcomes) -> Json {
        match answer {
            Outcomes::Whole(outcomes) => {
                let mut json = chain_json(total(outcomes));
                let outcomes = outcomes.iter().enumerate();
                let fields = outcomes.map(|(index, outcome)| {
                    let mut field = chain_json(of_chain(outcome.chain));
                    field["rest"] = rest(instance, index, outcome).lines().collect();
                    field
                });
                json["fields"] = fields.collect();
                json
            }
            Outcomes::Steps(steps) => {
                let fields = steps.iter().map(|chains| json!({ "chains": chains }));
                json!({ "chains": sum(steps), "fields": fields.collect::<Vec<_>>() })
            }
        }
    }

    fn read_answer(instance: &FieldList, answer: &Json) -> Result<Outcomes, InputError> {
        match instance.asked {
            FieldQuestion::FieldOutcome => read_outcomes(instance, answer).map(Outcomes::Whole),
            FieldQuestion::Steps => read_steps(answer).map(Outcomes::Steps),
        }
    }

    fn answer_text(instance: &FieldList, answer: &Outcomes) -> String {
        let outcomes = match answer {
            Outcomes::Whole(outcomes) => outcomes,
            Outcomes::Steps(steps) => {
                let lines = steps.iter().map(|steps| format!("{steps} chains\n"));
                return lines.collect();
            }
        };
        let lines = outcomes.iter().enumerate().map(|(index, outcome)| {
            let (chain, rest) = (outcome.chain, rest(instance, index, outcome));
            format!(
                "{} chains, {} puyos cleared, attack {}\nleft:\n{rest}",
                chain.steps, chain.cleared, chain.attack
            )
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The first field's chain, step by step.
    fn pictures(instance: &FieldList, _: &Outcomes) -> Vec<Picture> {
        let field = instance.fields.first();
        field.map_or(Vec::new(), |field| {
            picture::firing(field, &Firing::of(field))
        })
    }
}

/// The field that is left, written with the letters of its file.
fn rest(instance: &FieldList, index: usize, outcome: &FieldOutcome) -> String {
    let letters = instance.letters.get(index).copied().unwrap_or_default();
    letters.written(&outcome.rest.to_string())
}

/// An answer with a claim for each field.
#[derive(serde::Deserialize)]
struct FieldClaims<C> {
    fields: Vec<C>,
}

fn read_outcomes(instance: &FieldList, answer: &Json) -> Result<Vec<FieldOutcome>, InputError> {
    #[derive(serde::Deserialize)]
    struct Claim {
        chains: u32,
        cleared: u32,
        attack: u32,
        rest: Vec<String>,
    }
    let FieldClaims::<Claim> { fields } = read_json(answer)?;
    let size = instance.fields.first().map(Board::size);
    let outcomes = fields.into_iter().enumerate().map(|(index, claim)| {
        let size = instance.fields.get(index).map(Board::size).or(size);
        let head = size.map_or(String::new(), |size| format!("board: {size}\n"));
        let letters = instance.letters.get(index).copied().unwrap_or_default();
        let rest = read_field(&(head + &letters.read(&claim.rest.join("\n"))));
        Ok(FieldOutcome {
            chain: Chain {
                steps: claim.chains,
                cleared: claim.cleared,
                attack: claim.attack,
            },
            rest: rest.map_err(|error| {
                input_error!("`rest` of field {}: {}", index + 1, error.message)
            })?,
        })
    });
    outcomes.collect()
}

fn read_steps(answer: &Json) -> Result<Vec<u32>, InputError> {
    #[derive(serde::Deserialize)]
    struct Claim {
        chains: u32,
    }
    let FieldClaims::<Claim> { fields } = read_json(answer)?;
    Ok(fields.into_iter().map(|claim| claim.chains).collect())
}

/// Compares the claim for each field with its chain, simulated step by step.
fn check(instance: &FieldList, answer: &Outcomes, deadline: Deadline) -> Refereed {
    match answer {
        Outcomes::Whole(outcomes) => {
            compare(instance, outcomes, deadline, |outcome, firing| {
                let truth = firing.chain();
                if outcome.chain != truth {
                    let claimed = outcome.chain;
                    return Err(format!("claimed {claimed:?}, true is {truth:?}"));
                }
                if outcome.rest == firing.rest {
                    Ok(())
                } else {
                    Err("another field is left".to_owned())
                }
            })?;
            let [steps, cleared, attack] = total(outcomes);
            Ok(Checked {
                score: Some(steps as Score),
                measures: vec![
                    ("chains", steps as f64),
                    ("cleared", cleared as f64),
                    ("attack", attack as f64),
                ],
            })
        }
        Outcomes::Steps(steps) => {
            compare(instance, steps, deadline, |claimed, firing| {
                let truth = firing.steps.len();
                if *claimed as usize == truth {
                    Ok(())
                } else {
                    Err(format!("claimed {claimed} steps, true are {truth}"))
                }
            })?;
            Ok(Checked {
                score: Some(sum(steps) as Score),
                measures: vec![("chains", sum(steps) as f64)],
            })
        }
    }
}

/// Calls `is_right` with each claim and its field's chain; returns the first error, with the number of its field.
fn compare<T>(
    instance: &FieldList,
    claims: &[T],
    deadline: Deadline,
    is_right: impl Fn(&T, &Firing) -> Result<(), String>,
) -> Result<(), Rejection> {
    let (found, expected) = (claims.len(), instance.fields.len());
    if found != expected {
        return Err(Wrong(format!("{found} outcomes of {expected} fields")).into());
    }
    for (number, (field, claim)) in (1..).zip(instance.fields.iter().zip(claims)) {
        if deadline.passed() {
            return Err(Rejection::Timeout);
        }
        is_right(claim, &Firing::of(field))
            .map_err(|why| Wrong(format!("field {number}: {why}")))?;
    }
    Ok(())
}

fn sum(steps: &[u32]) -> u64 {
    steps.iter().copied().map(u64::from).sum()
}

/// The sums of steps, vanished puyos and attack over all fields.
fn total(outcomes: &[FieldOutcome]) -> [u64; 3] {
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
