//! Macros, booktabs tables and the article.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use minijinja::context;
use minijinja::value::Serde;

use super::{macro_name, rendered, write};
use crate::page::{FigureRow, SourceCard};
use crate::report::{BookReport, report};
use ikeru_bench_data::{Experiment, builtin};
use ikeru_core::ContentHash;
use ikeru_records::Result;
use ikeru_reports::report::Folder;
use ikeru_reports::row;
use ikeru_reports::table::{Table, spelt};
use ikeru_reports::units::Quantity;

/// Writes `paper/` in the run folder: `macros.tex`, `figures.tex`, `tables/`, `plots/`, and `article.tex`, a short
/// article that includes them. An edited `article.tex` stays, and the new one is `article-new.tex`. Returns
/// the path of the article and the report.
///
/// # Errors
/// An unreadable run folder, or a file that cannot be written.
pub fn export(run_folder: &Path) -> Result<(PathBuf, BookReport)> {
    let report = report(run_folder)?;
    let folder = run_folder.join("paper");
    let figures = figures(&report.figures);
    if !figures.rows.is_empty() {
        let table = figures.booktabs("tab:figures");
        write(&folder.join("figures.tex"), &table)?;
    }
    let mut ids = report.figures.iter().map(|row| row.id.as_str());
    let is_own = !ids.any(|id| builtin::is_shipped(id.split('/').next().unwrap_or_default()));
    let mut macros = macros(&report.figures);
    let (mut sections, mut names) = (Vec::new(), Vec::new());
    let own = Folder::read(run_folder)?;
    // Names of macros and of tables, each given once in the whole article.
    let mut taken = BTreeSet::new();
    let all = own.experiments.iter();
    let mut taken_tables: BTreeSet<String> = all.map(|one| one.name.clone()).collect();
    for plot in &report.run.plots {
        let file = format!("plots/{plot}.tex");
        if let Ok(picture) = std::fs::read_to_string(run_folder.join(&file)) {
            write(&folder.join(&file), &picture)?;
        }
    }
    for experiment in &own.experiments {
        let name = &experiment.name;
        let table = Table {
            title: experiment.title.clone(),
            notes: Vec::new(),
            ..own.side_by_side(experiment)
        };
        let path = |name: &str| folder.join(format!("tables/{name}.tex"));
        write(&path(name), &table.booktabs(&format!("tab:{name}")))?;
        macros += &cell_macros(name, &table, &mut taken);
        names.push(name.clone());
        if is_own {
            let mut section = own.section(experiment, &[])?;
            let found = section.analyses.iter_mut();
            let found = found.flat_map(|one| one.tables.drain(..));
            let tables = std::mem::take(&mut section.tables).into_iter();
            let tables: Vec<Table> = tables.chain(found).collect();
            let decisions = tables.iter().filter_map(|one| one.decisions.as_deref());
            for decisions in decisions {
                macros += &cell_macros(name, decisions, &mut taken);
            }
            let mut further = Vec::new();
            // The table of variants may be one of them.
            let tables = tables.iter().filter(|one| one.rows != table.rows);
            for table in tables.filter(|one| !one.heads.is_empty()) {
                let mut names = (2..).map(|number| format!("{name}-{number}"));
                let free = names.find(|one| taken_tables.insert(one.clone()));
                let name = free.unwrap_or_default();
                write(&path(&name), &table.booktabs(&format!("tab:{name}")))?;
                further.push(name);
            }
            section.plots.retain(|plot| !plot.wide.is_empty());
            let analyses = section.analyses.into_iter();
            sections.push(context! {
                sentences => analyses.flat_map(|one| one.sentences).collect::<Vec<_>>(),
                name, title => section.title, answer => section.answer, about => section.about,
                plots => Serde(&section.plots), tables => further,
            });
        }
    }
    write(&folder.join("macros.tex"), &macros)?;
    let article = match is_own {
        true => own_article((&report, &own), sections, &macros)?,
        false => article(&report, &own.experiments, names)?,
    };
    Ok((write_article(&folder, &article)?, report))
}

/// Writes the article with the hash of its text in the last line; an edited one is kept. Returns its path.
fn write_article(folder: &Path, text: &str) -> Result<PathBuf> {
    const MARK: &str = "% ikeru ";
    let mark = |text: &str| format!("{MARK}{}\n", ContentHash::of(&[text.as_bytes()]));
    let path = folder.join("article.tex");
    let is_edited = std::fs::read_to_string(&path).is_ok_and(|before| {
        let place = before.rfind(MARK).unwrap_or(0);
        before[place..] != mark(&before[..place])
    });
    let path = match is_edited {
        true => folder.join("article-new.tex"),
        false => path,
    };
    write(&path, &(text.to_owned() + &mark(text)))?;
    Ok(path)
}

/// The text of `article.tex` for experiments that answer no figure of a source of the project: a section each, with its
/// tables and plots.
fn own_article(
    (report, own): (&BookReport, &Folder),
    sections: Vec<minijinja::Value>,
    macros: &str,
) -> Result<String> {
    let template = include_str!("../../templates/own-article.tex.j2");
    let names = sections.iter().map(ToString::to_string);
    let commands = own.run.again.values().cloned();
    let texts: Vec<String> = names.chain(commands).chain([macros.to_owned()]).collect();
    let limits = own.experiments.iter().map(|one| {
        let limit = one.run.limit().as_nanos() as f64;
        (&one.name, Quantity::Time.trimmed(limit))
    });
    let page = context! {
        program => program(&texts), sections, samples => report.run.rows.len(), unfinished => &report.run.unfinished,
        machine => &own.run.machine, versions => &own.run.versions, again => &own.run.again,
        limits => Serde(limits.collect::<BTreeMap<_, _>>()),
    };
    rendered(template, page)
}

/// The program that makes the PDF of an article with these texts: the fonts of `pdflatex` end with the Latin letters.
fn program(texts: &[String]) -> &'static str {
    let is_foreign = |c: char| c > '\u{17f}' && c.is_alphabetic();
    match texts.iter().any(|text| spelt(text).contains(is_foreign)) {
        true => "lualatex",
        false => "pdflatex",
    }
}

/// A macro for each cell of the table of an experiment: `\ikeruKnapsackGreedyMeanScore`. Rows of which the letters and
/// digits are equal get a further letter, which none of the names `taken` has; a comment says whose macros follow.
fn cell_macros(experiment: &str, table: &Table, taken: &mut BTreeSet<String>) -> String {
    let mut text = String::new();
    let heads = table.heads.iter().skip(1).map(|head| {
        let head = macro_name(head.split(" (").next().unwrap_or(head));
        head.trim_start_matches("ikeru").to_owned()
    });
    let heads: Vec<String> = heads.collect();
    for row in &table.rows {
        let label = row[0].line();
        let plain = macro_name(&format!("{experiment} {label}"));
        let further = ('B'..='Z').map(|letter| format!("{plain}{letter}"));
        let mut names = std::iter::once(plain.clone()).chain(further);
        let is_free = |name: &String| {
            let mut whole = heads.iter().map(|head| format!("{name}{head}"));
            whole.all(|whole| !taken.contains(&whole))
        };
        let Some(name) = names.find(is_free) else {
            continue;
        };
        text += &format!("% {experiment}: {}\n", label.replace(['\n', '\r'], " "));
        for (head, cell) in heads.iter().zip(row.iter().skip(1)) {
            let name = format!("{name}{head}");
            text += &format!("\\newcommand{{\\{name}}}{{{}}}\n", spelt(&cell.line()));
            taken.insert(name);
        }
    }
    text
}

/// The text of `article.tex`: claims with our answers in the order of the story, errors in the sources, figures that
/// differ, open figures; all figures and tables in an appendix.
fn article(report: &BookReport, experiments: &[Experiment], names: Vec<String>) -> Result<String> {
    let drawing = |card: &SourceCard| drawing(&report.run.plots, experiments, &card.row.experiment);
    let drawings: Vec<_> = report.cards.iter().map(drawing).collect();
    let page = context! {
        cards => Serde(&report.cards), figures => Serde(&report.figures), verdicts => Serde(&report.verdicts),
        samples => report.run.rows.len(), unfinished => &report.run.unfinished, drawings, names,
    };
    rendered(include_str!("../../templates/article.tex.j2"), page)
}

/// The first plot that an experiment declares and that is one of the run's `plots`.
fn drawing(plots: &[String], experiments: &[Experiment], name: &str) -> Option<String> {
    let experiment = experiments.iter().find(|one| one.name == name)?;
    let mut files = experiment.plots.iter().map(|plot| experiment.file_of(plot));
    files.find(|file| plots.contains(file))
}

/// Macros for each figure's value, interval, printed value and verdict: `\ikeruAstarTotal`,
/// `\ikeruAstarTotalInterval`, ….
fn macros(figures: &[FigureRow]) -> String {
    let mut text = "% \\input this in the preamble. NAME, NAMEInterval, NAMEPrinted and NAMEVerdict of every published figure; then\n% each cell of the tables of variants.\n".to_owned();
    for figure in figures {
        let name = macro_name(&figure.id);
        for (part, value) in [
            ("", &figure.ours),
            ("Interval", &figure.interval),
            ("Printed", &figure.printed),
            ("Verdict", &figure.verdict.to_owned()),
        ] {
            text += &format!("\\newcommand{{\\{name}{part}}}{{{}}}\n", spelt(value));
        }
    }
    text
}

fn figures(figures: &[FigureRow]) -> Table {
    let heads = "figure | printed | agrees within | ours | 95 % interval | verdict";
    let mut table = Table::new("Published figures beside ours", heads);
    let rows = figures.iter().map(|figure| {
        row![
            &figure.id,
            &figure.printed,
            &figure.band,
            &figure.ours,
            &figure.interval,
            figure.verdict
        ]
    });
    table.rows.extend(rows);
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_modelled_value_is_not_called_measured() {
        for (within, word) in [("models", "modelled"), ("95 %", "measured")] {
            let row = FigureRow {
                id: "s/x".to_owned(),
                within,
                ..FigureRow::default()
            };
            let card = SourceCard {
                row,
                ..SourceCard::default()
            };
            let none: [FigureRow; 0] = [];
            let page = context! {
                cards => Serde([card]), figures => Serde(&none), verdicts => Serde(&none), samples => 1,
                unfinished => Serde(&none), drawings => [None::<String>], names => Serde(&none),
            };
            let text = rendered(include_str!("../../templates/article.tex.j2"), page);
            let text = text.expect("the template fits");
            assert!(text.contains(&format!(", {word} \\ikeruSX{{}}")), "{text}");
        }
    }

    #[test]
    fn a_card_has_the_first_plot_that_its_experiment_declares_and_the_run_has() {
        let plot = |name| {
            format!(
                "[[plots]]\nname = \"{name}\"\ntitle = \"{name}\"\nkind = \"strip\"\nx = \"variant\"\ny = \"time_ms\"\n"
            )
        };
        let own = format!(
            "name = \"a\"\ntitle = \"a\"\nproblem = \"reach\"\nvariants = [\"slots\"]\n[[instances]]\ngenerator = \"reach.random\"\n{}{}{}",
            plot("waste"),
            plot("time"),
            plot("nodes")
        );
        let own = [Experiment::read("a.toml", &own).expect("an experiment")];
        let plots = ["a-nodes", "a-time", "b-waste"].map(str::to_owned);
        assert_eq!(drawing(&plots, &own, "a").as_deref(), Some("a-time"));
        assert_eq!(drawing(&plots, &own, "b"), None);
    }

    #[test]
    fn macros_of_two_experiments_have_different_names() {
        let table = |label: &str| Table {
            rows: vec![row![label, "5"]],
            ..Table::new("t", "variant | mean score")
        };
        let mut taken = BTreeSet::new();
        let first = cell_macros("tsp", &table("large-x"), &mut taken);
        let second = cell_macros("tsp-large", &table("x"), &mut taken);
        assert!(first.contains("\\ikeruTspLargeXMeanScore}{5}"), "{first}");
        assert!(
            second.contains("\\ikeruTspLargeXBMeanScore}{5}"),
            "{second}"
        );
    }

    #[test]
    fn letters_that_pdflatex_lacks_need_another_program() {
        assert_eq!(program(&["naïve, ≥ 5 µs … Σ".to_owned()]), "pdflatex");
        assert_eq!(
            program(&["first".to_owned(), "% 最近傍法".to_owned()]),
            "lualatex"
        );
    }

    #[test]
    fn every_figure_has_a_macro_of_its_own() {
        let sources = builtin::published().expect("sources");
        let figures = sources.iter().flat_map(|source| &source.figures);
        let names: Vec<String> = figures.map(|figure| macro_name(&figure.id)).collect();
        let parts = ["Interval", "Printed", "Verdict"];
        let mut once = BTreeSet::new();
        for name in &names {
            assert!(name.chars().all(|c| c.is_ascii_alphabetic()), "{name}");
            assert!(once.insert(name.clone()), "{name} stands twice");
            for part in parts {
                assert!(once.insert(format!("{name}{part}")), "{name}{part}");
            }
        }
        assert_eq!(macro_name("challeran/5x6-dfs"), "ikeruChalleranFivexSixDfs");
    }
}
