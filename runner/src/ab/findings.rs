//! The findings of a session: its table, its regressions, and a file for histories of benchmarks.

use ikeru_compare::LEVEL;
use ikeru_compare::chance::fails_more;
use ikeru_compare::comparison::{Comparison, Terms};
use ikeru_compare::die::Die;
use ikeru_compare::scores::{ScoreDifferences, difference};
use ikeru_compare::words::{IN_LAYOUTS, IN_SESSION};
use ikeru_core::{BoundPolicy, ContentHash};
use ikeru_reports::analyses::scores::ScorePair;
use ikeru_reports::metric::Metric;
use ikeru_reports::statistics::{Estimate, Interval};
use ikeru_reports::table::{Cell as Field, Table, Tone};
use ikeru_reports::units::{self, Quantity};
use ikeru_reports::{row as fields, statistics};
use serde_json::{Value as Json, json};
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use super::blocks::{HeadIs, OF_SCORES, ROUNDS, Timing, Together};
use super::build::Build;
use super::preview::{AnsweredBy, Preview, TRIES};
use super::{BuildSide, Compared, compared};
use crate::execute::Outcome;
use crate::plan::{Cell, Stage};

/// Settings of question and method, threads and bound policy if they are not the usual ones: `steps=48 width=3 threads=2`.
fn settings(cell: &Cell) -> String {
    let mut said = vec![cell.question.to_string(), cell.method.to_string()];
    if cell.threads != 1 {
        said.push(format!("threads={}", cell.threads));
    }
    if cell.bound_policy != BoundPolicy::default() {
        said.push(format!("bound_policy={}", cell.bound_policy.name()));
    }
    said.retain(|text| !text.is_empty());
    said.join(" ")
}

/// A cell's instance with its seed.
fn instance(cell: &Cell) -> String {
    let input = &cell.input;
    match input.seed {
        Some(seed) if !input.name.ends_with(&format!("seed {seed}")) => {
            format!("{} seed={seed}", input.name)
        }
        _ => input.name.clone(),
    }
}

/// The results of a session.
pub struct BuildFindings<'a> {
    /// The stages whose cells were compared.
    pub stages: &'a [Stage],
    /// Base and head.
    pub builds: [&'a Build; 2],
    /// The previews, one per cell, in the order of the stages.
    pub previews: &'a [Preview],
    /// The timings of the cells that both builds answer.
    pub timings: &'a [Timing],
    /// The clock that was used.
    pub clock: Metric,
    /// The tolerated slowdown of head.
    pub margin: f64,
    /// The number of layouts of each side, if there are several.
    pub layouts: Option<u32>,
    /// True if times decide also where scores do.
    pub is_time_asked: bool,
    /// The commands of base and head, if commands are compared.
    pub commands: Option<[String; 2]>,
    /// True of two commands without a score: nothing reads their output.
    pub is_output_unread: bool,
}

impl BuildFindings<'_> {
    /// The scores of head against those of base for each variant of a problem of commands, with its label.
    /// A pair is a question: several settings or numbers of threads may get the same answer.
    fn scores(&self) -> Vec<(String, ScorePair)> {
        let mut differences: BTreeMap<String, ScoreDifferences<usize>> = BTreeMap::new();
        let mut places: HashMap<ContentHash, usize> = HashMap::new();
        for (Compared { stage, cell, .. }, preview) in compared(self.stages).zip(self.previews) {
            if let Some([base, head]) = preview.scores {
                let of_variant = differences.entry(cell.label.clone());
                let next = places.len();
                let place = *places.entry(cell.asked).or_insert(next);
                let direction = stage.problem.direction();
                let of_variant = of_variant.or_default();
                of_variant.add(place, [&[base], &[head]], |own, base| {
                    difference(direction, Some(own), Some(base))
                });
            }
        }
        let means = differences.into_iter().map(|(name, all)| {
            let means: Vec<f64> = all.means().map(|(_, mean)| mean).collect();
            (name, means)
        });
        paired(
            means.filter(|(_, means)| !means.is_empty()).collect(),
            self.margin,
        )
    }

    /// The times of each variant on all its cells, if there are several, with its label.
    fn together(&self) -> Vec<(String, Together)> {
        let with_scores = self.previews.iter().any(|preview| preview.scores.is_some());
        let all = Timing::together(self.timings, self.margin, with_scores).into_iter();
        let named = all
            .filter(|one| one.head.blocks() >= EARLY)
            .map(|one| (self.stages[one.cell.0].cells[one.cell.1].label.clone(), one));
        named.collect()
    }

    /// The regressions of head, one line each: a decided slowdown, a lost answer, a worse score.
    pub fn regressions(&self) -> Vec<String> {
        let previews = compared(self.stages).zip(self.previews);
        let lost = previews.filter_map(|(Compared { stage, cell, .. }, preview)| {
            match &preview.answered {
                AnsweredBy::Base(why) => Some(format!("{}: head {why}", name(stage, cell))),
                _ if preview.is_worse => {
                    Some(format!("{}: {}", name(stage, cell), preview.changes[0]))
                }
                _ => None,
            }
        });
        let slower = self.timings.iter().filter_map(|timing| {
            let name = self.name(timing);
            match &timing.failed {
                Some((BuildSide::Head, outcome, why)) if *outcome != Outcome::RefereeFailed => {
                    return Some(format!("{name}: head {why}"));
                }
                Some(_) => return None,
                None => {}
            }
            let ratio = timing.head.ratio()?;
            (timing.decision(self.margin) == HeadIs::Slower && self.is_by_time(timing.cell)).then(
                || {
                    format!(
                        "{name}: head {} slower",
                        Quantity::Share.word(ratio.value - 1.0)
                    )
                },
            )
        });
        let scores = self.scores().into_iter();
        let worse = scores.filter(|(_, pair)| pair.side() == Some(Ordering::Less));
        let worse = worse.map(|(name, pair)| format!("{name}: {}", pair.sentence()));
        let together = self.together().into_iter();
        let is_slower = |one: &Together| one.decision == HeadIs::Slower;
        let together = together.filter(|(_, one)| is_slower(one) && self.is_by_time(one.cell));
        let together = together.map(|(name, one)| format!("{name}: {}", sentence(&one)));
        let flaky = self.flaky().into_iter();
        lost.chain(flaky)
            .chain(slower)
            .chain(together)
            .chain(worse)
            .collect()
    }

    /// The failures of head over all cells on which a build failed now and then, if they are decidedly more than those of base.
    fn flaky(&self) -> Option<String> {
        let both = self
            .previews
            .iter()
            .filter_map(|preview| match &preview.answered {
                AnsweredBy::NowAndThen(fails, _) => Some(*fails),
                _ => None,
            });
        let both: Vec<[usize; 2]> = both.collect();
        let [base, head] = [0, 1].map(|side| both.iter().map(|it| it[side]).sum::<usize>());
        let of = TRIES * both.len();
        let is_more = head > base && fails_more([base, head], [of, of]) < LEVEL;
        is_more.then(|| format!("head failed {head} of {of} times, base {base}, over the cells on which either failed"))
    }

    /// The number of cells that both builds answer and whose time is not decided, and of variants whose scores differ
    /// without a decision.
    pub fn undecided(&self) -> usize {
        let open = |timing: &&Timing| {
            let decision = timing.decision(self.margin);
            let is_open = matches!(decision, HeadIs::Undecided | HeadIs::Withheld);
            is_open && timing.failed.is_none() && self.is_by_time(timing.cell)
        };
        let has_open_scores = |(_, pair): &&(String, ScorePair)| {
            pair.is_open(self.margin) && pair.count(|it| it != 0.0) > 0
        };
        let scores = self.scores();
        let open_scores = scores.iter().filter(has_open_scores).count();
        self.timings.iter().filter(open).count() + open_scores
    }

    /// Returns whether the time of a cell decides: its solvers are no commands that score, or times are asked for.
    fn is_by_time(&self, place: (usize, usize)) -> bool {
        let mut both = compared(self.stages).zip(self.previews);
        let own = both.find(|(at, _)| at.place == place);
        self.is_time_asked || own.is_none_or(|(_, preview)| preview.scores.is_none())
    }

    /// Why nothing was compared: neither side has an answer that was judged, to any cell. `None` if one has.
    pub fn nothing(&self) -> Option<&str> {
        let mut whys = self.previews.iter().map(|preview| match &preview.answered {
            AnsweredBy::Neither(why) | AnsweredBy::Unjudged(why) => Some(why.as_str()),
            _ => None,
        });
        let first = whys.next()??;
        whys.all(|why| why.is_some()).then_some(first)
    }

    /// The number of cells on which the referee failed.
    pub fn unjudged(&self) -> usize {
        let previews = self.previews.iter();
        let at_first = previews.filter(|it| matches!(it.answered, AnsweredBy::Unjudged(_)));
        let timings = self.timings.iter().filter_map(|it| it.failed.as_ref());
        let later = timings.filter(|(_, outcome, _)| *outcome == Outcome::RefereeFailed);
        at_first.count() + later.count()
    }

    /// The numbers of cells that cannot be timed, with a word for each.
    fn without_time(&self) -> String {
        let word = |answered: &AnsweredBy| match answered {
            AnsweredBy::Base(_) => "lost",
            AnsweredBy::Head(_) => "gained",
            AnsweredBy::Neither(_) => "answered by neither",
            _ => "",
        };
        let count = |wanted: &str| {
            let all = self.previews.iter();
            all.filter(|it| word(&it.answered) == wanted).count()
        };
        let words = ["lost", "gained", "answered by neither"];
        let all = words.map(|word| (count(word), word)).into_iter();
        let some = all.chain([(self.unjudged(), "not judged")]);
        let some = some.filter(|(count, _)| *count > 0);
        some.map(|(count, word)| format!(", {} {word}", units::count(count)))
            .collect()
    }

    /// The number of cells whose answer or counters differ.
    fn changed(&self) -> usize {
        let previews = self.previews.iter();
        previews.filter(|one| !one.changes.is_empty()).count()
    }

    /// One line per cell: what changed, both times, their ratio and the verdict.
    pub fn table(&self) -> Table {
        let spread = self.layouts.map_or("", |_| "spread of layouts | ");
        let heads = format!(
            "variant | instance | settings | head against base | base | head | head ÷ base | base ÷ base | {spread}blocks | answers and counters"
        );
        let rows = compared(self.stages).zip(self.previews);
        let rows = rows.map(|(at, preview)| self.fields(at, preview));
        let scores = self.scores();
        let title = match (&*scores, &*self.together()) {
            ([(_, pair)], _) => format!("Scores of {}", pair.sentence()),
            ([], [(_, one)]) => format!("Head against base: {}", sentence(one)),
            ([], []) => self.alone().unwrap_or("Head against base".to_owned()),
            _ => "Head against base".to_owned(),
        };
        Table {
            rows: rows.collect(),
            notes: self.notes(),
            given_up_first: GIVEN_UP_FIRST,
            comparisons: self.comparisons(),
            ..Table::new(title, &heads)
        }
    }

    /// The sentence on two commands of one cell: `gzip -1 takes 0.73× (0.64 … 0.91×) the time of gzip -9: faster`.
    fn alone(&self) -> Option<String> {
        let [base, head] = self.commands.as_ref()?;
        let [timing] = self.timings else { return None };
        let ratio = ratio(&timing.head).filter(|_| timing.failed.is_none())?;
        let factor = Field::from((Some(ratio), Quantity::Ratio)).line();
        let verdict = self.verdict(self.previews.first()?, Some(timing)).line();
        let said = format!("`{head}` takes {factor} the time of `{base}`: {verdict}");
        Some(said)
    }

    /// The comparisons of head with base: of scores, of each variant on all its cells, and of each cell.
    fn comparisons(&self) -> Vec<Comparison> {
        let sides = |name: &str| ["base", "head"].map(|side| format!("{name}@{side}"));
        let of = |name: &str, level: f64, withheld: bool| Terms {
            margin: self.margin,
            withheld: withheld.then(|| "base differs from itself".to_owned()),
            ..Terms::of_ratios(sides(name), self.clock.word(), level)
        };
        let scores = self.scores().into_iter().map(|(name, pair)| {
            let [a, b] = sides(&name);
            let row = pair.comparison("score");
            Comparison { a, b, ..row }
        });
        let mut all: Vec<Comparison> = scores.collect();
        for (name, one) in self.together() {
            let is_withheld = one.decision == HeadIs::Withheld;
            let terms = of(&name, one.head.level(), is_withheld);
            let interval = one.head.ratio().and_then(|ratio| ratio.interval);
            let factor = Estimate::of(one.ratio.value, interval);
            all.push(row(&terms, "all".to_owned(), Some(factor), &one.head));
        }
        for timing in self.timings.iter().filter(|it| it.head.blocks() > 0) {
            let cell = &self.stages[timing.cell.0].cells[timing.cell.1];
            let is_withheld = timing.decision(self.margin) == HeadIs::Withheld;
            let terms = of(&cell.label, timing.head.level(), is_withheld);
            let place = [instance(cell), settings(cell)].join(" ");
            let over = format!("instance={}", place.trim_end());
            all.push(Comparison {
                needs: timing.needs_layouts(self.margin).unwrap_or_default(),
                ..row(&terms, over, timing.head.ratio(), &timing.head)
            });
        }
        all
    }

    /// The table for a terminal: where scores decide, what changed, without the times of the cells.
    pub fn brief_table(&self) -> Table {
        let mut table = self.table();
        if self.scores().is_empty() || self.is_time_asked {
            return table;
        }
        let (verdict, times) = (3, 4..9 + usize::from(self.layouts.is_some()));
        let all = table.rows.len();
        let mut cells = compared(self.stages).zip(self.previews);
        table.rows.retain_mut(|row| {
            row.drain(times.clone());
            let Some((at, preview)) = cells.next() else {
                return true;
            };
            let has_failed = self.timing(at.place).is_some_and(|it| it.failed.is_some());
            let is_of_time = preview.answered == AnsweredBy::Both && !has_failed;
            if is_of_time {
                row[verdict] = Field::EMPTY;
            }
            !(is_of_time && preview.changes.is_empty())
        });
        table.heads.drain(times);
        if table.rows.iter().all(|row| row[verdict] == Field::EMPTY) {
            table.heads.remove(verdict);
            for row in &mut table.rows {
                row.remove(verdict);
            }
        }
        table.given_up_first = "settings";
        if let left_out @ 1.. = all - table.rows.len() {
            let cells = units::plural(left_out, "cell");
            let note = format!(
                "{cells} of equal answers, and the times of all, are only in ab.csv and in other forms of this table."
            );
            table.notes.insert(0, note);
        }
        table
    }

    fn fields(&self, Compared { place, cell, .. }: Compared, preview: &Preview) -> Vec<Field> {
        let timing = self.timing(place);
        let time = |side| {
            let time = timing.and_then(|timing| timing.time(side));
            (time.map(Estimate::plain), Quantity::Time)
        };
        let ratio = |of: fn(&Timing) -> &Die| {
            (timing.and_then(|timing| ratio(of(timing))), Quantity::Ratio)
        };
        let mut fields = fields![
            &cell.label,
            instance(cell),
            settings(cell),
            self.verdict(preview, timing),
            time(BuildSide::Base),
            time(BuildSide::Head),
            ratio(|timing| &timing.head),
            ratio(|timing| &timing.placebo),
            timing.map_or(Field::EMPTY, |timing| timing.head.blocks().into()),
            match preview.changes.is_empty() {
                true if self.is_output_unread => Field::from("not compared"),
                true if preview.answered == AnsweredBy::Both => Field::from("the same"),
                true => Field::EMPTY,
                false => Field::from(preview.changes.join(", ")),
            },
        ];
        if self.layouts.is_some() {
            let spread = timing.and_then(|timing| timing.head.layouts()?.spread());
            let spread = spread.map(|it| Estimate::plain(it - 1.0));
            fields.insert(8, (spread, Quantity::Share).into());
        }
        fields
    }

    /// The timing of the cell at `place`, if it was timed.
    fn timing(&self, place: (usize, usize)) -> Option<&Timing> {
        self.timings.iter().find(|timing| timing.cell == place)
    }

    fn verdict(&self, preview: &Preview, timing: Option<&Timing>) -> Field {
        let badge = |word: &str, tone| Field::badge(word, tone);
        match &preview.answered {
            AnsweredBy::Both => {}
            AnsweredBy::Base(why) => return badge("answer lost", Tone::Bad).with_detail(why),
            AnsweredBy::NowAndThen([base, head], why) => {
                let fails = format!("base {base}, head {head} of {TRIES}: {why}");
                return badge("fails now and then", Tone::Still).with_detail(fails);
            }
            AnsweredBy::Head(why) => {
                return badge("answer gained", Tone::Good).with_detail(format!("base {why}"));
            }
            AnsweredBy::Neither(why) => return badge("no answer", Tone::Still).with_detail(why),
            AnsweredBy::Unjudged(why) => return badge("not judged", Tone::Bad).with_detail(why),
            AnsweredBy::Unknown(side, why) => {
                let word = format!("not known to {}", side.name());
                return badge(&word, Tone::Still).with_detail(why);
            }
        }
        let Some(timing) = timing else {
            return badge("not timed", Tone::Still);
        };
        if let Some((side, outcome, why)) = &timing.failed {
            let word = match outcome {
                Outcome::RefereeFailed => "not judged".to_owned(),
                _ => format!("{} failed", side.name()),
            };
            return badge(&word, Tone::Bad).with_detail(why);
        }
        match timing.decision(self.margin) {
            HeadIs::Slower => badge("slower", Tone::Bad),
            HeadIs::Faster => badge("faster", Tone::Good),
            HeadIs::Within => {
                let margin = Quantity::Share.word(self.margin);
                badge(&format!("not slower by {margin}"), Tone::Good)
            }
            HeadIs::Undecided => {
                let badge = badge("undecided", Tone::Still);
                let needs = timing.needs(self.margin);
                let needs =
                    needs.map(|(time, about)| format!("needs {about} {} more", spoken(time)));
                let early = timing.head.blocks() < EARLY;
                let early = early.then(|| format!("too early: fewer than {EARLY} blocks"));
                let layouts = timing.needs_layouts(self.margin);
                let layouts = layouts.map(|needs| format!("needs {needs}"));
                badge.with_detail(
                    early
                        .into_iter()
                        .chain(needs)
                        .chain(layouts)
                        .collect::<Vec<_>>()
                        .join(", "),
                )
            }
            HeadIs::Withheld => {
                badge("undecided", Tone::Bad).with_detail("base differs from itself")
            }
        }
    }

    /// The sentence on answers and counters.
    fn answers(&self) -> String {
        let cells = units::plural(self.previews.len(), "cell");
        let (changed, without_time) = (self.changed(), self.without_time());
        match self.is_output_unread {
            true => format!(
                "The output of the commands on {cells} was not compared{without_time}; --score reads a score."
            ),
            false => format!("Answers and counters of {cells}: {changed} differ{without_time}."),
        }
    }

    fn notes(&self) -> Vec<String> {
        let [base, head] = self.builds;
        let clock = match self.clock {
            Metric::Cpu => "CPU time",
            _ => "time that passed",
        };
        let count = |of: HeadIs| {
            let answered = self.timings.iter().filter(|it| it.failed.is_none());
            answered.filter(|it| it.decision(self.margin) == of).count()
        };
        let [slower, faster, undecided] =
            [HeadIs::Slower, HeadIs::Faster, HeadIs::Undecided].map(count);
        let answers = self.answers();
        let mut notes = vec![
            match &self.commands {
                Some([base, head]) => format!("Base is `{base}`, head is `{head}`."),
                None if base.what == head.what => {
                    format!("Base and head are the same program, {}.", known(base))
                }
                None => format!("Base is {}, head is {}.", known(base), known(head)),
            },
            format!("{answers} Times: {slower} slower, {faster} faster, {undecided} undecided."),
            format!(
                "A block has six samples, each in a process of its own: head, base and base again (the placebo) in a random order, then in the reverse order. The ratio is of {clock}. Its interval speaks of head {}. The chance of any false alarm about times or scores is at most 5 %. A failure of head where base answers is an alarm by itself.",
                match self.layouts {
                    None => format!("{IN_SESSION}, and holds after every block"),
                    Some(_) => IN_LAYOUTS.to_owned(),
                }
            ),
        ];
        notes.extend(self.layouts.map(|layouts| format!(
            "Each side was linked {layouts} times with its code in another order. The pairs of layouts are the sample: each has {ROUNDS} blocks of a cell, fewer if the budget ends first, and the interval is Student's t over their means. Their standard deviation, without the scatter of the blocks, is the spread of layouts."
        )));
        let scores = self.scores();
        let together = self.together();
        // A single one is the title.
        if together.len() > 1 || !scores.is_empty() {
            let said = together.iter();
            let said = said.map(|(name, one)| format!("{name}: {}.", sentence(one)));
            notes.splice(1..1, said);
        }
        if scores.len() > 1 {
            let said = scores.iter().map(|(name, pair)| (name, pair.sentence()));
            notes.splice(
                1..1,
                said.map(|(name, said)| format!("{name}: scores of {said}.")),
            );
        }
        let dropped: usize = self.timings.iter().map(|timing| timing.dropped).sum();
        if dropped > 0 {
            let blocks = units::plural(dropped, "block");
            notes.push(format!(
                "{blocks} dropped, because the CPU time of a sample is not known: the machine is too busy for --metric cpu."
            ));
        }
        notes.extend(self.needs());
        let withheld = count(HeadIs::Withheld);
        notes.push(match withheld {
            0 if self.timings.iter().all(|timing| timing.placebo.blocks() == 0) => {
                "No block of times is whole.".to_owned()
            }
            0 if together.iter().any(|(_, one)| one.decision == HeadIs::Withheld) => {
                "The placebo, base against base in each block, differs over the cells of a variant together.".to_owned()
            }
            0 => "The placebo, base against base in each block, shows no difference.".to_owned(),
            _ => format!("The placebo, base against base in each block, differs on {}: nothing is decided there. Make the machine quiet and run again.", units::plural(withheld, "cell")),
        });
        if self.margin > 0.0 {
            let margin = Quantity::Share.word(self.margin);
            notes.push(format!("Slower means: by more than {margin}."));
        }
        let is_by_time = |timing: &Timing| self.is_by_time(timing.cell);
        if !self.timings.iter().all(is_by_time) {
            let note = "Scores decide; times are shown, and decide with --fail-if-slower alone.";
            notes.push(note.to_owned());
        }
        notes
    }

    /// The time that all undecided cells need, by the cells of which a block was taken; `None` of fewer than two cells.
    fn needs(&self) -> Option<String> {
        let timings = self.timings.iter();
        let open = timings.filter(|it| it.is_open(self.margin) && self.is_by_time(it.cell));
        let open: Vec<_> = open.map(|it| it.needs(self.margin)).collect();
        let known: Vec<Duration> = open.iter().flatten().map(|it| it.0).collect();
        (open.len() > 1 && !known.is_empty()).then(|| {
            let all = known
                .iter()
                .sum::<Duration>()
                .mul_f64(open.len() as f64 / known.len() as f64);
            format!(
                "To decide the {} undecided cells takes at least {} more; --instance chooses fewer.",
                units::count(open.len()),
                spoken(all)
            )
        })
    }

    fn name(&self, timing: &Timing) -> String {
        let stage = &self.stages[timing.cell.0];
        name(stage, &stage.cells[timing.cell.1])
    }

    /// The times of head in the form that actions for histories of benchmarks read, smaller is better: a list of
    /// `name`, `unit`, `value`, `range` and `extra`.
    pub fn history(&self) -> Json {
        let entries = self.timings.iter().filter_map(|timing| {
            let value = timing.time(BuildSide::Head)?;
            let spread = spread(&timing.times[BuildSide::Head as usize]);
            let ratio = ratio(&timing.head).map(|ratio| {
                let ends = ratio
                    .interval
                    .map(|ends| Quantity::Ratio.range(ends.low, ends.high));
                let ends = ends.map_or(String::new(), |ends| format!(" ({ends})"));
                format!("head ÷ base {}{ends}", Quantity::Ratio.word(ratio.value))
            });
            Some(json!({
                "name": self.name(timing),
                "unit": "ns",
                "value": value,
                "range": format!("± {spread:.3}"),
                "extra": ratio.unwrap_or_default(),
            }))
        });
        entries.collect()
    }
}

/// `over 30 cells head takes 0.079× the time of base (0.019 … 0.37× by cell): decided, faster`.
fn sentence(one: &Together) -> String {
    let ends = one
        .ratio
        .interval
        .map(|ends| Quantity::Ratio.range(ends.low, ends.high));
    let decision = match one.decision {
        HeadIs::Slower => "decided, slower",
        HeadIs::Faster => "decided, faster",
        HeadIs::Withheld => "undecided, because base differs from itself",
        HeadIs::Within => "not slower on any of them",
        HeadIs::Undecided => "undecided",
    };
    format!(
        "over {} head takes {} the time of base ({} by cell): {decision}",
        units::plural(one.cells, "cell"),
        Quantity::Ratio.word(one.ratio.value),
        ends.unwrap_or_default(),
    )
}

/// The comparisons of the differences of each variant, at a level that they share.
fn paired(differences: BTreeMap<String, Vec<f64>>, margin: f64) -> Vec<(String, ScorePair)> {
    let level = LEVEL * OF_SCORES / differences.len() as f64;
    let pair = |(name, differences): (String, Vec<f64>)| {
        let names = ["base", "head"].map(str::to_owned);
        (
            name,
            ScorePair::of(names, level, differences).within(margin),
        )
    };
    differences.into_iter().map(pair).collect()
}

/// The columns that a narrow terminal omits first; verdict, ratio and interval remain.
const GIVEN_UP_FIRST: &str = "base ÷ base | blocks | settings | base | head | answers and counters";

/// An estimated time, at least a second.
fn spoken(time: Duration) -> String {
    units::about(1e9 * time.as_secs_f64().ceil().max(1.0))
}

/// A cell in words.
fn name(stage: &Stage, cell: &Cell) -> String {
    let settings = match settings(cell) {
        none if none.is_empty() => none,
        some => format!(" {some}"),
    };
    let (experiment, label) = (&stage.experiment, &cell.label);
    format!("{experiment}: {label} on {}{settings}", instance(cell))
}

/// A build as it was named, with its description.
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

/// Fewer blocks than this have no ratio.
const EARLY: usize = 3;

/// The row of the ratio of a test.
fn row(terms: &Terms, over: String, ratio: Option<Estimate>, test: &Die) -> Comparison {
    let size = (test.blocks(), test.level());
    let row = Comparison::of_pairs(terms, over, ratio.map(Estimate::inverse), size);
    let n = test.layouts().map_or(row.n, |it| it.count());
    Comparison { n, ..row }
}

/// The ratio with its interval, if the blocks are enough for one.
fn ratio(bets: &Die) -> Option<Estimate> {
    let ratio = bets.ratio().filter(|_| bets.blocks() >= EARLY)?;
    let is_known = |ends: &Interval| ends.low > 0.0 && ends.high.is_finite();
    Some(Estimate::of(ratio.value, ratio.interval.filter(is_known)))
}

#[cfg(test)]
mod tests {
    use ikeru_core::Random;

    use super::*;

    #[test]
    fn fewer_than_three_blocks_have_no_ratio() {
        let mut die = Die::new(0.05, &[0.0]);
        for blocks in 1..=4 {
            die.push((0, 0), &[[0.7, 0.71], [0.0, 0.01], [0.02, 0.0]]);
            assert_eq!(ratio(&die).is_some(), blocks >= 3, "{blocks}");
        }
    }

    #[test]
    fn equal_scores_of_twelve_variants_raise_no_more_alarms_than_said() {
        let is_alarmed = |seed: &u64| {
            let mut random = Random::new("ab-scores", *seed);
            let mut equal = || (0..100).map(|_| random.unit() - 0.5).collect();
            let variants = (0..12).map(|variant| (format!("v{variant}"), equal()));
            let pairs = paired(variants.collect(), 0.0);
            pairs.iter().any(|(_, pair)| pair.side().is_some())
        };
        let alarms = (0..400).filter(is_alarmed).count();
        assert!(alarms <= 10, "{alarms} of 400 at half of 5 %");
    }
}
