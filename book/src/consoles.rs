//! The modelled performance of a run's answers on consoles: the times, and the first console within each budget.

mod chart;
mod tables;

use std::collections::BTreeMap;

use ikeru_bench_data::Experiment;
use ikeru_bench_data::experiment::Analysis;

use ikeru_consoles::facts::ConsoleKind;
use ikeru_consoles::throughput::{OnConsole, throughputs};
use ikeru_consoles::validation::is_checked;
use ikeru_consoles::{Basis, Console};
use ikeru_core::Value;
use ikeru_records::rows::Rows;
use ikeru_records::units::differing_words;
use ikeru_records::{ReportError, Result, refuse};
use ikeru_reports::analyses::{AnalysisKind, Analyzed, Finding};
use ikeru_reports::summary::baseline_label;

use crate::page::ConsoleLine;

/// The name of the analysis that has lines about consoles.
const CONSOLES: &str = "consoles";

/// Returns whether the page of an experiment has an analysis of consoles.
pub(crate) fn shows(experiment: &Experiment) -> bool {
    let mut analyses = experiment.analyses.iter();
    analyses.any(|analysis| analysis.kind == CONSOLES)
}

/// The analyses of consoles.
pub const KINDS: &[AnalysisKind] = &[AnalysisKind {
    words: &["consoles"],
    ..AnalysisKind::new(CONSOLES, &["x"], consoles)
}];

/// The consoles of each label; the key is the place of the console.
type ByLabel = Vec<(String, BTreeMap<usize, OnConsole>)>;

/// The data of the chart and the tables: each question's labels, and their slowest instance on each console.
pub struct ConsoleView<'a> {
    rows: &'a Rows,
    basis: &'a Basis,
    /// The labels of each question. The question is in the words in which it differs from the others.
    questions: Vec<(String, ByLabel)>,
    /// The words that all questions have: of the instance and the settings.
    common: String,
    /// The labels of the selection without a throughput, with the reason.
    unknown: Vec<(String, String)>,
}

impl<'a> ConsoleView<'a> {
    /// The throughput of the rows in `selection`.
    pub fn of(rows: &'a Rows, selection: &[u32], basis: &'a Basis) -> Self {
        let mut questions: Vec<(String, ByLabel)> = Vec::new();
        // Questions are distinguished by the instance and by the settings that have several values in the experiment.
        let experiment = selection.first().map(|row| rows.text("experiment", *row));
        let of_experiment = rows.with("experiment", experiment.unwrap_or_default());
        let differs = |column: &&str| rows.distinct(column, &of_experiment).len() > 1;
        let apart: Vec<&str> = rows.settings().filter(differs).collect();
        for one in throughputs(rows, selection, basis) {
            let settings = rows.described(apart.iter().copied(), one.row);
            // A label in words is one word: a part that it shares with others says nothing.
            let is_named = !rows
                .text("instance", one.row)
                .starts_with(rows.text("generator", one.row));
            let between = ["\u{20}", "\u{a0}"][usize::from(is_named)];
            let instance = rows.text("instance", one.row).replace(' ', between);
            let question = format!("{instance} {settings}").trim().to_owned();
            let label = rows.text("label", one.row);
            let labels = entry(&mut questions, &question);
            let consoles = &basis.consoles.consoles;
            let one = OnConsole::of(one, consoles);
            let known = entry(labels, label).entry(one.slowest.console);
            known.or_insert_with(|| one.clone()).add(&one, consoles);
        }
        let solved = rows.group("label", &rows.solved(selection)).into_iter();
        let is_known = |label: &String| {
            let mut all = questions.iter().flat_map(|(_, labels)| labels);
            all.any(|(known, _)| known == label)
        };
        let unknown = solved.filter(|(label, _)| !is_known(label));
        let unknown = unknown.map(|(label, own)| {
            let [problem, variant] = ["problem", "variant"].map(|column| rows.text(column, own[0]));
            let mut costs = basis.costs.iter();
            let has_cost = costs.any(|cost| cost.problem == problem && cost.variant == variant);
            let why = match basis.consoles.why_not_counted(problem, variant) {
                Some(why) => why,
                None if has_cost => "the rows leave settings at their defaults",
                None => "a solver without counted costs",
            };
            (label, why.to_owned())
        });
        let unknown = unknown.collect();
        let names: Vec<&str> = questions.iter().map(|(name, _)| name.as_str()).collect();
        let (own, mut common) = differing_words(&names, |_| true);
        if let [one] = &names[..] {
            common = (*one).to_owned();
        }
        let questions = own.into_iter().zip(questions);
        let questions = questions
            .map(|(name, (_, labels))| (name.replace('\u{a0}', " "), labels))
            .collect();
        let common = common.replace('\u{a0}', " ");
        Self {
            rows,
            basis,
            questions,
            common,
            unknown,
        }
    }

    /// The unit of the modelled times: one move if the question is a game, else one answer.
    fn unit(&self) -> &'static str {
        let mut labels = self.questions.iter().flat_map(|(_, labels)| labels);
        let is_game = labels.any(|(_, on)| on.values().any(|one| one.slowest.moves > 1.0));
        if is_game { "one move" } else { "one answer" }
    }

    fn consoles(&self) -> &'a [Console] {
        &self.basis.consoles.consoles
    }

    /// The places of the consoles that have a value: the home consoles before the handhelds.
    fn places(&self) -> Vec<usize> {
        let labels = self.questions.iter().flat_map(|(_, labels)| labels);
        let mut places: Vec<usize> = labels.flat_map(|(_, on)| on.keys().copied()).collect();
        places.sort_unstable_by_key(|place| (self.is_handheld(*place), *place));
        places.dedup();
        places
    }

    fn is_handheld(&self, place: usize) -> bool {
        self.consoles()[place].kind == ConsoleKind::Handheld
    }

    /// Each label of each question, with its name in the tables.
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

    /// The notes on how the numbers are computed, and on what is left out.
    fn notes(&self) -> Vec<String> {
        let mut notes = vec![
            "Modelled times of one core at the console's clock, of a question's slowest instance with the highest end of all its bands; no time of this machine enters. In time: the high end of the band is within the budget. Likely: only the middle is. `throughput.csv` has every console; docs/consoles.md explains the model.".to_owned(),
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
        let unchecked = self.unchecked(&self.places());
        if !unchecked.is_empty() {
            notes.push(format!(
                "Never compared with another machine: the models of {unchecked}."
            ));
        }
        notes.extend(self.not_known());
        notes
    }

    /// The labels that are not known, each with its reason.
    fn not_known(&self) -> Option<String> {
        let said = self
            .unknown
            .iter()
            .map(|(label, why)| format!("{label} ({why})"));
        let said = said.collect::<Vec<_>>().join(", ");
        (!said.is_empty()).then(|| format!("Not known: {said}."))
    }

    /// The consoles at `places` whose processor's model was never compared with another machine.
    fn unchecked(&self, places: &[usize]) -> String {
        let all = self.consoles();
        let is_open = |place: &&usize| !is_checked(&self.basis.checks, &all[**place], all);
        let open = places.iter().filter(is_open);
        let names: Vec<&str> = open.map(|place| all[*place].name.as_str()).collect();
        names.join(", ")
    }

    /// The times of a label on each console, for each question that it answered.
    fn answers(&self, label: &str) -> impl Iterator<Item = &BTreeMap<usize, OnConsole>> {
        let labels = self.questions.iter().flat_map(|(_, labels)| labels);
        let own = labels.filter(move |(known, _)| known == label);
        own.map(|(_, on)| on)
    }

    /// Each label on each console, the worst over all questions.
    fn worst(&self) -> ByLabel {
        let mut worst = ByLabel::new();
        for (label, on) in self.questions.iter().flat_map(|(_, labels)| labels) {
            for (place, one) in on {
                let known = entry(&mut worst, label).entry(*place);
                known
                    .or_insert_with(|| one.clone())
                    .add(one, self.consoles());
            }
        }
        worst
    }
}

/// The value of `key`; a new key is appended.
fn entry<'a, T: Default>(all: &'a mut Vec<(String, T)>, key: &str) -> &'a mut T {
    let place = all.iter().position(|(known, _)| known == key);
    let place = place.unwrap_or_else(|| {
        all.push((key.to_owned(), T::default()));
        all.len() - 1
    });
    &mut all[place].1
}

/// The consoles that an analysis names, or all that are modelled.
fn named(analysis: &Analysis, consoles: &[Console]) -> Result<Option<Vec<usize>>> {
    let Some(Value::Text(names)) = analysis.set.get("consoles") else {
        return Ok(None);
    };
    let places = names.split(',').map(|name| modelled(name.trim(), consoles));
    places.collect::<Result<_>>().map(Some)
}

/// The place of a console.
///
/// # Errors
/// It is unknown or not modelled.
fn modelled(name: &str, consoles: &[Console]) -> Result<usize> {
    let is_named = |console: &Console| console.name.eq_ignore_ascii_case(name);
    let place = consoles.iter().position(is_named);
    let known = || {
        let known = consoles.iter().filter(|it| it.is_modelled());
        known.map(|console| console.name.as_str())
    };
    let place = place.ok_or_else(|| ReportError::unknown("console", name, known()))?;
    if let Some(console) = &consoles[place].placement_of {
        refuse!(
            "the times on the {console} are those of its best placement of tables, `{name}` among them; expected `{console}`"
        );
    }
    if let Some(why) = &consoles[place].not_modelled {
        refuse!("the console `{name}` is not modelled: {why}");
    }
    Ok(place)
}

/// Refuses an analysis of a console that is unknown or not modelled.
pub(crate) fn check(analysis: &Analysis) -> Result<()> {
    named(analysis, &Basis::built_in()?.consoles.consoles).map(|_| ())
}

/// The chart, and the table of the first console within each budget.
fn consoles(of: Analyzed) -> Result<Finding> {
    let shown = ConsoleView::of(of.rows, of.selection, Basis::built_in()?);
    let (baseline, heading) = (baseline_label(of.experiment), of.analysis.title.as_deref());
    let places = named(of.analysis, shown.consoles())?.unwrap_or_else(|| shown.places());
    let words = (places.as_slice(), baseline.as_deref(), heading);
    let chart = match of.analysis.set.get("x") {
        Some(Value::Text(column)) => shown.along(column, of.selection, words),
        _ => shown.chart(of.selection, words),
    };
    Ok(Finding {
        chart,
        ..shown.firsts().into()
    })
}

/// A sentence about all consoles, and one about each console, by the first analysis of `experiment` that has some.
///
/// # Errors
/// An impossible range in the selection of the analysis.
pub fn lines(rows: &Rows, experiment: &Experiment) -> Result<Vec<ConsoleLine>> {
    let of_experiment = rows.with("experiment", &experiment.name);
    let analyses = experiment.analyses.iter();
    for analysis in analyses.filter(|analysis| analysis.kind == CONSOLES) {
        let selection = rows.narrow(&of_experiment, &analysis.only)?;
        let lines = ConsoleView::of(rows, &selection, Basis::built_in()?).lines();
        if !lines.is_empty() {
            return Ok(lines);
        }
    }
    Ok(Vec::new())
}

/// One sentence about the answers of `selection` on a console, or on all consoles; `None` if no row was counted.
///
/// # Errors
/// A console that is unknown or not modelled.
pub fn sentence(
    rows: &Rows,
    selection: &[u32],
    (basis, console): (&Basis, Option<&str>),
) -> Result<Option<String>> {
    let shown = ConsoleView::of(rows, selection, basis);
    if let Some(name) = console {
        let table = shown.of_console(name)?;
        return Ok((!table.rows.is_empty()).then_some(table.title));
    }
    Ok(shown.lines().into_iter().next().map(|line| line.sentence))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::row;
    use crate::rows_of as rows;
    use crate::verdicts::judge;
    use ikeru_bench_data::PublishedSource;
    use ikeru_consoles::budget::{BUDGETS, Manages};
    use ikeru_consoles::counts::{Count, Set};
    use ikeru_consoles::throughput::Throughput;
    use ikeru_statistics::Bound;

    /// The rows of a run of the built-in console experiments' own questions, which were counted for reference.
    fn counted(basis: &Basis, outcome: &str) -> Rows {
        rows(&counted_text(basis, outcome))
    }

    fn counted_text(basis: &Basis, outcome: &str) -> String {
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
                "1,{outcome},1,e,{problem},{generator},{seed},{instance},{variant},{variant},{version},{instance} {settings},{god},{steps},{values}\n",
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
        text
    }

    #[test]
    fn solvers_without_a_model_have_a_row_and_their_own_reason() {
        let basis = Basis::built_in().expect("the shipped tables read");
        let text = counted_text(basis, "solved");
        let mine = "1,solved,1,e,reach,,,i,mine,mine,1,q";
        let commas = |text: &str| text.matches(',').count();
        let empty = ",".repeat(commas(text.lines().next().expect("a header")) - commas(mine));
        let rows = rows(&format!("{text}{mine}{empty}\n"));
        let firsts = ConsoleView::of(&rows, &rows.all(), basis).firsts();
        let printed = firsts.within(None);
        let unknown = printed
            .lines()
            .filter(|line| line.contains("  not known  "));
        let unknown: Vec<&str> = unknown.filter_map(|line| line.split("  ").next()).collect();
        assert_eq!(unknown, ["beam", "greedy", "mine"]);
        let settings = "(the rows leave settings at their defaults)";
        let said = format!(
            "Not known: beam {settings}, greedy {settings}, mine (a solver without counted costs)."
        );
        assert!(firsts.notes.contains(&said), "{:?}", firsts.notes);
    }

    #[test]
    fn a_modelled_value_says_whether_its_processor_was_checked() {
        let basis = Basis::built_in().expect("the shipped tables read");
        let rows = counted(basis, "solved");
        for (console, expected) in [("PS2", "modelled, not checked"), ("Wii", "modelled")] {
            let text = format!(
                "source='s'\nreference='r'\n[[figures]]\nid='s/x'\nplace='p'\nclaim='c'\nvalue=1.0\nprinted='1'\n\
                 ours={{experiment='e',where={{label='memo',problem='reach'}},is.console='{console}'}}\nreason='r'"
            );
            let source = PublishedSource::read("s.toml", &text).expect("a source");
            let judged = judge(&rows, &source, &source.figures[0]).expect("judged");
            assert_eq!(
                row(&judged, &BTreeMap::new(), &BTreeMap::new()).modelled,
                expected
            );
        }
    }

    #[test]
    fn a_stopped_search_has_a_lower_bound_on_every_console() {
        let basis = Basis::built_in().expect("the shipped tables read");
        let [solved, stopped] = ["solved", "timeout"].map(|outcome| counted(basis, outcome));
        let [solved, stopped] = [&solved, &stopped].map(|rows| {
            let all = throughputs(rows, &rows.all(), basis);
            all.collect::<Vec<Throughput>>()
        });
        let consoles = &basis.consoles.consoles;
        for (solved, stopped) in solved.iter().zip(&stopped) {
            let [whole, part] = [solved, stopped].map(|one| one.time(consoles));
            assert_eq!(part.map(|time| time.value), whole.map(|time| time.value));
            assert!(part.is_none_or(|time| time.bound == Bound::AtLeast));
            for budget in BUDGETS {
                let manages = solved.manages(budget, consoles).min(Manages::Unknown);
                assert_eq!(stopped.manages(budget, consoles), manages);
            }
        }
        assert!(solved.len() > 100 && solved.len() == stopped.len());
    }

    #[test]
    fn the_worst_of_all_questions_is_that_of_the_rows() {
        let basis = Basis::built_in().expect("the shipped tables read");
        let rows = counted(basis, "solved");
        let consoles = &basis.consoles.consoles;
        let mut held = 0;
        for (problem, own) in rows.group("problem", &rows.all()) {
            let shown = ConsoleView::of(&rows, &own, basis);
            let worst = shown.worst();
            let sure = |label: &String| {
                let all = shown.answers(label).flat_map(BTreeMap::values);
                all.filter(|one| one.manages[0] == Manages::Sure).count()
            };
            let best = shown.first_and_best(&worst, None).pop().expect("a label");
            assert!(worst.iter().all(|(label, _)| sure(label) <= sure(&best.0)));
            let all = throughputs(&rows, &own, basis).collect::<Vec<_>>();
            for (label, on) in shown.worst() {
                for (place, one) in on {
                    let is_own = |it: &&Throughput| {
                        it.console == place && rows.text("label", it.row) == label
                    };
                    for (budget, said) in BUDGETS.into_iter().zip(one.manages) {
                        let own = all.iter().filter(is_own);
                        let worst = own.map(|one| one.manages(budget, consoles)).min();
                        let name = &consoles[place].name;
                        assert_eq!(
                            Some(said),
                            worst,
                            "{problem}, {label}, {}: {name}",
                            budget.name
                        );
                        held += 1;
                    }
                }
            }
        }
        assert!(held > 700, "{held} verdicts were held against the rows");
    }
}
