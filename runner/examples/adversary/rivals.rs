//! Two variants on many instances: those on which one beats the other the most, both ways.
//!
//! Candidates are a generator's parameters and seeds, and the finds so far with some words changed. The most one-sided of
//! every size is kept; the best are measured again, because the sample that made one a find is biased, and made smaller
//! as long as they stay as one-sided.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use ikeru::execute::{Outcome, Sample, Task, Watch};
use ikeru::{interrupt, registry};
use ikeru_bench_data::Mode;
use ikeru_core::{
    AnyInstance, AnyProblem, BoundPolicy, GeneratorInfo, Incumbent, Random, Settings, Value,
};

use crate::inputs::changed;

/// The shortest sample of times.
const SAMPLE: Duration = Duration::from_millis(2);
/// The time limit of one answer.
const LIMIT: Duration = Duration::from_secs(2);
/// Finds of each way that are written.
const KEPT: usize = 3;
/// The share of candidates that are changed finds.
const CHANGED: f64 = 0.4;

/// Two variants of a problem, and what is compared.
pub struct Rivals {
    problem: &'static dyn AnyProblem,
    generator: GeneratorInfo,
    names: [String; 2],
    /// A counter; without one, the CPU time.
    counter: Option<String>,
    /// The parameters of the generator, each with its lowest and its highest value.
    ranges: Vec<(String, i64, i64)>,
}

/// An instance with the logarithm of the first variant's cost by the second's.
#[derive(Clone)]
struct Find {
    text: String,
    size: u64,
    ratio: f64,
}

/// The search's result: the finds of each way by size class, and the instances with a wrong answer.
#[derive(Default)]
struct Found {
    best: [BTreeMap<u32, Find>; 2],
    mistakes: Vec<String>,
    candidates: u64,
}

impl Rivals {
    /// The variants `names` on a generator's instances; `sets` are `KEY=VALUE` or `KEY=LOW..HIGH`.
    pub fn new(
        names: &[String],
        on: &str,
        counter: Option<String>,
        sets: &[String],
    ) -> Result<Self> {
        let (problem, generator) = registry::generator(on)?;
        let [a, b] = names else {
            bail!("expected two variants")
        };
        for name in names {
            problem.variant(name)?;
        }
        let range = |set: &String| {
            let (name, values) = set.split_once('=').context("expected KEY=LOW..HIGH")?;
            let (low, high) = values.split_once("..").unwrap_or((values, values));
            Ok((name.to_owned(), low.parse()?, high.parse()?))
        };
        Ok(Self {
            problem,
            generator,
            names: [a.clone(), b.clone()],
            counter,
            ranges: sets.iter().map(range).collect::<Result<_>>()?,
        })
    }

    /// Searches for `time`, writes the finds into `folder` and prints them; returns whether an answer was wrong.
    pub fn hunt(&self, time: Duration, seed: u64, folder: &Path) -> Result<bool> {
        let mut random = Random::new("rivals", seed);
        let ends = Instant::now() + time;
        let mut found = Found::default();
        while Instant::now() < ends {
            let text = self.candidate(&found, &mut random);
            found.candidates += 1;
            match text.map(|text| self.meet(&text).map(|met| (text, met))) {
                Some(Ok((text, Some((size, ratio))))) => found.keep(Find { text, size, ratio }),
                Some(Err(why)) => found.mistakes.push(why),
                _ => {}
            }
        }
        let mut entries = String::new();
        for way in 0..2 {
            let mut best: Vec<Find> = found.best[way].values().cloned().collect();
            best.sort_by(|a, b| b.ratio.abs().total_cmp(&a.ratio.abs()));
            for (find, number) in best.into_iter().take(KEPT).zip(1..) {
                // The second measurement replaces the first, even if it is less one-sided.
                let Ok(Some((_, again))) = self.meet(&find.text) else {
                    continue;
                };
                let find = self.smaller(Find {
                    ratio: again,
                    ..find
                });
                let name = format!("{}-wins-{number}.txt", self.names[1 - way]);
                println!(
                    "{name}: size {}, {:.2} times the cost",
                    find.size,
                    find.ratio.abs().exp()
                );
                fs::write(folder.join(&name), &find.text)?;
                entries += &format!("[[instances]]\nfiles = \"{name}\"\n");
            }
        }
        let [a, b] = &self.names;
        let experiment = format!(
            "name = \"rivals\"\ntitle = \"{a} against {b}\"\nabout = \"Instances that a search found.\"\n\
             problem = \"{}\"\nvariants = [\"{a}\", \"{b}\"]\n{entries}",
            self.problem.name()
        );
        fs::write(folder.join("rivals.toml"), experiment)?;
        for why in &found.mistakes {
            println!("wrong: {why}");
        }
        println!(
            "{} candidates; `ikeru run {}`",
            found.candidates,
            folder.join("rivals.toml").display()
        );
        Ok(!found.mistakes.is_empty())
    }

    /// A generated instance, or a find with some words changed.
    fn candidate(&self, found: &Found, random: &mut Random) -> Option<String> {
        let finds: Vec<&Find> = found.best.iter().flat_map(BTreeMap::values).collect();
        if !finds.is_empty() && random.chance(CHANGED) {
            let [one, other] = [0, 1].map(|_| &finds[random.index(finds.len())].text);
            let text = changed(one, other, random);
            return self.problem.read(&text).is_ok().then_some(text);
        }
        let mut parameters = Settings::new();
        for (name, low, high) in &self.ranges {
            parameters.set(name.as_str(), Value::Int(random.between(*low, *high)));
        }
        let made = self
            .problem
            .generate(self.generator.name, &parameters, random.below(1 << 40));
        Some(made.ok()?.text())
    }

    /// The instance's size, and the logarithm of the first variant's cost by the second's; `None` where one of them has
    /// none.
    ///
    /// # Errors
    /// A wrong answer, a crash, or two proven answers that differ.
    fn meet(&self, text: &str) -> Result<Option<(u64, f64)>, String> {
        let base = self
            .problem
            .read(text)
            .and_then(|base| base.ask(&Settings::new()));
        let Ok(asked) = base else { return Ok(None) };
        let mut samples = Vec::new();
        for name in &self.names {
            let sample = self.sample(asked.as_ref(), name)?;
            match sample.outcome {
                Outcome::Solved => samples.push(sample),
                Outcome::Wrong | Outcome::Crashed => {
                    return Err(format!(
                        "{name} is {}: {}\n{text}",
                        sample.outcome.name(),
                        sample.detail
                    ));
                }
                _ => return Ok(None),
            }
        }
        if samples.iter().all(|sample| sample.proven) && samples[0].score != samples[1].score {
            return Err(format!(
                "both prove, {:?} and {:?}\n{text}",
                samples[0].score, samples[1].score
            ));
        }
        let costs: Option<Vec<f64>> = samples.iter().map(|sample| self.cost(sample)).collect();
        // A count of 0 is as good as one of 1.
        let ratio = costs.map(|costs| (costs[0].max(1.0) / costs[1].max(1.0)).ln());
        Ok(ratio.map(|ratio| (asked.size(), ratio)))
    }

    fn cost(&self, sample: &Sample) -> Option<f64> {
        let Some(counter) = &self.counter else {
            return sample.each(sample.cpu.or(sample.batch));
        };
        let mut counters = sample.counters.iter();
        counters
            .find(|(name, _)| name == counter)
            .map(|(_, count)| *count as f64)
    }

    fn sample(&self, asked: &dyn AnyInstance, variant: &str) -> Result<Sample, String> {
        let task = Task {
            variant: variant.to_owned(),
            method: Settings::new(),
            bound_policy: BoundPolicy::Private,
            threads: 1,
            mode: Mode::Isolated,
            limit: LIMIT,
            sample: if self.counter.is_none() {
                SAMPLE
            } else {
                Duration::ZERO
            },
            warm_up: Duration::ZERO,
            certify: false,
            foreign: None,
            planted: 0.0,
        };
        let watch = Watch {
            incumbent: &Incumbent::new(self.problem.direction()),
            begins: &|_| (),
            stop: interrupt::flag(),
        };
        let sample = task.sample_here(asked, &mut None, &watch);
        sample.map_err(|error| format!("{error:#}"))
    }

    /// The find without lines that it does not need to stay nine tenths as one-sided.
    fn smaller(&self, mut find: Find) -> Find {
        let mut place = 0;
        while place < find.text.lines().count() {
            let lines = find.text.lines().enumerate();
            let rest = lines
                .filter(|(line, _)| *line != place)
                .map(|(_, line)| format!("{line}\n"));
            let text: String = rest.collect();
            match self.meet(&text) {
                Ok(Some((size, ratio))) if ratio / find.ratio >= 0.9 => {
                    find = Find {
                        text,
                        size,
                        ratio: find.ratio,
                    };
                }
                _ => place += 1,
            }
        }
        find
    }
}

impl Found {
    /// Keeps a find if it is the most one-sided of its way and size class.
    fn keep(&mut self, find: Find) {
        let way = usize::from(find.ratio < 0.0);
        let class = find.size.max(1).ilog2();
        let best = self.best[way]
            .get(&class)
            .map_or(0.0, |best| best.ratio.abs());
        if find.ratio.abs() > best {
            self.best[way].insert(class, find);
        }
    }
}
