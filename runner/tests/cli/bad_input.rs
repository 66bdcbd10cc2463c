//! A person's mistakes: one line that names file, line and expectation, and exit code 2.

use crate::{RING, ikeru, output, refused, table, words};

#[test]
fn files_that_cannot_be_read() {
    for [command, first, second] in table(
        "solve reach no-such-map.csv | no-such-map.csv |
        solve reach . | .: cannot read it |
        generate trail.example -o no-such-folder/x | no-such-folder/x | cannot write",
    ) {
        refused(&words(command), "", &[first, second]);
    }
}

#[test]
fn maps_that_are_wrong() {
    for [place, map] in table(
        "standard input:3 | 4/1,3/0,2/
        standard input:2 | 4/1,9/0,2/1,3/0,2/1/0/-1/
        standard input: | 4/1,3/0,2/1,3/0/1/0/-1/
        standard input:2 | 4/1,1/0,2/1,3/0,2/1/0/-1/
        standard input:2 | 4/0,1/0,2/1,3/0,2/1/0/-1/
        standard input:7 | 4/1,3/0,2/1,3/0,2/1/7/-1/
        standard input |",
    ) {
        let map = map.replace('/', "\n");
        refused(&["solve", "reach", "-"], &map, &[place, "expected"]);
    }
}

#[test]
fn unknown_names_suggest_the_nearest() {
    for [command, nearest] in table(
        "solve raech - | reach
        solve reach - --variant memmo | memo
        solve reach - --set stesp=3 | steps
        generate reach.fullgrid | reach.full-grid
        generate reach.full-grid --set widht=3 | width",
    ) {
        let nearest = format!("did you mean `{nearest}`?");
        refused(&words(command), RING, &[&nearest]);
    }
}

#[test]
fn settings_out_of_range() {
    for set in words("steps=-1 steps=99999999999999999999 steps=ten steps start=99") {
        refused(&["solve", "reach", "-", "--set", set], RING, &["expected"]);
    }
    for command in [
        "reproduce ikerukana-table --quick --full",
        "solve reach - --limit 3",
        "solve reach - --threads 0",
        "sovle",
    ] {
        ikeru(&words(command)).assert().code(2);
    }
}

#[test]
fn a_variant_that_is_named_twice_has_its_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("twice.toml");
    let text = "name = 'twice'\ntitle = 't'\nabout = 'a'\nproblem = 'reach'\nvariants = ['memo', 'memo']\ninstances = [{ generator = 'reach.full-grid' }]\n";
    std::fs::write(&file, text).expect("written");
    let run = ["run", file.to_str().expect("plain letters"), "--list"];
    refused(&run, "", &["twice.toml:5: ", "`memo` is named twice"]);
}

#[test]
fn folders_files_and_names_are_told_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let [file, out, empty] = ["file", "out", "empty"].map(path);
    std::fs::write(&file, "").expect("written");
    std::fs::create_dir(&empty).expect("a folder");
    let run = ["run", "ikerukana-example", "--quiet", "-o"];
    refused(
        &[&run[..], &[&file]].concat(),
        "",
        &["a file; expected a folder"],
    );
    refused(
        &["compare", &file],
        "",
        &["a file; expected a run folder", "--pair COLUMN"],
    );
    refused(&["list", "runs", &empty], "", &["no run folder in it"]);
    refused(
        &["solve", "trail", &file, "--picture", "x.gif"],
        "",
        &["ends in .svg or .png"],
    );
    output(&[&run[..], &[&out]].concat());
    // Tables show `god=false` for the column `setting_god`.
    output(&["report", &out, "--where", "god=false"]);
    std::fs::write(path("out/run.toml"), "").expect("written");
    refused(&["report", &out], "", &["run.toml: empty"]);
}
