//! Words for what is wrong outside of the program: names, signals, scripts, files that were changed.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::fair::rows;
use crate::{RING, has, ikeru, output, refused, said};

/// Writes an experiment about the files `*.csv` beside it, and returns its name.
fn experiment(folder: &Path, variants: &str) -> String {
    let text = format!(
        "name = 'test'\ntitle = 't'\nabout = 'a'\nproblem = 'reach'\nsettings = {{ steps = 2, god = false }}\n\
         run = {{ repeats = 1, sample = '1us', warm_up = '0ms' }}\ninstances = [{{ files = '*.csv' }}]\n{variants}"
    );
    let path = folder.join("test.toml");
    fs::write(&path, text).expect("written");
    path.display().to_string()
}

#[test]
fn a_reason_that_is_too_long_is_cut() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("ring.csv"), RING).expect("written");
    let script = "printf '{\"skip\": \"'; head -c 5000000 /dev/zero | tr '\\0' x; echo '\"}'";
    fs::write(folder.path().join("long.sh"), script).expect("written");
    let entry = "[[variants]]\nname = 'long'\ncommand = ['sh', 'long.sh', '{stdin}']\n";
    let out = folder.path().join("run");
    let out_ = out.display().to_string();
    let run = ["run", &experiment(folder.path(), entry), "--out", &out_];
    said(&run, 4);
    let row = &rows(&out.join("records.csv"))[0];
    let expected = "x".repeat(1000);
    assert_eq!((&*row["outcome"], &row["detail"]), ("skipped", &expected));
}

#[test]
fn a_script_without_its_interpreter_says_which() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("solve");
    fs::write(&script, "#!/bin/sh\r\necho\r\n").expect("written");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("executable");
    let script = script.display().to_string();
    let solve = ["solve", "reach", "-", "--", &script, "{instance}"];
    let done = ikeru(&solve).write_stdin(RING).assert().code(2);
    let said = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
    let words = "cannot be started: its first line names `/bin/sh\\r`, which is not there";
    assert!(said.contains(words), "{said}");
}

#[test]
fn many_files_of_one_content_are_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in 0..9 {
        fs::write(folder.path().join(format!("{name}.csv")), RING).expect("written");
    }
    let file = experiment(folder.path(), "variants = ['memo']\n");
    let said = said(&["run", &file, "--list"], 0);
    assert_eq!(said.matches("are one instance").count(), 3, "{said}");
    assert!(said.contains("and 5 more files"), "{said}");
}

#[test]
fn a_last_line_without_its_end_is_said_to_be_left_out() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("ring.csv"), RING).expect("written");
    let file = experiment(folder.path(), "variants = ['memo', 'memo-flat']\n");
    let out = folder.path().join("run").display().to_string();
    output(&["run", &file, "--out", &out]);
    let records = folder.path().join("run/records.csv");
    let text = fs::read_to_string(&records).expect("read");
    fs::write(&records, text.trim_end()).expect("written");
    let said = said(&["report", &out], 75);
    has(&said, &["the last line of records.csv has no line break"]);
}

#[test]
fn a_file_in_another_encoding_says_what_was_expected() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("e.toml");
    fs::write(&file, b"\n\xff\xfen\0a\0").expect("written");
    let file = file.display().to_string();
    for (command, what) in [
        (&["run"][..], "experiment"),
        (&["solve", "reach"], "instance"),
    ] {
        let expected = format!("expected an {what} as text in UTF-8; line 2 is not");
        refused(&[command, &[&file]].concat(), "", &[&expected]);
    }
}
