//! The diagnoses as a sentence and as tables.

use ikeru_reports::row;
use ikeru_reports::table::{Cell, Content, Table};
use ikeru_reports::units::Quantity;

use crate::doctor::{self, Diagnosis};

fn percent(share: f64) -> String {
    Quantity::Share.word(share)
}

/// Scatter from which a machine is called noisy, and below which it is called quiet.
const NOISY: f64 = 0.1;
const QUIET: f64 = 0.02;

/// The number of repeats in the verdict, if it is among the requested numbers.
const USUAL: usize = 20;

/// One sentence: how noisy the machine is, and what comparisons see on it. The worst kernel decides.
pub fn verdict(kernels: &[Diagnosis]) -> String {
    let scatter = kernels.iter().map(|kernel| kernel.scatter);
    let scatter = scatter.fold(0.0, f64::max);
    let word = match scatter {
        noisy if noisy >= NOISY => "noisy",
        quiet if quiet < QUIET => "quiet",
        _ => "neither quiet nor noisy",
    };
    let first = format!("This machine is {word} (±{})", percent(scatter));
    let asked = kernels.first().map_or(&[][..], |kernel| &kernel.smallest);
    let at = asked.iter().position(|(repeats, _)| *repeats == USUAL);
    let Some(at) = at.or(asked.len().checked_sub(1)) else {
        return first + ".";
    };
    let mut seen = kernels.iter().map(|kernel| kernel.smallest.get(at)?.1);
    let worst = seen.try_fold(0.0, |worst: f64, own| Some(worst.max(own?)));
    let repeats = asked[at].0;
    match worst {
        Some(worst) => {
            let worst = percent(worst);
            format!("{first}: with {repeats} repeats you see differences above {worst}.")
        }
        None => format!("{first}: {repeats} repeats are too few for the differences tried here."),
    }
}

pub fn noise(canary: &[f64], kernels: &[Diagnosis], seconds: u64) -> Table {
    let rounds = kernels.iter().map(|kernel| kernel.rounds);
    let rounds = rounds.max().unwrap_or(0);
    let (suspect, low, high) = doctor::canary_of(canary);
    let title =
        format!("Two copies of each kernel, side by side in {rounds} rounds of {seconds} s");
    let mut table = Table::new(title, "kernel | median | scatter, ±");
    let suspect = percent(suspect);
    table.note(format!(
        "The canary's time was between {low:.2} and {high:.2} of its usual one in nine rounds of ten; it makes {suspect} of them suspect."
    ));
    for kernel in kernels {
        let median = (kernel.median, Quantity::Time);
        let scatter = (kernel.scatter, Quantity::Share);
        table.rows.push(row![&kernel.kernel, median, scatter]);
    }
    table
}

/// A table with a column for each number of repeats; `of` has the values of a kernel.
fn by_repeats<C: Into<Cell>>(
    title: String,
    kernels: &[Diagnosis],
    of: impl Fn(&Diagnosis) -> Vec<C>,
) -> Table {
    let mut table = Table::new(title, "kernel");
    let first = kernels.first().map_or(&[][..], |kernel| &kernel.smallest);
    let repeats = first.iter().map(|(repeats, _)| repeats.to_string());
    table.heads.extend(repeats);
    let row = |kernel: &Diagnosis| line(&kernel.kernel, of(kernel).into_iter());
    table.rows = kernels.iter().map(row).collect();
    table
}

pub fn smallest(kernels: &[Diagnosis]) -> Table {
    let [power, level] = [doctor::POWER.0, doctor::LEVEL].map(percent);
    let title = format!(
        "The smallest difference that {power} of comparisons find (Mann–Whitney at {level}), by samples a side"
    );
    by_repeats(title, kernels, |kernel| {
        let effects = kernel.smallest.iter();
        effects.map(|(_, it)| (*it, Quantity::Share)).collect()
    })
}

pub fn alarms(kernels: &[Diagnosis]) -> Table {
    let (count, level) = (doctor::COMPARISONS, percent(doctor::LEVEL));
    let title = format!(
        "False alarms among {count} comparisons of a kernel with itself, of {level} allowed"
    );
    by_repeats(title, kernels, |kernel| {
        let alarms = kernel.alarms.iter();
        alarms.map(|(_, it)| (*it, Quantity::Share)).collect()
    })
}

pub fn needed(kernels: &[Diagnosis]) -> Table {
    let mut table = Table::new("Repeats that find a difference of so much", "kernel");
    table.heads.extend(doctor::EFFECTS.map(percent));
    let most = || Cell::from(Content::Printed(">1,000".to_owned()));
    for kernel in kernels {
        let repeats = kernel.repeats.iter();
        let repeats = repeats.map(|(_, repeats)| repeats.map_or_else(most, Cell::from));
        table.rows.push(line(&kernel.kernel, repeats));
    }
    table
}

/// A row of a name and numbers.
fn line<C: Into<Cell>>(name: &str, cells: impl Iterator<Item = C>) -> Vec<Cell> {
    let name = std::iter::once(name.into());
    name.chain(cells.map(Into::into)).collect()
}
