//! Every kind of chart, drawn from fixed rows and compared with the SVG in `tests/golden/`.
//!
//! `IKERU_GOLDEN=rewrite cargo test -p ikeru-reports --test golden` writes the files anew. Look at each of
//! them before it is committed; `IKERU_GALLERY=FOLDER` keeps SVG and PNG of each.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ikeru_bench_data::Plot;
use ikeru_bench_data::matrix::Values;
use ikeru_core::{BoundPolicy, Value};
use ikeru_reports::Rows;
use ikeru_reports::charts::{self, QuotedValue};
use ikeru_reports::records::{Columns, Extra, Family, Outcome, Record, Sample};

/// The variable that rewrites the files.
const REWRITE: &str = "IKERU_GOLDEN";
const VARIANTS: [&str; 3] = ["memo", "slots", "bitboard"];

/// The plot of each kind. Together they use panels, guides, published values and names along x.
const PLOTS: [(&str, &str); 5] = [
    (
        "line",
        "title = 'Growth: {ratio:bitboard/memo where size=100} apart'\nx = 'size'\nx_scale = 'log'\n\
         y_scale = 'log'\nlines = [{ at = 16.7e6, label = 'one frame, 16.7 ms' }]\nwhere = { setting_god = false }",
    ),
    (
        "bar",
        "title = 'The god costs little'\nx = 'setting_god'\nx_label = 'the god counts'\ny_scale = 'log'",
    ),
    ("cactus", "title = 'Solved within a time'\nx_scale = 'log'"),
    (
        "strip",
        "title = 'Every sample'\nwhere = { size = 100, setting_god = true }",
    ),
    (
        "scatter",
        "title = 'Each question'\ny_scale = 'log'\npanels = 'setting_god'",
    ),
];

/// Three variants on six instances of three sizes, with and without the god, four samples each. `memo`
/// is stopped at 20 ms.
fn rows() -> Rows {
    let mut records = Vec::new();
    for (order, label) in VARIANTS.into_iter().enumerate() {
        for (seed, size) in [
            (1, 10_u64),
            (1, 100),
            (1, 1000),
            (2, 10),
            (2, 100),
            (2, 1000),
        ] {
            for god in [false, true] {
                for repeat in 0..4 {
                    let name = format!("{size}-{seed}-{god}");
                    let work = size.pow(2) * (3 - order as u64) * seed * if god { 2 } else { 1 };
                    let time = 15.0 * work as f64 * (1.0 + 0.03 * f64::from(repeat));
                    let is_stopped = time > 2e7;
                    records.push(Record {
                        experiment: "golden",
                        sample: format!("{label}-{name}-{repeat}"),
                        cell: format!("{label}-{name}"),
                        label,
                        instance_hash: format!("{size}-{seed}"),
                        question: name,
                        size,
                        repeat,
                        bound_policy: BoundPolicy::Private,
                        threads: 1,
                        taken: Sample {
                            outcome: if is_stopped {
                                Outcome::Timeout
                            } else {
                                Outcome::Solved
                            },
                            batch: Some(Duration::from_nanos(time.min(2e7) as u64)),
                            iterations: 1,
                            counters: vec![("nodes".into(), work)],
                            ..Sample::default()
                        },
                        settings: vec![(Family::Setting, "god", god.to_string())],
                        ..Record::default()
                    });
                }
            }
        }
    }
    let columns = Columns::new([
        Extra::new(Family::Setting, "god", ""),
        Extra::new(Family::Counter, "nodes", ""),
    ]);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("records.csv");
    let mut text = columns.header_line();
    text.extend(records.iter().map(|record| columns.line(record)));
    std::fs::write(&path, text).expect("written");
    let mut rows = Rows::read(&path).expect("read");
    rows.set_order("label", VARIANTS);
    rows
}

/// A quoted value next to the bar of `memo` with the god, or next to its samples of one size.
fn quoted(size: Option<i64>) -> QuotedValue {
    let only = [
        ("label", Value::Text("memo".to_owned())),
        ("setting_god", Value::Bool(true)),
    ];
    let only = only.into_iter();
    let only = only.chain(size.map(|size| ("size", Value::Int(size))));
    let only = only.map(|(column, value)| (column.to_owned(), Values::One(value)));
    QuotedValue {
        id: "one".to_owned(),
        experiment: "golden".to_owned(),
        column: "time_ns".to_owned(),
        statistic: "median".to_owned(),
        only: only.collect(),
        value: 5e6,
    }
}

#[test]
fn every_kind_draws_what_it_drew() {
    let rows = rows();
    let looks = charts::Looks::of_experiment(&rows, &rows.all(), Some("memo"));
    let quoted = [None, Some(100)].map(quoted);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let is_rewritten = std::env::var(REWRITE).is_ok_and(|value| value == "rewrite");
    let temporary = tempfile::tempdir().expect("a folder");
    let gallery = std::env::var_os("IKERU_GALLERY")
        .map_or_else(|| temporary.path().to_owned(), PathBuf::from);
    let mut changed = Vec::new();
    for (kind, text) in PLOTS {
        let plot: Plot = toml::from_str(&format!("name = '{kind}'\nkind = '{kind}'\n{text}"))
            .unwrap_or_else(|error| panic!("{kind}: {error}"));
        let answer = charts::answer(&plot, &rows, &looks, &quoted).expect("an answer");
        let drawn = charts::draw(
            &answer.chart.expect("points"),
            &gallery.join(kind),
            charts::Width::Wide,
        );
        let drawn = drawn.expect("drawn");
        let narrow = gallery.join(format!("{kind}-narrow.svg"));
        std::fs::write(narrow, &drawn.narrow).expect("written");
        let both = drawn.wide + &drawn.narrow;
        let png = std::fs::metadata(gallery.join(format!("{kind}.png"))).expect("a PNG");
        // A blank sheet of this size takes less than 2 kB.
        assert!(png.len() > 8_000, "{kind}: {} bytes", png.len());
        let path = folder.join(format!("{kind}.svg"));
        if is_rewritten {
            std::fs::write(&path, &both).expect("written");
        } else if std::fs::read_to_string(&path).ok() != Some(both) {
            changed.push(kind);
        }
    }
    assert!(
        changed.is_empty(),
        "{} differ from {}/KIND.svg; if that is meant, run with {REWRITE}=rewrite and look at the files",
        changed.join(", "),
        folder.display()
    );
}
