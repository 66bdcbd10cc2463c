//! What a session found: its table, its raw samples, and a file for histories of benchmarks.

use std::fs::File;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use ikeru_reports::statistics::{Estimate, Interval};
use ikeru_reports::table::{Cell, Table, Tone};
use ikeru_reports::units::{self, Quantity};
use ikeru_reports::{row, statistics};
use serde_json::{Value as Json, json};

use super::Arena;
use super::build::Build;
use super::session::{Clock, Duel, Look, Side, Standing, Turn, Verdict};
use crate::execute::Sample;

/// The raw samples of a session: `samples.csv`.
pub struct Samples(csv::Writer<File>);

impl Samples {
    /// A new file with its header.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn create(path: &Path) -> Result<Self> {
        let mut writer =
            csv::Writer::from_path(path).with_context(|| path.display().to_string())?;
        writer.write_record([
            "experiment",
            "label",
            "instance",
            "seed",
            "settings",
            "side",
            "block",
            "place",
            "started_ns",
            "outcome",
            "detail",
            "batch_ns",
            "cpu_ns",
            "iterations",
            "score",
        ])?;
        Ok(Self(writer))
    }

    /// One more sample, flushed.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn keep(&mut self, arena: &Arena, turn: Turn, sample: &Sample) -> Result<()> {
        let (stage, cell) = arena.cell(turn.cell);
        let nanoseconds =
            |time: Option<Duration>| time.map_or(String::new(), |it| it.as_nanos().to_string());
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let fields = [
            stage.experiment.clone(),
            cell.label.clone(),
            cell.input.name.clone(),
            cell.input
                .seed
                .map_or(String::new(), |seed| seed.to_string()),
            settings(arena, turn.cell),
            turn.side.name().to_owned(),
            turn.block.to_string(),
            turn.place.to_string(),
            now.as_nanos().to_string(),
            sample.outcome.name().to_owned(),
            sample.detail.clone(),
            nanoseconds(sample.batch),
            nanoseconds(sample.cpu),
            sample.iterations.to_string(),
            sample
                .score
                .map_or(String::new(), |score| score.to_string()),
        ];
        self.0.write_record(fields)?;
        Ok(self.0.flush()?)
    }
}

/// Settings of question and method, as `steps=48 width=3`.
fn settings(arena: &Arena, at: usize) -> String {
    let (_, cell) = arena.cell(at);
    let both = [cell.question.to_string(), cell.method.to_string()];
    let said: Vec<String> = both.into_iter().filter(|text| !text.is_empty()).collect();
    said.join(" ")
}

/// A cell's instance with its seed.
fn instance(arena: &Arena, at: usize) -> String {
    let input = &arena.cell(at).1.input;
    match input.seed {
        Some(seed) => format!("{} seed={seed}", input.name),
        None => input.name.clone(),
    }
}

/// Everything that a session found.
pub struct Found<'a> {
    /// The cells.
    pub arena: &'a Arena,
    /// Base and head.
    pub builds: [&'a Build; 2],
    /// One per cell.
    pub looks: &'a [Look],
    /// Of the cells that both builds answer.
    pub duels: &'a [Duel],
    /// What was timed.
    pub clock: Clock,
    /// How much slower head may be.
    pub margin: f64,
}

impl Found<'_> {
    /// What head does worse, one line each: a decided slowdown, a lost answer, a worse score.
    pub fn regressions(&self) -> Vec<String> {
        let looks = self.looks.iter().enumerate();
        let lost = looks.filter_map(|(at, look)| match &look.standing {
            Standing::Lost(why) => Some(format!("{}: head {why}", self.name(at))),
            _ if look.is_worse => Some(format!("{}: {}", self.name(at), look.news[0])),
            _ => None,
        });
        let slower = self.duels.iter().filter_map(|duel| {
            let name = self.name(duel.cell);
            match &duel.failed {
                Some((Side::Head, why)) => return Some(format!("{name}: head {why}")),
                Some((Side::Base, _)) => return None,
                None => {}
            }
            let ratio = duel.sequence.ratio()?;
            (duel.verdict(self.margin) == Verdict::Slower)
                .then(|| format!("{name}: {} slower", Quantity::Share.word(ratio.mid - 1.0)))
        });
        lost.chain(slower).collect()
    }

    /// The number of cells that both builds answer and whose time is not decided.
    pub fn undecided(&self) -> usize {
        let open =
            |duel: &&Duel| duel.failed.is_none() && duel.verdict(self.margin) == Verdict::Undecided;
        self.duels.iter().filter(open).count()
    }

    /// The number of cells whose answer or counters differ.
    pub fn changed(&self) -> usize {
        self.looks
            .iter()
            .filter(|look| !look.news.is_empty())
            .count()
    }

    /// One line per cell: what changed, both times, their ratio and the verdict.
    pub fn table(&self) -> Table {
        let heads = "variant | instance | settings | head against base | base | head | head ÷ base | blocks | answers and counters";
        let rows = (0..self.arena.count()).map(|at| self.fields(at));
        Table {
            rows: rows.collect(),
            notes: self.notes(),
            ..Table::new("Head against base", heads)
        }
    }

    fn fields(&self, at: usize) -> Vec<Cell> {
        let (_, cell) = self.arena.cell(at);
        let look = &self.looks[at];
        let duel = self.duels.iter().find(|duel| duel.cell == at);
        let time = |side| {
            (
                duel.and_then(|duel| duel.time(side)).map(Estimate::plain),
                Quantity::Time,
            )
        };
        row![
            &cell.label,
            instance(self.arena, at),
            settings(self.arena, at),
            self.verdict(look, duel),
            time(Side::Base),
            time(Side::Head),
            (duel.and_then(ratio), Quantity::Ratio),
            duel.map_or(Cell::EMPTY, |duel| duel.sequence.pairs().into()),
            match look.news.is_empty() {
                true if look.standing == Standing::Both => Cell::from("the same"),
                true => Cell::EMPTY,
                false => Cell::from(look.news.join(", ")),
            },
        ]
    }

    fn verdict(&self, look: &Look, duel: Option<&Duel>) -> Cell {
        let badge = |word: &str, tone| Cell::badge(word, tone);
        match &look.standing {
            Standing::Both => {}
            Standing::Lost(why) => return badge("answer lost", Tone::Bad).with_detail(why),
            Standing::Gained(why) => {
                return badge("answer gained", Tone::Good).with_detail(format!("base {why}"));
            }
            Standing::Neither(why) => return badge("no answer", Tone::Still).with_detail(why),
            Standing::Unknown(side, why) => {
                let word = format!("not known to {}", side.name());
                return badge(&word, Tone::Still).with_detail(why);
            }
        }
        let Some(duel) = duel else {
            return badge("not timed", Tone::Still);
        };
        if let Some((side, why)) = &duel.failed {
            return badge(&format!("{} failed", side.name()), Tone::Bad).with_detail(why);
        }
        match duel.verdict(self.margin) {
            Verdict::Slower => badge("slower", Tone::Bad),
            Verdict::Faster => badge("faster", Tone::Good),
            Verdict::Within => {
                let margin = Quantity::Share.word(self.margin);
                badge(&format!("not slower by {margin}"), Tone::Good)
            }
            Verdict::Undecided => badge("undecided", Tone::Still),
        }
    }

    fn notes(&self) -> Vec<String> {
        let [base, head] = self.builds;
        let clock = match self.clock {
            Clock::Wall => "time that passed",
            Clock::Cpu => "CPU time",
        };
        let cells = units::plural(self.looks.len(), "cell");
        let count = |of: Verdict| {
            let all = self.duels.iter();
            all.filter(|duel| duel.failed.is_none() && duel.verdict(self.margin) == of)
                .count()
        };
        let mut notes = vec![
            format!("Base is {}, head is {}.", known(base), known(head)),
            format!(
                "Answers and counters of {cells}: {} differ. Times: {} slower, {} faster, {} undecided.",
                self.changed(),
                count(Verdict::Slower),
                count(Verdict::Faster),
                self.undecided()
            ),
            format!(
                "Each block holds two samples of each build in the order ABBA or BAAB, by lot, each in a process of its own. The ratio is of {clock}; its interval holds at every moment of the session, and the chance of any false alarm in the table is at most 5 %."
            ),
        ];
        if self.margin > 0.0 {
            notes.push(format!(
                "Slower means: by more than {}.",
                Quantity::Share.word(self.margin)
            ));
        }
        notes
    }

    /// A cell in words.
    fn name(&self, at: usize) -> String {
        let (stage, cell) = self.arena.cell(at);
        let settings = match settings(self.arena, at) {
            none if none.is_empty() => none,
            some => format!(" {some}"),
        };
        format!(
            "{}: {} on {}{settings}",
            stage.experiment,
            cell.label,
            instance(self.arena, at)
        )
    }

    /// The times of head in the form that actions for histories of benchmarks read, smaller is better: a list of
    /// `name`, `unit`, `value`, `range` and `extra`.
    pub fn history(&self) -> Json {
        let entries = self.duels.iter().filter_map(|duel| {
            let value = duel.time(Side::Head)?;
            let spread = spread(&duel.times[Side::Head as usize]);
            let ratio = ratio(duel).map_or(String::new(), |ratio| {
                let ends = ratio.interval.map_or(String::new(), |ends| {
                    format!(" ({})", Quantity::Ratio.range(ends.low, ends.high))
                });
                format!("head ÷ base {}{ends}", Quantity::Ratio.word(ratio.value))
            });
            Some(json!({
                "name": self.name(duel.cell),
                "unit": "ns",
                "value": value,
                "range": format!("± {spread:.3}"),
                "extra": ratio,
            }))
        });
        entries.collect()
    }
}

/// A build as it was named, and what that is.
fn known(build: &Build) -> String {
    if build.name == build.what {
        return build.name.clone();
    }
    format!("{} ({})", build.name, build.what)
}

/// Half the distance of the quartiles.
fn spread(times: &[f64]) -> f64 {
    let sorted = statistics::sorted(times);
    let [low, high] = [0.25, 0.75].map(|share| statistics::quantile(&sorted, share));
    low.zip(high).map_or(0.0, |(low, high)| (high - low) / 2.0)
}

/// Head by base with its interval, if any block is complete.
fn ratio(duel: &Duel) -> Option<Estimate> {
    let ratio = duel.sequence.ratio()?;
    let known = ratio.low > 0.0 && ratio.high.is_finite();
    Some(Estimate {
        interval: known.then_some(Interval {
            low: ratio.low,
            high: ratio.high,
        }),
        ..Estimate::plain(ratio.mid)
    })
}
