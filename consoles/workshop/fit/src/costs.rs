//! Fits the cost table to the counts: selects counters, estimates the cost of a unit of each, and measures the error
//! on held-out questions.

use std::collections::{BTreeMap, BTreeSet};

use ikeru_consoles::Console;
use ikeru_consoles::cost::{Beyond, CostSum, CounterCost, CounterValues, ONE, Residual, Term};
use ikeru_consoles::counts::{Count, SIZE, Set};
use ikeru_consoles::cycles::CycleParts;
use ikeru_consoles::facts::{Cycles, ProcessorModel};
use ikeru_records::Family;
use ikeru_statistics::{median, quantile, sorted};

use crate::nonnegative::{chosen, off};

/// The maximum number of terms of a sum.
const MOST: usize = 8;

/// Candidate shares of the working set in the tables: powers of two, so that they are exact.
const SHARES: [f64; 8] = [
    1.0,
    0.5,
    0.25,
    0.125,
    0.0625,
    0.03125,
    0.015_625,
    0.007_812_5,
];

/// The costs of every variant that was counted for one of the `consoles`, by problem, variant and console.
pub fn costs(counts: &[Count], consoles: &[Console]) -> Vec<CounterCost> {
    let mut groups: BTreeMap<(&str, &str, usize), Vec<&Count>> = BTreeMap::new();
    for count in counts {
        let place = consoles
            .iter()
            .position(|console| console.name == count.console);
        let Some(place) = place.filter(|place| consoles[*place].model.is_some()) else {
            continue;
        };
        let key = (count.problem.as_str(), count.variant.as_str(), place);
        groups.entry(key).or_default().push(count);
    }
    let costs = groups.into_iter().filter_map(|((.., place), own)| {
        let console = &consoles[place];
        let model = console.model.as_ref()?;
        let is_trained = own.iter().any(|count| count.set == Set::Train);
        is_trained.then(|| cost(&own, console, model))
    });
    costs.collect()
}

/// The cost of one variant on one console.
fn cost(counts: &[&Count], console: &Console, model: &ProcessorModel) -> CounterCost {
    let version = counts.iter().map(|count| count.version).max().unwrap_or(0);
    let answers: Vec<CountedAnswer> = counts
        .iter()
        .filter(|count| count.version == version)
        .map(|count| CountedAnswer {
            count,
            parts: CycleParts::of(count, model),
            memory: count.table_bytes as f64,
        })
        .collect();
    let of = |set: Set| {
        let own = answers.iter().filter(move |answer| answer.count.set == set);
        own.cloned().collect::<Vec<CountedAnswer>>()
    };
    let [train, test] = [Set::Train, Set::Test].map(of);
    let known = counters(&train);
    let plain: Vec<Candidate> = known.iter().cloned().map(Candidate::plain).collect();
    let memory = fitted(&plain, &train, &test, |answer| (answer.memory, 0.0));
    // A prediction knows only the modelled memory, so the training uses it too.
    let [train, test] = [train, test].map(|answers| predicted(answers, &memory));
    let mut work = fitted(&plain, &train, &test, |answer| (answer.parts.work.mid, 0.0));
    (work.low, work.high) = ends(&train, |answer| answer.parts.work);
    let cached: Vec<Candidate> = beyond(&known, model)
        .into_iter()
        .chain(plain.clone())
        .collect();
    let mut misses = fitted(&cached, &train, &test, |answer| {
        (answer.parts.misses.mid, answer.parts.work.mid)
    });
    (misses.low, misses.high) = ends(&train, |answer| answer.parts.misses);
    misses.residual = residual(if test.is_empty() { &train } else { &test }, |answer| {
        let sum = work.value(answer, answer.memory)? + misses.value(answer, answer.memory)?;
        Some(sum / (answer.parts.work.mid + answer.parts.misses.mid))
    });
    CounterCost {
        problem: counts[0].problem.clone(),
        variant: counts[0].variant.clone(),
        version,
        console: console.name.clone(),
        work,
        misses,
        memory,
        trained: train.len(),
        tested: test.len(),
    }
}

/// A counted answer with its cycles and the bytes of its tables.
#[derive(Clone)]
struct CountedAnswer<'a> {
    count: &'a Count,
    parts: CycleParts,
    memory: f64,
}

/// Replaces the counted memory of the answers by the prediction of the sum `memory`.
fn predicted<'a>(answers: Vec<CountedAnswer<'a>>, memory: &CostSum) -> Vec<CountedAnswer<'a>> {
    let answers = answers.into_iter();
    let predicted = answers.map(|answer| CountedAnswer {
        memory: memory.value(&answer, 0.0).unwrap_or(answer.memory),
        ..answer
    });
    predicted.collect()
}

impl CounterValues for CountedAnswer<'_> {
    fn value(&self, name: &str) -> Option<f64> {
        // A counter that a code path does not add is 0.
        Some(self.count.values.get(name).copied().unwrap_or(0.0))
    }
}

/// A candidate for a term.
#[derive(Debug, Clone)]
struct Candidate {
    counter: String,
    beyond: Option<Beyond>,
}

impl Candidate {
    fn plain(counter: String) -> Self {
        Self {
            counter,
            beyond: None,
        }
    }

    fn value(&self, answer: &CountedAnswer) -> f64 {
        let part = self.beyond.map_or(1.0, |beyond| beyond.of(answer.memory));
        answer.product(&self.counter).unwrap_or(0.0) * part
    }
}

/// The measures of the size of a question or of its answer. The other measures describe the referee's work.
const MEASURES: [&str; 4] = [
    "measure_edges",
    "measure_queries",
    "measure_reachable",
    "measure_steps",
];

/// The counters that are above 0 in some answer, and [`ONE`]; also the products of each counter and each flag.
fn counters(answers: &[CountedAnswer]) -> Vec<String> {
    let mut used: BTreeSet<&str> = BTreeSet::new();
    for answer in answers {
        let nonzero = answer
            .count
            .values
            .iter()
            .filter(|(_, value)| **value > 0.0);
        used.extend(nonzero.map(|(name, _)| name.as_str()));
    }
    let is_work = |name: &&str| !Family::Measure.holds(name) || MEASURES.contains(name);
    let used = used.into_iter().filter(is_work);
    let mut names: Vec<String> = [ONE].into_iter().chain(used).map(str::to_owned).collect();
    let flags: Vec<String> = names
        .iter()
        .filter(|name| is_flag(answers, name))
        .cloned()
        .collect();
    for flag in flags {
        let others = names.iter().filter(|name| *name != ONE && **name != flag);
        let with_flag: Vec<String> = others.map(|name| format!("{name}*{flag}")).collect();
        names.extend(with_flag);
    }
    names
}

/// Returns whether a setting is 0 in some answers and 1 in others, with no other value: then other code runs.
fn is_flag(answers: &[CountedAnswer], name: &str) -> bool {
    let is = |wanted: f64| {
        answers
            .iter()
            .any(|answer| answer.value(name) == Some(wanted))
    };
    let all = || answers.iter().filter_map(|answer| answer.value(name));
    Family::Setting.holds(name)
        && is(0.0)
        && is(1.0)
        && all().all(|value| value == 0.0 || value == 1.0)
}

/// A candidate for each counter, each cache and each of [`SHARES`]. Sizes, settings and measures are left out, because
/// they are no work that could miss a cache.
fn beyond(counters: &[String], model: &ProcessorModel) -> Vec<Candidate> {
    let caches = [model.data_cache, model.second_cache];
    let sizes: Vec<f64> = caches
        .into_iter()
        .flatten()
        .map(|cache| f64::from(cache.bytes))
        .collect();
    let mut columns = Vec::new();
    let is_work = |name: &&String| {
        let is_other = Family::Setting.holds(name) || Family::Measure.holds(name);
        *name != ONE && !name.starts_with(SIZE) && !is_other
    };
    for counter in counters.iter().filter(is_work) {
        for bytes in &sizes {
            columns.extend(SHARES.map(|share| Candidate {
                counter: counter.clone(),
                beyond: Some(Beyond {
                    bytes: *bytes,
                    share,
                }),
            }));
        }
    }
    columns
}

/// Fits a sum to `part` of the training answers: the part itself, and the rest of the whole. Errors are relative to
/// the whole.
fn fitted(
    columns: &[Candidate],
    train: &[CountedAnswer],
    test: &[CountedAnswer],
    part: impl Fn(&CountedAnswer) -> (f64, f64),
) -> CostSum {
    let mut rows = Vec::new();
    let mut offsets = Vec::new();
    for answer in train {
        let (own, besides) = part(answer);
        let whole = own + besides;
        if whole > 0.0 {
            let row = columns.iter().map(|column| column.value(answer) / whole);
            rows.push(row.collect());
            offsets.push(besides / whole);
        }
    }
    let model = chosen(&rows, &offsets, MOST);
    let terms = model.terms.iter().map(|(place, coefficient)| {
        let Candidate { counter, beyond } = columns[*place].clone();
        let values = train.iter().filter_map(|answer| answer.product(&counter));
        let range = values
            .filter(|value| *value > 0.0)
            .fold((f64::INFINITY, 0.0_f64), |(low, high), value| {
                (low.min(value), high.max(value))
            });
        Term {
            counter,
            beyond,
            coefficient: *coefficient,
            range,
        }
    });
    let mut row = CostSum {
        terms: terms.collect(),
        low: 1.0,
        high: 1.0,
        residual: Residual::default(),
    };
    row.residual = residual(if test.is_empty() { train } else { test }, |answer| {
        let (own, _) = part(answer);
        (own > 0.0).then_some(row.value(answer, answer.memory)? / own)
    });
    row
}

/// The medians over the answers of low / middle and high / middle.
fn ends(answers: &[CountedAnswer], part: impl Fn(&CountedAnswer) -> Cycles) -> (f64, f64) {
    let parts: Vec<Cycles> = answers
        .iter()
        .map(part)
        .filter(|part| part.mid > 0.0)
        .collect();
    let ratio = |end: fn(&Cycles) -> f64| {
        let ratios: Vec<f64> = parts.iter().map(|part| end(part) / part.mid).collect();
        median(&ratios).unwrap_or(1.0)
    };
    (ratio(|part| part.low), ratio(|part| part.high))
}

/// The quantiles of the error factor; `share` is the prediction divided by the true value.
fn residual(answers: &[CountedAnswer], share: impl Fn(&CountedAnswer) -> Option<f64>) -> Residual {
    let offs: Vec<f64> = answers.iter().filter_map(share).map(off).collect();
    let offs = sorted(&offs);
    let at = |place| quantile(&offs, place).unwrap_or(1.0);
    Residual {
        p50: at(0.5),
        p90: at(0.9),
        max: at(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ikeru_consoles::Consoles;
    use ikeru_consoles::cost::{read, widening};

    use crate::written::written;

    fn ps2() -> Console {
        let consoles = Consoles::built_in().expect("the facts read").consoles;
        let found = consoles.into_iter().find(|console| console.name == "PS2");
        found.expect("the PS2")
    }

    /// The scale of the planted cycles, because events are whole numbers.
    const CYCLE: f64 = 1e6;

    /// Sixty answers with 3 cycles per state, half a cycle per arc and 400 more. Their misses are a tenth of the arcs
    /// times the share of a working set, a quarter of the tables, that the cache does not hold. Tables take 16 bytes
    /// a state.
    fn planted() -> Vec<Count> {
        let count = |at: u32| {
            let spread = |irrational: f64| (f64::from(at) * irrational).fract();
            let states = (40.0 * 1.12_f64.powi(at as i32)).round();
            let arcs = (states * (1.0 + 4.0 * spread(0.618_033_988_7))).round();
            let memory = 16.0 * states;
            let outside = Beyond {
                bytes: 8192.0,
                share: 0.25,
            };
            let events = |cycles: f64| (CYCLE * cycles).round() as u64;
            let cycles = 3.0 * states + 0.5 * arcs + 400.0;
            Count {
                problem: "reach".to_owned(),
                variant: "planted".to_owned(),
                version: 3,
                set: if at.is_multiple_of(3) {
                    Set::Test
                } else {
                    Set::Train
                },
                instance: format!("reach.rail seed={at}"),
                settings: "steps=8".to_owned(),
                table_bytes: memory as u64,
                values: BTreeMap::from([
                    ("states".to_owned(), states),
                    ("arcs".to_owned(), arcs),
                    ("noise".to_owned(), 1.0 + 1e6 * spread(0.414_213_562_3)),
                ]),
                console: "PS2".to_owned(),
                instructions: events(2.0 * states),
                cycles_low: events(0.5 * cycles),
                cycles: events(cycles),
                cycles_high: events(2.0 * cycles),
                read_misses: events(0.1 * arcs * outside.of(memory)),
                ..Count::default()
            }
        };
        (1..61).map(count).collect()
    }

    fn assert_near(value: f64, expected: f64) {
        assert!(
            (value / expected - 1.0).abs() < 1e-6,
            "{value} is not {expected}"
        );
    }

    #[test]
    fn planted_costs_come_back() {
        let costs = costs(&planted(), &[ps2()]);
        let [cost] = &costs[..] else {
            panic!("one variant on one console: {costs:?}")
        };
        let terms = |row: &CostSum| -> BTreeMap<String, f64> {
            let terms = row.terms.iter();
            terms
                .map(|term| (term.counter.clone(), term.coefficient))
                .collect()
        };
        let work = terms(&cost.work);
        for (counter, coefficient) in [("states", 3.0), ("arcs", 0.5), (ONE, 400.0)] {
            assert_near(work[counter], CYCLE * coefficient);
        }
        assert_eq!(work.len(), 3, "{work:?}");
        assert_near(terms(&cost.memory)["states"], 16.0);
        assert_eq!((cost.work.low, cost.work.high), (0.5, 2.0));
        let [misses] = &cost.misses.terms[..] else {
            panic!("{:?}", cost.misses)
        };
        assert_eq!(misses.counter, "arcs");
        assert_eq!(
            misses.beyond.map(|beyond| (beyond.bytes, beyond.share)),
            Some((8192.0, 0.25))
        );
        assert_near(misses.coefficient, CYCLE * 0.1 * 40.0);
        assert!(cost.misses.residual.max < 1.0 + 1e-6 && cost.is_confident());
        assert_eq!((cost.version, cost.trained, cost.tested), (3, 40, 20));
    }

    #[test]
    fn costs_are_the_same_after_writing_and_reading() {
        let costs = costs(&planted(), &[ps2()]);
        let text = written(&costs).expect("written");
        assert_eq!(read("costs.csv", &text).expect("read"), costs);
        let twice = format!(
            "{text}{}",
            text.split_once('\n')
                .expect("a header")
                .1
                .replace("PS2", "GBA")
        );
        let apart = twice.clone() + text.lines().nth(1).expect("a line") + "\n";
        let error = read("costs.csv", &apart).expect_err("apart").to_string();
        let line = apart.lines().count();
        assert!(
            error.starts_with(&format!("costs.csv:{line}: the lines of")),
            "{error}"
        );
    }

    #[test]
    fn a_prediction_says_where_it_leaves_the_training() {
        let console = ps2();
        let costs = costs(&planted(), std::slice::from_ref(&console));
        let answer = |states: f64, arcs: f64| {
            let counters = move |name: &str| match name {
                "states" => Some(states),
                "arcs" => Some(arcs),
                _ => None,
            };
            costs[0].predict(&counters, f64::INFINITY).expect("known counters")
        };
        let inside = answer(1000.0, 2000.0);
        assert_eq!(inside.beyond_training, None);
        assert_near(inside.memory, 16_000.0);
        let cycles = inside.modelled;
        assert_near(cycles.mid, CYCLE * (3000.0 + 1000.0 + 400.0));
        assert_near(cycles.low, 0.5 * cycles.mid);
        let outside = answer(1e6, 2e6).beyond_training.expect("beyond");
        assert!(outside.1 > 20.0, "{outside:?}");
        let unknown = |_: &str| None;
        assert_eq!(costs[0].predict(&unknown, f64::INFINITY), None);
    }

    /// Fits costs to the smaller half of each variant's questions and predicts the larger half. The widened band
    /// contains at least 90 % of the questions beyond the training; the unwidened band contains fewer.
    #[test]
    fn the_band_beyond_the_training_holds_questions_far_away() {
        let consoles = &Consoles::built_in().expect("the facts read").consoles;
        let counts =
            crate::counts("counts.csv", crate::SHIPPED, consoles).expect("the counts read");
        let (mut inside, mut unwidened, mut far) = (0, 0, 0);
        for name in [
            "PS1", "N64", "PS2", "GBA", "DS", "PSP", "Wii", "PS3", "Switch",
        ] {
            let console = consoles.iter().find(|console| console.name == name);
            let model = console
                .and_then(|console| console.model.as_ref())
                .expect("a model");
            let own = counts.iter().filter(|count| count.console == name);
            let mut groups: BTreeMap<(&str, &str), Vec<Count>> = BTreeMap::new();
            for count in own {
                let key = (count.problem.as_str(), count.variant.as_str());
                groups.entry(key).or_default().push(count.clone());
            }
            for mut group in groups.into_values() {
                group.sort_by_key(|count| count.instructions);
                let smaller = &group[..group.len() / 2];
                let Some(cost) = costs(smaller, consoles).pop() else {
                    continue;
                };
                for count in &group[group.len() / 2..] {
                    let known = |name: &str| {
                        let value = count.values.get(name).copied();
                        Some(value.unwrap_or(0.0))
                    };
                    let predicted = cost.predict(&known, f64::INFINITY).expect("known counters");
                    let Some((_, beyond)) = predicted.beyond_training else {
                        continue;
                    };
                    let parts = CycleParts::of(count, model);
                    let truth = (parts.work + parts.misses).mid;
                    let Cycles { low, high, .. } = predicted.modelled;
                    let by = widening(beyond);
                    far += 1;
                    inside += u32::from((low..=high).contains(&truth));
                    unwidened += u32::from((low * by..=high / by).contains(&truth));
                }
            }
        }
        assert!(far > 1000 && inside * 10 >= far * 9, "{inside} of {far}");
        assert!(
            unwidened * 10 < far * 9,
            "{unwidened} of {far} without widening"
        );
    }
}
