//! One folder, one answer: every output has the same comparison for the same pair.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::{output, refused};

/// Two experiments of the program, one of commands that score, and one of commands that are timed.
fn folders(inside: &std::path::Path) -> Vec<String> {
    let path = |name: &str| inside.join(name).display().to_string();
    let commands = |name: &str, direction: &str, make: &str| {
        let text = format!(
            "name = '{name}'\ntitle = 't'\nabout = 'a'\n[problem]\ndirection = '{direction}'\ngenerate = ['echo', '{{seed}}']\n\
             referee = ['sh', '-c', 'echo {{\\\"score\\\": $(cat $0)}}', '{{answer}}']\n[run]\nrepeats = 6\nmode = 'isolated'\n\
             [[variants]]\nname = 'a'\ncommand = ['sh', '-c', 'cat; : a']\n\
             [[variants]]\nname = 'b'\ncommand = ['sh', '-c', '{make}']\n[[instances]]\nseeds = {{ from = 1, to = 6 }}\n"
        );
        std::fs::write(path(&format!("{name}.toml")), text).expect("written");
        path(&format!("{name}.toml"))
    };
    let runs = [
        vec![
            "ikerukana-example".to_owned(),
            "ikemasuyo-example".to_owned(),
        ],
        vec![commands(
            "scores",
            "maximize",
            "read n; echo $((n + n % 3))",
        )],
        vec![commands("times", "equal", "read n; echo $n")],
    ];
    let run = |(at, experiments): (usize, Vec<String>)| {
        let out = path(&format!("out{at}"));
        let words: Vec<&str> = experiments.iter().map(String::as_str).collect();
        output(&[&["run"], &words[..], &["-o", &out, "--quiet"]].concat());
        out
    };
    runs.into_iter().enumerate().map(run).collect()
}

/// The comparisons of a JSON output, by what they are about.
fn of_json(json: &Json) -> BTreeMap<String, String> {
    let all = json["comparisons"].as_array().into_iter().flatten();
    let key = |one: &Json| {
        ["a", "b", "scope", "over", "metric"]
            .map(|name| one[name].to_string())
            .join(" ")
    };
    let told = |one: &Json| {
        ["decision", "estimate", "low", "high", "level", "why", "n"]
            .map(|name| one[name].to_string())
            .join(" ")
    };
    all.map(|one| (key(one), told(one))).collect()
}

#[test]
fn every_output_of_a_folder_has_the_same_comparison() {
    let folder = tempfile::tempdir().expect("a folder");
    let json = |words: &[&str]| -> Json {
        let said = output(&[words, &["--json"]].concat());
        serde_json::from_str(&said).expect("JSON")
    };
    let mut decided = 0;
    for out in folders(folder.path()) {
        let reported = json(&["report", &out]);
        let of_report = of_json(&reported);
        assert!(!of_report.is_empty(), "{out}");
        // The file has the same rows.
        let mut file = csv::Reader::from_path(format!("{out}/comparisons.csv")).expect("a file");
        assert_eq!(file.records().count(), of_report.len());
        let all = reported["comparisons"].as_array().expect("a list");
        for one in all.iter().filter(|one| one["decision"] != "not comparable") {
            let text = |name: &str| one[name].as_str().unwrap_or_default().to_owned();
            let [a, b, metric] = ["a", "b", "metric"].map(text);
            let metric = if metric == "score" {
                metric
            } else {
                "time".to_owned()
            };
            let label = b.split(" in ").next().expect("a label");
            let sides = [format!("{out}:{a}"), format!(":{label}")];
            let compared = of_json(&json(&[
                "compare", &sides[0], &sides[1], "--metric", &metric,
            ]));
            let mut keys = compared.keys();
            assert!(keys.any(|key| of_report.contains_key(key)), "{out}: {b}");
            for (key, told) in &compared {
                // Another experiment with this label may have another baseline.
                if let Some(known) = of_report.get(key) {
                    assert_eq!(known, told, "{key}");
                    decided += usize::from(told.contains("better") || told.contains("worse"));
                }
            }
        }
        // A ranking has the same comparisons with the baseline.
        let ranked = json(&["compare", &out]);
        let ranked: Vec<Json> = match ranked {
            Json::Array(all) => all,
            one => vec![one],
        };
        for (key, told) in ranked.iter().flat_map(of_json) {
            assert_eq!(of_report.get(&key), Some(&told), "{key}");
        }
    }
    assert!(decided > 4, "{decided}");
}

#[test]
fn groups_count_once_and_added_repeats_are_a_further_look() {
    let folder = tempfile::tempdir().expect("a folder");
    let [file, out] = ["e.toml", "out"].map(|name| folder.path().join(name).display().to_string());
    let maps = ["open", "random"].map(|kind| {
        format!("[[instances]]\ngenerator = 'path.{kind}'\nset = {{ width = 16, height = 16 }}\nseeds = {{ from = 1, to = 4 }}\n")
    });
    let text = format!(
        "name = 'e'\ntitle = 't'\nabout = 'a'\nproblem = 'path'\nvariants = ['dijkstra', 'heap']\n{}[run]\nrepeats = 2\n",
        maps.concat()
    );
    std::fs::write(&file, text).expect("written");
    output(&["run", &file, "-o", &out, "--quiet"]);
    let compared = |more: &[&str]| -> Vec<Json> {
        let a = format!("{out}:dijkstra");
        let said = output(&[&["compare", &a, ":heap", "--json"], more].concat());
        let json: Json = serde_json::from_str(&said).expect("JSON");
        json["comparisons"].as_array().expect("a list").clone()
    };
    let level = |rows: &[Json]| rows[0]["level"].as_f64().expect("a number");
    let by_map = compared(&[]);
    assert!(by_map[1]["n"] == 8 && (level(&by_map) - 0.04).abs() < 1e-12);
    let by_kind = compared(&["--cluster", "generator"]);
    assert_eq!(by_kind[1]["n"], 2);
    let over = |row: &Json| row["over"].as_str().expect("text").to_owned();
    let parts: Vec<String> = by_kind[2..].iter().map(over).collect();
    assert_eq!(parts, ["generator=path.open", "generator=path.random"]);
    // A parameter by its name alone, as tables show it.
    assert_eq!(compared(&["--cluster", "width"])[0]["pairs"], 8);
    refused(
        &["compare", &out, "--cluster", "generatr"],
        "",
        &["did you mean `generator`"],
    );
    // Two sessions that add repeats have a tenth and a twentieth of the level more.
    for (repeats, expected) in [("3", 0.044), ("4", 0.042)] {
        let more = ["--resume", "--repeats", repeats, "--quiet"];
        output(&[&["run", &file, "-o", &out], &more[..]].concat());
        assert!(
            (level(&compared(&[])) - expected).abs() < 1e-12,
            "{repeats}"
        );
    }
}

#[test]
fn sides_of_several_runs_share_one_level() {
    let folder = tempfile::tempdir().expect("a folder");
    let [one, other] = ["one", "other"].map(|name| {
        let out = folder.path().join(name).display().to_string();
        output(&[
            "run",
            "ikerukana-example",
            "--repeats",
            "2",
            "-o",
            &out,
            "--quiet",
            "--variant",
            "memo",
            "--variant",
            "memo-flat",
        ]);
        out
    });
    let level = |sides: &[&str]| {
        let call = [
            &["compare"],
            sides,
            &["--metric", "counter:states", "--json"],
        ]
        .concat();
        let json: Json = serde_json::from_str(&output(&call)).expect("JSON");
        let rows = json["comparisons"].as_array().expect("a list").iter();
        let of_all = rows.filter(|row| row["over"] == "all" && row["scope"] == "these instances");
        of_all
            .map(|row| row["level"].as_f64().expect("a number"))
            .sum::<f64>()
    };
    let [a, b] = [format!("{one}:memo"), format!("{other}:memo-flat")];
    assert!(level(&[&a, ":memo-flat"]) <= 0.05);
    assert!(level(&[&a, ":memo-flat", &b]) <= 0.05 + 1e-12);
}
