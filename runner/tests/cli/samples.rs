//! Samples of other programs.

use crate::{output, refused, said};

/// 60 tasks in six groups; `right` of ten are solved by the second program, and five by the first one.
fn tables(folder: &std::path::Path, right: u32) -> [String; 2] {
    let table = |name: &str, right: u32| {
        let mut text = "task;accuracy;kind\n".to_owned();
        for at in 0..60 {
            text += &format!("t{at};{};k{}\n", u32::from(at % 10 < right), at / 10);
        }
        let path = folder.join(name).display().to_string();
        std::fs::write(&path, text).expect("written");
        path
    };
    [table("old.csv", 5), table("new.csv", right)]
}

fn comparison(words: &[&str]) -> serde_json::Value {
    let json: serde_json::Value = serde_json::from_str(&output(words)).expect("JSON");
    json["comparisons"][0].clone()
}

#[test]
fn samples_of_other_programs_are_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let [old, new] = tables(folder.path(), 9);
    let call = [
        "compare", &old, &new, "--pair", "task", "--value", "accuracy",
    ];
    let found = comparison(&[&call[..], &["--json"]].concat());
    assert_eq!((&found["a"], &found["b"]), (&"old".into(), &"new".into()));
    assert_eq!(
        (&found["decision"], &found["pairs"]),
        (&"better".into(), &60.into())
    );
    // Where lower is better it fails the gate.
    let gate = [&call[..], &["--minimize", "--fail-if-slower", "5%"]].concat();
    assert!(said(&gate, 1).contains("regression: new: "));
    // Tasks of a kind depend on each other: six groups cannot decide.
    let grouped = comparison(&[&call[..], &["--cluster", "kind", "--json"]].concat());
    assert_eq!(
        (&grouped["decision"], &grouped["n"]),
        (&"undecided".into(), &6.into())
    );
    // One file with names, an object per line.
    let lines = folder.path().join("all.jsonl").display().to_string();
    let line = |at: u32, name: &str, value: u32| {
        format!("{{\"id\": {at}, \"model\": \"{name}\", \"scores\": {{\"f1\": {value}}}}}\n")
    };
    let text: String = (0..20)
        .map(|at| line(at, "p", 10 + at) + &line(at, "q", 20 + at))
        .collect();
    std::fs::write(&lines, text).expect("written");
    let call = [
        "compare",
        &lines,
        "--names",
        "model",
        "--pair",
        "id",
        "--value",
        "scores.f1",
        "--json",
    ];
    let found = comparison(&call);
    assert_eq!(
        (&found["b"], &found["decision"]),
        (&"q".into(), &"better".into())
    );
    // A failure and a row without a partner are counted; a broken row is refused.
    let table = |name: &str, rows: &str| {
        let path = folder.path().join(name).display().to_string();
        std::fs::write(&path, format!("task,acc\n{rows}")).expect("written");
        path
    };
    let [three, two] = [
        ("three.csv", "1,0.5\n2,0.6\n3,0.7\n"),
        ("two.csv", "1,\n2,0.7\n"),
    ]
    .map(|(name, rows)| table(name, rows));
    let told = output(&["compare", &three, &two, "--pair", "task", "--value", "acc"]);
    let told = told.replace('\u{202f}', " ");
    for note in ["1 failure of two.", "1 row of three without a partner."] {
        assert!(told.contains(note), "{told}");
    }
    let broken = table("broken.csv", "1,0.5\n2\n");
    let call = [
        "compare", &three, &broken, "--pair", "task", "--value", "acc",
    ];
    refused(&call, "", &["broken.csv:3: 1\u{202f}field; expected 2"]);
    let [text, apart] = [
        ("text.jsonl", "{\"task\": 1, \"acc\": 2}\n{\"task\" 1}\n"),
        ("apart.csv", "9,1\n"),
    ]
    .map(|(name, rows)| table(name, rows));
    let objects = std::fs::read_to_string(&text).expect("read");
    let objects = objects.trim_start_matches("task,acc\n");
    std::fs::write(&text, objects).expect("written");
    for (other, told) in [
        (
            text,
            "text.jsonl:2: expected a JSON object: expected `:` at column 9",
        ),
        (apart, "apart.csv: three and apart have no task in common"),
    ] {
        let call = [
            "compare", &three, &other, "--pair", "task", "--value", "acc",
        ];
        refused(&call, "", &[told]);
    }
    for (words, told) in [
        (
            vec![&*old, &*new, "--pair", "task", "--value", "acuracy"],
            "did you mean `accuracy`?",
        ),
        (
            vec![&*old, "--pair", "task", "--value", "accuracy"],
            "a second file",
        ),
        (
            vec![&*old, &*new, "--pair", "task", "--value", "kind"],
            "old.csv:2: kind is `k0`; expected a number",
        ),
    ] {
        refused(&[&["compare"], &words[..]].concat(), "", &[told]);
    }
}

#[test]
fn the_gate_of_other_samples_is_that_of_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = |name: &str, of: &dyn Fn(u32) -> Option<String>| {
        let lines: String = (0..24)
            .filter_map(|at| Some(format!("t{at},{}\n", of(at)?)))
            .collect();
        let path = folder.path().join(name).display().to_string();
        std::fs::write(&path, format!("task,acc\n{lines}")).expect("written");
        path
    };
    let value = |at: u32| format!("{}", 100 + at);
    let base = table("base.csv", &|at| Some(value(at)));
    for (name, of, code, told) in [
        (
            "lost.csv",
            &(|at: u32| Some(if at == 3 { String::new() } else { value(at) }))
                as &dyn Fn(u32) -> Option<String>,
            1,
            "regression: lost on t3: a failure, none of base",
        ),
        (
            "few.csv",
            &|at| (at < 12).then(|| value(at)),
            2,
            "cannot decide: 12 rows of base without a partner",
        ),
        (
            "one.csv",
            &|at| (at < 1).then(|| "1".to_owned()),
            2,
            "cannot decide: 23 rows of base without a partner",
        ),
        (
            "same.csv",
            &|at| Some(value(at)),
            0,
            "same against base: 0 %",
        ),
    ] {
        let other = table(name, of);
        let call = [
            "compare",
            &base,
            &other,
            "--pair",
            "task",
            "--value",
            "acc",
            "--fail-if-slower",
            "5%",
        ];
        let said = said(&call, code).replace('\u{202f}', " ");
        assert!(said.contains(told), "{name}: {said}");
    }
}

#[test]
fn samples_of_other_programs_that_say_two_things_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name).display().to_string();
        std::fs::write(&path, text).expect("written");
        path
    };
    let good = file("good.csv", "task,acc,kind\nt1,1,k1\nt2,2,k2\n");
    let of = |name, text| file(name, text);
    for (other, more, told) in [
        (
            of("twice.csv", "task,acc,acc\nt1,1,2\n"),
            vec![],
            "twice.csv:1: several columns are called acc",
        ),
        (
            of("empty.csv", "task,acc,kind\n,1,k1\n"),
            vec![],
            "empty.csv:2: task is empty",
        ),
        (
            of("ends.csv", "task,acc,kind\r\nt1,1,k1\r\nt2,x,k2\r\n"),
            vec![],
            "ends.csv:3: acc is `x`",
        ),
        (
            of("moved.csv", "task,acc,kind\nt1,1,k2\nt2,2,k2\n"),
            vec!["--cluster", "kind"],
            "t1 is in the clusters k1 and k2",
        ),
        (
            good.clone(),
            vec!["--names", "kind"],
            "--names COLUMN has the sides of one file",
        ),
    ] {
        let call = ["compare", &good, &other, "--pair", "task", "--value", "acc"];
        refused(&[&call[..], &more].concat(), "", &[told]);
    }
    let call = [
        "compare", &good, &good, "--pair", "task", "--value", "acc", "--where", "task=t1",
    ];
    assert!(said(&call, 2).contains("cannot be used with"));
}
