//! The model compared with independent machines: `validation.csv`, written by `scripts/consoles-check.sh`.

use ikeru_records::Result;
use serde::Deserialize;

use super::counts::wrong;
use crate::facts::Console;

/// One program, measured on another machine and modelled.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ValidationRow {
    /// The program's name.
    pub row: String,
    /// The console that was modelled.
    pub console: String,
    /// The emulator, or the source of a figure.
    pub against: String,
    /// `emulator`, which simulates every cycle, or `hardware`.
    pub known: String,
    /// The unit of the four numbers.
    pub unit: String,
    /// The value measured on the other machine.
    pub measured: f64,
    /// The low end of the model's band.
    pub low: f64,
    /// The middle of the model's band.
    pub modelled: f64,
    /// The high end of the model's band.
    pub high: f64,
}

impl ValidationRow {
    /// The modelled value divided by the measured one.
    pub fn ratio(&self) -> f64 {
        self.modelled / self.measured
    }

    /// Returns whether the band, widened by 5 % at both ends, contains the measured value. The 5 % cover an
    /// emulator's last cycles and a figure's last digit.
    pub fn is_inside(&self) -> bool {
        (0.95 * self.low..=1.05 * self.high).contains(&self.measured)
    }
}

/// Reads `validation.csv`; `file` is its name in errors.
///
/// # Errors
/// Names file, line, and what was expected.
pub fn read(file: &str, text: &str) -> Result<Vec<ValidationRow>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows: csv::Result<Vec<ValidationRow>> = reader.deserialize().collect();
    rows.map_err(|error| wrong(file, &error))
}

/// The least and the largest ratio of some rows.
fn range(rows: &[&ValidationRow]) -> (f64, f64) {
    let ratios = rows.iter().map(|row| row.ratio());
    let low = ratios.clone().fold(f64::INFINITY, f64::min);
    (low, ratios.fold(0.0, f64::max))
}

/// The checks of a console's processor.
fn of_processor<'a>(
    checks: &'a [ValidationRow],
    console: &Console,
    consoles: &[Console],
) -> Vec<&'a ValidationRow> {
    let processor = |known: &Console| known.model.as_ref().map(|model| model.processor.clone());
    let own = processor(console);
    let is_own = |check: &&ValidationRow| {
        let mut all = consoles.iter();
        let checked = all.find(|known| known.name == check.console);
        checked.is_some_and(|checked| processor(checked) == own)
    };
    checks.iter().filter(is_own).collect()
}

/// Returns whether the model of a console's processor was compared with another machine.
pub fn is_checked(checks: &[ValidationRow], console: &Console, consoles: &[Console]) -> bool {
    !of_processor(checks, console, consoles).is_empty()
}

/// The result of the checks of a console's processor, as a sentence.
pub fn said(checks: &[ValidationRow], console: &Console, consoles: &[Console]) -> String {
    let rows = of_processor(checks, console, consoles);
    let (low, high) = range(&rows);
    let inside = rows.iter().filter(|check| check.is_inside()).count();
    let mut against: Vec<&str> = rows.iter().map(|check| check.against.as_str()).collect();
    against.dedup();
    match rows.len() {
        0 => "This processor's model was not checked against another machine.".to_owned(),
        count => format!(
            "This processor's model was {low:.2} to {high:.2} of {} on {count} programs, {inside} of them inside the band or at most 5 % beyond it.",
            against.join(" and ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Basis;

    #[test]
    fn every_row_is_inside_its_band_and_most_middles_are_near() {
        let checks = &Basis::built_in().expect("the tables read").checks;
        let outside: Vec<&ValidationRow> =
            checks.iter().filter(|check| !check.is_inside()).collect();
        assert!(outside.is_empty(), "{outside:?}");
        let near = checks
            .iter()
            .filter(|check| (0.75..=1.25).contains(&check.ratio()));
        assert!(near.count() * 20 >= checks.len() * 19);
    }

    #[test]
    fn a_penalty_names_a_row_that_would_fall_out_of_its_band() {
        let basis = Basis::built_in().expect("the tables read");
        let models = basis.consoles.consoles.iter();
        let models = models.filter_map(|console| console.model.as_ref());
        let mut checked = 0;
        for basis_of in models.flat_map(|model| model.basis.values()) {
            if !basis_of.check.is_empty() {
                let is_row = |check: &ValidationRow| check.row == basis_of.check;
                assert!(basis.checks.iter().any(is_row), "{}", basis_of.check);
                checked += 1;
            }
        }
        assert!(checked >= 15, "{checked} penalties name a check");
    }

    #[test]
    fn what_was_checked_is_said_of_the_processor() {
        let basis = Basis::built_in().expect("the tables read");
        let consoles = &basis.consoles.consoles;
        let of = |name: &str| {
            let mut all = consoles.iter();
            let console = all.find(|console| console.name == name);
            said(&basis.checks, console.expect("a console"), consoles)
        };
        assert!(
            of("PS1").contains("of Mednafen (beetle-psx) on 9 programs"),
            "{}",
            of("PS1")
        );
        assert_eq!(of("GameCube"), of("Wii"), "the same processor");
        assert!(of("PS2").contains("not checked"));
    }
}
