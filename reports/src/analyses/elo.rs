//! Converts the share of matches won to a difference in Elo points.

use super::{Analyzed, Finding, parameter};
use crate::error::Result;
use crate::row;
use crate::rows::Rows;
use crate::statistics::{Estimate, interval, mean};
use crate::table::{Cell, Table};
use crate::units::Quantity;
use ikeru_records::refuse;

/// The column of won matches.
pub(super) const WIN: &str = "measure_win";
/// The column of drawn matches.
pub const DRAW: &str = "measure_draw";

/// The difference in Elo points that corresponds to a share of points won; infinite at 0 and 1.
pub fn difference(share: f64) -> f64 {
    400.0 * (share / (1.0 - share)).log10()
}

/// The share of wins that is expected with a difference in Elo rating.
pub fn share(difference: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-difference / 400.0))
}

/// One row per label: matches, share of points won, and the difference in Elo points with its interval. `set.win` names
/// the column (1 won, 0 lost), `set.draw` that of the draws; without draws, `set.win` may have 0.5 for one.
pub(super) fn elo(of: Analyzed) -> Result<Finding> {
    let rows = of.rows;
    let win = parameter(of.analysis, "win", WIN);
    let draw = parameter(of.analysis, "draw", if win == WIN { DRAW } else { "" });
    let heads = "variant | matches | share won | Elo difference | 95 % interval";
    let mut table = Table::new("Elo difference", heads);
    table.note(
        "A share s of points won (a draw is half a point) is worth 400·log10(s / (1 − s)) Elo points; the interval is that of the share.",
    );
    for (label, of_label) in rows.group("label", of.selection) {
        let Some(share) = share_of_points(rows, [win, draw], &of_label)? else {
            continue;
        };
        let points = share.map(difference);
        let played = played(rows, win, &of_label);
        table.rows.push(row![
            label,
            Cell::from(played).with_detail(rows.failed_in_words(&of_label)),
            (share.value, Quantity::Share),
            (points.value, Quantity::Real),
            (points.interval, Quantity::Real),
        ]);
    }
    Ok(table.into())
}

/// The number of matches: those with a result, and those that a player lost because it failed or gave no answer in time.
fn played(rows: &Rows, win: &str, own: &[u32]) -> usize {
    let is_lost = |row: &&u32| rows.is_failed(**row) || rows.lacks_value(win, **row);
    rows.numbers(win, own).len() + own.iter().filter(is_lost).count()
}

/// The share of points won over the instances; a failed match is lost. Wilson's interval is too wide with draws, never too
/// narrow: points of which some are halves vary less than wins and losses of the same mean. `None` without a match.
///
/// # Errors
/// Points of an instance, or all points together, that are no share.
pub fn share_of_points(
    rows: &Rows,
    [win, draw]: [&str; 2],
    selection: &[u32],
) -> Result<Option<Estimate>> {
    let of_instance = |own: &Vec<u32>| {
        let matches = played(rows, win, own);
        let [won, drawn] = [win, draw].map(|column| rows.numbers(column, own).iter().sum::<f64>());
        (matches > 0).then(|| (won + drawn / 2.0) / matches as f64)
    };
    let instances = rows.group_by(&["instance_hash"], selection);
    let points: Vec<f64> = instances.iter().filter_map(of_instance).collect();
    let won = rows.means(win, selection);
    let mut all = won.sample.values.iter().chain(&points);
    if !all.all(|points| (0.0..=1.0).contains(points)) {
        refuse!("`{win}` is no share of points, from 0 to 1 with half of the draws");
    }
    let units = match points.len() {
        1 => played(rows, win, selection),
        several => several,
    };
    let share = mean(&points).and_then(|share| interval::share(share, units));
    Ok(share.map(|share| won.honest(share)))
}
