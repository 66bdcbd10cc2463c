//! The validation of the console model: modelled times divided by the measured times of other machines, with the
//! model's band.

use std::collections::BTreeMap;

use super::chart::checks;
use ikeru_consoles::Basis;
use ikeru_consoles::validation::{ValidationRow, range};
use ikeru_reports::analyses::Finding;
use ikeru_reports::charts::{Chart, Looks, Panel, Point, Series};
use ikeru_reports::row;
use ikeru_reports::table::{Cell, Table};
use ikeru_statistics::Estimate;

/// The part of a console's width over which its points are spread.
const SPREAD: f64 = 0.8;

/// The programs that were checked, by console.
type ByConsole<'a> = Vec<(String, Vec<&'a ValidationRow>)>;

/// The chart, and a row for each console.
pub(super) fn finding(basis: &Basis, heading: &str) -> Finding {
    let consoles = basis.consoles.consoles.iter();
    let own = consoles.map(|console| {
        let rows = basis.checks.iter();
        let own: Vec<_> = rows.filter(|row| row.console == console.name).collect();
        (console.name.clone(), own)
    });
    let checked: ByConsole = own.filter(|(_, rows)| !rows.is_empty()).collect();
    let mut table = Table::new(
        heading,
        "console | against | programs | modelled by measured | inside the band",
    );
    for (console, rows) in &checked {
        let (low, high) = range(rows);
        let inside = rows.iter().filter(|row| row.is_inside()).count();
        table.rows.push(row![
            console,
            &rows[0].against,
            rows.len(),
            Cell::from(format!("{low:.2} … {high:.2}")),
            inside
        ]);
    }
    table.notes = vec!["Self-timing programs and published benchmarks; `scripts/consoles-check.sh` makes the rows again, and `consoles/validation.csv` has them.".to_owned()];
    Finding {
        chart: Some(chart(&checked, heading)),
        ..table.into()
    }
}

fn chart(checked: &ByConsole, heading: &str) -> Chart {
    let all = || checked.iter().flat_map(|(_, rows)| rows);
    let mut by_kind: BTreeMap<&str, Vec<Point>> = BTreeMap::new();
    for (place, (_, rows)) in (0..).map(f64::from).zip(checked) {
        for (at, row) in (0..).map(f64::from).zip(rows) {
            let beside = SPREAD * ((at + 0.5) / rows.len() as f64 - 0.5);
            let [low, high] = [row.low, row.high].map(|end| end / row.measured);
            let point = Point::of(place + beside, Estimate::within(low, row.ratio(), high));
            by_kind.entry(&row.known).or_default().push(point);
        }
    }
    let looks = Looks::new(by_kind.keys().copied(), None);
    let series = by_kind.into_iter().map(|(kind, points)| Series {
        name: kind.to_owned(),
        look: looks.of(kind),
        points,
        ..Series::default()
    });
    let inside = all().filter(|row| row.is_inside()).count();
    checks(
        format!(
            "{inside} of {} programs took what the model says, within its band",
            all().count()
        ),
        format!("{heading}: modelled by measured, one mark a program; bars: the band"),
        checked.iter().map(|(console, _)| console.clone()).collect(),
        Panel {
            series: series.collect(),
            ..Panel::default()
        },
    )
}
