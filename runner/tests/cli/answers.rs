//! The output of a run at its end, and the reasons for which an experiment is refused before it begins.

use serde_json::Value as Json;

use crate::{has, ikeru, output, refused, said, table};

const EXPERIMENT: &str = r#"name = "small"
title = "t"
about = "a"
problem = "reach"
variants = ["memo-flat", "memo"]
instances = [{ generator = "reach.spanning-grid", seeds = [1, 2], set = { width = 4, height = 4 } }]
settings = { steps = 6 }
baseline = "memo"

[run]
repeats = 2
sample = "20us"
warm_up = "0ms"
expected_seconds = { quick = 40, full = 9000 }

[[plots]]
name = "time"
kind = "bar"
title = "Time of both variants"
x = "label"
[[plots]]
name = "all"
kind = "cactus"
title = "Solved within a time"
x_scale = "log"
"#;

fn written(text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("small.toml");
    std::fs::write(&path, text).expect("written");
    let path = path.display().to_string();
    (folder, path)
}

#[test]
fn a_run_ends_with_its_answer_for_people_and_for_programs() {
    let (folder, path) = written(EXPERIMENT);
    let out = |name: &str| folder.path().join(name).display().to_string();
    let text = output(&["run", &path, "--out", &out("people")]);
    has(
        &text,
        &[
            "variant",
            "against memo",
            "4 of 4",
            "baseline",
            "Time of both variants",
        ],
    );
    let page = out("people") + "/index.html";
    assert_eq!(text.lines().last(), Some(page.as_str()), "{text}");
    let json = output(&["run", &path, "--json", "--out", &out("programs")]);
    let json: Json = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["samples"], 8);
    assert_eq!(json["outcomes"]["solved"], 8);
    assert_eq!(
        json["answers"][0]["text"],
        "Time of both variants (CPU time)"
    );
    assert_eq!(
        output(&["run", &path, "--quiet", "--out", &out("nobody")]),
        ""
    );
}

#[test]
fn the_expected_time_follows_the_repeats() {
    let (_folder, path) = written(EXPERIMENT);
    let list = |more: &[&str]| output(&[&["run", &path, "--list"], more].concat());
    assert!(list(&[]).contains("about 40\u{202f}s"));
    assert!(list(&["--repeats", "1"]).contains("about 20\u{202f}s"));
    assert!(list(&["--variant", "memo"]).contains("below 40\u{202f}s"));
    assert!(list(&["--full"]).contains("about 2.5\u{202f}h"));
}

#[test]
fn a_slip_is_refused_before_anything_runs() {
    // The place of the slip and the advice, what is written, and what is written in its place.
    for [at, advice, from, to] in table(
        r#"8  | did you mean `memo`? | baseline = "memo" | baseline = "mem"
        11 | `repeats` is 0 | repeats = 2 | repeats = 0
        6  | `seeds`: no value | seeds = [1, 2] | seeds = []
        7  | `steps`: no value | steps = 6 | steps = []
        6  | are a generator's | generator = "reach.spanning-grid" | files = "*.csv"
        6  | `instances` is empty | [{ generator = "reach.spanning-grid", seeds = [1, 2], set = { width = 4, height = 4 } }] | []
        11 | did you mean `repeats`? | repeats = 2 | repeets = 2
        19 | ration | Time of both | {ration:memo/memo-flat}
        19 | without its | Time of both | {ratio:memo/memo-flat
        19 | names one series | Time of both | {ratio:memo}
        19 | did you mean `memo-flat`? | Time of both | {ratio:memo/memo-flt}
        20 | did you mean `label`? | x = "label" | x = "lable"
        18 | did you mean `bar`? | kind = "bar" | kind = "bra"
        17 | is no file name | name = "time" | name = ""
           | once more | "memo-flat", "memo" | { name = "memo", label = "again" }, "memo"
        18 | did you mean `label`? | [[plots]] | [[tables]]⏎title = "t"⏎rows = "lable"⏎⏎[[plots]]
        19 | did you mean `counter_states`? | [[plots]] | [[tables]]⏎title = "t"⏎rows = "label"⏎value = "counter_state"⏎⏎[[plots]]"#,
    ) {
        assert!(EXPERIMENT.contains(from), "{from}");
        let (folder, path) = written(&EXPERIMENT.replacen(from, &to.replace('⏎', "\n"), 1));
        let out = folder.path().join("run").display().to_string();
        let place = format!("small.toml:{at}");
        refused(&["run", &path, "--out", &out], "", &[&place, advice]);
        assert!(!folder.path().join("run").exists());
    }
}

#[test]
fn runs_of_one_second_have_folders_of_their_own() {
    let (folder, path) = written(EXPERIMENT);
    let run = ["run", path.as_str(), "--repeats", "1", "--quiet"];
    for _ in 0..3 {
        ikeru(&run).current_dir(folder.path()).assert().success();
    }
    let results = folder.path().join("results");
    assert_eq!(results.read_dir().expect("results").count(), 3);
}

#[test]
fn files_of_one_content_are_told() {
    let text = EXPERIMENT.replacen(
        "generator = \"reach.spanning-grid\", seeds = [1, 2], set = { width = 4, height = 4 }",
        "files = \"*.csv\"",
        1,
    );
    let (folder, path) = written(&text);
    for name in ["a.csv", "b.csv"] {
        std::fs::write(folder.path().join(name), crate::RING).expect("written");
    }
    let told = said(&["run", &path, "--list"], 0);
    has(&told, &["a.csv and ", "are one instance"]);
}

#[test]
fn what_two_folders_have_in_common_is_compared() {
    let (folder, path) = written(EXPERIMENT);
    let other = folder.path().join("other.toml");
    let text = EXPERIMENT.replacen("name = \"small\"", "name = \"other\"", 1);
    std::fs::write(&other, text).expect("written");
    let other = other.display().to_string();
    let out = |name: &str| folder.path().join(name).display().to_string();
    output(&["run", &path, "--out", &out("one")]);
    output(&["run", &path, &other, "--out", &out("both")]);
    let text = output(&["compare", &out("one"), &out("both")]);
    assert!(text.contains("Only in B, not compared: other."), "{text}");
}

#[test]
fn a_run_of_batches_ends_with_its_rows() {
    let (folder, path) = written(
        "name = \"small\"\ntitle = \"t\"\nabout = \"a\"\nproblem = \"path\"\nvariants = [\"heap\", \"jps\"]\n\
         instances = [{ generator = \"path.open\", set = { width = 9, height = 9, queries = 5 } }]\nrun = { repeats = 2 }\n",
    );
    let out = folder.path().join("run").display().to_string();
    let said = output(&["run", &path, "--out", &out]).replace('\u{202f}', " ");
    assert_eq!(
        said.lines().last(),
        Some("5 rows answered, 0 wrong"),
        "{said}"
    );
}
