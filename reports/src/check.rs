//! Checks an experiment's plots, tables and analyses before anything is measured.
//!
//! Without this check, a misspelt statistic, column, label or figure would be found after hours of measuring, or
//! leave a plot without rows.

use std::collections::BTreeMap;

use ikeru_bench_data::matrix::Values;
use ikeru_bench_data::{Experiment, Plot};
use ikeru_records::refuse;

use crate::additions::Additions;
use crate::analyses;
use crate::charts::{self, BlankAsked, SentencePart};
use crate::error::{ReportError, Result};
use crate::rows::intervals;
use crate::sampled::Statistic;
use crate::units::Quantity;

/// Refuses an experiment whose report could not be made. `columns` are the columns of its `records.csv`, `labels` the
/// labels of all its variants, including those that do not run.
///
/// # Errors
/// An unknown word or an impossible range; with the plot, table or analysis, and the nearest known word.
pub fn check(experiment: &Experiment, columns: &[&str], labels: &[String]) -> Result<()> {
    kinds(experiment)?;
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let known = KnownNames {
        columns,
        labels: &labels,
    };
    (Additions::get().check)(experiment)?;
    if let Some(baseline) = &experiment.baseline {
        known.label("`baseline`", baseline)?;
    }
    match (&experiment.answer, experiment.plots.first()) {
        (Some(answer), Some(plot)) => known.blanks("`answer`", answer, plot)?,
        (Some(answer), None) if answer.contains('{') => {
            refuse!("`answer`: its blanks are filled from the first plot; expected a `[[plots]]`");
        }
        _ => {}
    }
    for plot in &experiment.plots {
        let place = format!("plot `{}`", plot.name);
        for column in plot.x.iter().chain([&plot.y]) {
            known.column(&place, column)?;
        }
        for column in [&plot.series, &plot.panels].into_iter().flatten() {
            known.groups(&place, column)?;
        }
        known.filter(&place, &plot.only)?;
        if let None | Some("label") = plot.series.as_deref() {
            for label in plot.relative_to.iter().chain(&plot.show) {
                known.label(&place, label)?;
            }
        }
        for text in [&plot.title, &plot.reading] {
            known.blanks(&place, text, plot)?;
        }
    }
    for table in &experiment.tables {
        let place = format!("table `{}`", table.title);
        known.column(&place, &table.value)?;
        for column in [&table.rows].into_iter().chain(&table.columns) {
            known.groups(&place, column)?;
        }
        known.filter(&place, &table.only)?;
        if let (Some(label), "label") = (&table.relative_to, table.rows.as_str()) {
            known.label(&place, label)?;
        }
    }
    for analysis in &experiment.analyses {
        let place = format!("analysis `{}`", analysis.kind);
        known.filter(&place, &analysis.only)?;
        for column in analyses::columns(analysis) {
            known.column(&place, column)?;
        }
    }
    Ok(())
}

/// Refuses unknown kinds and statistics, for which no column has to be known.
///
/// # Errors
/// Names the plot, table or analysis and the nearest known name.
pub fn kinds(experiment: &Experiment) -> Result<()> {
    let named = |place: String| move |error: ReportError| wrong(&place, &error.to_string());
    for plot in &experiment.plots {
        if let Some((column, _)) = plot.x.as_deref().and_then(intervals) {
            let name = &plot.name;
            refuse!(
                "plot `{name}`: `x` takes the numbers of `{column}` themselves; `@` divides a column of `series`, `panels`, or a table"
            );
        }
        let is_of_labels = plot
            .series
            .as_deref()
            .is_none_or(|series| series == "label");
        let is_scatter = plot.kind == "scatter";
        if is_scatter && (!is_of_labels || plot.x.is_some()) {
            let what = "a scatter plot has the baseline along x and the other variants along y; expected no `x`, and no `series` but `label`";
            return Err(wrong(&format!("plot `{}`", plot.name), what));
        }
        let has_ratios =
            ["line", "bar"].contains(&plot.kind.as_str()) && plot.statistic == "median";
        if plot.relative_to.is_some() && !has_ratios {
            let what =
                "`relative_to` is for the kinds `line` and `bar` with the statistic `median`";
            return Err(wrong(&format!("plot `{}`", plot.name), what));
        }
        let known = charts::check(&plot.kind).and_then(|()| charts::statistic(plot));
        known.map_err(named(format!("plot `{}`", plot.name)))?;
    }
    for table in &experiment.tables {
        let statistic: Result<Statistic> = table.statistic.parse();
        statistic.map_err(named(format!("table `{}`", table.title)))?;
    }
    for analysis in &experiment.analyses {
        let place = format!("analysis `{}`", analysis.kind);
        analyses::check(analysis).map_err(named(place))?;
    }
    Ok(())
}

fn wrong(place: &str, what: &str) -> ReportError {
    ReportError::Question(format!("{place}: {what}"))
}

/// The names that an experiment may use.
struct KnownNames<'a> {
    columns: &'a [&'a str],
    labels: &'a [&'a str],
}

impl KnownNames<'_> {
    /// Checks a column, or a quotient `A/B` of two columns.
    fn column(&self, place: &str, name: &str) -> Result<()> {
        for part in name.split('/') {
            known(place, "column", part, self.columns)?;
        }
        Ok(())
    }

    /// Checks a column, or the intervals `COLUMN@NUMBER` of its numbers.
    fn groups(&self, place: &str, name: &str) -> Result<()> {
        match (intervals(name), name.contains('@')) {
            (Some((column, _)), _) => self.column(place, column),
            (None, true) => {
                refuse!("{place}: `{name}`: expected `COLUMN@NUMBER` with 2 to 20 intervals")
            }
            (None, false) => self.column(place, name),
        }
    }

    fn label(&self, place: &str, name: &str) -> Result<()> {
        known(place, "label", name, self.labels)
    }

    fn filter(&self, place: &str, only: &BTreeMap<String, Values>) -> Result<()> {
        for (column, values) in only {
            self.column(place, column)?;
            let values = match values.list() {
                Ok(values) => values,
                Err(error) => refuse!("{place}: `{column}`: {error}"),
            };
            for label in values.iter().filter(|_| column == "label") {
                self.label(place, &label.to_string())?;
            }
        }
        Ok(())
    }

    /// Checks the labels and columns of each blank in a text.
    fn blanks(&self, place: &str, text: &str, plot: &Plot) -> Result<()> {
        let parts = charts::parts(text).map_err(|error| wrong(place, &error.to_string()))?;
        for part in parts {
            let SentencePart::Blank(blank) = part else {
                continue;
            };
            if plot.series.as_deref().unwrap_or("label") == "label" {
                for name in &blank.names {
                    self.label(place, &name.series)?;
                }
            }
            for column in blank.only.keys() {
                self.column(place, column)?;
            }
            if blank.asked == BlankAsked::Crossing && plot.kind != "line" {
                refuse!("{place}: `{{crossing:…}}` is for the kind `line`");
            }
            let value = plot.y.split('/').next().unwrap_or_default();
            let is_time = Quantity::of_column(value) == Quantity::Time;
            if matches!(blank.asked, BlankAsked::Faster) && !is_time {
                let expected = "`{faster:…}` in a plot of times; `{needs fewer:…}` compares counters, `{scores more:…}` scores";
                refuse!("{place}: `y` is `{}`, expected {expected}", plot.y);
            }
        }
        Ok(())
    }
}

/// Refuses a name that is not among those of its kind.
fn known(place: &str, what: &str, name: &str, known: &[&str]) -> Result<()> {
    if known.contains(&name) {
        return Ok(());
    }
    let unknown = ikeru_core::unknown(what, name, known.iter().copied());
    Err(wrong(place, &unknown.message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::TIME;

    const GOOD: &str = "name='e'\ntitle='t'\nabout='a'\nproblem='reach'\nvariants=['slow','fast']\n\
        instances=[{generator='g'}]\nbaseline='slow'\n\
        [[plots]]\nname='p'\nkind='line'\ntitle='{ratio:slow/fast where size=1}'\nx='size'\n\
        [[tables]]\ntitle='t'\nrows='label'\nvalue='time_ns/size'\nstatistic='median'\nrelative_to='slow'\n\
        [[analyses]]\nkind='growth'\nset={ x='size' }\n";

    fn refused(from: &str, to: &str) -> String {
        assert!(GOOD.contains(from), "{from}");
        let experiment = Experiment::read("e.toml", &GOOD.replacen(from, to, 1)).expect("it reads");
        let labels = ["slow", "fast"].map(str::to_owned);
        let found = check(&experiment, &["label", "size", TIME], &labels);
        found.map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn every_name_is_looked_up() {
        let divided = GOOD.replacen("x='size'\n[[tables", "x='size@4'\n[[tables", 1);
        let divided = kinds(&Experiment::read("e.toml", &divided).expect("it reads"));
        let error = divided.expect_err("refused").to_string();
        assert!(error.contains("`x` takes the numbers of `size`"), "{error}");
        assert_eq!(refused("", ""), "");
        for (from, to, expected) in [
            (
                "[[plots]]\nname='p'\nkind='line'\ntitle='{ratio:slow/fast where size=1}'\nx='size'\n",
                "answer='{ratio:slow/fast}'\n",
                "`answer`: its blanks are filled from the first plot",
            ),
            (
                "baseline='slow'",
                "baseline='slwo'",
                "label `slwo`, did you mean `slow`?",
            ),
            (
                "{ratio:slow",
                "{ratio:slaw",
                "plot `p`: unknown label `slaw`",
            ),
            ("slow/fast where", "slow where", "expected A/B"),
            (
                "{ratio:slow/fast where size=1}'\n",
                "{faster:slow/fast}'\ny='size'\n",
                "`y` is `size`, expected `{faster:…}` in a plot of times",
            ),
            ("where size=1", "where syze=1", "column `syze`"),
            (
                "x='size'\n[[tables",
                "x='sise'\n[[tables",
                "did you mean `size`?",
            ),
            (
                "x='size'\n[[tables",
                "x='size'\nwhere={label=['slow','fsat']}\n[[tables",
                "plot `p`: unknown label `fsat`, did you mean `fast`?",
            ),
            (
                "x='size'\n[[tables",
                "x='size'\nshow=['fsat']\n[[tables",
                "plot `p`: unknown label `fsat`, did you mean `fast`?",
            ),
            (
                "kind='line'\ntitle='{ratio:",
                "kind='bar'\ntitle='{crossing:",
                "`{crossing:…}` is for the kind `line`",
            ),
            (
                "rows='label'",
                "rows='lable'",
                "table `t`: unknown column `lable`",
            ),
            ("time_ns/size", "time_ns/sice", "column `sice`"),
            (
                "kind='line'",
                "kind='lien'",
                "unknown kind `lien`, did you mean `line`?",
            ),
            (
                "'median'",
                "'medain'",
                "unknown statistic `medain`, did you mean `median`?",
            ),
            ("relative_to='slow'", "relative_to='sloe'", "label `sloe`"),
            ("kind='growth'", "kind='grwoth'", "did you mean `growth`?"),
            (
                "kind='growth'\nset={ x='size' }",
                "kind='elo'",
                "analysis `elo`: unknown column `measure_win`",
            ),
            (
                "set={ x='size' }",
                "set={ xx='size' }",
                "unknown parameter `xx`",
            ),
            ("set={ x='size' }", "set={ x='sise' }", "column `sise`"),
        ] {
            let error = refused(from, to);
            assert!(error.contains(expected), "{to}: {error}");
        }
    }
}
