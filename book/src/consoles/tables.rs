//! The tables of the first console within each budget, and of one console.

use std::collections::BTreeMap;

use super::{ConsoleView, OnConsole};
use crate::page::ConsoleLine;
use ikeru_consoles::Console;
use ikeru_consoles::budget::{BUDGETS, Manages, verdict};
use ikeru_consoles::counts::Count;
use ikeru_consoles::cycles::CycleParts;
use ikeru_consoles::throughput::Throughput;
use ikeru_consoles::validation::said;
use ikeru_records::units::{Quantity, rounded};
use ikeru_records::{ReportError, Result, refuse};
use ikeru_reports::row;
use ikeru_reports::table::{Cell, Table, Tone, sign};

impl ConsoleView<'_> {
    /// A cell with the first console that likely answers within a budget, and the first that surely does.
    fn first(&self, on: &BTreeMap<usize, OnConsole>, budget: usize) -> Cell {
        let consoles = self.consoles();
        let at_least = |wanted: Manages| {
            let mut all = on.iter();
            all.find(|(_, one)| one.manages[budget] >= wanted)
                .map(|(place, _)| *place)
        };
        let word = |place: usize| format!("{} ({})", consoles[place].name, consoles[place].year);
        match (at_least(Manages::Likely), at_least(Manages::Sure)) {
            (Some(likely), Some(sure)) if likely == sure => {
                Cell::badge(format!("sure: {}", word(sure)), Tone::Good)
            }
            (Some(likely), Some(sure)) => {
                Cell::badge(format!("likely: {}", word(likely)), Tone::Warn)
                    .with_detail(format!("sure: {}", word(sure)))
            }
            (Some(likely), None) => Cell::badge(format!("likely: {}", word(likely)), Tone::Warn),
            (None, _)
                if on
                    .values()
                    .any(|one| one.manages[budget] == Manages::Unknown) =>
            {
                Cell::badge(Manages::Unknown.name(), Tone::Still)
            }
            (None, _) => Cell::badge("no", Tone::Still),
        }
    }

    /// The table "the first console that manages".
    pub fn firsts(&self) -> Table {
        let mut table = Table::new("The first console that manages", "variant");
        table
            .heads
            .extend(BUDGETS.map(|budget| budget.name.to_owned()));
        table.heads.push("does not fit".to_owned());
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
        table.notes = self.notes();
        table
    }

    /// The table of one console: a sentence as the title, and the time and the verdicts of each variant.
    ///
    /// # Errors
    /// A console that is unknown or not modelled.
    pub fn of_console(&self, name: &str) -> Result<Table> {
        let consoles = self.consoles();
        let place = consoles.iter().position(|console| console.name == name);
        let place = place.ok_or_else(|| {
            let known = consoles.iter().map(|console| console.name.as_str());
            ReportError::unknown("console", name, known)
        })?;
        let console = &consoles[place];
        if let Some(why) = &console.not_modelled {
            refuse!("the {name} is not modelled: {why}");
        }
        let heads = format!(
            "variant | in time for | modelled time of {} | of {}",
            self.unit(),
            BUDGETS[0].name
        );
        let mut table = Table::new("", &heads);
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
        table.rows.extend(self.unknown.iter().map(|label| {
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
            table
                .notes
                .push(format!("Less certain: {}.", remarks.join("; ")));
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
        let why = "Not known: only built-in variants whose work was counted on the consoles' instruction sets have a model.";
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

    /// The chart's title as the line of all consoles, and for each console the first label and the fastest; none without a console.
    pub(super) fn lines(&self) -> Vec<ConsoleLine> {
        let (places, worst) = (self.places(), self.worst());
        let all = (!places.is_empty()).then(|| ConsoleLine {
            console: "every console".to_owned(),
            sentence: self.title(),
            is_unchecked: false,
        });
        let shown = self.first_and_fastest(&worst);
        let each = places.into_iter().map(|place| ConsoleLine {
            console: self.consoles()[place].name.clone(),
            sentence: self.said_of(place, &shown),
            is_unchecked: !self.unchecked(&[place]).is_empty(),
        });
        all.into_iter().chain(each).collect()
    }

    /// A sentence on one console: each label with its verdict and its slowest answer.
    fn sentence_of(&self, place: usize) -> String {
        let every = match self.questions.len() {
            1 => "",
            _ => ", every question",
        };
        let Console { name, year, .. } = &self.consoles()[place];
        let unchecked = match self.unchecked(&[place]).is_empty() {
            true => "",
            false => " – the model of this processor was not checked",
        };
        let worst = self.worst();
        let said = self.said_of(place, &worst.iter().collect::<Vec<_>>());
        format!("on the {name} ({year}){every}, modelled: {said}{unchecked}")
    }

    /// The labels with their verdicts and slowest answers on one console.
    fn said_of(&self, place: usize, labels: &[&(String, BTreeMap<usize, OnConsole>)]) -> String {
        let said = |(label, on): &&(String, BTreeMap<usize, OnConsole>)| {
            let one = on.get(&place)?;
            let label = match label.contains(',') {
                true => format!("`{label}`"),
                false => label.clone(),
            };
            let words = verdict(&one.manages).0;
            let time = one.slowest.time(self.consoles()).map(|time| {
                let ends = time.interval.filter(|ends| ends.high.is_finite());
                let ends =
                    ends.map(|ends| format!(", {}", Quantity::Time.range(ends.low, ends.high)));
                let sign = sign(time.bound);
                format!(
                    " ({sign}{}{})",
                    Quantity::Time.spoken(time.value),
                    ends.unwrap_or_default()
                )
            });
            Some(format!("{label} {words}{}", time.unwrap_or_default()))
        };
        let said: Vec<String> = labels.iter().filter_map(said).collect();
        match said.is_empty() {
            true => "no time is known".to_owned(),
            false => said.join("; "),
        }
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
            Some(time) => format!("{} %", rounded(100.0 * time.value / BUDGETS[0].ns, 2)).into(),
            None => Cell::EMPTY,
        }
    }
}

/// The colour of a verdict's badge.
fn tone(manages: Manages) -> Tone {
    match manages {
        Manages::DoesNotFit | Manages::No | Manages::Unknown => Tone::Still,
        Manages::Likely => Tone::Warn,
        Manages::Sure => Tone::Good,
    }
}
