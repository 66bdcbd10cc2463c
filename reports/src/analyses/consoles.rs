//! What the answers of a run would take on consoles: questions per second, the first console that manages, the times.

use std::collections::BTreeMap;

use crate::consoles::Console;
use ikeru_bench_data::Experiment;
use ikeru_bench_data::experiment::Analysis;

use super::Finding;
use crate::charts::{self, Looks, Panel, Point, Series};
use crate::consoles::Basis;
use crate::consoles::budget::{BUDGETS, Manages};
use crate::consoles::managing::{ConsoleClaim, sentence};
use crate::consoles::throughput::{Remark, Throughput, per_second, throughputs};
use crate::error::ReportError;
use crate::row;
use crate::rows::Rows;
use crate::summary::baseline_label;
use crate::table::{Cell, Table, Tone};
use crate::units::Quantity;

/// The instances of a question on one console.
struct OnConsole {
    slowest: Throughput,
    /// The worst verdict within each of [`BUDGETS`].
    manages: [Manages; BUDGETS.len()],
}

/// By label, then by console.
type ByLabel = Vec<(String, BTreeMap<usize, OnConsole>)>;

/// What a chart and tables are made of: each question's labels, and their slowest instance on each console.
pub struct ConsoleView<'a> {
    rows: &'a Rows,
    basis: &'a Basis,
    /// By question: instance and settings in words.
    questions: Vec<(String, ByLabel)>,
    /// Labels of the selection that neither table knows.
    unknown: Vec<String>,
}

impl<'a> ConsoleView<'a> {
    /// The throughput of the rows in `selection`.
    pub fn of(rows: &'a Rows, selection: &[u32], basis: &'a Basis) -> Self {
        let mut questions: Vec<(String, ByLabel)> = Vec::new();
        // What tells the questions apart: the instance, and the settings that have several values.
        let differs = |column: &&str| rows.distinct(column, selection).len() > 1;
        let apart: Vec<&str> = rows.settings().filter(differs).collect();
        for one in throughputs(rows, selection, basis) {
            let settings = rows.described(apart.iter().copied(), one.row);
            let instance = rows.text("instance", one.row);
            let question = format!("{instance} {settings}").trim().to_owned();
            let label = rows.text("label", one.row);
            let labels = entry(&mut questions, &question);
            let consoles = &basis.consoles.consoles;
            let manages = BUDGETS.map(|budget| one.manages(budget, consoles));
            let on = entry(labels, label).entry(one.console);
            let known = on.or_insert_with(|| OnConsole {
                slowest: one.clone(),
                manages,
            });
            for (worst, manages) in known.manages.iter_mut().zip(manages) {
                *worst = manages.min(*worst);
            }
            if slowness(&one, consoles) > slowness(&known.slowest, consoles) {
                known.slowest = one;
            }
        }
        let solved = rows.distinct("label", &rows.solved(selection));
        let is_known = |label: &String| {
            let mut all = questions.iter().flat_map(|(_, labels)| labels);
            all.any(|(known, _)| known == label)
        };
        let unknown = solved
            .into_iter()
            .filter(|label| !is_known(label))
            .collect();
        Self {
            rows,
            basis,
            questions,
            unknown,
        }
    }

    fn consoles(&self) -> &'a [Console] {
        &self.basis.consoles.consoles
    }

    /// The places of the consoles that have a value.
    fn places(&self) -> Vec<usize> {
        let labels = self.questions.iter().flat_map(|(_, labels)| labels);
        let mut places: Vec<usize> = labels.flat_map(|(_, on)| on.keys().copied()).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    /// Each label of each question, as it is called in a table.
    fn labelled(&self) -> impl Iterator<Item = (String, &BTreeMap<usize, OnConsole>)> {
        let is_one = self.questions.len() == 1;
        self.questions.iter().flat_map(move |(question, labels)| {
            labels.iter().map(move |(label, on)| {
                let name = if is_one {
                    label.clone()
                } else {
                    format!("{label}, {question}")
                };
                (name, on)
            })
        })
    }

    /// The first console that manages within a budget, in words, and whether one does.
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

    /// What one console manages: a sentence, and the time and verdicts of each variant.
    ///
    /// # Errors
    /// A console that is unknown or not modelled.
    pub fn of_console(&self, name: &str) -> Result<Table, ReportError> {
        let consoles = self.consoles();
        let place = consoles.iter().position(|console| console.name == name);
        let place = place.ok_or_else(|| {
            let known = consoles.iter().map(|console| console.name.as_str());
            ReportError::unknown("console", name, known)
        })?;
        let console = &consoles[place];
        if let Some(why) = &console.not_modelled {
            return Err(ReportError::Question(format!(
                "the {name} is not modelled: {why}"
            )));
        }
        let mut table = Table::new("", "variant | modelled time");
        table
            .heads
            .extend(BUDGETS.map(|budget| budget.name.to_owned()));
        for (label, on) in self.labelled() {
            let Some(one) = on.get(&place) else { continue };
            let mut row = row![label, self.time(&one.slowest)];
            row.extend(
                one.manages
                    .map(|manages| Cell::badge(manages.name(), tone(manages))),
            );
            table.rows.push(row);
        }
        table.title = self.sentence_of(place);
        table.notes = self.notes().into_iter().take(1).collect();
        Ok(table)
    }

    /// What each label manages on a console in every question, by the shortest of [`BUDGETS`].
    fn sentence_of(&self, place: usize) -> String {
        let consoles = self.consoles();
        let claims: Vec<Vec<ConsoleClaim>> = (0..BUDGETS.len())
            .map(|budget| self.claims(budget))
            .collect();
        let mut said: Vec<(String, Vec<String>)> = BUDGETS
            .iter()
            .map(|budget| format!("within {}", budget.name))
            .chain([format!("not within {}", BUDGETS[BUDGETS.len() - 1].name)])
            .map(|budget| (budget, Vec::new()))
            .collect();
        let is_modelled = |claim: &&ConsoleClaim| {
            let mut labels = self.questions.iter().flat_map(|(_, labels)| labels);
            labels.any(|(label, on)| label == claim.label() && on.contains_key(&place))
        };
        let modelled = claims[0].iter().enumerate();
        for (at, claim) in modelled.filter(|(_, claim)| is_modelled(claim)) {
            let of = |budget: usize| claims[budget][at].says(place, consoles);
            let first = (0..BUDGETS.len()).find(|budget| of(*budget) >= Some(Manages::Likely));
            let is_likely = first.and_then(of) == Some(Manages::Likely);
            let likely = if is_likely { "likely " } else { "" };
            let labels = &mut said[first.unwrap_or(BUDGETS.len())].1;
            labels.push(format!("{likely}{}", claim.label()));
        }
        let parts = said.iter().filter(|(_, labels)| !labels.is_empty());
        let parts: Vec<String> = parts
            .map(|(budget, labels)| format!("{budget} {}", labels.join(", ")))
            .collect();
        let every = match self.questions.len() {
            1 => "",
            _ => ", every question",
        };
        let Console { name, year, .. } = &consoles[place];
        format!("on the {name} ({year}){every}: {}", parts.join("; "))
    }

    /// The modelled time of an answer.
    fn time(&self, one: &Throughput) -> Cell {
        match one.time(self.consoles()) {
            Some(time) => (time, Quantity::Time).into(),
            None => Manages::DoesNotFit.name().into(),
        }
    }

    /// How the numbers are made, and what is not among them.
    fn notes(&self) -> Vec<String> {
        let mut notes = vec![
            "Modelled times of one core at the console's clock: no time of this machine enters. Sure: the high end of the band is within the budget; likely: the middle is, or a counter lies outside the training by more than ×2. Every instance of a question has to manage. The band holds the models' spread and, where the very question was not simulated, the residual of the cost table. Tables beyond the console's memory: does not fit. Variants with vector instructions are counted in their portable form. `throughput.csv` has every row.".to_owned(),
        ];
        let names = |is: &dyn Fn(&Console) -> bool| {
            let own = self.consoles().iter().filter(|console| is(console));
            own.map(|console| console.name.as_str())
                .collect::<Vec<_>>()
                .join(", ")
        };
        let not_modelled = names(&|console| console.not_modelled.is_some());
        if !not_modelled.is_empty() {
            notes.push(format!(
                "Not modelled: {not_modelled}; `ikeru console list` says why."
            ));
        }
        let counts = &self.basis.counts;
        let uncounted = names(&|console| {
            let is_counted = counts.iter().any(|count| count.console == console.name);
            console.model.is_some() && !is_counted
        });
        if !uncounted.is_empty() {
            notes.push(format!("Without counts: {uncounted}."));
        }
        if !self.unknown.is_empty() {
            notes.push(format!(
                "Not in the cost table, or asked with settings that the rows leave at their defaults: {}.",
                self.unknown.join(", ")
            ));
        }
        let doubtful = self.doubtful();
        if !doubtful.is_empty() {
            notes.push(format!("Low confidence: {doubtful}."));
        }
        notes
    }

    /// The labels with low confidence and their consoles.
    fn doubtful(&self) -> String {
        let mut by_label: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (label, on) in self.questions.iter().flat_map(|(_, labels)| labels) {
            let doubted = on.iter().filter(|(_, one)| {
                let mut remarks = one.slowest.remarks.iter();
                remarks.any(|remark| !matches!(remark, Remark::Contradiction(_)))
            });
            for (place, _) in doubted {
                let names = by_label.entry(label).or_default();
                let name = self.consoles()[*place].name.as_str();
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        let words = by_label
            .iter()
            .map(|(label, names)| format!("{label} on {}", names.join(", ")));
        words.collect::<Vec<_>>().join("; ")
    }

    /// The chart of the rows `own` under the analysis's `heading`: questions per second.
    pub fn chart(
        &self,
        own: &[u32],
        baseline: Option<&str>,
        heading: Option<&str>,
    ) -> Option<charts::Chart> {
        let places = self.places();
        if places.is_empty() {
            return None;
        }
        let looks = Looks::of_experiment(self.rows, own, baseline);
        let consoles = self.consoles();
        let point = |(place, one): (&usize, &OnConsole)| {
            let x = places.iter().position(|known| known == place)?;
            Some(Point::of(x as f64, per_second(one.slowest.time(consoles)?)))
        };
        let is_one = self.questions.len() == 1;
        let panels = self.questions.iter().map(|(question, labels)| Panel {
            title: if is_one {
                String::new()
            } else {
                question.clone()
            },
            series: labels
                .iter()
                .map(|(label, on)| Series {
                    name: label.clone(),
                    look: looks.of(label),
                    points: on.iter().filter_map(point).collect(),
                    fit: None,
                    same: Vec::new(),
                    summary: None,
                })
                .filter(|series| !series.points.is_empty())
                .collect(),
            published: Vec::new(),
        });
        let panels: Vec<Panel> = panels.collect();
        let names = places.iter().map(|place| {
            let console = &consoles[*place];
            format!("{} {}", console.name, console.year)
        });
        Some(charts::consoles(
            self.title(),
            self.subtitle(heading),
            names.collect(),
            panels,
        ))
    }

    /// What the first label and the best one manage within a frame: every question and instance of the chart.
    fn title(&self) -> String {
        let claims = self.claims(0);
        let managing = |claim: &&ConsoleClaim| {
            let said = self.places().into_iter();
            let said = said.filter_map(|place| claim.says(place, self.consoles()));
            said.filter(|manages| *manages >= Manages::Likely).count()
        };
        let Some(first) = claims.first() else {
            return String::new();
        };
        let mut shown = vec![first.clone()];
        let best = claims.iter().rev().max_by_key(managing);
        shown.extend(
            best.filter(|best| managing(best) > managing(&first))
                .cloned(),
        );
        sentence(&shown, BUDGETS[0], self.consoles())
    }

    /// What each label manages within one of [`BUDGETS`].
    fn claims(&self, budget: usize) -> Vec<ConsoleClaim> {
        let mut verdicts: Vec<(String, BTreeMap<usize, Manages>)> = Vec::new();
        for (label, on) in self.questions.iter().flat_map(|(_, labels)| labels) {
            let known = entry(&mut verdicts, label);
            for (place, one) in on {
                let worst = known.entry(*place).or_insert(one.manages[budget]);
                *worst = one.manages[budget].min(*worst);
            }
        }
        let verdicts = verdicts.iter();
        verdicts
            .map(|(label, verdicts)| ConsoleClaim::of(label, verdicts, self.consoles()))
            .collect()
    }

    fn subtitle(&self, heading: Option<&str>) -> String {
        let mut words = "modelled for one core, by the instruction sets' own cycles and cache misses; bars: all models and the fit's residual".to_owned();
        if let [(question, _)] = &self.questions[..] {
            words = format!("{question}; {words}");
        }
        match heading {
            Some(heading) => format!("{heading}: {words}"),
            None => words,
        }
    }

    /// The modelled times: one row per console, one column per label.
    pub fn times(&self) -> Table {
        let mut table = Table::new("Modelled time of one answer", "console");
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

/// The value of a key, put at the end where it is new.
fn entry<'a, T: Default>(all: &'a mut Vec<(String, T)>, key: &str) -> &'a mut T {
    let place = all.iter().position(|(known, _)| known == key);
    let place = place.unwrap_or_else(|| {
        all.push((key.to_owned(), T::default()));
        all.len() - 1
    });
    &mut all[place].1
}

/// The colour of a verdict's badge.
fn tone(manages: Manages) -> Tone {
    match manages {
        Manages::DoesNotFit | Manages::No => Tone::Still,
        Manages::Likely => Tone::Warn,
        Manages::Sure => Tone::Good,
    }
}

/// What does not fit is slowest.
fn slowness(one: &Throughput, consoles: &[Console]) -> f64 {
    one.time(consoles).map_or(f64::INFINITY, |time| time.value)
}

/// The chart, and the first console that manages.
pub(super) fn consoles(
    rows: &Rows,
    selection: &[u32],
    analysis: &Analysis,
    experiment: &Experiment,
) -> Result<Finding, ReportError> {
    let basis = Basis::built_in()?;
    let shown = ConsoleView::of(rows, selection, basis);
    let (baseline, heading) = (baseline_label(experiment), analysis.title.as_deref());
    let chart = shown.chart(selection, baseline.as_deref(), heading);
    Ok(Finding {
        line: chart.as_ref().map(|chart| chart.title.clone()),
        table: shown.firsts(),
        chart,
    })
}

/// The modelled times of every console.
pub(super) fn times(
    rows: &Rows,
    selection: &[u32],
    _: &Analysis,
    _: &Experiment,
) -> Result<Finding, ReportError> {
    let basis = Basis::built_in()?;
    let mut table = ConsoleView::of(rows, selection, basis).times();
    table.notes.clear();
    Ok(table.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::consoles::counts::{Count, Set};
    use crate::rows_of as rows;

    /// The rows that a run of the built-in console experiments' own questions has: those that were counted for reference.
    fn counted(basis: &Basis) -> Rows {
        let console = |count: &&Count| count.set == Set::Reference && count.console == "PS2";
        let counts: Vec<&Count> = basis.counts.iter().filter(console).collect();
        let names: std::collections::BTreeSet<&str> = counts
            .iter()
            .flat_map(|count| count.values.keys().map(String::as_str))
            .filter(|name| !name.starts_with("setting_"))
            .collect();
        let column = |name: &&str| match name.strip_prefix("measure_") {
            _ if **name == *"size" => (*name).to_owned(),
            Some(_) => (*name).to_owned(),
            None => format!("counter_{name}"),
        };
        let columns: Vec<String> = names.iter().map(column).collect();
        let mut text = format!(
            "schema,outcome,threads,experiment,problem,generator,seed,instance,label,variant,variant_version,question,\
             setting_god,setting_steps,{}\n",
            columns.join(",")
        );
        for count in counts {
            let mut words = count.instance.split_whitespace();
            let generator = words.next().expect("a generator");
            let seed = words.find_map(|word| word.strip_prefix("seed="));
            let set = |name: &str| {
                let mut settings = count.settings.split_whitespace();
                settings.find_map(|word| {
                    word.strip_prefix(name)?
                        .strip_prefix('=')
                        .map(str::to_owned)
                })
            };
            let values: Vec<String> = names
                .iter()
                .map(|name| {
                    count
                        .values
                        .get(*name)
                        .map_or(String::new(), f64::to_string)
                })
                .collect();
            text += &format!(
                "1,solved,1,e,{problem},{generator},{seed},{instance},{variant},{variant},{version},{instance} {settings},{god},{steps},{values}\n",
                problem = count.problem,
                seed = seed.expect("a seed"),
                instance = count.instance,
                variant = count.variant,
                version = count.version,
                settings = count.settings,
                god = set("god").unwrap_or_default(),
                steps = set("steps").unwrap_or_default(),
                values = values.join(","),
            );
        }
        rows(&text)
    }

    #[test]
    fn every_sentence_about_the_counted_questions_holds_for_every_row() {
        let basis = Basis::built_in().expect("the shipped tables read");
        let rows = counted(basis);
        let consoles = &basis.consoles.consoles;
        let mut held = 0;
        for (problem, own) in rows.group("problem", &rows.all()) {
            let mut questions = rows.group("question", &own);
            // All questions in one chart too: the slowest decides.
            questions.push(("all".to_owned(), own));
            for (question, selection) in questions {
                let shown = ConsoleView::of(&rows, &selection, basis);
                let all = throughputs(&rows, &selection, basis);
                for (budget, claims) in BUDGETS.into_iter().zip((0..).map(|at| shown.claims(at))) {
                    for claim in claims {
                        for place in 0..consoles.len() {
                            let is_own = |one: &&Throughput| {
                                one.console == place && rows.text("label", one.row) == claim.label()
                            };
                            let own = all.iter().filter(is_own);
                            let worst = own.map(|one| one.manages(budget, consoles)).min();
                            let Some(worst) = worst else { continue };
                            let said = claim.says(place, consoles);
                            let name = &consoles[place].name;
                            assert_eq!(
                                said,
                                Some(worst.max(Manages::No)),
                                "{problem}, {question}, {}: {name}",
                                budget.name
                            );
                            held += 1;
                        }
                    }
                }
            }
        }
        assert!(held > 1000, "{held} verdicts were held against a sentence");
    }
}
