//! The problem `chain`: let the chains of given fields happen.

use std::sync::Arc;

use ikeru_core::{
    Attempt, Better, Checked, Deadline, Direction, Generator, InputError, Measure, Picture,
    Problem, Random, Refusal, Rejection, Score, Search, Setting, Settings, Source, Variant, Wrong,
    read_json,
};
use serde_json::{Value as Json, json};

use crate::begin;
use crate::board::{Board, PuyoColour, Size};
use crate::drawing;
use crate::format::{numbered, read_field, read_field_lines, write_field};
use crate::generate;
use crate::referee::Firing;
use crate::simulate::{Chain, Simulator};

/// The problem `chain`.
#[derive(Debug, Clone, Copy)]
pub struct Simulation;

/// Fields to simulate.
#[derive(Debug, Clone)]
pub struct Fields {
    fields: Arc<[Board]>,
    repeat: u64,
}

/// What became of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// What vanished.
    pub chain: Chain,
    /// What is left.
    pub rest: Board,
}

/// What stands between two fields of a file.
const SEPARATOR: &str = "---";

const REPEAT: Setting = Setting {
    name: "repeat",
    default: "1",
    about: "how often every field is simulated, from 1 to 1000000; for timing single fields",
};
const FIELDS: Setting = Setting {
    name: "fields",
    default: "1",
    about: "how many fields, from 1 to 100000",
};
pub(crate) const WIDTH: Setting = Setting {
    name: "width",
    default: "6",
    about: "columns of the board, from 2 to 8",
};
pub(crate) const HEIGHT: Setting = Setting {
    name: "height",
    default: "13",
    about: "rows of the board, from 2 to 15",
};
pub(crate) const COLOURS: Setting = Setting {
    name: "colours",
    default: "4",
    about: "colours of puyos, from 1 to 6",
};
const STONES: Setting = Setting {
    name: "stones",
    default: "",
    about: "puyos on the board; all cells if not given",
};
const GARBAGE: Setting = Setting {
    name: "garbage",
    default: "0.0",
    about: "share of the puyos that are garbage, from 0 to 1",
};
const STEPS: Setting = Setting {
    name: "steps",
    default: "19",
    about: "steps of the chain, from 1 to 30",
};

const COPIES: Setting = Setting {
    name: "copies",
    default: "1",
    about: "how often the field is there, from 1 to 100000; for timing a single field",
};

impl Fields {
    fn of(fields: Vec<Board>) -> Self {
        Self {
            fields: fields.into(),
            repeat: 1,
        }
    }
}

impl Problem for Simulation {
    const NAME: &'static str = "chain";
    const ABOUT: &'static str =
        "Let the chain of a Puyo field happen: how many steps, how many puyos, how much attack?";
    const DIRECTION: Direction = Direction::Equal;
    type Instance = Fields;
    type Answer = Vec<Outcome>;

    fn variants() -> &'static [Variant<Self>] {
        VARIANTS
    }

    fn default_variant(_: &Fields) -> &'static str {
        if Simulator::avx2().is_some() {
            "bitboard-avx2"
        } else {
            "bitboard"
        }
    }

    fn generators() -> &'static [Generator<Self>] {
        GENERATORS
    }

    fn settings() -> &'static [Setting] {
        &[REPEAT]
    }

    fn counters() -> &'static [Measure] {
        &[
            Measure {
                name: "simulations",
                about: "Fields simulated, repetitions included.",
                better: Better::Neither,
            },
            Measure {
                name: "steps",
                about: "Chain steps simulated, repetitions included.",
                better: Better::Neither,
            },
        ]
    }

    fn measures() -> &'static [Measure] {
        &[
            Measure {
                name: "chains",
                about: "Chain steps, summed over the fields.",
                better: Better::Neither,
            },
            Measure {
                name: "cleared",
                about: "Vanished puyos, summed over the fields.",
                better: Better::Neither,
            },
            Measure {
                name: "attack",
                about: "Attack by formula 6.1, summed over the fields.",
                better: Better::Neither,
            },
        ]
    }

    fn read(text: &str) -> Result<Fields, InputError> {
        let lines: Vec<(usize, &str)> = numbered(text).collect();
        let mut fields = Vec::new();
        let mut begin = 1;
        for part in lines.split(|(_, line)| line.trim() == SEPARATOR) {
            let field = read_field_lines(part).map_err(|error| match part {
                [] => InputError::at(begin, error.message),
                _ => error,
            });
            fields.push(field?);
            begin += part.len() + 1;
        }
        Ok(Fields::of(fields))
    }

    fn write(instance: &Fields) -> String {
        let fields: Vec<String> = instance.fields.iter().map(write_field).collect();
        fields.join(&format!("{SEPARATOR}\n"))
    }

    fn ask(instance: &Fields, settings: &Settings) -> Result<Fields, InputError> {
        let asked = settings.get(REPEAT.name).is_some();
        let repeat = settings.int(&REPEAT, 1..=1_000_000)?.filter(|_| asked);
        Ok(Fields {
            fields: Arc::clone(&instance.fields),
            repeat: repeat.map_or(instance.repeat, |repeat| repeat as u64),
        })
    }

    fn size(instance: &Fields) -> u64 {
        instance.fields.len() as u64
    }

    fn referee(
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

    fn score(answer: &Vec<Outcome>) -> Option<Score> {
        Some(total(answer)[0] as Score)
    }

    /// The totals, which of a single field are its own, and each field with what is left.
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
            drawing::firing(field, &Firing::of(field))
        })
    }
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

const VARIANTS: &[Variant<Simulation>] = &[
    Variant {
        name: "flood",
        about: "A flood fill from every cell of an array of cells.",
        source: Source::Ours,
        exact: true,
        version: 1,
        settings: &[],
        prepare: |instance, _, deadline| {
            begin(deadline)?;
            Ok(solver(instance, Simulator::FLOOD))
        },
    },
    Variant {
        name: "bitboard",
        about: "Planes of 128 bits: groups by counting neighbours, one expansion instead of a flood.",
        source: Source::Ours,
        exact: true,
        version: 1,
        settings: &[],
        prepare: |instance, _, deadline| {
            begin(deadline)?;
            Ok(solver(instance, Simulator::BITBOARD))
        },
    },
    Variant {
        name: "bitboard-avx2",
        about: "Two colours in one 256-bit register, falling by parallel bit extract and deposit.",
        source: Source::Ours,
        exact: true,
        version: 1,
        settings: &[],
        prepare: |instance, _, deadline| {
            begin(deadline)?;
            let avx2 = Simulator::avx2()
                .ok_or_else(|| Refusal::skip("this processor lacks AVX2, BMI2 or POPCNT"))?;
            Ok(solver(instance, avx2))
        },
    },
];

fn solver(instance: &Fields, simulator: Simulator) -> ikeru_core::BoxedSolve<'_, Simulation> {
    Box::new(move |search: &mut Search| {
        let mut ticker = search.deadline.ticker(256);
        let mut outcomes = Vec::with_capacity(instance.fields.len());
        let (mut simulations, mut steps) = (0, 0);
        'fields: for field in instance.fields.iter() {
            let mut outcome = None;
            for _ in 0..instance.repeat {
                if ticker.passed() {
                    break 'fields;
                }
                let mut rest = *field;
                let chain = (simulator.resolve)(&mut rest);
                simulations += 1;
                steps += u64::from(chain.steps);
                outcome = Some(Outcome { chain, rest });
            }
            outcomes.extend(outcome);
        }
        search.counters.add("simulations", simulations);
        search.counters.add("steps", steps);
        if outcomes.len() < instance.fields.len() {
            return Attempt::Timeout {
                best: None,
                bound: None,
            };
        }
        Attempt::Solved(outcomes)
    })
}

const GENERATORS: &[Generator<Simulation>] = &[
    Generator {
        name: "chain.random-field",
        about: "Puyos of random colours over random columns.",
        parameters: &[FIELDS, WIDTH, HEIGHT, STONES, COLOURS, GARBAGE],
        generate: random_fields,
    },
    Generator {
        name: "chain.long-chain",
        about: "A field that is one chain of groups of four, grown backwards.",
        parameters: &[STEPS, WIDTH, HEIGHT, COLOURS, COPIES],
        generate: long_chain,
    },
];

fn random_fields(parameters: &Settings, random: &mut Random) -> Result<Fields, InputError> {
    let size = read_size(parameters)?;
    let colours = read_colours(parameters)?;
    let count = parameters.int(&FIELDS, 1..=100_000)?.unwrap_or(1);
    let stones = parameters.int(&STONES, 0..=size.cells() as i64)?;
    let stones = stones.map_or(size.cells(), |stones| stones as usize);
    let garbage = parameters.float(&GARBAGE, 0.0..=1.0)?.unwrap_or(0.0);
    let field = |_| generate::random_field(random, size, stones, colours, garbage);
    Ok(Fields::of((0..count).map(field).collect()))
}

fn long_chain(parameters: &Settings, random: &mut Random) -> Result<Fields, InputError> {
    let size = read_size(parameters)?;
    let colours = read_colours(parameters)?;
    let steps = parameters.int(&STEPS, 1..=30)?.unwrap_or(1) as usize;
    let copies = parameters.int(&COPIES, 1..=100_000)?.unwrap_or(1) as usize;
    let field = generate::long_chain(random, size, steps, colours)?;
    Ok(Fields::of(vec![field; copies]))
}

pub(crate) fn read_size(parameters: &Settings) -> Result<Size, InputError> {
    let width = parameters.int(&WIDTH, 2..=Size::MAX_WIDTH as i64)?;
    let height = parameters.int(&HEIGHT, 2..=Size::MAX_HEIGHT as i64)?;
    let default = Size::THESIS;
    Size::new(
        width.map_or(default.width(), |width| width as usize),
        height.map_or(default.height(), |height| height as usize),
    )
}

pub(crate) fn read_colours(parameters: &Settings) -> Result<usize, InputError> {
    let colours = parameters.int(&COLOURS, 1..=PuyoColour::COUNT as i64)?;
    Ok(colours.unwrap_or(1) as usize)
}
