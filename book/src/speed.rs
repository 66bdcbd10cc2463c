//! The plot of speed on the first page: it compares the time of each source's method with that of the fastest variant.

use ikeru_bench_data::PublishedSource;
use ikeru_bench_data::Scale;
use ikeru_bench_data::published::SpeedOfSource;
use ikeru_consoles::budget;
use ikeru_records::Result;
use ikeru_records::rows::Rows;
use ikeru_records::units::Quantity;
use ikeru_reports::charts::{
    Axis, Chart, JOINED_ROWS, Look, Marker, Panel, Point, SERIES, Series, of_style, times,
};
use ikeru_reports::sampled::{Statistic, comparable};
use ikeru_statistics::Estimate;

use crate::figures;
use crate::verdicts::ratio;

/// The chart; `None` unless the run measured both times of a source.
///
/// # Errors
/// A selection with an unknown statistic or an impossible range.
pub fn chart(rows: &Rows, sources: &[PublishedSource]) -> Result<Option<Chart>> {
    let mut names = Vec::new();
    let mut ends: [Vec<Estimate>; 2] = Default::default();
    let mut factors = Vec::new();
    for source in figures::in_order(sources) {
        let Some(speed) = source.story.as_ref().and_then(|story| story.speed.as_ref()) else {
            continue;
        };
        if let ([Some(from), Some(to)], factor) = times_of(rows, speed)? {
            names.push(format!("{}: {}", source.source, speed.question));
            ends[0].push(from);
            ends[1].push(to);
            factors.extend(factor);
        }
    }
    factors.sort_by(f64::total_cmp);
    let (Some(least), Some(most)) = (factors.first(), factors.last()) else {
        return Ok(None);
    };
    let title = format!(
        "The fastest variant here answers {} to {} faster than the source's method",
        times(*least).trim_end_matches('×'),
        times(*most)
    );
    let looks = [(SERIES[15], Marker::Square), (SERIES[0], Marker::Disc)];
    let both = ["the source's method", "the fastest here"].into_iter();
    let series = both.zip(looks).zip(ends);
    let series = series.map(|((name, (colour, marker)), ends)| Series {
        name: name.to_owned(),
        look: Look {
            colour,
            marker,
            is_baseline: false,
        },
        points: (0..)
            .zip(ends)
            .map(|(x, time)| Point::of(f64::from(x), time))
            .collect(),
        ..Series::default()
    });
    Ok(Some(Chart {
        x: Axis {
            categories: names,
            ..Axis::default()
        },
        y: Axis {
            label: "median time of an answer on this machine".to_owned(),
            column: "time_ns".to_owned(),
            scale: Scale::Log,
            quantity: Quantity::Time,
            ..Axis::default()
        },
        panels: vec![Panel {
            series: series.collect(),
            ..Panel::default()
        }],
        guides: budget::guides(),
        ..of_style(
            JOINED_ROWS,
            title,
            "medians with 95 % intervals; dashed: a game's budgets".to_owned(),
        )
    }))
}

/// The median times of both methods on the instances that both were asked, and the ratio of the times, which is averaged
/// over the questions as on the cards.
fn times_of(rows: &Rows, speed: &SpeedOfSource) -> Result<([Option<Estimate>; 2], Option<f64>)> {
    let of = |own: &[u32]| -> Result<_> {
        Ok([rows.narrow(own, &speed.from)?, rows.narrow(own, &speed.to)?])
    };
    let [from, to] = of(&rows.with("experiment", &speed.experiment))?;
    let all = [from.as_slice(), &to].concat();
    let factor = ratio(rows, &rows.compared(&speed.column, &all), &from, &to);
    let time = (Statistic::Median, speed.column.as_str());
    let common = comparable(rows, &all, &[], "label", time);
    let times = of(&common)?.map(|own| {
        let column = rows.compared(&speed.column, &own);
        Statistic::Median.of(rows, &column, &own)
    });
    Ok((times, factor.map(|factor| factor.estimate.value)))
}
