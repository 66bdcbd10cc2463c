//! Experiments and run folders of strangers: nothing is written outside the run folder, nothing of theirs runs.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{RING, has, ikeru, output, refused, said, table, words};

const EXPERIMENT: &str = r#"
name = "small"
title = "t"
about = "a"
problem = "reach"
variants = ["memo", "memo-flat"]
instances = [{ generator = "reach.full-grid", set = { width = 4, height = 4 } }]
settings = { steps = 3 }
run = { repeats = 1, sample = "20us", warm_up = "0ms" }
pictures = 1
plots = [{ name = "time", kind = "bar", title = "t" }]
"#;

/// A folder with a run folder in it.
fn run_folder() -> (tempfile::TempDir, PathBuf) {
    let inside = tempfile::tempdir().expect("a folder");
    let experiment = inside.path().join("small.toml");
    fs::write(&experiment, EXPERIMENT).expect("written");
    let run = inside.path().join("run");
    output(&["run", text(&experiment), "--out", text(&run)]);
    (inside, run)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path of plain letters")
}

/// Writes a file again as `change` returns it.
fn change(file: &Path, change: impl Fn(String) -> String) {
    let text = fs::read_to_string(file).expect("read");
    fs::write(file, change(text)).expect("written");
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("listed");
    let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
    let mut names: Vec<String> = entries
        .map(|entry| name(entry).to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_name_that_is_a_path_is_refused() {
    let inside = tempfile::tempdir().expect("a folder");
    let file = inside.path().join("evil.toml");
    for [from, to] in table(
        "small | ../../evil
        small | /abs/x
        small | ..
        small |
        time | ../time",
    ) {
        let [from, to] = [from, to].map(|name| format!("name = \"{name}\""));
        fs::write(&file, EXPERIMENT.replacen(&from, &to, 1)).expect("written");
        let out = inside.path().join("out");
        let run = ["run", text(&file), "--out", text(&out)];
        refused(&run, "", &["evil.toml", "is no file name"]);
        assert_eq!(names(inside.path()), ["evil.toml"]);
    }
}

#[test]
fn a_strangers_folder_writes_nothing_outside() {
    let (inside, run) = run_folder();
    let about = run.join("run.toml");
    let whole = fs::read_to_string(&about).expect("read");
    let path = "name = \"../../../outside\"";
    // The name stands before the experiment's text and in it.
    let before = whole.replacen("name = \"small\"", path, 1);
    let both = whole.replace("name = \"small\"", path);
    let other = whole.replacen("name = \"small\"", "name = \"other\"", 1);
    let beside = names(inside.path());
    let commands = [&["report", text(&run)][..], &["compare", text(&run)]];
    let differs = "experiment `other` has the name `small` in its text";
    for (changed, words, commands) in [
        (before, "is no file name", &commands[..]),
        (both, "is no file name", &commands),
        // A comparison reads no text of an experiment that has no rows.
        (other, differs, &commands[..1]),
    ] {
        fs::write(&about, changed).expect("written");
        let files = names(&run);
        for command in commands {
            refused(command, "", &[words]);
        }
        assert_eq!(names(&run), files);
        assert_eq!(names(inside.path()), beside);
    }
}

#[test]
fn a_link_in_a_run_folder_is_refused() {
    for place in words("index.html plots/small-time.svg pictures/captions.csv summary.csv") {
        let (inside, run) = run_folder();
        let target = inside.path().join("target");
        fs::write(&target, "untouched").expect("written");
        let link = run.join(place);
        fs::remove_file(&link).unwrap_or_else(|error| panic!("{place}: {error}"));
        symlink(&target, &link).expect("a link");
        refused(&["report", text(&run)], "", &[place, "is a link"]);
        let merged = inside.path().join("merged");
        let merge = ["merge", text(&run), text(&run), "--out", text(&merged)];
        refused(&merge, "", &["is a link"]);
        assert_eq!(fs::read_to_string(&target).expect("read"), "untouched");
    }
}

#[test]
fn a_strangers_picture_is_an_image_that_runs_nothing() {
    let (_inside, run) = run_folder();
    let pictures = run.join("pictures");
    let mut names = names(&pictures).into_iter();
    let svg = names.find(|name| name.ends_with(".svg"));
    let evil = "<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"alert(1)\"><script>alert(2)</script></svg>";
    fs::write(pictures.join(svg.expect("a picture")), evil).expect("written");
    output(&["report", text(&run)]);
    let page = crate::pages_of(&run);
    for markup in ["<script>alert", "onload=\"alert"] {
        assert!(!page.contains(markup), "{markup} stands in the page");
    }
    // It is an image.
    has(&page, &["<img src=\"data:image/svg+xml,%3Csvg"]);
}

#[test]
fn products_of_ranges_are_refused_before_they_are_built() {
    let inside = tempfile::tempdir().expect("a folder");
    let file = inside.path().join("large.toml");
    // The last one is refused before variants are examined, and before a question is built.
    for [word, from, to] in table(
        "instances | width = 4, height = 4 | width = LARGE, height = LARGE
        2000000000 questions | steps = 3 | steps = { from = 0, to = 999999 }, god = [true, false], start = LARGE
        1000 instances × 1000000 questions, expected | steps = 3 | steps = { from = 0, to = 999999 }",
    ) {
        let to = to.replace("LARGE", "{ from = 1, to = 1000 }");
        let seeds = "generator = \"reach.full-grid\", seeds = { from = 1, to = 1000 }";
        let text_of =
            EXPERIMENT
                .replacen(from, &to, 1)
                .replacen("generator = \"reach.full-grid\"", seeds, 1);
        fs::write(&file, text_of).expect("written");
        refused(&["run", text(&file), "--list"], "", &[word]);
    }
}

#[test]
fn a_file_without_end_is_refused() {
    let endless = ["solve", "reach", "/dev/zero"];
    refused(&endless, "", &["/dev/zero", "a device"]);
    let inside = tempfile::tempdir().expect("a folder");
    let long = inside.path().join("long");
    // A hole: nothing is written, and nothing must be read.
    let file = fs::File::create(&long).expect("a file");
    file.set_len(1 << 40).expect("a hole");
    for command in [
        &["solve", "reach", text(&long)][..],
        &["solve", "--verify", text(&long)],
    ] {
        refused(command, "", &["long", "longer than 256 MiB"]);
    }
}

/// Makes a pipe without a writer.
fn pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.expect("mkfifo").success());
}

#[test]
fn a_pipe_is_refused_where_a_file_is_expected() {
    for place in words("records.csv run.toml index.html lock pictures/captions.csv") {
        let (inside, run) = run_folder();
        fs::remove_file(run.join(place)).unwrap_or_else(|error| panic!("{place}: {error}"));
        pipe(&run.join(place));
        refused(&["report", text(&run)], "", &[place, "a pipe"]);
        let small = inside.path().join("small.toml");
        let resume = ["run", text(&small), "--out", text(&run), "--resume"];
        refused(&resume, "", &[place, "a pipe"]);
    }
    let inside = tempfile::tempdir().expect("a folder");
    let map = inside.path().join("map.csv");
    pipe(&map);
    refused(&["solve", "reach", text(&map)], "", &["map.csv", "a pipe"]);
    let file = inside.path().join("small.toml");
    let generated = "{ generator = \"reach.full-grid\", set = { width = 4, height = 4 } }";
    let experiment = EXPERIMENT.replacen(generated, "{ files = \"map.csv\" }", 1);
    fs::write(&file, experiment).expect("written");
    refused(&["run", text(&file), "--list"], "", &["map.csv", "a pipe"]);
}

#[test]
fn a_terminal_obeys_no_stranger() {
    let escape = "\u{1b}[2J\u{1b}]0;pwn\u{7}";
    let is_obeyed = |text: &[u8]| text.iter().any(|byte| matches!(byte, 0x07 | 0x1b));
    let calm = |command: &mut assert_cmd::Command| {
        let done = command.output().expect("it ends");
        let said = [done.stdout, done.stderr].concat();
        assert!(!is_obeyed(&said), "{said:?}");
        String::from_utf8_lossy(&said).into_owned()
    };
    // Words of bad input.
    let bad = RING.replacen('4', &format!("4{escape}"), 1);
    let said = calm(ikeru(&["solve", "reach", "-"]).write_stdin(bad));
    has(&said, &["␛[2J"]);
    // The last words of a foreign solver, on the terminal and in the journal.
    let script = "printf '\\033[2J\\033]0;pwn\\007' >&2; exit 3";
    let asked = [
        &words("solve reach - -- sh -c")[..],
        &[script, "x", "{instance}"],
    ]
    .concat();
    assert!(calm(ikeru(&asked).write_stdin(RING)).contains("␛[2J"));
    let (inside, run) = run_folder();
    let file = inside.path().join("foreign.toml");
    let foreign = format!(
        "{}\n[[variants]]\nname = \"bad\"\ncommand = ['sh', '-c', '''{script}''', 'x', '{{instance}}']\n",
        EXPERIMENT.replacen("variants = [\"memo\", \"memo-flat\"]\n", "", 1)
    );
    fs::write(&file, foreign).expect("written");
    let out = inside.path().join("foreign");
    let said = calm(&mut ikeru(&["run", text(&file), "--out", text(&out)]));
    has(&said, &["␛[2J"]);
    let journal = fs::read(out.join("records.csv")).expect("rows");
    assert!(!is_obeyed(&journal), "{journal:?}");
    // A stranger's rows and titles.
    change(&run.join("records.csv"), |rows| {
        rows.replace(",memo-flat,", &format!(",x{escape},"))
    });
    change(&run.join("run.toml"), |about| {
        about.replace("title = \\\"t\\\"", "title = \\\"\\\\u001b[2J\\\"")
    });
    calm(&mut ikeru(&["report", text(&run)]));
    calm(&mut ikeru(&["compare", text(&run)]));
}

#[test]
fn names_that_no_table_can_hold_are_refused() {
    let inside = tempfile::tempdir().expect("a folder");
    let file = inside.path().join("small.toml");
    let labels = |label: &str| {
        let entry =
            format!("variants = [{{ name = \"memo\", label = \"{label}\" }}, \"memo-flat\"]");
        EXPERIMENT.replacen("variants = [\"memo\", \"memo-flat\"]", &entry, 1)
    };
    for (label, word) in [
        ("a\\u0000b".to_owned(), "control character"),
        ("a\\u001b[2J".to_owned(), "control character"),
        ("x".repeat(5000), "5000 bytes; expected at most 4096"),
    ] {
        fs::write(&file, labels(&label)).expect("written");
        refused(&["run", text(&file), "--list"], "", &[word]);
    }
    let (_inside, run) = run_folder();
    change(&run.join("records.csv"), |rows| {
        rows.replace(",memo-flat,", &format!(",{},", "x".repeat(100_000)))
    });
    let words = ["records.csv:", "has 100000 bytes"];
    refused(&["report", text(&run)], "", &words);
}

#[test]
fn a_journal_without_rows_confirms_nothing() {
    let (_inside, run) = run_folder();
    change(&run.join("records.csv"), |rows| {
        rows.split_inclusive('\n').take(1).collect()
    });
    // The run planned two samples.
    let said = said(&["report", text(&run)], 75);
    let nothing = "No sample: nothing was measured.";
    has(&said, &[nothing, "unfinished: small: 0 of 2 samples"]);
    assert!(!said.contains("confirmed"), "{said}");
}

#[test]
fn a_run_of_another_experiment_changes_nothing() {
    let (_inside, run) = run_folder();
    let before = fs::read(run.join("records.csv")).expect("rows");
    let resume = ["run", "ikemasuyo-scaling", "--out", text(&run), "--resume"];
    refused(&resume[..4], "", &["holds a run already"]);
    refused(&resume, "", &["holds a run with"]);
    assert_eq!(fs::read(run.join("records.csv")).expect("rows"), before);
}
