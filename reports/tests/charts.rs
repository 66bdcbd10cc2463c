//! Charts from a small `records.csv`: which points, titles and fits they get.

use std::fmt::Display;
use std::path::Path;
use std::time::Duration;

use ikeru_bench_data::experiment::{GuideAxis, Plot};
use ikeru_reports::Rows;
use ikeru_reports::charts::{self, Chart, Drawn, Looks, PlotAnswer, Point, Series, Width};
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
                    size,
                    settings: vec![(Family::Setting, "god", "true".to_owned())],
                    ..record(label, &size, taken(stops, time))
                });
            }
        }
    }
    read(&records)
}

/// A sample of a label on an instance of this name.
fn record(label: &'static str, instance: &dyn Display, taken: Sample) -> Record<'static> {
    let cell = format!("{label}{instance}");
    Record {
        sample: cell.clone(),
        cell,
        label,
        instance: format!("i{instance}").leak(),
        instance_hash: format!("h{instance}"),
        threads: 1,
        taken,
        ..Record::default()
    }
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
    let mut text = columns.header_line();
    text.extend(records.iter().map(|record| columns.line(record)));
    std::fs::write(&path, text).expect("written");
    let mut rows = Rows::read(&path).expect("read");
    rows.set_order("label", ["slow", "fast"]);
    rows
}

fn plot(text: &str) -> Plot {
    toml::from_str(&format!("name = \"p\"\n{text}")).expect("a plot")
}

fn chart(text: &str) -> Chart {
    drawable(&rows(), text)
}

fn drawable(rows: &Rows, text: &str) -> Chart {
    answer(rows, text).chart.expect("points")
}

/// The drawings of a chart and its SVG alone.
fn drawn(chart: &Chart) -> (Drawn, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let drawn = charts::draw(chart, &folder.path().join("p"), Width::Wide).expect("drawn");
    let alone = std::fs::read_to_string(folder.path().join("p.svg")).expect("an SVG");
    (drawn, alone)
}

fn answer(rows: &Rows, text: &str) -> PlotAnswer {
    let looks = Looks::of_experiment(rows, &rows.all(), Some("slow"));
    charts::answer(&plot(text), rows, &looks, &[]).expect("an answer")
}

#[test]
fn a_line_has_medians_and_open_timeouts() {
    let chart = chart(
        "kind = \"line\"\ntitle = \"t\"\nx = \"size\"\n\
         where = { setting_god = true }\ny_label = \"time per question, ns\"",
    );
    assert_eq!(chart.y.label, "wall time per question");
    assert_eq!(chart.y.quantity, Quantity::Time);
    let [slow, fast] = chart.panels[0].series.as_slice() else {
        panic!("two series");
    };
    assert_eq!((slow.name.as_str(), slow.points.len()), ("slow", 3));
    assert_eq!((slow.points[1].x, slow.points[1].mid), (100.0, 10_000.0));
    assert!(slow.points[2].is_open() && !slow.points[1].is_open());
    let has_interval = |series: &Series| series.points.iter().any(|point| point.interval.is_some());
    assert!(
        !has_interval(slow) && !has_interval(fast),
        "three samples each"
    );
}

#[test]
fn a_line_is_relative_to_a_series() {
    let times: [(&[u64], &[u64]); 3] = [(&[100], &[50]), (&[400], &[100]), (&[900], &[100])];
    let text = "kind = \"line\"\ntitle = \"t\"\nrelative_to = \"slow\"";
    let chart = drawable(&samples(&times), text);
    assert_eq!(chart.y.label, "wall time: slow ÷ each");
    let of = |series: &Series| {
        series
            .points
            .iter()
            .map(|point| point.mid)
            .collect::<Vec<_>>()
    };
    let series: Vec<Vec<f64>> = chart.panels[0].series.iter().map(of).collect();
    let near = |all: &[f64], expected: [f64; 3]| {
        let mut pairs = all.iter().zip(expected);
        all.len() == 3 && pairs.all(|(own, expected)| (own / expected - 1.0).abs() < 1e-9)
    };
    assert!(
        near(&series[0], [1.0; 3]) && near(&series[1], [2.0, 4.0, 9.0]),
        "{series:?}"
    );
}

/// Samples of `slow` and `fast` on instances, each with its number: `times` of both per instance.
fn samples(times: &[(&[u64], &[u64])]) -> Rows {
    let mut records = Vec::new();
    for (place, (slow, fast)) in times.iter().enumerate() {
        for (label, times) in [("slow", slow), ("fast", fast)] {
            for (repeat, time) in times.iter().enumerate() {
                let taken = taken(*time == 9_999, *time);
                records.push(Record {
                    sample: format!("{label}{place}{repeat}"),
                    size: 10 + place as u64,
                    ..record(label, &place, taken)
                });
            }
        }
    }
    read(&records)
}

fn title(rows: &Rows, title: &str) -> String {
    let text = format!("kind = \"bar\"\ny_label = \"time, ns\"\ntitle = \"{title}\"");
    let title = answer(rows, &text).title.text;
    // Every title names its clock.
    title.strip_suffix(" (wall time)").expect(&title).to_owned()
}

#[test]
fn what_failed_is_in_the_title_and_drawn_at_the_limit() {
    let mut records = Vec::new();
    for (label, time) in [("slow", 1_000), ("fast", 100)] {
        for repeat in 0..12 {
            let fails = label == "fast" && repeat < 8;
            let taken = match fails {
                true => Sample::failed(Outcome::Crashed, "exit status: 139"),
                false => taken(false, time + repeat),
            };
            records.push(Record {
                sample: format!("{label}{repeat}"),
                limit: Some(Duration::from_micros(5)),
                ..record(label, &"", taken)
            });
        }
    }
    let rows = read(&records);
    let text = "kind = \"strip\"\ntitle = \"{faster:fast/slow}\"";
    let said = answer(&rows, text);
    assert_eq!(
        said.title.text,
        "The difference in wall time between fast and slow is undecided (fast: 8 of 12 crashed)"
    );
    let chart = said.chart.expect("points");
    let fast = &chart.panels[0].series[1].points;
    assert_eq!(fast.len(), 12);
    let at_limit = |point: &&Point| point.is_open() && point.mid == 5_000.0;
    assert_eq!(fast.iter().filter(at_limit).count(), 8);
    let cactus = drawable(&rows, "kind = \"cactus\"\ntitle = \"t\"");
    let ends = cactus.panels[0].series.iter();
    let ends = ends.map(|series| series.points.last().expect("a point").mid);
    assert_eq!(ends.collect::<Vec<f64>>(), [1.0, 4.0 / 12.0]);
}

#[test]
fn a_title_says_what_its_samples_support() {
    let (ten, twelve): (&[u64], &[u64]) = (&[10, 11, 12, 13], &[100, 110, 120, 130]);
    let (hundred, stopped): (&[u64], &[u64]) = (&[1000, 1100, 1200, 1300], &[9_999; 4]);
    let (low, high): (&[u64], &[u64]) = (&[10, 11, 12, 13, 14, 15], &[30, 31, 32, 33, 34, 35]);
    let apart = samples(&[(twelve, ten)]);
    let few = samples(&[(&[100, 110], &[10, 11])]);
    let mixed = samples(&[(ten, ten), (ten, ten)]);
    let wide = samples(&[(twelve, ten), (hundred, ten)]);
    let both = samples(&[(low, high), (high, low)]);
    let one = samples(&[(ten, ten), (high, low)]);
    let cut = samples(&[(twelve, ten), (stopped, ten)]);
    // Titles with a blank, and what they become. One that says the reverse is not kept.
    for (rows, expected) in [
        (
            &apart,
            "{faster:fast/slow} → fast is 10× (7.7–13×) faster than slow
            {ratio:fast/slow} faster → 10× (7.7–13×) faster
            {faster:slow as the old search/fast as the new one} → The old search is 10× (7.7–13×) slower than the new one
            {ratio:slow/fast} faster → slow is 10× (7.7–13×) slower than fast
            {needs less:fast/slow} with {median:fast} → fast needs 10× (7.7–13×) less time than slow with 11.5\u{202f}ns",
        ),
        (
            &few,
            "{ratio:fast/slow} faster → The samples are too few to compare the time of fast and slow",
        ),
        (
            &mixed,
            "{faster:fast/slow} → The difference in time between fast and slow is undecided: 1.14× faster to 1.14× slower",
        ),
        (
            &wide,
            "{faster:fast/slow} → fast is 10 to 100× faster than slow on these instances",
        ),
        (
            &both,
            "{ratio:fast/slow} faster → fast is 2.6× slower to 2.6× faster than slow on these instances
            {needs less:fast/slow} → fast needs 2.6× more to 2.6× less time than slow on these instances",
        ),
        (
            &one,
            "{faster:fast/slow} → fast is 1.6× (1.42–1.8×) faster than slow on these instances",
        ),
        (
            &cut,
            "{faster:fast/slow} → fast is 10 to over 760× faster than slow on these instances",
        ),
    ] {
        for line in expected.lines() {
            let (asked, expected) = line.trim().split_once(" → ").expect("a title");
            assert_eq!(title(rows, asked), expected, "{asked}");
        }
    }
}

#[test]
fn the_order_of_the_rows_is_not_seen() {
    let mut records: Vec<Record> = ["b10", "b9", "a"]
        .into_iter()
        .flat_map(|instance| {
            ["slow", "fast"].map(|label| Record {
                instance,
                ..record(label, &instance, taken(false, 10))
            })
        })
        .collect();
    let mut charts = Vec::new();
    for _ in 0..records.len() {
        records.rotate_left(1);
        let text = "kind = \"bar\"\ntitle = \"t\"\nx = \"instance\"";
        charts.push(drawable(&read(&records), text));
    }
    assert_eq!(charts[0].x.categories, ["a", "b9", "b10"]);
    assert!(charts.iter().all(|chart| *chart == charts[0]));
}

#[test]
fn the_name_of_a_row_leaves_half_of_a_telephone_to_its_numbers() {
    let style = include_str!("../templates/page.css");
    let telephone = style.split("@media (max-width: 37.5rem)").nth(1);
    let rule = telephone.and_then(|style| style.split("tbody th:not(.prose) {").nth(1));
    let rule = rule
        .and_then(|rule| rule.split('}').next())
        .expect("a rule");
    for part in [
        "white-space: normal",
        "overflow-wrap: anywhere",
        "max-width: 45vw",
    ] {
        assert!(rule.contains(part), "{part}: {rule}");
    }
}

/// A drawing on the page names its colours as variables alone.
#[test]
fn the_page_declares_every_colour_of_its_plots() {
    let style = include_str!("../templates/page.css");
    let (light, dark) = style
        .split_once("@media (prefers-color-scheme: dark)")
        .expect("light first, then dark");
    for (at, (red, green, blue)) in charts::SERIES.iter().enumerate() {
        let own = format!("--s{at}: #{red:02x}{green:02x}{blue:02x};");
        assert!(light.contains(&own), "{own}");
        assert!(dark.contains(&format!("--s{at}: #")), "{at}");
    }
    for name in ["paper", "ink", "quiet", "grid"] {
        let declared = format!("--{name}: #");
        assert!(
            light.contains(&declared) && dark.contains(&declared),
            "{name}"
        );
    }
}

#[test]
fn a_plot_has_two_drawings_and_its_points_as_csv() {
    let folder = tempfile::tempdir().expect("a folder");
    let chart = chart("kind = \"line\"\ntitle = \"t\"\nx = \"size\"");
    let drawn = charts::draw(&chart, &folder.path().join("p"), Width::Wide).expect("drawn");
    assert!(drawn.wide.contains("width=\"880\"") && drawn.narrow.contains("width=\"380\""));
    for drawing in [&drawn.wide, &drawn.narrow] {
        assert!(drawing.contains("var(--s0)"), "{drawing}");
        assert!(
            !drawing.contains("<rect width=\"100%\""),
            "the page's paper shows through"
        );
    }
    assert!(
        drawn
            .wide
            .contains("<title>slow, 100 size: 10\u{202f}µs</title>"),
        "{}",
        drawn.wide
    );
    let alone = std::fs::read_to_string(folder.path().join("p.svg")).expect("an SVG");
    assert!(!alone.contains("var("), "it needs no page");
    let csv = std::fs::read_to_string(folder.path().join("p.csv")).expect("a CSV");
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "series,size,wall_ns,low,high,stopped");
    assert_eq!(lines.len(), 7, "{csv}");
    assert!(lines.contains(&"slow,1000,500000,nan,nan,yes"), "{csv}");
}

#[test]
fn bars_of_series_are_relative_to_one_of_them() {
    let text = "kind = \"bar\"\ntitle = \"t\"\nrelative_to = \"slow\"";
    let chart = drawable(&samples(&[(&[100], &[50]), (&[400], &[100])]), text);
    let series = chart.panels[0].series.iter();
    let ratios: Vec<f64> = series
        .flat_map(|one| &one.points)
        .map(|point| point.mid)
        .collect();
    assert!(
        (ratios[1] - 8f64.sqrt()).abs() < 1e-9 && ratios[0] == 1.0,
        "{ratios:?}"
    );
}

#[test]
fn files_are_for_a_page_a_talk_or_a_paper() {
    let folder = tempfile::tempdir().expect("a folder");
    let chart = chart("kind = \"line\"\ntitle = \"The title\"\nx = \"size\"");
    for (size, width, has_title) in [
        (Width::Wide, "880", true),
        (Width::Talk, "640", true),
        (Width::Narrow, "380", false),
    ] {
        charts::draw(&chart, &folder.path().join("p"), size).expect("drawn");
        let svg = std::fs::read_to_string(folder.path().join("p.svg")).expect("an SVG");
        assert!(svg.contains(&format!("width=\"{width}\"")), "{svg}");
        assert_eq!(
            svg.contains(">The title (wall time)</text>"),
            has_title,
            "{svg}"
        );
    }
}

#[test]
fn no_interval_of_values_above_zero_reaches_below_it() {
    let times = [("a", 1), ("b", 1), ("c", 1000)];
    let one = |(at, time): (&str, u64)| record("slow", &at, taken(false, time));
    let records: Vec<Record> = times.into_iter().map(one).collect();
    let text = "kind = \"bar\"\ntitle = \"t\"\nstatistic = \"mean\"\ny = \"wall_ns\"";
    let chart = answer(&read(&records), text).chart.expect("a chart");
    let ends = chart.panels[0].series[0].points[0]
        .interval
        .expect("an interval");
    assert!(ends.low == 0.0 && ends.high > 900.0, "{ends:?}");
}

#[test]
fn a_plot_shows_its_series_in_its_order() {
    let chart = chart("kind = \"bar\"\ntitle = \"t\"\nshow = [\"fast\", \"slow\"]");
    assert_eq!(chart.x.categories, ["fast", "slow"]);
    let names: Vec<&str> = (chart.panels[0].series.iter())
        .map(|series| series.name.as_str())
        .collect();
    assert_eq!(names, ["fast", "slow"]);
    let text = "kind = \"bar\"\ntitle = \"{faster:fast/slow}\"\nshow = [\"fast\"]";
    let title = answer(&rows(), text).title.text;
    assert_eq!(title, "Wall time by variant; left out by `where`: slow");
}

#[test]
fn a_crossing_is_between_two_decided_sizes() {
    let title = |times: &[(u64, u64)]| {
        let mut records = Vec::new();
        for (size, (slow, fast)) in (1..).zip(times) {
            for (label, time) in [("slow", slow), ("fast", fast)] {
                for instance in 0..8 {
                    records.push(Record {
                        size,
                        ..record(
                            label,
                            &format!("{size}-{instance}"),
                            taken(false, time + instance),
                        )
                    });
                }
            }
        }
        let text = "kind = \"line\"\ntitle = \"{crossing:fast as F/slow}\"\ny = \"wall_ns\"";
        answer(&read(&records), text).title.text
    };
    let ahead = "(wall time)";
    assert_eq!(
        title(&[(100, 900), (300, 901), (5000, 902)]),
        format!("F overtakes slow between size 2 and 3 {ahead}")
    );
    assert_eq!(
        title(&[(900, 100), (900, 100)]),
        format!("F is ahead of slow at every size: they do not cross {ahead}")
    );
    assert_eq!(
        title(&[(100, 100), (100, 100)]),
        format!("Which of F and slow is ahead is not decided at any size {ahead}")
    );
    assert_eq!(
        title(&[(100, 900), (900, 100), (100, 900)]),
        format!("slow and F change places 2 times, first between size 1 and 2 {ahead}")
    );
}

#[test]
fn a_title_claims_no_ratio_that_the_run_does_not_know() {
    let chart =
        chart("kind = \"bar\"\ntitle = \"{ratio:fast/other} faster\"\ny_label = \"time, ns\"");
    assert_eq!(
        chart.title,
        "Time by variant (wall time); not measured in this run: other"
    );
}

#[test]
fn a_cactus_counts_what_was_not_solved() {
    let line = "lines = [{ at = 2000, label = \"the target\" }]";
    let chart = chart(&format!(
        "kind = \"cactus\"\ntitle = \"t\"\nx_scale = \"log\"\n{line}"
    ));
    // Its values are along x.
    assert_eq!(chart.guides[0].axis, GuideAxis::X);
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
fn all_curves_of_a_cactus_are_of_the_same_questions() {
    // `fast` was not asked the first one, whose size no other has.
    let rows = samples(&[(&[1_000], &[]), (&[10], &[20]), (&[30], &[40])]);
    let chart = drawable(&rows, "kind = \"cactus\"\ntitle = \"t\"");
    let last = |series: &Series| series.points.last().map(|point| (point.x, point.mid));
    let ends: Vec<_> = chart.panels[0].series.iter().map(last).collect();
    assert_eq!(ends, [Some((30.0, 1.0)), Some((40.0, 1.0))]);
}

#[test]
fn a_band_is_of_instances_and_not_of_their_cells() {
    let width = |instances: u64| {
        let records: Vec<Record> = (0..48_u64)
            .map(|cell| Record {
                instance: format!("i{}", cell % instances).leak(),
                instance_hash: format!("h{}", cell % instances),
                ..record("a", &cell, taken(cell % 2 == 1, 10 + cell))
            })
            .collect();
        let rows = read(&records);
        let chart = drawable(&rows, "kind = \"cactus\"\ntitle = \"t\"");
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
fn bars_and_strips_have_a_point_for_each_group_or_sample() {
    let bar = chart("kind = \"bar\"\ntitle = \"t\"\npanels = \"size\"");
    assert_eq!(bar.panels.len(), 3);
    assert_eq!(bar.panels[0].title, "10 size");
    assert_eq!(bar.x.categories, ["slow", "fast"]);
    let strip = chart("kind = \"strip\"\ntitle = \"t\"");
    assert_eq!(strip.panels[0].series[1].points.len(), 9);
    assert_eq!(
        strip.panels[0].series[1]
            .summaries
            .first()
            .map(|point| point.mid),
        Some(1000.0)
    );
    // Samples at several places have a median at each.
    let sizes = chart("kind = \"strip\"\nx = \"size\"\ntitle = \"{along:fast}\"");
    let series = &sizes.panels[0].series[1];
    let places: Vec<f64> = series.summaries.iter().map(|point| point.x).collect();
    assert_eq!(places, [0.0, 1.0, 2.0]);
    assert!(
        sizes.title.contains(" at 10 to ") && sizes.title.contains(" at 1,000"),
        "{}",
        sizes.title
    );
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
    let plot = plot("kind = \"stripe\"\ntitle = \"t\"");
    let error = charts::answer(&plot, &rows, &looks, &[]).expect_err("no such kind");
    assert!(
        error.to_string().contains("did you mean `strip`?"),
        "{error}"
    );
}

#[test]
fn a_chart_without_points_is_still_drawn_and_a_file_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let chart = Chart {
        panels: Vec::new(),
        ..chart("kind = \"bar\"\ntitle = \"t\"")
    };
    charts::draw(&chart, &folder.path().join("empty"), Width::Wide).expect("drawn");
    let error = charts::draw(&chart, Path::new("/nowhere/at/all"), Width::Wide)
        .expect_err("no such folder");
    assert!(error.to_string().contains("/nowhere/at/all.svg"), "{error}");
}

/// Rows of two series on instances with these names.
fn named(names: &[String]) -> Rows {
    let mut records = Vec::new();
    for instance in names {
        for label in ["slow", "fast"] {
            records.push(Record {
                instance,
                ..record(label, instance, taken(false, 1_000))
            });
        }
    }
    read(&records)
}

#[test]
fn of_many_names_under_an_axis_some_are_written_and_all_counted() {
    let names: Vec<String> = (0..300).map(|index| format!("graph-{index}")).collect();
    let rows = named(&names);
    let text = "kind = \"line\"\ntitle = \"t\"\nx = \"instance\"";
    let (drawn, _) = drawn(&drawable(&rows, text));
    let written = names
        .iter()
        .filter(|name| drawn.wide.contains(&format!(">{name}<")));
    assert_eq!(written.count(), 38);
    assert!(
        drawn.wide.contains("instance (300; one of 8 is named)"),
        "{}",
        drawn.wide
    );
}

#[test]
fn one_long_name_leaves_the_others_beside_their_rows() {
    let height = |long: usize| {
        let name =
            |index: usize| "graph-".repeat(if index < long { 20 } else { 1 }) + &index.to_string();
        let rows = named(&(0..30).map(name).collect::<Vec<String>>());
        let text = "kind = \"bar\"\ntitle = \"t\"\nseries = \"instance\"";
        let (drawn, _) = drawn(&drawable(&rows, text));
        let (_, rest) = drawn.wide.split_once("height=\"").expect("a height");
        let (height, _) = rest.split_once('"').expect("its end");
        height.parse::<f64>().expect("a number")
    };
    assert!(height(1) < height(0) + 30.0);
    assert!(height(16) > height(0) + 400.0);
}

#[test]
fn long_names_are_shortened_where_they_do_not_fit() {
    let name =
        |room: u32| format!("path.rooms height=32 queries=4 room={room} width=32 seeds=many");
    let names: Vec<String> = (0..12).map(name).collect();
    let rows = named(&names);
    for text in [
        "kind = \"bar\"\ntitle = \"t\"\nx = \"instance\"",
        "kind = \"bar\"\ntitle = \"t\"\npanels = \"instance\"",
    ] {
        let (drawn, _) = drawn(&drawable(&rows, text));
        assert!(drawn.narrow.contains('…'), "{text}");
        for name in &names {
            assert!(drawn.wide.contains(name.as_str()), "{text}: {name}");
        }
    }
}

/// Rows of which `slow` refuses the second of two maps, and `fast` has six more with two steps.
fn further_samples() -> Rows {
    let mut text =
        "schema,label,instance_hash,cell,setting_steps,outcome,mode,wall_ns\n".to_owned();
    for steps in [1, 2] {
        for (label, map, outcome, time) in [
            ("slow", 1, "solved", "100"),
            ("slow", 2, "skipped", ""),
            ("fast", 1, "solved", "10"),
            ("fast", 2, "solved", "30"),
        ] {
            let cell = format!("{label}{map}-{steps}");
            text += &format!("1,{label},h{map},{cell},{steps},{outcome},isolated,{time}\n");
        }
    }
    for map in 3..9 {
        text += &format!("1,fast,h{map},fast{map},2,solved,isolated,1\n");
    }
    Rows::of_table(&text)
}

#[test]
fn marks_are_of_the_instances_that_all_of_them_have() {
    let rows = further_samples();
    let answer = answer(
        &rows,
        "kind = \"line\"\ntitle = \"{along:fast}\"\nx = \"setting_steps\"\ny = \"wall_ns\"",
    );
    assert_eq!(
        answer.title.text,
        "From 10\u{202f}ns at 1 to 10\u{202f}ns at 2 (wall time)"
    );
    let chart = answer.chart.expect("points");
    let [fast, slow] = chart.panels[0].series.as_slice() else {
        panic!("two series");
    };
    let values = |series: &Series| -> Vec<f64> { series.points.iter().map(|it| it.mid).collect() };
    assert_eq!([values(slow), values(fast)], [[100.0, 100.0], [10.0, 10.0]]);
    assert!(
        chart
            .subtitle
            .contains("left out: 8 on questions that not all have"),
        "{}",
        chart.subtitle
    );
    // A printed value belongs to all rows of its mark.
    let looks = Looks::of_experiment(&rows, &rows.all(), None);
    let quoted = charts::QuotedValue {
        id: "s/what".to_owned(),
        experiment: String::new(),
        column: "wall_ns".to_owned(),
        statistic: "median".to_owned(),
        only: toml::from_str("label = \"fast\"\nsetting_steps = 2").expect("a filter"),
        value: 2.0,
    };
    let plot = plot("kind = \"line\"\ntitle = \"t\"\nx = \"setting_steps\"\ny = \"wall_ns\"");
    let value = quoted.clone();
    let quoted = charts::answer(&plot, &rows, &looks, &[quoted]).expect("an answer");
    let panel = &quoted.chart.expect("points").panels[0];
    assert_eq!(panel.published.len(), 1);
    assert_eq!(values(&panel.series[0]), [20.0, 1.0]);
    // A mark of a part of them is no mark of the value.
    let some = |more: &str| {
        let text = "kind = \"line\"\ntitle = \"t\"\nx = \"setting_steps\"\ny = \"wall_ns\"\n";
        let part = self::plot(&(text.to_owned() + more));
        let answer =
            charts::answer(&part, &rows, &looks, std::slice::from_ref(&value)).expect("an answer");
        let panels = answer.chart.expect("points").panels.into_iter();
        panels.map(|panel| panel.published.len()).sum::<usize>()
    };
    assert_eq!(some(""), 1);
    assert_eq!(some("panels = \"instance_hash\""), 0);
    assert_eq!(some("where = { instance_hash = \"h1\" }"), 0);
}

#[test]
fn kinds_of_maps_have_no_common_instance_and_keep_all() {
    let rows = Rows::of_table(
        "schema,label,generator,instance_hash,outcome,wall_ns\n\
         1,slow,p.maze,h1,solved,10\n1,slow,p.maze,h2,solved,30\n1,slow,p.rooms,h3,solved,5\n",
    );
    let text = "kind = \"bar\"\ntitle = \"t\"\nseries = \"generator\"\ny = \"wall_ns\"";
    let chart = drawable(&rows, text);
    let points = chart.panels[0]
        .series
        .iter()
        .flat_map(|series| &series.points);
    assert_eq!(
        points.map(|point| point.mid).collect::<Vec<_>>(),
        [20.0, 5.0]
    );
    assert!(!chart.subtitle.contains("left out"), "{}", chart.subtitle);
    // The series are the names along x, so no row has a second name.
    let names = chart.panels[0].series.iter().map(|series| &series.name);
    assert!(names.eq(&chart.x.categories), "{:?}", chart.x.categories);
}

/// `count` instances of both labels; those of `slow` above `fails` crashed. The order of rows is not that of times.
fn many(count: u64, fails: u64) -> Rows {
    let mut records = Vec::new();
    for at in 0..count {
        for label in ["slow", "fast"] {
            let time = 1 + 7 * at % count;
            let mut taken = taken(false, 1000 * time);
            taken.score = Some(1);
            if label == "slow" && time > fails {
                taken.outcome = Outcome::Crashed;
            }
            // Without a number of threads, scores are not taken for repeatable.
            records.push(Record {
                threads: 0,
                ..record(label, &at, taken)
            });
        }
    }
    let mut rows = read(&records);
    rows.set_directions([("", ikeru_core::Direction::Maximize)]);
    rows
}

#[test]
fn a_strip_of_many_samples_keeps_the_extremes_and_a_cactus_every_step() {
    let rows = many(1000, 1000);
    let of = |kind: &str| drawable(&rows, &format!("kind = \"{kind}\"\ntitle = \"t\""));
    let strip = of("strip");
    let points = &strip.panels[0].series[0].points;
    assert_eq!(points.len(), 60);
    assert_eq!([points[0].mid, points[59].mid], [1e3, 1e6]);
    let said = &strip.subtitle;
    assert!(said.starts_with("120 of the samples, median"), "{said}");
    let cactus = of("cactus");
    assert_eq!(cactus.panels[0].series[0].points.len(), 1000);
    // Drawn are the points that are not on one pixel.
    let (_, svg) = drawn(&cactus);
    assert!(svg.len() < 60_000, "{} bytes", svg.len());
}

#[test]
fn a_series_that_is_not_drawn_is_named_and_failures_are_no_timeouts() {
    let bar = |fails| {
        let text = "kind = \"bar\"\ntitle = \"t\"\ny = \"score\"";
        drawable(&many(100, fails), text)
    };
    assert_eq!(bar(40).panels[0].series.len(), 1);
    let said = bar(40).subtitle;
    let expected = "; a failed sample counts as worse than any answer; no median of slow";
    assert!(said.ends_with(expected), "{said}");
    assert!(!bar(100).subtitle.contains("failed"));
    let strip = drawable(&many(100, 40), "kind = \"strip\"\ntitle = \"t\"");
    assert_eq!(strip.open, "open: failed, or stopped at the limit");
}

#[test]
fn what_failed_on_an_instance_has_a_row_and_is_not_joined() {
    let bar = |fails| {
        let text = "kind = \"bar\"\ntitle = \"t\"\nx = \"instance_hash\"\ny = \"score\"";
        drawable(&many(3, fails), text)
    };
    let chart = bar(2);
    let slow = &chart.panels[0].series[0];
    assert_eq!(slow.points.len(), 2);
    let failed = slow.failed.iter().map(|(_, words)| words.as_str());
    assert_eq!(failed.collect::<Vec<_>>(), ["1 of 1 crashed"]);
    let (_, svg) = drawn(&chart);
    assert!(svg.contains(">1 of 1 crashed</text>"), "{svg}");
    assert_eq!(svg.matches(">slow</text>").count(), 3);
    assert!(bar(3).panels[0].series[0].failed.is_empty());
}

#[test]
fn a_title_decides_no_more_about_scores_than_their_pairs() {
    // Half of the instances, those of size 2, have the opposite result.
    let titled = |count: u64, of: u64, only: &str| {
        let mut records = Vec::new();
        for at in 0..of {
            let (size, worse) = if at < count { (1, 0) } else { (2, -20) };
            for (label, score) in [("slow", 100), ("fast", 110 + worse + at as i64 % 3)] {
                let mut taken = taken(false, 1000);
                taken.score = Some(score);
                records.push(Record {
                    question: format!("h{at}"),
                    size,
                    threads: 0,
                    ..record(label, &at, taken)
                });
            }
        }
        let mut rows = read(&records);
        rows.set_directions([("", ikeru_core::Direction::Maximize)]);
        rows.set_digits([(String::new(), 0)].into());
        let title = format!("{{ratio:fast/slow{only}}} the score");
        let text = format!("kind = \"bar\"\ntitle = \"{title}\"\ny = \"score\"");
        answer(&rows, &text).title.text
    };
    let of = |count| titled(count, count, "");
    let undecided = "The difference in score between fast and slow is undecided";
    assert_eq!(of(4), undecided);
    assert!(of(40).starts_with("fast takes 11"), "{}", of(40));
    // The rows of the blank decide, not those of the plot.
    let nothing =
        "There is no difference in score between fast and slow within 5\u{202f}% (0.982–1.03×)";
    assert_eq!(titled(40, 80, ""), nothing);
    let some = titled(40, 80, " where size=1");
    assert!(some.starts_with("fast takes 11"), "{some}");
    assert_eq!(titled(4, 80, " where size=1"), undecided);
}

#[test]
fn a_title_names_at_most_two_series_that_failed() {
    let crashed = Sample {
        outcome: Outcome::Crashed,
        ..taken(false, 10)
    };
    let rows = ["a", "b", "c", "d"].map(|label| record(label, &"", crashed.clone()));
    let rows = read(&rows);
    let title = answer(&rows, "kind = \"bar\"\ntitle = \"t\"").title.text;
    let expected = "a: 1 of 1 crashed; b: 1 of 1 crashed; and 2 more)";
    assert!(title.ends_with(expected), "{title}");
}

#[test]
fn a_scatter_has_a_point_for_each_question_of_the_baseline_and_another() {
    let times: [(&[u64], &[u64]); 3] = [
        (&[100, 300, 200], &[20, 10, 30]),
        (&[400], &[9_999]),
        (&[500], &[]),
    ];
    let chart = drawable(&samples(&times), "kind = \"scatter\"\ntitle = \"t\"");
    let labels = [chart.x.label.as_str(), &chart.y.label];
    assert_eq!(labels, ["wall time of slow", "wall time of the others"]);
    let [fast] = chart.panels[0].series.as_slice() else {
        panic!("the baseline is no series");
    };
    let points: Vec<_> = fast
        .points
        .iter()
        .map(|p| (p.x, p.mid, p.is_open()))
        .collect();
    assert_eq!(points, [(200.0, 20.0, false), (400.0, 9_999.0, true)]);
    assert!(
        !chart.subtitle.contains("no median of slow"),
        "{}",
        chart.subtitle
    );
}

/// A row for each of many instances: a bitmap of them all would take gigabytes.
#[test]
fn a_picture_has_a_largest_height_and_says_what_it_leaves_out() {
    let one: [u64; 1] = [1000];
    let times: Vec<(&[u64], &[u64])> = vec![(&one, &one); 600];
    let rows = samples(&times);
    let asked = "kind = \"strip\"\ntitle = \"t\"\nx = \"instance_hash\"\ny = \"wall_ns\"";
    let chart = answer(&rows, asked).chart.expect("points");
    let folder = tempfile::tempdir().expect("a folder");
    charts::draw(&chart, &folder.path().join("p"), Width::Wide).expect("drawn");
    let png = std::fs::read(folder.path().join("p.png")).expect("a picture");
    let side = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().expect("four"));
    assert!(side(20) <= 8000, "{} by {}", side(16), side(20));
    let svg = std::fs::read_to_string(folder.path().join("p.svg")).expect("a picture");
    assert!(svg.contains("more, which are in the CSV"));
}

#[test]
fn intervals_of_ratios_have_one_scope_and_a_caption_has_that_of_its_sentence() {
    let (slow, fast): (&[u64], &[u64]) = (&[1000, 1001, 1002, 1003], &[100, 101, 102, 103]);
    let (other, faster): (&[u64], &[u64]) = (&[1000, 1001, 1002, 1003], &[80, 81, 82, 83]);
    let rows = samples(&[(slow, fast), (other, faster), (slow, fast), (other, faster)]);
    let text = "kind = \"bar\"\ntitle = \"{faster:fast/slow}\"\nrelative_to = \"slow\"";
    let said = answer(&rows, text);
    let chart = said.chart.expect("points");
    let scope = "with intervals on instances like these, 95\u{202f}% for all variants together";
    assert!(chart.subtitle.contains(scope), "{}", chart.subtitle);
    let ends = chart.panels[0].series[1].points[0].interval.expect("ends");
    assert!(
        ends.low < 9.5 && ends.high > 12.0,
        "over the instances: {ends:?}"
    );
    assert_eq!(
        said.title.text,
        "fast is 11× (11–11×) faster than slow (wall time)".replace(" (11–11×)", "")
    );
    let note = &said.title.notes[0].replace('\u{202f}', " ");
    assert!(
        note.contains(", 96 % interval 10.9 … 11.1× on these instances."),
        "{note}"
    );
}

#[test]
fn marks_are_at_their_x_and_bars_beside_them() {
    let mut records = Vec::new();
    for (label, factor) in [("a", 1), ("b", 2), ("c", 4), ("d", 8)] {
        for (size, repeat) in (0..24).map(|at| (1 + at / 8, at % 8)) {
            records.push(Record {
                sample: format!("{label}{size}{repeat}"),
                size,
                ..record(label, &size, taken(false, factor * (1000 + 100 * repeat)))
            });
        }
    }
    let text = "kind = \"line\"\ntitle = \"t\"\nx = \"size\"\ny_scale = \"log\"";
    let (_, svg) = drawn(&drawable(&read(&records), text));
    // The line of each begins at the first tick.
    let starts: Vec<&str> = svg
        .split("<path d=\"M")
        .filter(|it| it.contains("h345.8h345.8\""))
        .collect();
    assert_eq!(starts.len(), 4, "{svg}");
    let tick = "<text x=\"88.7\"";
    assert!(
        svg.contains(tick) && starts.iter().all(|it| it.starts_with("88.7 ")),
        "{svg}"
    );
}

#[test]
fn a_number_and_its_unit_are_on_one_line_of_a_title() {
    let long = "word ".repeat(17) + "550\u{202f}µs and more";
    let (_, svg) = drawn(&chart(&format!("kind = \"bar\"\ntitle = \"{long}\"")));
    assert!(svg.contains("550\u{202f}µs"), "{svg}");
}
