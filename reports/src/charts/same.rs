//! Series that are hidden under others: the visible series names them.

use std::collections::BTreeSet;

use ikeru_bench_data::Scale;

use super::chart::{Panel, Point, Series};

/// Values closer to each other than this count as equal: a share of the value on a logarithmic axis. On a linear axis
/// the limit is 0.3 times this share of the largest value.
const NEAR: f64 = 0.01;

/// The largest difference of equal values, as a share.
const ROUNDING: f64 = 1e-9;

/// Removes each series whose points equal those of an earlier one in every panel, and adds its name to the earlier one.
pub(super) fn hide(panels: &mut [Panel], scale: Scale) {
    let points = panels.iter().flat_map(|panel| &panel.series);
    let values = points.flat_map(|series| series.points.iter().map(|point| point.mid.abs()));
    let largest = values.fold(0.0, f64::max);
    let near = move |value: f64| match scale {
        Scale::Log => NEAR * value,
        Scale::Linear => 0.3 * NEAR * largest,
    };
    let names: Vec<String> = names(panels);
    let mut hidden: BTreeSet<String> = BTreeSet::new();
    for (place, seen) in names.iter().enumerate() {
        if hidden.contains(seen) {
            continue;
        }
        let mut under = names[place + 1..].to_vec();
        under.retain(|name| !hidden.contains(name) && is_under(panels, [seen, name], &near));
        let equal = |value: f64| ROUNDING * value;
        let mut others = under.iter();
        let are_equal = others.all(|name| is_under(panels, [seen, name], &equal));
        let all = panels.iter_mut().flat_map(|panel| &mut panel.series);
        for series in all.filter(|series| series.name == *seen) {
            series.same.clone_from(&under);
            series.same_is_equal = are_equal;
        }
        hidden.extend(under);
    }
    for panel in panels {
        panel.series.retain(|series| !hidden.contains(&series.name));
    }
}

fn names(panels: &[Panel]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let series = panels.iter().flat_map(|panel| &panel.series);
    let names = series.map(|series| &series.name);
    names.filter(|name| seen.insert(*name)).cloned().collect()
}

/// Returns whether both series have the same points in every panel, and more than one point in all panels together.
fn is_under(panels: &[Panel], [a, b]: [&str; 2], near: &dyn Fn(f64) -> f64) -> bool {
    let mut points = 0;
    for panel in panels {
        let of = |name: &str| panel.series.iter().find(|series| series.name == name);
        match (of(a), of(b)) {
            (None, None) => {}
            (Some(a), Some(b)) if are_same(a, b, near) => points += a.points.len(),
            _ => return false,
        }
    }
    points > 1
}

fn are_same(a: &Series, b: &Series, near: &dyn Fn(f64) -> f64) -> bool {
    let is_same = |(a, b): (&Point, &Point)| {
        let is_near = (a.mid - b.mid).abs() <= near(a.mid.abs().max(b.mid.abs()));
        is_near && a.x == b.x && a.is_open() == b.is_open()
    };
    a.points.len() == b.points.len() && a.points.iter().zip(&b.points).all(is_same)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::look::Looks;

    fn series(name: &str, values: &[f64]) -> Series {
        let points = (0..).map(f64::from).zip(values);
        Series {
            name: name.to_owned(),
            look: Looks::new([], None).of(name),
            points: points.map(|(x, y)| Point::new(x, *y)).collect(),
            ..Series::default()
        }
    }

    #[test]
    fn a_hidden_series_is_named_at_the_one_that_is_seen() {
        let panel = |last: f64| Panel {
            series: vec![
                series("heap", &[1.0, 2.0]),
                series("hash", &[1.0, 2.0]),
                series("jps", &[1.0, last]),
            ],
            ..Panel::default()
        };
        // `jps` is the same in the first panel only.
        let mut panels = [panel(2.0), panel(3.0)];
        hide(&mut panels, Scale::Log);
        for panel in &panels {
            let names: Vec<&str> = panel.series.iter().map(|one| one.name.as_str()).collect();
            assert_eq!(names, ["heap", "jps"]);
            assert_eq!(panel.series[0].same, ["hash"]);
            assert!(panel.series[0].same_is_equal);
            assert!(panel.series[1].same.is_empty());
        }
    }

    #[test]
    fn lines_that_a_linear_axis_shows_as_one_are_not_called_equal() {
        let mut panels = [Panel {
            series: vec![
                series("memo", &[1.0, 2.0]),
                series("slots", &[2.0, 1.0]),
                series("brute", &[900.0, 9_000.0]),
            ],
            ..Panel::default()
        }];
        hide(&mut panels, Scale::Linear);
        assert_eq!(panels[0].series[0].same, ["slots"]);
        assert!(!panels[0].series[0].same_is_equal);
    }
}
