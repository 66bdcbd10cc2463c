//! A person's mistakes: one line that names file, line and expectation, and exit code 2.

use crate::{RING, ikeru, refused};

#[test]
fn files_that_cannot_be_read() {
    refused(
        &["solve", "reach", "no-such-map.csv"],
        "",
        &["no-such-map.csv"],
    );
    refused(&["solve", "reach", "."], "", &[".: cannot read it"]);
    refused(
        &["generate", "trail.example", "-o", "no-such-folder/x"],
        "",
        &["no-such-folder/x", "cannot write"],
    );
}

#[test]
fn maps_that_are_wrong() {
    for (map, words) in [
        ("4\n1,3\n0,2\n", &["standard input:3", "expected"][..]),
        ("4\n1,9\n0,2\n1,3\n0,2\n1\n0\n-1\n", &["standard input:2"]),
        (
            "4\n1,3\n0,2\n1,3\n0\n1\n0\n-1\n",
            &["standard input:", "expected"],
        ),
        ("4\n1,1\n0,2\n1,3\n0,2\n1\n0\n-1\n", &["standard input:2"]),
        ("4\n0,1\n0,2\n1,3\n0,2\n1\n0\n-1\n", &["standard input:2"]),
        ("4\n1,3\n0,2\n1,3\n0,2\n1\n7\n-1\n", &["standard input:7"]),
        ("", &["standard input"]),
    ] {
        refused(&["solve", "reach", "-"], map, words);
    }
}

#[test]
fn unknown_names_suggest_the_nearest() {
    let solve = ["solve", "reach", "-"];
    let with = |more: &[&'static str]| [&solve[..], more].concat();
    refused(&["solve", "raech", "-"], RING, &["did you mean `reach`?"]);
    refused(
        &with(&["--variant", "memmo"]),
        RING,
        &["did you mean `memo`?"],
    );
    refused(
        &with(&["--set", "stesp=3"]),
        RING,
        &["did you mean `steps`?"],
    );
    refused(
        &["generate", "reach.fullgrid"],
        "",
        &["did you mean `reach.full-grid`?"],
    );
    refused(
        &["generate", "reach.full-grid", "--set", "widht=3"],
        "",
        &["did you mean `width`?"],
    );
}

#[test]
fn settings_out_of_range() {
    for set in [
        "steps=-1",
        "steps=99999999999999999999",
        "steps=ten",
        "steps",
        "start=99",
    ] {
        refused(&["solve", "reach", "-", "--set", set], RING, &["expected"]);
    }
    ikeru(&["solve", "reach", "-", "--limit", "3"])
        .assert()
        .code(2);
    ikeru(&["solve", "reach", "-", "--threads", "0"])
        .assert()
        .code(2);
    ikeru(&["sovle"]).assert().code(2);
}
