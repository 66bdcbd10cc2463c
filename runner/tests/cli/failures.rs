//! Failures count: what crashes, hangs, is wrong or falls to zero is no better for it, and nothing passes over it.

use crate::fair::rows;
use crate::foreign::{Bench, RIGHT, assert_gone, check};
use crate::said;

const WRONG: &str = r#"echo '{"answer": {"reachable": [1]}}'"#;

/// A script that does `then` in every third run and `otherwise` in the others.
fn every_third(then: &str, otherwise: &str) -> String {
    format!(
        "n=$(cat count 2>/dev/null || echo 0); echo $((n + 1)) >count\n\
         if [ $((n % 3)) -eq 2 ]; then {then}; else {otherwise}; fi"
    )
}

/// A kept process that does `then` with its question number `n` and `otherwise` with the others.
fn at_question(n: &str, then: &str, otherwise: &str) -> String {
    format!(
        "n=0; while read -r line; do case $line in *prepare*) echo '{{\"ready\": true}}'; continue;; esac\n\
         n=$((n + 1)); if [ $n {n} ]; then {then}; else {otherwise}; fi; done"
    )
}

const PLOTS: &str = "[[plots]]\nname = 'p'\nkind = 'bar'\ntitle = '{faster:flaky/honest}'\n\
                     [[plots]]\nname = 'c'\nkind = 'cactus'\ntitle = 'solved'\n";

#[test]
fn a_solver_that_crashes_is_not_faster() {
    let bench = Bench::new();
    let entries = bench.script("honest", &format!("sleep 0.03\n{RIGHT}"), "")
        + &bench.script("flaky", &every_third(RIGHT, "exit 139"), "")
        + PLOTS;
    let file = bench.experiment("repeats = 12, limit = '20s'", &entries);
    let out = bench.name("run");
    for call in [
        &["run", &file, "--out", &out][..],
        &["report", &out],
        &["compare", &out],
    ] {
        let text = said(call, 0);
        assert!(
            text.contains("8 of 12 crashed") && !text.contains("faster"),
            "{text}"
        );
    }
    let cactus = rows(&bench.path("run/plots/test-c.csv"));
    let share = |label: &str| {
        let own = cactus.iter().filter(|row| row["series"] == label);
        let shares = own.map(|row| row["share"].parse::<f64>().expect("a number"));
        shares.fold(0.0, f64::max)
    };
    assert_eq!(share("honest"), 1.0);
    assert!(share("flaky") < 1.0, "{cactus:?}");
    let honest = format!("{out}:honest");
    let gate = ["--fail-if-slower", "5%"];
    let text = said(&[&["compare", &honest, ":flaky"], &gate[..]].concat(), 1);
    assert!(text.contains("8 of 12 crashed"), "{text}");
}

#[test]
fn a_side_that_lost_answers_does_not_pass() {
    let bench = Bench::new();
    let counted = format!("echo '{{\"count\": {{\"cost\": 7}}}}'; {RIGHT}");
    let entries: String = [
        ("honest", counted.clone()),
        ("flaky", every_third(&counted, "exit 139")),
    ]
    .iter()
    .map(|(name, script)| bench.script(name, script, "counters = ['cost']"))
    .collect();
    bench.run("repeats = 6", &entries, &[]);
    let honest = bench.name("run") + ":honest";
    let gate = ["--metric", "counter:cost", "--fail-if-slower", "5%"];
    let text = said(&[&["compare", &honest, ":flaky"], &gate[..]].concat(), 1);
    assert!(text.contains("4 of 6 crashed"), "{text}");
    let bench = Bench::new();
    let entries = bench.script("honest", &counted, "counters = ['cost']")
        + &bench.script(
            "flaky",
            &every_third(&counted, WRONG),
            "counters = ['cost']",
        );
    bench.run("repeats = 6", &entries, &[]);
    let honest = bench.name("run") + ":honest";
    for more in [&gate[..], &gate[..2], &[]] {
        let text = said(&[&["compare", &honest, ":flaky"], more].concat(), 3);
        assert!(text.contains("4 of 6 wrong"), "{text}");
    }
}

#[test]
fn a_value_that_falls_to_zero_is_worse() {
    let bench = Bench::new();
    let counting = |count: u32| format!("echo '{{\"count\": {{\"states\": {count}}}}}'; {RIGHT}");
    let entries = bench.script("zero", &counting(0), "") + &bench.script("five", &counting(5), "");
    bench.run("repeats = 3", &entries, &[]);
    let compared = |a: &str, b: &str, code: i32| {
        let a = format!("{}:{a}", bench.name("run"));
        let gate = ["--metric", "counter:states", "--fail-if-slower", "5%"];
        said(&[&["compare", &a, b], &gate[..]].concat(), code)
    };
    let text = compared("zero", ":five", 1);
    assert!(text.contains(" more"), "{text}");
    compared("five", ":zero", 0);
}

#[test]
fn a_lost_match_is_worse_than_a_won_one() {
    let bench = Bench::new();
    let experiment = "name = 'test'\ntitle = 't'\nabout = 'a'\nproblem = 'versus'\n\
                      settings = { opponent = 'greedy', turns = 60 }\nrun = { repeats = 2, limit = '60s' }\n\
                      instances = [{ generator = 'versus.sequence', seeds = { from = 6, to = 8 } }]\n\
                      variants = ['potential', 'random']\n";
    let file = bench.name("versus.toml");
    std::fs::write(&file, experiment).expect("written");
    let out = bench.name("run");
    said(&["run", &file, "--out", &out, "--quiet"], 0);
    for metric in ["measure:win", "score"] {
        let a = format!("{out}:potential");
        let compare = ["compare", &a, ":random", "--metric", metric];
        let text = said(&[&compare[..], &["--fail-if-slower", "5%"]].concat(), 1);
        assert!(text.contains(" lower") || text.contains(" worse"), "{text}");
    }
}

#[test]
fn a_process_that_hangs_at_a_later_question_is_a_timeout() {
    let bench = Bench::new();
    let entries: String = ["3", "4"]
        .iter()
        .map(|n| {
            let script = at_question(&format!("-eq {n}"), "sleep 3217011", RIGHT);
            bench.script(&format!("hangs-{n}"), &script, "protocol = 'jsonl'")
        })
        .collect();
    bench.run("repeats = 3, limit = '1s', sample = '200ms'", &entries, &[]);
    let rows = rows(&bench.path("run/records.csv"));
    for name in ["hangs-3", "hangs-4"] {
        let own = rows.iter().filter(|row| row["label"] == name);
        let failed: Vec<_> = own.filter(|row| row["outcome"] != "solved").collect();
        assert!(!failed.is_empty(), "{rows:?}");
        for row in failed {
            assert_eq!(row["outcome"], "timeout", "{row:?}");
            let time: f64 = row["wall_ns"].parse().expect("a number");
            assert!(time >= 1e9, "{row:?}");
        }
    }
    assert_gone("3217011");
}

#[test]
fn every_answer_of_a_process_counts() {
    let bench = Bench::new();
    let entries = bench.script(
        "dies",
        &at_question("-ge 3", "echo tired >&2; exit 3", RIGHT),
        "protocol = 'jsonl'",
    ) + &bench.script(
        "begins-wrong",
        &at_question("-le 2", WRONG, RIGHT),
        "protocol = 'jsonl'",
    );
    bench.run("repeats = 3, sample = '200ms'", &entries, &[]);
    for row in rows(&bench.path("run/records.csv")) {
        let (outcome, detail) = match row["label"].as_str() {
            "dies" => ("crashed", "exit status: 3: tired"),
            _ => ("wrong", "claimed 1; referee: "),
        };
        assert_eq!(row["outcome"], outcome, "{row:?}");
        assert!(row["detail"].contains(detail), "{row:?}");
    }
}

#[test]
fn a_limit_is_for_one_answer_and_not_for_all_of_a_sample() {
    let bench = Bench::new();
    let entry = "[[variants]]\nname = 'memo'\n";
    bench.run("repeats = 5, sample = '100ms', limit = '20ms'", entry, &[]);
    let rows = rows(&bench.path("run/records.csv"));
    assert!(rows.iter().any(|row| row["iterations"] != "1"), "{rows:?}");
}

#[test]
fn a_program_that_fails_is_not_waited_for() {
    let bench = Bench::new();
    let entries = bench.script("fails", "sleep 3217012 & exit 3", "")
        + &bench.script("closes", "exec 1>&-; sleep 3217012", "");
    let rows = bench.run(
        "repeats = 1, limit = '60s'",
        &(entries + "[[variants]]\nname = 'memo'\n"),
        &[],
    );
    check(
        &rows,
        "fails",
        "crashed",
        "ended without an answer, exit status: 3",
    );
    check(
        &rows,
        "closes",
        "crashed",
        "closed its output without an answer and ran on",
    );
    for name in ["fails", "closes"] {
        let time: f64 = rows[name]["wall_ns"].parse().expect("a number");
        assert!(time < 3e10, "{name}: {time}");
    }
    assert_gone("3217012");
}

#[test]
fn a_run_that_lacks_samples_is_unfinished() {
    let bench = Bench::new();
    let entries = "[[variants]]\nname = 'memo'\n[[variants]]\nname = 'slots'\n";
    bench.run("repeats = 4", entries, &[]);
    let records = bench.path("run/records.csv");
    let text = std::fs::read_to_string(&records).expect("rows");
    let kept: Vec<&str> = text.lines().take(6).collect();
    std::fs::write(&records, kept.join("\n") + "\n").expect("written");
    let out = bench.name("run");
    let sides = format!("{out}:memo");
    for call in [
        &["report", &out][..],
        &["compare", &out],
        &["compare", &sides, ":slots"],
    ] {
        let text = said(call, 75);
        assert!(
            text.contains("unfinished") && text.contains("test: 5 of 8 samples"),
            "{text}"
        );
    }
    let page = crate::pages_of(&bench.path("run"));
    assert!(page.contains("5 of 8 samples"));
    // A comparison of a part decides nothing.
    said(&["compare", &sides, ":slots", "--fail-if-slower", "5%"], 2);
    let file = bench.name("test.toml");
    said(&["run", &file, "--out", &out, "--resume", "--quiet"], 0);
    let text = said(&["report", &out], 0);
    assert!(!text.contains("unfinished"), "{text}");
}

#[test]
fn one_comparison_has_one_clock() {
    let bench = Bench::new();
    let built_in = "[[variants]]\nname = 'memo'\n[[variants]]\nname = 'slots'\n";
    let entries = bench.script("other", RIGHT, "") + built_in;
    let file = bench.experiment("repeats = 3", &entries);
    let out = bench.name("run");
    let memo = format!("{out}:memo");
    let own = said(&["run", &file, "--out", &out], 0);
    assert!(
        own.contains("wall time") && !own.contains("CPU time"),
        "{own}"
    );
    for call in [&["compare", &out][..], &["compare", &memo, ":other"]] {
        let text = said(call, 0);
        assert!(
            text.contains("wall time") && !text.contains("CPU time"),
            "{text}"
        );
    }
    // Two variants that both have CPU times are compared by them.
    let text = said(&["compare", &memo, ":slots"], 0);
    assert!(text.contains("CPU time"), "{text}");
}
