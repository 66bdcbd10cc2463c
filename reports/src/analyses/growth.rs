//! Fits a scaling law of one column as a function of another, if the points determine one.

use super::{Analyzed, Finding, parameter, varying};
use crate::error::Result;
use crate::records::Family;
use crate::row;
use crate::rows::{Rows, TIME};
use crate::sampled::Statistic;
use crate::statistics::Bound;
use crate::statistics::growth::{FEWEST, law};
use crate::table::{Cell, Table};
use crate::units::Quantity;

/// One row per label, generator, its parameters and settings: the law of the medians, or why none is chosen. `set.x` and
/// `set.y` name the columns; the defaults are `size` and the time.
pub(super) fn growth(of: Analyzed) -> Result<Finding> {
    let (rows, mut ran) = (of.rows, of.selection.to_vec());
    ran.retain(|row| rows.ran(*row));
    let x = parameter(of.analysis, "x", "size");
    let y = &*rows.compared(parameter(of.analysis, "y", TIME), &ran);
    let mut table = Table::new(
        "Fitted growth",
        "variant | where | points | left out | from | to | law | exponent or base | predicts the largest",
    );
    let other = match x == "size" && of.experiment.problem.commands().is_some() {
        true => ", the bytes of its file (`set = { x = \"param_n\" }` takes another column)",
        false => "",
    };
    table.note(format!(
        "Medians of `{y}` against `{x}`{other}; sizes whose median is decided by timeouts or failures, or not above 0, are left out. A power or an exponential: \
         the one that AICc chooses is named where it wins clearly, with the 95 % interval (Student's t) of its exponent or base. With seven sizes or more it must predict the largest, fitted to the others."
    ));
    let features = of.experiment.problem.commands();
    let features = features.map_or(&[][..], |problem| &problem.features);
    let apart = varying(rows, &ran, x);
    let groups = rows.group_by(&[&["label"], apart.as_slice()].concat(), &ran);
    let parts = groups.into_iter().flat_map(|group| {
        let (label, place) = (
            rows.text("label", group[0]),
            rows.described(apart.iter().copied(), group[0]),
        );
        let parts = by_parameters(rows, x, features, group).into_iter();
        parts.map(move |(own, part)| (label, format!("{place} {own}"), part))
    });
    for (label, place, group) in parts {
        let place = place.trim();
        let (points, left_out) = medians(rows, (x, y), &group);
        let end = |point: Option<&(f64, f64)>| (point.map(|(size, _)| *size), Quantity::Plain);
        let found = law(&points);
        let words = found.map_or_else(|untold| untold.words().to_owned(), |law| law.words());
        let rate = found.map_or(Cell::EMPTY, |law| (law.rate, Quantity::Real).into());
        let predicts = match found {
            Ok(law) if law.confirmed > 0 => format!("{} of {}", law.confirmed, law.confirmed),
            Ok(_) => "not tried".to_owned(),
            Err(_) => String::new(),
        };
        table.rows.push(row![
            label,
            place,
            points.len(),
            left_out,
            end(points.first()),
            end(points.last()),
            words,
            rate,
            predicts,
        ]);
    }
    Ok(table.into())
}

/// The parts of `group` by the generator's parameters that have several values at one value of x, where each part still
/// has several of x, or one has enough for a law; with these values in words. Features of instances are no parameters.
fn by_parameters(
    rows: &Rows,
    x: &str,
    features: &[String],
    group: Vec<u32>,
) -> Vec<(String, Vec<u32>)> {
    let (mut apart, mut parts) = (Vec::new(), vec![group]);
    let sizes = |part: &[u32]| rows.distinct(x, part).len();
    for column in rows.family(Family::Parameter) {
        // `dens@2`, a feature in two intervals, is a feature too.
        let own = column.split('@').next().unwrap_or(column);
        let is_feature = |name: &String| Family::Parameter.column(name) == own;
        let is_crossed = |part: &Vec<u32>| {
            let mut at = rows.group(x, part).into_iter();
            at.any(|(_, own)| rows.distinct(column, &own).len() > 1)
        };
        let finer = || parts.iter().flat_map(|part| rows.group_by(&[column], part));
        let is_free = column != x && !features.iter().any(is_feature);
        if is_free
            && parts.iter().any(is_crossed)
            && (finer().all(|part| sizes(&part) > 1) || finer().any(|part| sizes(&part) >= FEWEST))
        {
            parts = finer().collect();
            apart.push(column);
        }
    }
    let words = |part: Vec<u32>| (rows.described(apart.iter().copied(), part[0]), part);
    parts.into_iter().map(words).collect()
}

/// The median of y at each numeric value of x, and the number of medians that are left out because timeouts or failures
/// decide them, or because they have no logarithm.
fn medians(rows: &Rows, (x, y): (&str, &str), selection: &[u32]) -> (Vec<(f64, f64)>, usize) {
    let (mut points, mut left_out) = (Vec::new(), 0);
    let is_without = |row: &u32| rows.is_failed(*row) || rows.lacks_value(y, *row);
    for (at, own) in rows.group(x, selection) {
        let median = Statistic::Median.of(rows, y, &own);
        match (at.parse(), median) {
            (Ok(at), Some(median)) if median.bound == Bound::Exact && median.value > 0.0 => {
                points.push((at, median.value));
            }
            (Ok(_), it) if it.is_some() || own.iter().any(is_without) => left_out += 1,
            _ => {}
        }
    }
    (points, left_out)
}
