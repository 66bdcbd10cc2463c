//! The tables of the first console within each budget, of one console, and of the times of all consoles.

use std::collections::BTreeMap;

use super::{ConsoleView, OnConsole};
use crate::page::ConsoleLine;
use ikeru_consoles::Console;
use ikeru_consoles::budget::{BUDGETS, Manages, verdict};
use ikeru_consoles::managing::ConsoleClaim;
use ikeru_consoles::throughput::Throughput;
use ikeru_consoles::validation::{is_checked, said};
use ikeru_records::units::{Quantity, rounded};
use ikeru_records::{ReportError, Result, refuse};
use ikeru_reports::row;
use ikeru_reports::table::{Cell, Table, Tone};

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
        if table.rows.is_empty() {
            refuse!("no answer of this run has a modelled time on the {name}");
        }
        table.rows.extend(self.unknown.iter().map(|label| {
            row![
                label,
                Cell::badge("not known", Tone::Still),
                Cell::EMPTY,
                Cell::EMPTY
            ]
        }));
        if !self.unknown.is_empty() {
            let why = "Not known: only built-in variants whose work was counted on the consoles' instruction sets have a model.";
            table.notes.push(why.to_owned());
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

    /// The chart's title as the line of all consoles, and one line for each console; none without a console.
    pub(super) fn lines(&self) -> Vec<ConsoleLine> {
        let places = self.places();
        let all = (!places.is_empty()).then(|| ConsoleLine {
            console: "every console".to_owned(),
            sentence: self.title(),
        });
        let each = places.into_iter().map(|place| ConsoleLine {
            console: self.consoles()[place].name.clone(),
            sentence: self.sentence_of(place),
        });
        all.into_iter().chain(each).collect()
    }

    /// A sentence on one console: the labels by the shortest of [`BUDGETS`] within which they answer every question.
    fn sentence_of(&self, place: usize) -> String {
        let consoles = self.consoles();
        let claims: Vec<Vec<ConsoleClaim>> = (0..BUDGETS.len())
            .map(|budget| self.claims(budget))
            .collect();
        let within = BUDGETS.iter().flat_map(|budget| {
            let within = format!("within {}", budget.name);
            [within.clone(), format!("likely {within}")]
        });
        let longest = BUDGETS[BUDGETS.len() - 1].name;
        let mut said: Vec<(String, Vec<&str>)> = within
            .chain(["not", "unknown"].map(|word| format!("{word} within {longest}")))
            .map(|budget| (budget, Vec::new()))
            .collect();
        let is_modelled = |claim: &&ConsoleClaim| {
            let mut labels = self.questions.iter().flat_map(|(_, labels)| labels);
            labels.any(|(label, on)| *label == claim.label && on.contains_key(&place))
        };
        let is_unknown = |label: &str| {
            let labels = self.questions.iter().flat_map(|(_, labels)| labels);
            let own = labels.filter(|(known, _)| known == label);
            let worst = own.filter_map(|(_, on)| on.get(&place)?.manages.last());
            worst.min() == Some(&Manages::Unknown)
        };
        let modelled = claims[0].iter().enumerate();
        for (at, claim) in modelled.filter(|(_, claim)| is_modelled(claim)) {
            let of = |budget: usize| claims[budget][at].says(place, consoles);
            let first = (0..BUDGETS.len()).find(|budget| of(*budget) >= Some(Manages::Likely));
            let is_likely = first.and_then(of) == Some(Manages::Likely);
            let part = match first {
                Some(first) => 2 * first + usize::from(is_likely),
                None => 2 * BUDGETS.len() + usize::from(is_unknown(&claim.label)),
            };
            said[part].1.push(&claim.label);
        }
        let parts = said.iter().filter(|(_, labels)| !labels.is_empty());
        let quoted = |label: &&str| match label.contains(',') {
            true => format!("`{label}`"),
            false => (*label).to_owned(),
        };
        let words = |labels: &[&str]| labels.iter().map(quoted).collect::<Vec<_>>().join(", ");
        let parts: Vec<String> = parts
            .map(|(budget, labels)| format!("{budget} {}", words(labels)))
            .collect();
        let every = match self.questions.len() {
            1 => "",
            _ => ", every question",
        };
        let Console { name, year, .. } = &consoles[place];
        let unchecked = match is_checked(&self.basis.checks, &consoles[place], consoles) {
            true => "",
            false => " (the model of this processor was not checked)",
        };
        format!(
            "on the {name} ({year}){every}, modelled: {}{unchecked}",
            parts.join("; ")
        )
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

    /// The modelled times: one row per console, one column per label.
    pub fn times(&self) -> Table {
        let mut table = Table::new(format!("Modelled time of {}", self.unit()), "console");
        let labelled: Vec<_> = self.labelled().collect();
        table
            .heads
            .extend(labelled.iter().map(|(name, _)| name.clone()));
        for place in self.places() {
            let console = &self.consoles()[place];
            let mut row = row![Cell::from(&console.name).with_detail(console.year.to_string())];
            row.extend(labelled.iter().map(|(_, on)| match on.get(&place) {
                None => Cell::EMPTY,
                Some(one) => self.time(&one.slowest),
            }));
            table.rows.push(row);
        }
        table.notes = self.notes();
        table
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
