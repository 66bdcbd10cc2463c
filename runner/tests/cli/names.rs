//! Names of experiments, instances, variants and folders: each is one thing, and is written as it is.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::fair::rows;
use crate::{RING, ikeru, output, refused};

const EXPERIMENT: &str = r#"name = "small"
title = "t"
about = "a"
problem = "reach"
variants = ["memo", "slots"]
instances = [{ files = "ring.csv" }]
settings = { steps = 2, god = false }
run = { repeats = 2, sample = "20us", warm_up = "0ms" }
plots = [{ name = "time", kind = "bar", title = "t", x = "instance" }]
"#;

/// A folder with the experiment, of which `from` is replaced by `to`, and with two rings of one name.
fn place(from: &str, to: &str) -> (TempDir, impl Fn(&str) -> String + use<>) {
    let inside = tempfile::tempdir().expect("a folder");
    assert!(EXPERIMENT.contains(from), "{from}");
    let path = inside.path().to_owned();
    let text = move |name: &str| path.join(name).display().to_string();
    fs::write(text("ring.csv"), RING).expect("written");
    fs::write(text("small.toml"), EXPERIMENT.replacen(from, to, 1)).expect("written");
    for folder in ["easy", "hard"] {
        fs::create_dir(text(folder)).expect("a folder");
    }
    fs::write(text("easy/1.csv"), RING).expect("written");
    output(&["generate", "reach.spanning-grid", "-o", &text("hard/1.csv")]);
    (inside, text)
}

/// The different words of a column of a run's rows, in order.
fn words(run: &str, column: &str) -> Vec<String> {
    let rows = rows(&Path::new(run).join("records.csv"));
    let words: std::collections::BTreeSet<String> =
        rows.iter().map(|row| row[column].clone()).collect();
    words.into_iter().collect()
}

#[test]
fn an_experiment_is_run_once() {
    let (_inside, text) = place("", "");
    let (file, other) = (text("small.toml"), text("easy/small.toml"));
    let changed = EXPERIMENT.replacen("steps = 2", "steps = 3", 1);
    fs::write(&other, changed.replacen("ring", "1", 1)).expect("written");
    for second in [&file, &other] {
        let run = ["run", &file, second, "--out", &text("run")];
        refused(&run, "", &["experiment small", "given twice"]);
        assert!(!Path::new(&text("run")).exists());
    }
}

#[test]
fn files_of_one_name_are_two_instances() {
    let (_inside, text) = place(
        "{ files = \"ring.csv\" }",
        "{ files = \"easy/*.csv\" }, { files = \"hard/*.csv\" }",
    );
    let out = text("run");
    output(&["run", &text("small.toml"), "--out", &out]);
    let both = ["easy/1", "hard/1"];
    assert_eq!(words(&out, "instance"), both);
    let page = crate::pages_of(Path::new(&out));
    let plot = fs::read_to_string(text("run/plots/small-time.csv")).expect("a plot");
    for name in both {
        for shown in [&page, &plot] {
            assert!(shown.contains(name), "{name}: {shown}");
        }
    }
    let one = ["run", &text("small.toml"), "--out", &text("one")];
    output(&[&one[..], &["--instance", "hard/1"]].concat());
    assert_eq!(words(&text("one"), "instance"), ["hard/1"]);
}

#[test]
fn a_label_has_blanks_that_are_filled() {
    let instances = "{ files = \"ring.csv\" }";
    let generated = "{ generator = \"reach.spanning-grid\", seeds = [3, 4], set = { width = 4 }, label = \"w {width} s {seed}\" }";
    for (entry, names) in [
        (
            "{ files = \"*/1.csv\", label = \"{name}\" }",
            &["easy/1", "hard/1"][..],
        ),
        (
            "{ files = \"*/1.csv\", label = \"{file} in {folder}\" }",
            &["1.csv in easy", "1.csv in hard"],
        ),
        (generated, &["w 4 s 3", "w 4 s 4"]),
    ] {
        let (_inside, text) = place(instances, entry);
        output(&["run", &text("small.toml"), "--out", &text("run")]);
        assert_eq!(words(&text("run"), "instance"), names);
    }
    // Also where the path to the folder does not say its name.
    let (inside, text) = place(instances, "{ files = \"ring.csv\", label = \"{folder}\" }");
    ikeru(&["run", "small.toml", "--out", "run", "--quiet"])
        .current_dir(inside.path())
        .assert()
        .success();
    let name = inside.path().file_name().expect("a name");
    assert_eq!(words(&text("run"), "instance"), [name.to_string_lossy()]);
    for (entry, nearest) in [
        ("{ files = \"ring.csv\", label = \"{nmae}\" }", "`name`"),
        (
            "{ generator = \"reach.spanning-grid\", label = \"{sede}\" }",
            "`seed`",
        ),
    ] {
        let (_inside, text) = place(instances, entry);
        let run = ["run", &text("small.toml"), "--out", &text("run")];
        refused(&run, "", &["unknown blank", nearest]);
    }
}

#[test]
fn a_run_leaves_what_others_wrote() {
    let (_inside, text) = place("", "");
    for name in ["index.html", "notes.txt"] {
        let own = text(name) + ".d";
        fs::create_dir(&own).expect("a folder");
        fs::write(format!("{own}/{name}"), "my own text").expect("written");
        let run = ["run", &text("small.toml"), "-o", &own];
        refused(&run, "", &["holds other files", name]);
        let left: Vec<_> = fs::read_dir(&own).expect("listed").collect();
        assert_eq!(left.len(), 1, "{left:?}");
        let kept = fs::read_to_string(format!("{own}/{name}")).expect("read");
        assert_eq!(kept, "my own text");
    }
    // An empty folder is taken.
    fs::create_dir(text("empty")).expect("a folder");
    output(&["run", &text("small.toml"), "-o", &text("empty")]);
}

#[test]
fn a_label_is_shown_letter_by_letter() {
    let labels = [
        ("memo", "sort<int>", "sort&lt;int&gt;", "sort$<$int$>$"),
        ("memo-flat", "[fast] a", "\\[fast\\] a", "{}[fast] a"),
        ("slots", "*best*", "\\*best\\*", "{}*best*"),
        ("arrivals", "a|b", "a\\|b", "a$|$b"),
    ];
    let entries =
        labels.map(|(name, label, ..)| format!("{{ name = '{name}', label = '{label}' }}"));
    let (_inside, text) = place("\"memo\", \"slots\"", &entries.join(", "));
    let out = text("run");
    output(&["run", &text("small.toml"), "--out", &out]);
    let table = |form: &str| output(&["compare", &out, "--format", form]);
    let (markdown, latex) = (table("markdown"), table("latex"));
    for (_, _, in_markdown, in_latex) in labels {
        let begins = |text: &str, with: &str| text.lines().any(|line| line.starts_with(with));
        assert!(
            begins(&markdown, &format!("| {in_markdown} |")),
            "{markdown}"
        );
        assert!(begins(&latex, in_latex), "{in_latex}: {latex}");
    }
}
