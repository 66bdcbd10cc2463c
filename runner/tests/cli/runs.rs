//! Commands over run folders: compare, rank, merge, and what they refuse.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::{ikeru, output};

/// A run of two variants on eight small maps, once for all tests that only read it.
const EXPERIMENT: &str = r#"
name = "small"
title = "t"
about = "a"
problem = "reach"
variants = ["memo-flat", "memo"]
instances = [{ generator = "reach.spanning-grid", seeds = { from = 1, to = 8 }, set = { width = 4, height = 4 } }]
settings = { steps = 6 }
run = { repeats = 3, sample = "20us", warm_up = "0ms" }
"#;

struct Runs {
    inside: TempDir,
}

impl Runs {
    fn new() -> Self {
        let inside = tempfile::tempdir().expect("a folder");
        std::fs::write(inside.path().join("small.toml"), EXPERIMENT).expect("written");
        Self { inside }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.inside.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    /// Runs the experiment into a folder of that name.
    fn run(&self, name: &str, more: &[&str]) -> String {
        let (experiment, out) = (self.text("small.toml"), self.text(name));
        let arguments = [&["run", experiment.as_str(), "--out", out.as_str()], more].concat();
        output(&arguments);
        out
    }

    /// The same run under another name, of another build of the variant `label`, which takes `factor` times as long.
    fn slower(&self, from: &str, name: &str, (label, factor): (&str, f64)) -> String {
        self.with_times(from, name, label, |_, of, time| {
            time * if of == label { factor } else { 1.0 }
        })
    }

    /// The same run under another name, of another build of the variant `other`, with the times that `time` makes of row,
    /// label and old time.
    fn with_times(
        &self,
        from: &str,
        name: &str,
        other: &str,
        time: impl Fn(u64, &str, f64) -> f64,
    ) -> String {
        let (from, to) = (self.path(from), self.path(name));
        std::fs::create_dir(&to).expect("a folder");
        std::fs::copy(from.join("run.toml"), to.join("run.toml")).expect("copied");
        let mut reader = csv::Reader::from_path(from.join("records.csv")).expect("read");
        let mut writer = csv::Writer::from_path(to.join("records.csv")).expect("a file");
        let header = reader.headers().expect("a header").clone();
        writer.write_record(&header).expect("written");
        let place = |name| header.iter().position(|head| head == name).expect(name);
        let times = ["wall_ns", "batch_ns", "cpu_ns"].map(place);
        let (labels, cell) = (place("label"), place("cell"));
        // The state of the machine that took the samples has no part in times that are written here.
        let state = [place("canary"), place("started_ns")];
        for (number, row) in (0..).zip(reader.records()) {
            let row = row.expect("a row");
            let field = |(at, field): (usize, &str)| match field.parse::<f64>() {
                _ if state.contains(&at) => String::new(),
                _ if at == cell && &row[labels] == other => format!("f{}", &field[1..]),
                Ok(old) if times.contains(&at) => {
                    time(number, &row[labels], old).round().to_string()
                }
                _ => field.to_owned(),
            };
            let fields = row.iter().enumerate().map(field);
            writer.write_record(fields).expect("written");
        }
        writer.flush().expect("written");
        to.display().to_string()
    }
}

/// Asserts that a call fails with one line that contains every one of `words`.
fn refused(arguments: &[&str], words: &[&str]) {
    crate::refused(arguments, "", words);
}

#[test]
fn a_regression_ends_with_one_and_only_if_asked() {
    let runs = Runs::new();
    runs.run("run", &[]);
    // The load of the machine decides nothing.
    let time = |row: u64, _: &str, _: f64| 1e6 + 1e3 * (row * 7 % 11) as f64;
    runs.with_times("run", "calm", "", time);
    let before = runs.slower("calm", "before", ("", 1.0));
    let after = runs.slower("calm", "after", ("memo", 2.0));
    let compare = ["compare", before.as_str(), after.as_str()];
    let table = output(&compare);
    assert!(
        table.contains(" slower") && table.contains("Made by"),
        "{table}"
    );
    let strict = [&compare[..], &["--fail-if-slower", "5%"]].concat();
    let done = ikeru(&strict).assert().code(1);
    let said = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
    assert!(said.starts_with("regression: "), "{said}");
    // A factor of two is within the tolerance of 200 %, and the reverse comparison is faster.
    output(&[&compare[..], &["--fail-if-slower", "200%"]].concat());
    output(&["compare", &after, &before, "--fail-if-slower", "5%"]);
    let counters = ["--metric", "counter:states", "--fail-if-slower", "0%"];
    let same = output(&[&compare[..], &counters].concat());
    assert!(same.contains("equal"), "{same}");
    // Another program on all sides: nothing shows that the machine stood still.
    let both = runs.slower("after", "both", ("memo-flat", 2.0));
    let alone = [
        "compare",
        &before,
        &both,
        "--where",
        "label=memo-flat",
        "--fail-if-slower",
        "5%",
    ];
    let told = crate::said(&alone, 2);
    assert!(told.contains("measured one after the other"), "{told}");
}

#[test]
fn a_run_takes_further_variants_and_instances_that_have_columns_of_their_own() {
    let runs = Runs::new();
    let text = EXPERIMENT.replacen(r#""memo""#, r#""arrivals""#, 1);
    let rail = r#"height = 4 } }, { generator = "reach.rail", set = { vertices = 9 } }]"#;
    let text = text.replacen("height = 4 } }]", rail, 1);
    std::fs::write(runs.path("further.toml"), text).expect("written");
    let (further, out) = (runs.text("further.toml"), runs.text("out"));
    let run = ["run", &further, "--out", &out];
    let chosen = [
        "--variant",
        "memo-flat",
        "--instance",
        "reach.rail vertices=9",
    ];
    output(&[&run[..], &chosen].concat());
    let rows = || std::fs::read_to_string(runs.path("out/records.csv")).expect("rows");
    let first = rows();
    output(&[&run[..], &["--resume"]].concat());
    let both = rows();
    assert!(
        both.starts_with(&first),
        "the rows of the first session stay"
    );
    assert_eq!(both.lines().count(), 1 + 2 * 9 * 3);
}

/// The built-in table with its own repeats. Its times are replaced by some that scatter by a tenth, in the order
/// of the rows, so that the load of the machine decides nothing.
#[test]
fn a_slowdown_of_a_fifth_of_the_built_in_table_ends_with_one() {
    let runs = Runs::new();
    output(&["run", "ikerukana-table", "--out", &runs.text("run")]);
    let scatter = |number: u64, salt: u64| {
        let bits = (number * 2 + salt).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        1.0 + 0.1 * bits as f64 / f64::from(1 << 24)
    };
    let before = runs.with_times("run", "before", "", |row, _, _| 1e6 * scatter(row, 0));
    let after = runs.with_times("run", "after", "arrivals", |row, label, _| {
        1e6 * scatter(row, 1) * if label == "arrivals" { 1.2 } else { 1.0 }
    });
    let done = ikeru(&["compare", &before, &after, "--fail-if-slower", "5%"])
        .assert()
        .code(1);
    let said = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
    assert!(
        said.starts_with("regression: after:arrivals on all: 1.2"),
        "{said}"
    );
    let same = runs.with_times("run", "same", "", |row, _, _| 1e6 * scatter(row, 1));
    output(&["compare", &before, &same, "--fail-if-slower", "5%"]);
}

#[test]
fn a_gate_that_cannot_fire_ends_with_two_and_says_what_to_run() {
    let runs = Runs::new();
    let one_map = EXPERIMENT.replace("to = 8", "to = 1");
    std::fs::write(runs.path("small.toml"), one_map).expect("written");
    let before = runs.run("before", &["--repeats", "1"]);
    let after = runs.slower("before", "after", ("", 1.0));
    let compare = ["compare", before.as_str(), after.as_str()];
    // The table first, then one line why nothing is decided.
    let undecided = |gate: &[&str]| {
        let done = ikeru(&[&compare[..], gate].concat()).assert().code(2);
        let [table, error] = [&done.get_output().stdout, &done.get_output().stderr];
        let [table, error] = [table, error].map(|text| String::from_utf8_lossy(text).into_owned());
        assert!(
            error.starts_with("error: ") && error.lines().count() == 1,
            "{error}"
        );
        (table, error)
    };
    let (table, error) = undecided(&["--fail-if-slower", "5%"]);
    for word in [
        "--fail-if-slower cannot decide",
        "it needs 5 repeats a side",
    ] {
        assert!(error.contains(word), "no `{word}` in {error}");
    }
    assert!(table.contains("too few samples"), "{table}");
    // A measure of the referee is neither better nor worse.
    let (_, error) = undecided(&["--metric", "measure:reachable", "--fail-if-slower", "5%"]);
    assert!(error.contains("neither better nor worse"), "{error}");
}

#[test]
fn folders_of_one_last_name_keep_their_variants_and_a_refusal_is_no_failure() {
    let runs = Runs::new();
    let refusing = EXPERIMENT
        .replace("\"memo\"]", "\"memo\", \"batch\"]")
        .replace("repeats = 3", "repeats = 1");
    std::fs::write(runs.path("small.toml"), refusing).expect("written");
    let [one, two] = ["one", "two"].map(|folder| {
        std::fs::create_dir(runs.path(folder)).expect("a folder");
        runs.run(&format!("{folder}/run"), &["--set", "target=3"])
    });
    let metric = ["--metric", "counter:states", "--csv"];
    let table = output(&[&["compare", &one, &two], &metric[..]].concat());
    for label in ["memo", "memo-flat"] {
        let names = format!("\n{one}:{label},{two}:{label},");
        assert!(table.contains(&names), "{table}");
    }
    let listed = output(&["list", "runs", &runs.text("one"), "--csv"]);
    assert!(listed.contains(",24,,"), "{listed}");
}

#[test]
fn two_variants_of_a_run_stand_in_one_table() {
    let runs = Runs::new();
    let run = runs.run("run", &[]);
    let sides = [format!("{run}:memo-flat"), format!("{run}:memo")];
    let table = output(&["compare", &sides[0], &sides[1], "--markdown"]);
    assert!(table.contains("| memo | memo-flat |"), "{table}");
    let short = output(&["compare", &sides[0], ":memo", "--metric", "score", "--csv"]);
    assert!(
        short.contains(",undecided,neither lower nor higher"),
        "{short}"
    );
    for (format, part) in [
        ("markdown", "| memo | memo-flat |"),
        ("csv", "\nmemo-flat,memo,"),
        ("json", "\"against\": \"memo-flat\""),
        ("html", "<th scope=\"row\">memo</th><td>memo-flat</td>"),
        ("latex", "memo & memo-flat & "),
    ] {
        let table = output(&["compare", &sides[0], ":memo", "--format", format]);
        assert!(table.contains(part), "{format}: {table}");
    }
    refused(&["compare", &run, &run], &["are the same"]);
    refused(
        &["compare", &run, ":memo-flat"],
        &["name a variant on both sides"],
    );
    refused(&["compare", &sides[0], ":meno"], &["did you mean `memo`?"]);
    let table = output(&["compare", &run]);
    assert!(
        table.contains("(virtual best)") && table.contains("PAR-2"),
        "{table}"
    );
    let table = output(&[
        "compare",
        &run,
        "--metric",
        "counter:states",
        "--against",
        "memo",
    ]);
    assert!(table.contains("against memo"), "{table}");
}

#[test]
fn shards_are_merged_and_reported() {
    let runs = Runs::new();
    let whole = runs.run("whole", &[]);
    let flat = runs.run("flat", &["--variant", "memo-flat"]);
    let memo = runs.run("memo", &["--variant", "memo"]);
    let out = runs.text("merged");
    let said = output(&["merge", &flat, &memo, "-o", &out]);
    assert!(said.contains("48 samples\n"), "{said}");
    let text = std::fs::read_to_string(Path::new(&out).join("run.toml")).expect("run.toml");
    assert!(
        text.contains("[[sources]]") && text.contains("samples = 24"),
        "{text}"
    );
    output(&["report", &out]);
    assert!(Path::new(&out).join("index.html").exists());
    output(&["compare", &out]);
    refused(&["merge", &flat, "-o", &out], &["exists already"]);
    let none = runs.text("none");
    refused(
        &["merge", &whole, &flat, "-o", &none],
        &[
            "the same sample in two shards",
            "whole/records.csv:",
            "flat/records.csv:",
        ],
    );
    let other = runs.run("other", &["--set", "steps=5"]);
    refused(
        &["merge", &flat, &other, "-o", &none],
        &["is no shard of the run", "--set"],
    );
    assert!(!Path::new(&none).exists());
}

#[test]
fn every_question_runs_in_one_shard() {
    let runs = Runs::new();
    let whole = runs.run("whole", &[]);
    let shards = ["1/3", "2/3", "3/3"].map(|shard| {
        let folder = shard.replace('/', "-of-");
        runs.run(&folder, &["--shard", shard])
    });
    let out = runs.text("merged");
    let [first, second, third] = &shards;
    let said = output(&["merge", first, second, third, "-o", &out]);
    assert!(said.contains("48 samples\nnext: ikeru report"), "{said}");
    let samples = |folder: &str| {
        let mut reader =
            csv::Reader::from_path(Path::new(folder).join("records.csv")).expect("rows");
        let mut samples: Vec<String> = reader
            .records()
            .map(|row| row.expect("a row")[2].to_owned())
            .collect();
        samples.sort();
        samples
    };
    assert_eq!(samples(&out), samples(&whole));
    // All variants of a question are in one shard.
    for shard in &shards {
        output(&[
            "compare",
            &format!("{shard}:memo"),
            ":memo-flat",
            "--metric",
            "counter:states",
        ]);
    }
}

#[test]
fn bad_input_names_what_is_wrong() {
    let runs = Runs::new();
    let run = runs.run("run", &["--repeats", "1"]);
    let missing = runs.text("missing");
    let sides = [format!("{run}:memo"), ":memo-flat".to_owned()];
    for compared in [&sides[..], std::slice::from_ref(&run)] {
        let call = |more: &[&str]| {
            let mut arguments = vec!["compare".to_owned()];
            arguments.extend(compared.iter().cloned());
            arguments.extend(more.iter().map(|word| (*word).to_owned()));
            arguments
        };
        let refused = |more: &[&str], words: &[&str]| {
            let arguments = call(more);
            refused(
                &arguments.iter().map(String::as_str).collect::<Vec<_>>(),
                words,
            );
        };
        refused(
            &["--metric", "counter:state"],
            &["did you mean `counter:states`?"],
        );
        refused(&["--metric", "tame"], &["unknown metric `tame`"]);
        refused(&["--where", "varant=x"], &["did you mean `variant`?"]);
        refused(&["--where", "variant=x"], &["no row is left"]);
        refused(&["--where", "variant"], &["expected column=value"]);
    }
    refused(
        &["compare", &missing, &run],
        &["missing: no such run folder"],
    );
    refused(&["compare", &missing], &["missing: no such run folder"]);
    refused(
        &["compare", &format!("{run}:memo")],
        &["run:memo: a variant; expected a run folder, or for `compare` a second side"],
    );
    let page = format!("{run}/index.html");
    refused(&["report", &page], &["index.html: a file; expected a run"]);
    refused(
        &["compare", &run, "--against", "meno"],
        &["did you mean `memo`?"],
    );
    refused(
        &["compare", &run, "--metric", "measure:reachable"],
        &["a ranking takes"],
    );
    std::fs::create_dir(runs.path("empty")).expect("a folder");
    refused(&["compare", &runs.text("empty")], &["run.toml"]);
    std::fs::remove_file(Path::new(&run).join("records.csv")).expect("removed");
    refused(&["compare", &run], &["records.csv"]);
    ikeru(&["compare", &run, &run, "--fail-if-slower", "much"])
        .assert()
        .code(2);
}

/// A file that a setting names belongs to a sample's identity by its text.
#[test]
fn an_edited_template_file_is_sampled_again() {
    let inside = tempfile::tempdir().expect("a folder");
    let path = |name: &str| inside.path().join(name).display().to_string();
    let experiment = format!(
        r#"
name = "own"
title = "t"
about = "a"
problem = "build"
variants = ["template"]
instances = [{{ generator = "build.sequence", seeds = {{ from = 1, to = 1 }} }}]
settings = {{ goal = "template", templates = "{}" }}
run = {{ repeats = 1, sample = "20us", warm_up = "0ms" }}
"#,
        path("own.txt")
    );
    std::fs::write(path("own.toml"), experiment).expect("written");
    let rows = |drawing: &str, more: &[&str]| {
        std::fs::write(path("own.txt"), drawing).expect("written");
        let (experiment, out) = (path("own.toml"), path("out"));
        output(&[&["run", experiment.as_str(), "--out", out.as_str()], more].concat());
        let text = std::fs::read_to_string(inside.path().join("out/records.csv"));
        text.expect("read").lines().count() - 1
    };
    assert_eq!(rows("# flat\nAAAA..\n", &[]), 1);
    assert_eq!(rows("# flat\nAAAA..\n", &["--resume"]), 1);
    assert_eq!(rows("# flat\n.AAAA.\n", &["--resume"]), 2);
}
