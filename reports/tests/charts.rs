//! Charts from a small `records.csv`: which points, titles and fits they get.

use std::path::Path;
use std::time::Duration;

use ikeru_bench_data::experiment::Plot;
use ikeru_reports::Rows;
use ikeru_reports::charts::{self, Answer, BARS, Chart, Looks, Series};
use ikeru_reports::records::{Columns, Extra, Family, Outcome, Record, Sample};
use ikeru_reports::units::Quantity;

/// Two variants on sizes 10, 100, 1000: `slow` takes size² ns and stops at 500,000 ns, `fast` takes
/// 10·size ns. Three samples each.
fn rows() -> Rows {
    let mut records = Vec::new();
    for size in [10_u64, 100, 1000] {
        for (label, time) in [("slow", size * size), ("fast", 10 * size)] {
            for repeat in 0..3 {
                let stops = time > 500_000;
                let time = if stops { 500_000 } else { time + repeat - 1 };
                records.push(Record {
                    sample: format!("{label}{size}{repeat}"),
                    cell: format!("{label}{size}"),
                    label,
                    instance_hash: format!("h{size}"),
                    size,
                    threads: 1,
                    taken: taken(stops, time),
                    settings: vec![(Family::Setting, "god", "true".to_owned())],
                    ..Record::default()
                });
            }
        }
    }
    read(&records)
}

/// One answer that took `nanoseconds`, or was stopped after them.
fn taken(stops: bool, nanoseconds: u64) -> Sample {
    Sample {
        outcome: if stops {
            Outcome::Timeout
        } else {
            Outcome::Solved
        },
        batch: Some(Duration::from_nanos(nanoseconds)),
        iterations: 1,
        ..Sample::default()
    }
}

fn read(records: &[Record]) -> Rows {
    let columns = Columns::new([Extra::new(Family::Setting, "god", "")]);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("records.csv");
    let mut writer = csv::Writer::from_path(&path).expect("a file");
    writer.write_record(columns.header()).expect("written");
    for record in records {
        writer.write_record(&columns.row(record)).expect("written");
    }
    writer.flush().expect("written");
    Rows::read(&path).expect("read")
}

fn plot(text: &str) -> Plot {
    toml::from_str(&format!("name = \"p\"\n{text}")).expect("a plot")
}

fn chart(text: &str) -> Chart {
    answer(&rows(), text).chart.expect("points")
}

fn answer(rows: &Rows, text: &str) -> Answer {
    let looks = Looks::of_experiment(rows, &rows.all(), Some("slow"));
    charts::answer(&plot(text), rows, &looks, &[]).expect("an answer")
}

#[test]
fn a_line_has_medians_open_timeouts_and_a_fit() {
    let chart = chart(
        "kind = \"line\"\ntitle = \"{ratio:fast/slow where size=100} faster, {ratio:fast/slow} over all\"\nx = \"size\"\nfit = \"power\"\n\
         where = { setting_god = true }\ny_label = \"time per question, ns\"",
    );
    assert_eq!(
        chart.title, "10× faster, at least 7.9× over all",
        "1, 10 and at least 50 times"
    );
    assert_eq!(chart.y.label, "time per question");
    assert_eq!(chart.y.quantity, Quantity::Time);
    let [slow, fast] = chart.panels[0].series.as_slice() else {
        panic!("two series");
    };
    assert_eq!((slow.name.as_str(), slow.points.len()), ("slow", 3));
    assert_eq!((slow.points[1].x, slow.points[1].mid), (100.0, 10_000.0));
    assert!(slow.points[2].censored && !slow.points[1].censored);
    let has_interval = |series: &Series| series.points.iter().any(|point| point.interval.is_some());
    assert!(
        !has_interval(slow) && !has_interval(fast),
        "three samples each"
    );
    assert_eq!(slow.fit, None, "two measured points give no rate");
    assert_eq!(fast.fit.as_deref(), Some("∝ x^1.00"));
}

#[test]
fn a_title_claims_no_ratio_that_the_run_does_not_know() {
    let chart =
        chart("kind = \"bar\"\ntitle = \"{ratio:fast/other} faster\"\ny_label = \"time, ns\"");
    assert_eq!(chart.title, "Time by variant");
}

#[test]
fn a_cactus_counts_what_was_not_solved() {
    let chart = chart("kind = \"cactus\"\ntitle = \"t\"\nx_scale = \"log\"");
    let last = |index: usize| chart.panels[0].series[index].points.last().copied();
    assert!(last(0).is_some_and(|point| (point.mid - 2.0 / 3.0).abs() < 1e-12));
    assert!(last(1).is_some_and(|point| point.mid == 1.0 && point.x == 10_000.0));
    // Wilson's interval of two in three instances, and of three in three: neither is without width.
    let ends = |index: usize| last(index).and_then(|point| point.interval);
    let [some, all] = [ends(0), ends(1)].map(|ends| ends.expect("a band"));
    assert!(
        (some.low - 0.2077).abs() < 1e-3 && (some.high - 0.9385).abs() < 1e-3,
        "{some:?}"
    );
    assert!(
        (all.low - 0.4385).abs() < 1e-3 && all.high == 1.0,
        "{all:?}"
    );
}

#[test]
fn a_band_is_of_instances_and_not_of_their_cells() {
    let width = |instances: u64| {
        let records: Vec<Record> = (0..48_u64)
            .map(|cell| Record {
                sample: format!("s{cell}"),
                cell: format!("c{cell}"),
                label: "a",
                instance_hash: format!("h{}", cell % instances),
                taken: taken(cell % 2 == 1, 10 + cell),
                ..Record::default()
            })
            .collect();
        let rows = read(&records);
        let chart = answer(&rows, "kind = \"cactus\"\ntitle = \"t\"").chart;
        let chart = chart.expect("points");
        let last = chart.panels[0].series[0].points.last().copied();
        let band = last.and_then(|point| point.interval).expect("a band");
        band.high - band.low
    };
    // Half of them solved: Wilson's interval of 1, of 12 and of 48 things.
    let [one, twelve, all] = [1, 12, 48].map(width);
    assert!((one - 0.891).abs() < 1e-3, "{one}");
    assert!((twelve - 0.492).abs() < 1e-3, "{twelve}");
    assert!((all - 0.272).abs() < 1e-3, "{all}");
}

#[test]
fn a_profile_is_relative_to_the_fastest_of_each_question() {
    let chart = chart("kind = \"profile\"\ntitle = \"t\"\nx_scale = \"log\"");
    let slow: Vec<f64> = chart.panels[0].series[0]
        .points
        .iter()
        .map(|point| point.x)
        .collect();
    assert_eq!(slow, [1.0, 10.0]);
}

#[test]
fn bars_strips_and_sorted_values_have_a_point_for_each_group_or_sample() {
    let bar = chart("kind = \"bar\"\ntitle = \"t\"\npanels = \"size\"");
    assert_eq!(bar.panels.len(), 3);
    assert_eq!(bar.panels[0].title, "size: 10");
    assert_eq!(bar.x.categories, ["slow", "fast"]);
    let strip = chart("kind = \"strip\"\ntitle = \"t\"");
    assert_eq!(strip.panels[0].series[1].points.len(), 9);
    assert_eq!(
        strip.panels[0].series[1].summary.map(|point| point.mid),
        Some(1000.0)
    );
    let sorted = chart("kind = \"sorted\"\ntitle = \"t\"");
    let ranks: Vec<f64> = sorted.panels[0].series[0]
        .points
        .iter()
        .map(|point| point.x)
        .collect();
    assert_eq!(ranks, (1..=9).map(f64::from).collect::<Vec<_>>());
}

#[test]
fn nothing_to_draw_is_no_chart() {
    let text = "kind = \"line\"\ntitle = \"t\"\ny = \"counter_nodes\"\nx = \"size\"";
    assert_eq!(answer(&rows(), text).chart, None);
}

#[test]
fn an_unknown_kind_is_refused_with_the_nearest_one() {
    let rows = rows();
    let looks = Looks::of_experiment(&rows, &rows.all(), None);
    let plot = plot("kind = \"profiles\"\ntitle = \"t\"");
    let error = charts::answer(&plot, &rows, &looks, &[]).expect_err("no such kind");
    assert!(
        error.to_string().contains("did you mean `profile`?"),
        "{error}"
    );
}

#[test]
fn a_chart_without_points_is_still_drawn_and_a_file_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let chart = Chart {
        panels: Vec::new(),
        style: BARS,
        ..chart("kind = \"bar\"\ntitle = \"t\"")
    };
    charts::draw(&chart, &folder.path().join("empty")).expect("drawn");
    let error = charts::draw(&chart, Path::new("/nowhere/at/all")).expect_err("no such folder");
    assert!(error.to_string().contains("/nowhere/at/all.svg"), "{error}");
}
