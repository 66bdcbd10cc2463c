//! The tables of the first console within each budget, and of one console.

use std::collections::BTreeMap;

use super::{ConsoleView, OnConsole, modelled};
use crate::page::ConsoleLine;
use ikeru_consoles::budget::{BUDGETS, Manages, verdict};
use ikeru_consoles::counts::Count;
use ikeru_consoles::cycles::CycleParts;
use ikeru_consoles::throughput::Throughput;
use ikeru_consoles::validation::said;
use ikeru_records::units::{Quantity, few, plural, rounded};
use ikeru_records::{Result, refuse};
use ikeru_reports::row;
use ikeru_reports::table::{Cell, Table, Tone, sign};

impl ConsoleView<'_> {
    /// A cell with the first console that surely answers within a budget, and an earlier one that likely does.
    fn first(&self, on: &BTreeMap<usize, OnConsole>, budget: usize) -> Cell {
        let consoles = self.consoles();
        let at_least = |wanted: Manages| {
            let mut all = on.iter();
            all.find(|(_, one)| one.manages[budget] >= wanted)
                .map(|(place, _)| *place)
        };
        let word = |place: usize| &consoles[place].name;
        match (at_least(Manages::Likely), at_least(Manages::Sure)) {
            (Some(likely), Some(sure)) if likely == sure => Cell::badge(word(sure), Tone::Good),
            (Some(likely), Some(sure)) => Cell::badge(
                format!("{}, likely {}", word(sure), word(likely)),
                Tone::Warn,
            ),
            (Some(likely), None) => Cell::badge(format!("likely {}", word(likely)), Tone::Warn),
            (None, _) => {
                let is_open = |one: &OnConsole| one.manages[budget] == Manages::Unknown;
                let manages =
                    [Manages::No, Manages::Unknown][usize::from(on.values().any(is_open))];
                Cell::badge(manages.name(), Tone::Still)
            }
        }
    }

    /// The table "the first console that manages".
    pub fn firsts(&self) -> Table {
        let title = format!("The first console that manages{}", self.on_questions());
        let mut table = Table::new(title, "variant | 60 fps | 30 fps | 0.1 s | does not fit");
        for (name, on) in self.labelled() {
            let misfits = on.iter().filter(|(_, one)| !one.slowest.fits);
            let names: Vec<&str> = misfits
                .map(|(place, _)| self.consoles()[*place].name.as_str())
                .collect();
            let mut row = row![name];
            row.extend((0..BUDGETS.len()).map(|budget| self.first(on, budget)));
            row.push(if names.is_empty() {
                Cell::EMPTY
            } else {
                names.join(", ").into()
            });
            table.rows.push(row);
        }
        // A table of unknown times alone would be empty.
        let unknown = self.unknown.iter().filter(|_| !self.questions.is_empty());
        table.rows.extend(unknown.map(|(label, _)| {
            let mut row = row![label, Cell::badge("not known", Tone::Still)];
            row.resize(2 + BUDGETS.len(), Cell::EMPTY);
            row
        }));
        table.notes = self.notes();
        table
    }

    /// The table of one console: a sentence as the title, and the time and the verdicts of each variant.
    ///
    /// # Errors
    /// A console that is unknown or not modelled.
    pub fn of_console(&self, name: &str) -> Result<Table> {
        let consoles = self.consoles();
        let place = modelled(name, consoles)?;
        let console = &consoles[place];
        let heads = format!(
            "variant | in time for | {} takes | of a frame at 60 Hz",
            self.unit()
        );
        let mut table = Table::new("", &heads);
        table.given_up_first = "of a frame at 60 Hz";
        for (label, on) in self.labelled() {
            let Some(one) = on.get(&place) else { continue };
            let placement = &consoles[one.slowest.placement].name;
            let placement = placement.strip_prefix(name).unwrap_or_default();
            let time = self.time(&one.slowest);
            let (words, manages) = verdict(&one.manages);
            table.rows.push(row![
                label,
                Cell::badge(words, tone(manages)),
                time.with_detail(placement.trim_start_matches(", ")),
                self.share_of_frame(&one.slowest),
            ]);
        }
        table.rows.extend(self.unknown.iter().map(|(label, _)| {
            row![
                label,
                Cell::badge("not known", Tone::Still),
                Cell::EMPTY,
                Cell::EMPTY
            ]
        }));
        if table.rows.is_empty() {
            refuse!("no answer of this run has a modelled time on the {name}");
        }
        if !self.unknown.is_empty() {
            table.notes.push(self.rough_bound(place));
        }
        if self.questions.len() > 1 {
            let said = self.on_questions();
            let said = said.trim_start_matches(", ");
            table.notes.push(format!(
                "The first line has the worst verdict of all, or on how many of them a budget is met: {said}."
            ));
        }
        table.title = self.sentence_of(place);
        table
            .notes
            .push(said(&self.basis.checks, console, consoles));
        table.notes.extend(self.notes().into_iter().take(1));
        let labelled = self.labelled();
        let remarks = labelled.filter_map(|(label, on)| {
            let remarks = on.get(&place)?.slowest.remarks.iter();
            let remarks: Vec<String> = remarks.map(ToString::to_string).collect();
            (!remarks.is_empty()).then(|| format!("{label} ({})", remarks.join(", ")))
        });
        let remarks: Vec<String> = remarks.collect();
        if !remarks.is_empty() {
            table.notes.push(format!(
                "Less certain: {}.",
                few(&remarks, MOST_REMARKS, "; ")
            ));
        }
        Ok(table)
    }

    /// The reason why a variant is not known, and how to bound its time by hand.
    fn rough_bound(&self, place: usize) -> String {
        let console = &self.consoles()[place];
        let model = console.model.as_ref();
        let per_instruction = |count: &Count| {
            let cycles = CycleParts::of(count, model?).sum().mid;
            Some(cycles / count.instructions as f64)
        };
        let own = self.basis.counts.iter();
        let own = own.filter(|count| count.console == console.name);
        let own = own.filter(|count| self.rows.some("problem", &count.problem));
        let mut cycles: Vec<f64> = own.filter_map(per_instruction).collect();
        cycles.sort_by(f64::total_cmp);
        let why = self.not_known().unwrap_or_default();
        let (Some(low), Some(high)) = (cycles.first(), cycles.last()) else {
            return format!("{why} No variant of this problem was counted: no bound is possible.");
        };
        let [low, high] = [low, high].map(|cycles| rounded(*cycles, 2));
        format!(
            "{why} A rough bound by hand: the instructions of an answer (`perf stat -e instructions:u`, where the machine counts \
             them) × {low} … {high} cycles, as this problem's counted variants take on the {}, ÷ {} MHz. Another instruction set \
             may need twice as many.",
            console.name, console.clock_mhz
        )
    }

    /// The chart's title as the line of all consoles, and for each console the first label and the best; none without a console.
    pub(super) fn lines(&self) -> Vec<ConsoleLine> {
        let places = self.places();
        let all = (!places.is_empty()).then(|| ConsoleLine {
            console: "every console".to_owned(),
            question: self.common.clone(),
            sentence: self.title(),
            is_unchecked: false,
        });
        let each = places.into_iter().map(|place| ConsoleLine {
            console: self.consoles()[place].name.clone(),
            question: self.common.clone(),
            sentence: self.said_of(
                place,
                |label| format!("`{label}`"),
                |one| self.in_brackets(one),
            ),
            is_unchecked: !self.unchecked(&[place]).is_empty(),
        });
        all.into_iter().chain(each).collect()
    }

    /// A short sentence on one console: the first label and the best with their verdicts.
    fn sentence_of(&self, place: usize) -> String {
        let unchecked = ["", ", not checked"][usize::from(!self.unchecked(&[place]).is_empty())];
        let name = |label: &str| match label.contains(',') {
            true => format!("`{label}`"),
            false => label.to_owned(),
        };
        let said = self.said_of(place, name, |_| String::new());
        format!(
            "{}, modelled{unchecked}: {said}",
            self.consoles()[place].name
        )
    }

    /// The words that all questions have, and how many there are.
    fn on_questions(&self) -> String {
        let on = if self.common.is_empty() { "" } else { ", " };
        match self.questions.len() {
            0 | 1 => format!("{on}{}", self.common),
            several => format!("{on}{}, {several} questions", self.common),
        }
    }

    /// The first label and the best on one console, each as `name` has it, with its worst verdict and what `more` says of its
    /// slowest answer.
    fn said_of(
        &self,
        place: usize,
        name: impl Fn(&str) -> String,
        more: impl Fn(&Throughput) -> String,
    ) -> String {
        let worst = self.worst();
        let shown = self.first_and_best(&worst, Some(place)).into_iter();
        let said = shown.filter_map(|(label, on)| {
            let one = on.get(&place)?;
            let name = name(label);
            let words = self.part_in_time(label, place);
            let words = words.unwrap_or_else(|| verdict(&one.manages).0);
            Some(format!("{name} {words}{}", more(&one.slowest)))
        });
        let said: Vec<String> = said.collect();
        match said.is_empty() {
            true => "no time is known".to_owned(),
            false => said.join("; "),
        }
    }

    /// `60 fps on 1 of 4 questions`: the shortest budget that a label meets on some questions, if on others it meets none.
    fn part_in_time(&self, label: &str, place: usize) -> Option<String> {
        let answers = self.answers(label).filter_map(|on| on.get(&place));
        let own: Vec<_> = answers.map(|one| one.manages).collect();
        let longest = BUDGETS.len() - 1;
        if own.iter().all(|it| it[longest] >= Manages::Likely) {
            return None;
        }
        let met = |budget: &usize| own.iter().any(|it| it[*budget] >= Manages::Likely);
        let budget = (0..BUDGETS.len()).find(met)?;
        let of = |wanted| own.iter().filter(|it| it[budget] >= wanted).count();
        let (sure, likely) = (of(Manages::Sure), of(Manages::Likely));
        let (word, count) = if sure > 0 {
            ("", sure)
        } else {
            ("likely ", likely)
        };
        let all = plural(own.len(), "question");
        Some(format!(
            "{word}{} on {count} of {all}",
            BUDGETS[budget].short
        ))
    }

    /// The time of the slowest answer with its band.
    fn in_brackets(&self, slowest: &Throughput) -> String {
        let Some(time) = slowest.time(self.consoles()) else {
            return String::new();
        };
        let ends = time.interval.filter(|ends| ends.high.is_finite());
        let ends = ends.map(|ends| format!(", {}", Quantity::Time.range(ends.low, ends.high)));
        let label = self.rows.text("label", slowest.row);
        let labels = self.questions.iter().flat_map(|(_, labels)| labels);
        let several = labels.filter(|(known, _)| known == label).count() > 1;
        let most = if several { "at most " } else { "" };
        let time = format!("{}{}", sign(time.bound), Quantity::Time.spoken(time.value));
        format!(" ({most}{time}{})", ends.unwrap_or_default())
    }

    /// The modelled time of an answer.
    fn time(&self, one: &Throughput) -> Cell {
        match one.time(self.consoles()) {
            Some(time) => (time, Quantity::Time).into(),
            None => Manages::DoesNotFit.name().into(),
        }
    }

    /// The modelled time as a share of a frame at 60 Hz.
    fn share_of_frame(&self, one: &Throughput) -> Cell {
        match one.time(self.consoles()) {
            Some(time) => {
                let percent = 100.0 * time.value / BUDGETS[0].ns;
                // A time beyond the frame is not 100 % of it.
                let digits = if (95.0..105.0).contains(&percent) {
                    3
                } else {
                    2
                };
                format!("{} %", rounded(percent, digits)).into()
            }
            None => Cell::EMPTY,
        }
    }
}

/// The largest number of remarks of a note; `throughput.csv` has all.
const MOST_REMARKS: usize = 6;

/// The colour of a verdict's badge.
fn tone(manages: Manages) -> Tone {
    match manages {
        Manages::DoesNotFit | Manages::No | Manages::Unknown => Tone::Still,
        Manages::Likely => Tone::Warn,
        Manages::Sure => Tone::Good,
    }
}
