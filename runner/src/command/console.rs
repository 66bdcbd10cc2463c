//! `ikeru console`: the predicted times of a run's answers on consoles, and the list of consoles.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use ikeru_book::consoles::{ConsoleView, sentence};
use ikeru_consoles::Basis;
use ikeru_reports::row;
use ikeru_reports::table::{Cell, Form, Table};
use ikeru_reports::units::Quantity;

use crate::folder::{self, SelectedRun};
use crate::output::{self, Format};

/// The arguments of `console`.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  ikeru console results/ikerukana-table --where setting_god=false
  ikeru console results/ikerukana-table --console PS2
  ikeru console list

A console of one's own is a file DIR/consoles/NAME.toml of --data DIR:
  [[consoles]]
  name = \"Mine\"
  year = 2001
  cpu = \"Allegrex\"
  clock_mhz = 300.0
  memory_bytes = 33554432
  like = \"PSP\""
)]
pub struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
    /// A run folder
    #[arg(required = true)]
    folder: Option<PathBuf>,
    /// Only rows whose column has this value; may be given several times
    #[arg(long = "where", value_name = "COLUMN=VALUE")]
    only: Vec<String>,
    /// Only this console of the list; may be given several times
    #[arg(long = "console", value_name = "NAME")]
    consoles: Vec<String>,
    #[command(flatten)]
    format: Format,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// The consoles: year, processor, memory, and whether it is modelled
    List(Format),
}

/// Prints the requested tables.
///
/// # Errors
/// A folder without a run, an unknown console.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    if let Some(Action::List(format)) = &arguments.action {
        output::print_table(list(Basis::built_in()?), *format)?;
        return Ok(ExitCode::SUCCESS);
    }
    let folder = arguments.folder.as_deref();
    let folder = folder.context("expected a run folder or `list`")?;
    of_folder(&folder::read(folder, &arguments.only)?, arguments)
}

/// Prints for each experiment of the run the first consoles in time, or the results of the named consoles; of
/// several experiments one line each. The exit code says whether the run is finished.
fn of_folder(folder: &SelectedRun, arguments: &Arguments) -> Result<ExitCode> {
    let basis = Basis::built_in()?;
    let named = |word: &String| {
        let mut known = basis.consoles.consoles.iter();
        let known = known.find(|console| console.name.eq_ignore_ascii_case(word));
        known.map_or(word.clone(), |console| console.name.clone())
    };
    let names: Vec<String> = arguments.consoles.iter().map(named).collect();
    let unfinished = folder.unfinished();
    unfinished.iter().for_each(|missing| output::tell(missing));
    let code = match unfinished.is_empty() {
        true => ExitCode::SUCCESS,
        false => output::UNFINISHED.into(),
    };
    let mut all = Vec::new();
    let experiments = folder.rows.group("experiment", &folder.selection);
    let format = arguments.format;
    if experiments.len() > 1 && names.len() < 2 && format.form() == Form::Text && !format.verbose {
        let console = names.first().map(String::as_str);
        let mut table = Table::new("", "experiment | on consoles");
        for (name, rows) in &experiments {
            // An experiment may have no modelled time on the console where others have one.
            let said = sentence(&folder.rows, rows, (basis, console))
                .ok()
                .flatten();
            let row = said.map(|said| row![name, Cell::prose(said)]);
            table.rows.extend(row);
        }
        if !table.rows.is_empty() {
            output::print(&table.body(output::width()))?;
            output::tell("with --verbose: a table of each experiment");
            return Ok(code);
        }
    }
    let (is_one, mut without) = (experiments.len() == 1, None);
    for (name, rows) in experiments {
        let shown = ConsoleView::of(&folder.rows, &rows, basis);
        let mut first = shown.firsts();
        if first.rows.is_empty() && names.is_empty() {
            continue;
        }
        first.title = first.title.to_lowercase();
        let mut tables = vec![first];
        if !names.is_empty() {
            let of_console = names.iter().map(|name| shown.of_console(name));
            tables = match of_console.collect::<Result<_, _>>() {
                Ok(tables) => tables,
                Err(why) if is_one => return Err(why.into()),
                Err(why) => {
                    without.get_or_insert(why);
                    continue;
                }
            };
        }
        for (at, mut table) in tables.into_iter().enumerate() {
            table.title = format!("{name}: {}", table.title);
            // Tables have no titles in these formats.
            let mut name = name.clone();
            match (format.form(), names.get(at).filter(|_| names.len() > 1)) {
                (Form::Csv, Some(console)) => table.name_rows("console", console),
                (Form::Bmf, Some(console)) => name += &format!(" on {console}"),
                _ => {}
            }
            all.push((name, table));
        }
    }
    if let Some(why) = without.filter(|_| all.is_empty()) {
        return Err(why.into());
    }
    if all.is_empty() {
        let name = &folder.name;
        bail!(
            "{name}: no solved row of one thread is of a variant with a console model: most built-in variants have one, since their \
             work was counted on the consoles' instruction sets; a solver of your own has none"
        );
    }
    output::print_tables(all, arguments.format)?;
    Ok(code)
}

/// The consoles, oldest first.
fn list(basis: &Basis) -> Table {
    let heads = "console | year | processor | clock | memory | model";
    let mut table = Table::new("The consoles", heads);
    for console in &basis.consoles.consoles {
        let model = match (&console.model, &console.not_modelled) {
            (Some(model), _) => format!("{} ({})", model.processor, model.target),
            (None, why) => format!("not modelled: {}", why.as_deref().unwrap_or_default()),
        };
        table.rows.push(row![
            &console.name,
            console.year.to_string(),
            &console.cpu,
            format!("{} MHz", console.clock_mhz),
            (console.memory_bytes as f64, Quantity::Bytes),
            Cell::prose(model),
        ]);
    }
    table
}
