//! Every kind of plot, drawn from made-up data. `IKERU_GALLERY=folder` keeps the files to look at.

use std::path::PathBuf;

use ikeru_bench_data::experiment::GuideAxis;
use ikeru_bench_data::{PlotKind, Scale};
use ikeru_reports::plots::{
    Axis, Chart, Guide, Looks, Panel, Point, Published, Series, Unit, draw, svg,
};
use ikeru_reports::statistics::Interval;
use ikeru_reports::statistics::interval::share;

const LABELS: [&str; 6] = [
    "memo",
    "memo-flat",
    "arrivals",
    "bitboard",
    "slots",
    "batch",
];

fn time_axis(label: &str) -> Axis {
    Axis {
        label: label.to_owned(),
        scale: Scale::Log,
        unit: Unit::Nanoseconds,
        categories: Vec::new(),
    }
}

fn axis(label: &str, scale: Scale) -> Axis {
    Axis {
        label: label.to_owned(),
        scale,
        ..Axis::default()
    }
}

fn chart(kind: PlotKind, x: Axis, y: Axis, series: Vec<Series>) -> Chart {
    let panel = Panel {
        series,
        ..Panel::default()
    };
    Chart {
        kind,
        title: format!("{kind:?}: the bitboard answers 1,900× faster than the article's program"),
        subtitle: "median of 15 samples with its 95 % interval, isolated, one core".into(),
        x,
        y,
        panels: vec![panel],
        guides: Vec::new(),
        bars_from: None,
    }
}

fn series(name: &str, points: Vec<Point>) -> Series {
    Series {
        name: name.to_owned(),
        look: Looks::new(LABELS, Some("memo")).of(name),
        points,
        fit: None,
        summary: None,
    }
}

/// Between 0 and 1, the same for the same `index`.
fn noise(index: usize) -> f64 {
    (index as f64 * 0.754_877_666).fract()
}

fn within(low: f64, high: f64) -> Option<Interval> {
    Some(Interval { low, high })
}

fn growth(name: &str, order: usize) -> Series {
    let points = (1..=12).map(|step| {
        let time = 100.0 * 3f64.powi(step) / (order as f64 + 1.0).powi(3);
        let is_cut = order == 0 && step > 9;
        let time = if is_cut { 2e6 } else { time };
        Point {
            x: f64::from(4 * step),
            mid: time,
            interval: within(0.8 * time, 1.3 * time),
            censored: is_cut,
        }
    });
    let mut series = series(name, points.collect());
    series.fit = Some(format!("x^{:.2}", 1.0 + 0.1 * order as f64));
    series
}

fn line() -> Chart {
    let all = LABELS
        .iter()
        .enumerate()
        .map(|(order, name)| growth(name, order));
    let x = axis("steps", Scale::Log);
    let mut chart = chart(
        PlotKind::Line,
        x,
        time_axis("time per question"),
        all.collect(),
    );
    chart.guides = vec![Guide {
        axis: GuideAxis::Y,
        at: 16.7e6,
        label: "one frame, 16.7 ms".into(),
    }];
    chart.panels[0].published = vec![Published {
        x: 48.0,
        y: 16e6,
        series: None,
        label: "article".into(),
    }];
    chart
}

fn panels() -> Chart {
    let mut chart = line();
    let panel = chart.panels[0].clone();
    chart.panels = (1..=4)
        .map(|number| Panel {
            title: format!("generator: reach.rail {number}"),
            ..panel.clone()
        })
        .collect();
    chart
}

fn bar() -> Chart {
    let all = LABELS.iter().enumerate().map(|(order, name)| {
        let points = (0..2).map(|god| {
            let time = 1e6 / 4f64.powi(order as i32) * (1.0 + 0.7 * f64::from(god));
            Point {
                x: f64::from(god),
                mid: time,
                interval: within(0.9 * time, 1.2 * time),
                censored: order == 0 && god == 1,
            }
        });
        series(name, points.collect())
    });
    let x = Axis {
        categories: vec!["plain".into(), "with the god".into()],
        ..axis("the god counts", Scale::Linear)
    };
    chart(
        PlotKind::Bar,
        x,
        time_axis("time per question"),
        all.collect(),
    )
}

fn bar_by_label() -> Chart {
    let mut chart = bar();
    chart.x.label = String::new();
    chart.x.categories = LABELS.iter().map(|&name| name.to_owned()).collect();
    for (index, series) in chart.panels[0].series.iter_mut().enumerate() {
        series.points.truncate(1);
        series.points[0].x = index as f64;
    }
    chart
}

fn strip() -> Chart {
    let all = LABELS.iter().enumerate().map(|(order, name)| {
        let at = |y: f64| Point::new(order as f64, y);
        let middle = 1e6 / 2f64.powi(order as i32);
        let points = (0..60).map(|index| at(middle * (0.8 + 0.6 * noise(index + order))));
        let mut series = series(name, points.collect());
        series.summary = Some(Point {
            interval: within(1.02 * middle, 1.18 * middle),
            ..at(1.1 * middle)
        });
        series
    });
    let x = Axis {
        categories: LABELS.iter().map(|&name| name.to_owned()).collect(),
        ..Axis::default()
    };
    chart(PlotKind::Strip, x, time_axis("time"), all.collect())
}

fn scatter() -> Chart {
    let all = LABELS[..3].iter().enumerate().map(|(order, name)| {
        let points = (0..150).map(|index| {
            let x = 14.0 + 12.0 * noise(index);
            Point::new(x.round(), (x + 8.0 * noise(7 * index + order)).round())
        });
        series(name, points.collect())
    });
    let (x, y) = (
        axis("least moves", Scale::Linear),
        axis("moves", Scale::Linear),
    );
    chart(PlotKind::Scatter, x, y, all.collect())
}

fn sorted() -> Chart {
    let all = LABELS[..3].iter().enumerate().map(|(order, name)| {
        let points = (0..200).map(|rank| {
            let rank = f64::from(rank);
            Point::new(rank, (18.0 + order as f64 + rank / 20.0).round())
        });
        series(name, points.collect())
    });
    let (x, y) = (
        axis("games in ascending order", Scale::Linear),
        axis("moves", Scale::Linear),
    );
    let mut chart = chart(PlotKind::Sorted, x, y, all.collect());
    chart.guides = vec![Guide {
        axis: GuideAxis::Y,
        at: 22.98,
        label: "people (mean in the thesis)".into(),
    }];
    chart
}

fn cactus(kind: PlotKind) -> Chart {
    let all = LABELS.iter().enumerate().map(|(order, name)| {
        let points = (1..=20_u64).map(|solved| {
            let time = 1e5 * 1.6f64.powi(solved as i32) / (order + 1) as f64;
            let cells = 20 + order;
            let share = share(solved as f64 / cells as f64, cells).expect("a share");
            Point {
                interval: share.interval,
                ..Point::new(time, share.value)
            }
        });
        series(name, points.collect())
    });
    let y = Axis {
        unit: Unit::Share,
        ..axis("share of cells solved", Scale::Linear)
    };
    chart(kind, time_axis("time"), y, all.collect())
}

fn pareto() -> Chart {
    let all = LABELS.iter().enumerate().map(|(order, name)| {
        let y = 4.0 + order as f64 - 3.0 * noise(order);
        series(name, vec![Point::new(1e6 * 1.5f64.powi(order as i32), y)])
    });
    let (x, y) = (time_axis("time of a game"), axis("attack", Scale::Linear));
    chart(PlotKind::Pareto, x, y, all.collect())
}

#[test]
fn every_kind_is_written_as_svg_and_png() {
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = std::env::var_os("IKERU_GALLERY")
        .map_or_else(|| temporary.path().to_owned(), PathBuf::from);
    let charts = [
        ("line", line()),
        ("panels", panels()),
        ("bar", bar()),
        ("bar-by-label", bar_by_label()),
        ("strip", strip()),
        ("scatter", scatter()),
        ("sorted", sorted()),
        ("cactus", cactus(PlotKind::Cactus)),
        ("profile", cactus(PlotKind::Profile)),
        ("pareto", pareto()),
    ];
    for (name, chart) in charts {
        let path = folder.join(name);
        draw(&chart, &path).expect("drawn");
        let svg = std::fs::read_to_string(path.with_extension("svg")).expect("an svg");
        assert!(svg.starts_with("<svg xmlns"), "{name}");
        assert!(svg.contains("role=\"img\""), "{name}");
        assert!(
            svg.contains(&format!("<title>{}</title>", chart.title)),
            "{name}"
        );
        assert!(svg.trim_end().ends_with("</svg>"), "{name}");
        for series in &chart.panels[0].series {
            assert!(svg.contains(&series.name), "{name}: {}", series.name);
        }
        let png = std::fs::metadata(path.with_extension("png")).expect("a png");
        // A blank sheet of this size takes some 10 kB.
        assert!(png.len() > 20_000, "{name}: {} bytes", png.len());
    }
}

#[test]
fn timeouts_published_values_and_guides_are_named() {
    let svg = svg(&line()).expect("drawn");
    for word in [
        "one frame, 16.7 ms",
        "published",
        "open: stopped at the limit",
        "x^1.10",
        "1 ms",
    ] {
        assert!(svg.contains(word), "{word}");
    }
}

#[test]
fn a_chart_without_points_is_still_drawn() {
    let (x, y) = (axis("x", Scale::Log), time_axis("y"));
    svg(&chart(PlotKind::Line, x, y, Vec::new())).expect("drawn");
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let error = draw(&line(), &PathBuf::from("/nowhere/at/all")).expect_err("no such folder");
    assert!(error.to_string().contains("/nowhere/at/all.svg"), "{error}");
}
