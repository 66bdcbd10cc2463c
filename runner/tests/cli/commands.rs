//! Problems of commands: generator, referee and solvers are small shell scripts of a stranger.

mod ends;
mod seeds;

use std::fs;

use ikeru_reports::Rows;
use tempfile::TempDir;

use crate::{ikeru, output, refused, said};

/// Numbers: a solver prints one of them, the referee takes its value as the score.
const EXPERIMENT: &str = r#"name = "numbers"
title = "Which prints the larger number?"
[problem]
direction = "maximize"
generate = ["sh", "make.sh", "{seed}", "{param:count}"]
referee = ["sh", "judge.sh", "{instance}", "{answer}"]
measures = ["place"]
[[variants]]
name = "first"
command = ["head", "-n", "1"]
[[variants]]
name = "largest"
command = ["sh", "largest.sh"]
counters = ["lines"]
[[instances]]
seeds = { from = 1, to = 8 }
set = { count = [3, 5] }
"#;

const MAKE: &str =
    "i=1; while [ $i -le $2 ]; do echo $((($1 * 7919 + i * 104729) % 997)); i=$((i + 1)); done\n";
const JUDGE: &str = r#"answer=$(cat "$2")
place=$(grep -nx -- "$answer" "$1" | head -n 1 | cut -d: -f1)
if [ -z "$place" ]; then echo '{"wrong": "no number of the instance"}'; exit; fi
echo "{\"score\": $answer, \"measures\": {\"place\": $place}}"
"#;
const LARGEST: &str = "sort -n | tail -n 1\necho '[DATA] lines = 5' >&2\n";

/// A folder with the experiment, of which `from` is replaced by `to`.
fn place(from: &str, to: &str) -> (TempDir, impl Fn(&str) -> String + use<>) {
    assert!(EXPERIMENT.contains(from), "{from}");
    let inside = tempfile::tempdir().expect("a folder");
    for (name, text) in [
        ("numbers.toml", EXPERIMENT.replacen(from, to, 1).as_str()),
        ("make.sh", MAKE),
        ("judge.sh", JUDGE),
        ("largest.sh", LARGEST),
    ] {
        fs::write(inside.path().join(name), text).expect("written");
    }
    let path = inside.path().to_owned();
    (inside, move |name: &str| {
        path.join(name).display().to_string()
    })
}

/// The rows of a run that ends with `code`, and what it says.
fn run(text: &impl Fn(&str) -> String, more: &[&str], code: i32) -> (Rows, String) {
    let folder = text("out");
    let file = text("numbers.toml");
    let words = [&["run", &file, "-o", &folder, "--mode", "contended"], more].concat();
    let said = said(&words, code);
    let rows = Rows::read(std::path::Path::new(&text("out/records.csv")));
    (rows.unwrap_or_else(|error| panic!("{error}: {said}")), said)
}

/// The outcomes and the details of a label, each once.
fn ends(rows: &Rows, label: &str) -> [Vec<String>; 2] {
    let own = rows.with("label", label);
    ["outcome", "detail"].map(|column| rows.distinct(column, &own))
}

#[test]
fn a_run_takes_other_words_and_plots_without_a_further_sample() {
    let (_inside, text) = place("", "");
    let (rows, _) = run(&text, &[], 0);
    let written = fs::read_to_string(text("numbers.toml")).expect("written");
    let change = |from: &str, to: &str| {
        assert!(written.contains(from), "{written}");
        fs::write(text("numbers.toml"), written.replace(from, to)).expect("written");
    };
    change("Which prints the larger number?", "Which number is larger?");
    let (again, _) = run(&text, &["--resume"], 0);
    assert_eq!(again.len(), rows.len());
    let page = fs::read_to_string(text("out/index.html")).expect("a page");
    assert!(page.contains("<h1>Which number is larger?</h1>"));
    // The drawings of a plot that has another name now are removed.
    let plot = |name| format!("[[plots]]\nname = '{name}'\nkind = 'cactus'\ntitle = 't'\n");
    for (name, other) in [("one", "two"), ("two", "one")] {
        let all = format!("{}[[instances]]", plot(name));
        change("[[instances]]", &all);
        run(&text, &["--resume"], 0);
        for (name, is_there) in [(name, true), (other, false)] {
            let drawing = text(&format!("out/plots/numbers-{name}.svg"));
            assert_eq!(fs::exists(drawing).ok(), Some(is_there), "{name}");
        }
    }
    // A further seed is taken, and nothing that is there.
    change("to = 8 }", "to = 9 }");
    let (grown, _) = run(&text, &["--resume"], 0);
    assert!(grown.len() > rows.len() && grown.distinct("seed", &grown.all()).len() == 9);
}

#[test]
fn a_stranger_s_commands_are_compared_by_their_scores() {
    let (_inside, text) = place("", "");
    let (rows, said) = run(&text, &[], 0);
    assert_eq!(rows.len(), 32);
    assert!(said.contains("largest against first: +"), "{said}");
    assert!(
        said.contains("16 pairs") && said.contains("decided, better"),
        "{said}"
    );
    assert!(said.contains("16 new best scores in"), "{said}");
    let own = rows.with("label", "largest");
    assert_eq!(rows.distinct("counter_lines", &own), ["5"]);
    for column in ["process_cpu_ns", "peak_bytes"] {
        assert_eq!(rows.numbers(column, &own).len(), 16, "{column}");
    }
    assert!(
        rows.numbers("measure_place", &own)
            .iter()
            .all(|place| (1.0..=5.0).contains(place))
    );
    // Answers are kept by their content, and one page shows them; no source is spoken of.
    let answer = rows.text("answer_hash", own[0]).to_owned();
    let kept = fs::read_to_string(text(&format!("out/answers/{answer}"))).expect("kept");
    assert_eq!(kept.trim(), rows.text("score", own[0]));
    let page = fs::read_to_string(text("out/index.html")).expect("a page");
    assert!(page.contains("<h1>Which prints the larger number?</h1>"));
    assert!(page.contains("largest against first: +") && !page.contains("figures.csv"));
    // The same run again takes no sample, and finds nothing new.
    let (again, said) = run(&text, &["--resume"], 0);
    assert_eq!(again.len(), 32);
    assert!(!said.contains("new best"), "{said}");
    output(&["report", &text("out")]);
    // The gate judges scores in the problem's direction.
    let [first, largest] = ["first", "largest"].map(|label| text("out") + ":" + label);
    // Scores are what a contest compares, unless another metric is asked for.
    let gate = |a, b, code| crate::said(&["compare", a, b, "--fail-if-slower", "1%"], code);
    assert!(gate(&first, &largest, 0).contains("better"));
    assert!(gate(&largest, &first, 1).contains("decided, worse"));
    let ranked = output(&["compare", &text("out")]);
    assert!(ranked.contains("decided, better"), "{ranked}");
    let timed = output(&["compare", &first, &largest, "--metric", "time"]);
    assert!(timed.contains("wall time: B against A"), "{timed}");
    // Programs read the same comparison everywhere.
    let of = |sides: &[&str]| -> serde_json::Value {
        let words = [
            &["compare"],
            sides,
            &["--metric", "score", "--format", "json"],
        ]
        .concat();
        let json: serde_json::Value = serde_json::from_str(&output(&words)).expect("JSON");
        json["comparisons"][0].clone()
    };
    let (one, two) = (of(&[&text("out")]), of(&[&first, &largest]));
    assert_eq!(one, two);
    assert_eq!(
        (&one["b"], &one["pairs"]),
        (&"largest".into(), &16.into()),
        "{one}"
    );
    let written = fs::read_to_string(text("out/comparisons.csv")).expect("written");
    let csv = output(&[
        "compare", &first, &largest, "--metric", "score", "--format", "csv",
    ]);
    assert_eq!(csv.lines().count(), 2, "one table: {csv}");
    assert!(
        csv.lines().all(|line| written.contains(line)),
        "{csv} {written}"
    );
}

#[test]
fn a_ledger_that_cannot_be_written_loses_no_sample() {
    let (_inside, text) = place("", "");
    fs::create_dir(text("bests.lock")).expect("in the way of the lock");
    let (rows, said) = run(&text, &[], 2);
    assert_eq!(rows.len(), 32);
    assert!(said.contains("largest against first: +"), "{said}");
    let kept =
        "out has every sample, but its best scores are not in the ledger; --resume adds them: ";
    assert!(said.contains(kept), "{said}");
    fs::remove_dir(text("bests.lock")).expect("removed");
    let (rows, said) = run(&text, &["--resume"], 0);
    assert_eq!(rows.len(), 32);
    assert!(said.contains("16 new best scores in"), "{said}");
}

#[test]
fn a_plot_or_an_analysis_of_one_s_own_leaves_the_answer() {
    let more = r#"set = { count = [3, 5] }
[[plots]]
name = "scores"
title = "The larger numbers"
kind = "line"
x = "param_count"
y = "score"
[[analyses]]
kind = "growth"
set = { x = "param_count", y = "score" }
"#;
    let (_inside, text) = place("set = { count = [3, 5] }\n", more);
    let (_, said) = run(&text, &[], 0);
    let sentence = "largest against first: +";
    assert!(said.contains(sentence), "{said}");
    let page = fs::read_to_string(text("out/index.html")).expect("a page");
    assert!(page.contains(sentence) && page.contains("The larger numbers"));
}

#[test]
fn an_instance_may_be_bytes() {
    // The largest byte: 255 belongs to no text.
    let largest = "od -An -v -tu1 -w1 | sort -n | tail -n 1 | tr -d ' '\n";
    let judge = "od -An -v -tu1 -w1 \"$1\" | grep -qx \" *$(cat \"$2\")\" || echo '{\"wrong\": \"no byte\"}'
echo \"{\\\"score\\\": $(cat \"$2\")}\"\n";
    let (_inside, text) = place(
        "command = [\"head\", \"-n\", \"1\"]",
        "command = [\"echo\", \"0\"]",
    );
    for (name, script) in [
        ("make.sh", "printf '\\000\\377\\n%d' \"$1\"\n"),
        ("judge.sh", judge),
        ("largest.sh", largest),
    ] {
        fs::write(text(name), script).expect("written");
    }
    let (rows, said) = run(&text, &[], 0);
    assert_eq!(
        rows.distinct("score", &rows.with("label", "largest")),
        ["255"],
        "{said}"
    );
    assert_eq!(rows.distinct("size", &rows.all()), ["4"]);
    // The same bytes from a file are the same instance.
    let generated = rows
        .text("instance_hash", rows.with("seed", "7")[0])
        .to_owned();
    fs::write(text("seven.in"), b"\x00\xff\n7").expect("written");
    let experiment = fs::read_to_string(text("numbers.toml")).expect("written");
    let (problem, _) = experiment.split_once("[[instances]]").expect("instances");
    let files = problem.replacen(
        "generate = [\"sh\", \"make.sh\", \"{seed}\", \"{param:count}\"]\n",
        "",
        1,
    ) + "[[instances]]\nfiles = \"*.in\"\n";
    fs::write(text("numbers.toml"), files).expect("written");
    fs::remove_dir_all(text("out")).expect("removed");
    let (rows, _) = run(&text, &[], 0);
    assert_eq!(rows.distinct("instance_hash", &rows.all()), [generated]);
}

#[test]
fn scores_come_from_validators_testers_and_solvers() {
    let referee =
        "referee = [\"sh\", \"judge.sh\", \"{instance}\", \"{answer}\"]\nmeasures = [\"place\"]\n";
    // Kattis: input, judge's answer, feedback folder; the answer on standard input.
    let kattis = "answer=$(cat)\ngrep -qx -- \"$answer\" \"$1\" || { echo nonsense > \"$3/judgemessage.txt\"; exit 43; }\necho $answer > \"$3/score.txt\"\nexit 42\n";
    let (_inside, text) = place(
        referee,
        "referee = [\"sh\", \"kattis.sh\"]\nverdict = \"kattis\"\n",
    );
    fs::write(text("kattis.sh"), kattis).expect("written");
    let (rows, said) = run(&text, &[], 0);
    assert!(said.contains("decided, better"), "{said}");
    assert_eq!(ends(&rows, "largest")[0], ["solved"]);
    fs::write(text("largest.sh"), "echo 5000").expect("written");
    let (rows, _) = run(&|name| text(&name.replace("out", "out2")), &[], 3);
    assert_eq!(
        ends(&rows, "largest"),
        [vec!["wrong".to_owned()], vec!["nonsense".to_owned()]]
    );
    // A tester starts the solver and prints the score among other lines.
    let tester = "tester = [\"sh\", \"tester.sh\", \"{command}\"]\nscore = \"Score = {score}\"\n";
    let (_inside, text) = place(referee, tester);
    fs::write(
        text("tester.sh"),
        "answer=$(\"$@\")\necho begun >&2\necho \"Score = $answer\" >&2\n",
    )
    .expect("written");
    let (_, said) = run(&text, &[], 0);
    assert!(
        said.contains("decided, better") && !said.contains("Unchecked"),
        "{said}"
    );
    // A solver's own line on the other stream never counts, whichever sample comes first.
    let printing = "answer=$(\"$@\")\necho \"Score = $answer\" | grep '= [0-9]' || echo refused\n";
    fs::write(text("tester.sh"), printing).expect("written");
    fs::write(text("largest.sh"), "echo 'Score = 5000' >&2; echo illegal").expect("written");
    let both = EXPERIMENT.split("[[variants]]\n").collect::<Vec<_>>();
    let (second, instances) = both[2].split_once("[[instances]]").expect("instances");
    let swapped = format!(
        "[[variants]]\n{second}[[variants]]\n{}[[instances]]{instances}",
        both[1]
    );
    let begin = both[0].replacen(referee, tester, 1);
    fs::write(text("numbers.toml"), begin + &swapped).expect("written");
    let (rows, said) = run(&|it| text(&it.replace("out", "out4")), &[], 3);
    assert_eq!(ends(&rows, "first")[0], ["solved"], "{said}");
    for (key, name) in [("", "out2"), ("score_from = \"output\"\n", "out3")] {
        let all = fs::read_to_string(text("numbers.toml")).expect("text");
        fs::write(
            text("numbers.toml"),
            all.replace("tester =", &format!("{key}tester =")),
        )
        .expect("written");
        let (rows, said) = run(&|it| text(&it.replace("out", name)), &[], 3);
        assert_eq!(ends(&rows, "largest")[0], ["wrong"], "{said}");
        assert_eq!(ends(&rows, "first")[0], ["solved"], "{said}");
    }
    // Without both, the score is what the solver says, and every table says so.
    let (_inside, text) = place(referee, "score = \"{score}\"\n");
    let (_, said) = run(&text, &[], 0);
    assert!(
        said.contains("Unchecked: the problem has no referee"),
        "{said}"
    );
    assert!(!std::path::Path::new(&text("bests.csv")).exists());
    // A score that is no number is then the solver's fault.
    fs::write(text("largest.sh"), "echo 12.5.1").expect("written");
    let (rows, said) = run(&|name| text(&name.replace("out", "out2")), &[], 3);
    let [outcomes, details] = ends(&rows, "largest");
    assert_eq!(outcomes, ["wrong"], "{said}");
    assert!(
        details[0].contains("the solver gave the score `12.5.1`"),
        "{details:?}"
    );
}

#[test]
fn two_commands_are_compared_by_their_scores_over_all_instances() {
    let (_inside, text) = place("", "");
    let (first, largest) = ("head -n 1", format!("sh {}", text("largest.sh")));
    let (file, out) = (text("numbers.toml"), text("ab"));
    let ab = |base: &str, head: &str, code| {
        let sides = ["--base-command", base, "--head-command", head, &file];
        let more = ["--variant", "first", "--budget", "1s", "-o", &out];
        said(&[&["ab"], &sides[..], &more[..]].concat(), code)
    };
    let told = ab(first, &largest, 0);
    assert!(told.contains("Scores of head against base: +"), "{told}");
    assert!(told.contains("worse on 0: decided, better"), "{told}");
    fs::remove_dir_all(&out).expect("removed");
    let told = ab(&largest, first, 1);
    assert!(
        told.contains("better on 0") && told.contains("decided, worse"),
        "{told}"
    );
}

#[test]
fn a_slower_command_that_scores_fails_only_if_times_are_asked_for() {
    let (_inside, text) = place("", "");
    fs::write(text("slow.sh"), "sleep 0.1; sort -n | tail -n 1\n").expect("written");
    let (file, slow) = (text("numbers.toml"), format!("sh {}", text("slow.sh")));
    let ab = |more: &[&str], code| {
        let sides = [
            "--base-command",
            "head -n 1",
            "--head-command",
            &slow,
            &file,
        ];
        let out = text(&format!("ab-{code}"));
        let one = [
            "--instance",
            "count=5, seed 3",
            "--variant",
            "first",
            "-o",
            &out,
        ];
        said(&[&["ab"], &sides[..], &one[..], more].concat(), code)
    };
    let told = ab(&["--budget", "60s", "--must-decide"], 75);
    assert!(
        told.contains("Times: 1 slower") && told.contains("Scores decide"),
        "{told}"
    );
    let told = ab(&["--budget", "60s", "--fail-if-slower", "50%"], 1);
    assert!(
        told.contains("regression: ") && !told.contains("Scores decide"),
        "{told}"
    );
}

#[test]
fn a_failure_of_a_side_is_its_worst_score_and_one_of_the_referee_counts_for_none() {
    let (_inside, text) = place("", "");
    let half = "read n; [ $((n % 2)) = 0 ] && exit 1; echo $n\n";
    let odd = "read n; [ $((n % 2)) = 0 ] && echo oops || echo $n\n";
    let fails = "[ \"$(cat \"$2\")\" = oops ] && exit 3\n";
    let judge = format!("{fails}{JUDGE}");
    for (name, content) in [("half.sh", half), ("odd.sh", odd), ("judge.sh", &judge)] {
        fs::write(text(name), content).expect("written");
    }
    let [half, odd] = ["half.sh", "odd.sh"].map(|name| format!("sh {}", text(name)));
    let ab = |base: &str, head: &str, code| {
        let file = text("numbers.toml");
        let sides = ["--base-command", base, "--head-command", head, &file];
        let out = text(&format!("ab-{code}-{}", head.len()));
        let more = ["--variant", "first", "--budget", "1s", "-o", &out];
        said(&[&["ab"], &sides[..], &more[..]].concat(), code)
    };
    let told = ab(&half, "head -n 1", 0);
    assert!(told.contains("16 pairs, better on 8, worse on 0"), "{told}");
    assert!(ab("head -n 1", &half, 1).contains("better on 0, worse on 8"));
    let told = ab("head -n 1", &odd, 0);
    assert!(
        told.contains("the referee failed on 8 cells") && told.contains("8 not judged"),
        "{told}"
    );
    assert!(told.contains("8 pairs, better on 0, worse on 0"), "{told}");
    said(&["compare", &text("ab-0-9"), "--metric", "score"], 0);
    let told = ab("echo oops", "echo oops", 2);
    assert!(told.contains("nothing was compared"), "{told}");
}

#[test]
fn an_empty_answer_on_which_the_referee_fails_is_wrong_and_other_failures_of_it_are_told_quietly_too()
 {
    let (_inside, text) = place("", "");
    let judge = format!("[ -s \"$2\" ] || exit 3\ngrep -q oops \"$2\" && exit 4\n{JUDGE}");
    fs::write(text("judge.sh"), judge).expect("written");
    fs::write(
        text("largest.sh"),
        "read n; if [ $((n % 2)) = 0 ]; then echo oops; fi",
    )
    .expect("written");
    let (rows, _) = run(&text, &["--quiet"], 3);
    let outcomes = ends(&rows, "largest");
    assert_eq!(outcomes[0], ["referee-failed", "wrong"]);
    let place = outcomes[1].iter().find(|detail| detail.contains("empty"));
    assert!(place.is_some_and(|it| it.contains("the referee ended with exit status: 3")));
    fs::write(text("largest.sh"), "echo oops").expect("written");
    let out = text("quiet");
    let told = said(&["run", &text("numbers.toml"), "--quiet", "-o", &out], 0);
    assert!(told.contains("referee-failed: numbers, largest"), "{told}");
}

#[test]
fn tables_of_several_experiments_are_one_value_of_json() {
    let (_inside, text) = place("", "");
    let other = fs::read_to_string(text("numbers.toml")).expect("read");
    let other = other.replacen("\"numbers\"", "\"others\"", 1);
    fs::write(text("others.toml"), other).expect("written");
    let (first, second, out) = (text("numbers.toml"), text("others.toml"), text("both"));
    said(&["run", &first, &second, "-o", &out, "--quiet"], 0);
    let of = |form: &str| -> serde_json::Value {
        let told = output(&["compare", &out, "--metric", "score", "--format", form]);
        serde_json::from_str(&told).expect("one value")
    };
    let names: Vec<_> = ["/0/experiment", "/1/experiment"]
        .map(|at| of("json").pointer(at).cloned())
        .into();
    assert_eq!(names, ["numbers", "others"].map(|name| Some(name.into())));
    let csv = output(&["compare", &out, "--metric", "score", "--format", "csv"]);
    let named = csv
        .lines()
        .filter(|line| line.starts_with("experiment,"))
        .count();
    let own = |name: &str| csv.lines().filter(|line| line.starts_with(name)).count();
    assert_eq!([named, own("numbers,"), own("others,")], [1, 2, 2], "{csv}");
    let all = of("bmf");
    let mut names = all.as_object().expect("benchmarks").keys();
    assert!(names.all(|name| name.contains(": ")), "{all}");
}

#[test]
fn a_new_folder_has_a_benchmark_that_reads() {
    let inside = tempfile::tempdir().expect("a folder");
    let folder = inside.path().join("mine").display().to_string();
    let told = output(&["new", &folder]);
    assert!(told.contains("Next: ikeru run"), "{told}");
    refused(&["new", &folder], "", &["is not empty"]);
    if std::process::Command::new("python3")
        .arg("--version")
        .output()
        .is_err()
    {
        println!("the rest is skipped: no python3");
        return;
    }
    let out = inside.path().join("out").display().to_string();
    let run = [
        "run",
        &format!("{folder}/knapsack.toml"),
        "--instance",
        "seed 7",
        "-o",
        &out,
    ];
    let told = said(&run, 0);
    assert!(told.contains("swaps against greedy"), "{told}");
    let captions = fs::read_to_string(format!("{out}/pictures/captions.csv")).expect("captions");
    assert!(
        captions.contains("greedy on") && captions.contains("swaps on"),
        "{captions}"
    );
    let picture = captions
        .lines()
        .nth(1)
        .and_then(|row| row.split(',').next());
    let picture = fs::read_to_string(format!("{out}/pictures/{}", picture.expect("a file")));
    assert!(
        picture.expect("a picture").starts_with("<svg"),
        "{captions}"
    );
    let config = inside.path().join("pahcer_config.toml");
    fs::write(&config, "[problem]\nproblem_name = \"ahc 001\"\nobjective = \"Max\"\nscore_regex = '(?m)^\\s*Score\\s*=\\s*(?P<score>\\d+)\\s*$'\n[test]\nstart_seed = 0\nend_seed = 100\nthreads = 0\nout_dir = \"./pahcer\"\n[[test.compile_steps]]\nprogram = \"sh\"\nargs = [\"build.sh\"]\n[[test.test_steps]]\nprogram = \"./solver\"\nargs = []\nstdin = \"./tools/in/{SEED04}.txt\"\nstdout = \"./tools/out/{SEED04}.txt\"\n[[test.test_steps]]\nprogram = \"./vis\"\nargs = [\"./tools/in/{SEED04}.txt\", \"./tools/out/{SEED04}.txt\"]\n").expect("written");
    let taken = inside.path().join("taken").display().to_string();
    output(&["new", &taken, "--from", &config.display().to_string()]);
    let text = fs::read_to_string(inside.path().join("taken/ahc-001.toml")).expect("written");
    for part in [
        "score = \"Score = {score}\"",
        "\"{instance}\", \"{answer}\"",
        " && sh build.sh",
        "least = 1",
        "in/????.txt",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // It runs, with a solver that the first step builds in the folder of the configuration.
    let build = "printf '#!/bin/sh\\ncat\\n' >solver; printf '#!/bin/sh\\necho Score = $(cat $2)\\n' >vis; chmod +x solver vis\n";
    fs::write(inside.path().join("build.sh"), build).expect("written");
    fs::create_dir_all(inside.path().join("tools/in")).expect("a folder");
    fs::write(inside.path().join("tools/in/0000.txt"), "5\n").expect("written");
    let told = said(
        &[
            "run",
            &format!("{taken}/ahc-001.toml"),
            "-o",
            &format!("{out}2"),
        ],
        0,
    );
    assert!(told.contains("1 of 1"), "{told}");
    ikeru(&["new", "--help"]).assert().success();
}

/// Runs a copy of an example; returns its rows and what it says.
fn example(name: &str, file: &str) -> (Rows, String) {
    let inside = tempfile::tempdir().expect("a folder");
    let from = format!("{}/../examples/{name}", env!("CARGO_MANIFEST_DIR"));
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        fs::copy(entry.path(), inside.path().join(entry.file_name())).expect("copied");
    }
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_ikeru"));
    let mut folders = vec![program.parent().expect("a folder").to_owned()];
    let path = std::env::var_os("PATH").unwrap_or_default();
    folders.extend(std::env::split_paths(&path));
    let [file, out] = [file, "out"].map(|name| inside.path().join(name));
    let ended = ikeru(&[
        "run",
        &file.display().to_string(),
        "-o",
        &out.display().to_string(),
    ])
    .env("PATH", std::env::join_paths(folders).expect("a path"))
    .assert()
    .success();
    let said = String::from_utf8_lossy(&ended.get_output().stdout).into_owned();
    let rows = Rows::read(&out.join("records.csv")).expect("rows");
    (rows, said)
}

/// Returns whether a program that an example needs is there.
fn has(program: &str) -> bool {
    let there = std::process::Command::new(program)
        .arg("--version")
        .output();
    let there = there.is_ok_and(|told| told.status.success());
    if !there {
        println!("skipped: no {program}");
    }
    there
}

#[test]
fn the_examples_of_commands_decide_what_they_ask() {
    if !has("python3") {
        return;
    }
    let (_, said) = example("peak", "peak.toml");
    assert!(
        said.contains("zoom against even: +") && said.contains("decided, better"),
        "{said}"
    );
    let (rows, said) = example("trail-commands", "trail.toml");
    assert!(said.contains("equal on every pair; time: "), "{said}");
    for row in rows.all() {
        let [seed, width] = ["seed", "param_width"].map(|column| rows.text(column, row));
        let puzzle = output(&[
            "generate",
            "trail.random",
            "--seed",
            seed,
            "--set",
            &format!("width={width}"),
            "--set",
            "height=4",
        ]);
        let inside = tempfile::NamedTempFile::new().expect("a file");
        fs::write(&inside, puzzle).expect("written");
        let file = inside.path().display().to_string();
        let told = output(&["solve", "trail", &file, "--variant", "dfs-bitset", "--json"]);
        let told: serde_json::Value = serde_json::from_str(&told).expect("JSON");
        assert_eq!(told["score"].to_string(), rows.text("score", row));
    }
    if has("c++") {
        let (rows, said) = example("scheduling", "scheduling.toml");
        assert!(
            said.contains("swaps against ratio: +") && said.contains("decided, better"),
            "{said}"
        );
        let own = rows.with("label", "swaps");
        assert!(
            rows.numbers("counter_moves", &own)
                .iter()
                .all(|moves| *moves > 0.0)
        );
    }
}

#[test]
fn a_ranking_needs_a_side_and_wrong_answers_are_no_success() {
    let (_inside, text) = place("\"maximize\"", "\"equal\"");
    run(&text, &[], 3);
    let by_score = ["compare", &text("out"), "--metric", "score"];
    let told = said(&by_score, 3);
    assert!(told.contains("in-dispute: numbers, first on "), "{told}");
    assert!(told.contains("scores of numbers are equal or wrong; none is better"));
    said(
        &["compare", &format!("{}:first", text("out")), ":largest"],
        3,
    );
    let (_inside, text) = place("", "");
    fs::write(text("judge.sh"), "echo '{\"wrong\": \"always\"}'\n").expect("written");
    run(&text, &[], 3);
    said(&["compare", &text("out")], 3);
}

#[test]
fn a_refuted_proof_is_a_failure_everywhere() {
    let named = "name = \"first\"\nexact = true";
    let (_inside, text) = place("name = \"first\"", named);
    let (raw, told) = run(&text, &[], 3);
    assert!(told.contains("wrong: numbers, first on "), "{told}");
    assert!(told.contains("; largest has ") && told.contains(", confirmed"));
    // The solver has the largest number of some instances.
    let lost = |rows: &Rows, row: u32| {
        let own = rows.with("question", rows.text("question", row));
        rows.numbers("score", &own).into_iter().fold(0.0, f64::max)
            > rows.numbers("score", &[row])[0]
    };
    let mut refuted = raw.with("label", "first");
    refuted.retain(|row| lost(&raw, *row));
    let (count, all) = (refuted.len(), raw.with("label", "first").len());
    assert!(0 < count && count < all, "{count} of {all}");
    assert!(told.contains(&format!("{count} answers wrong")), "{told}");
    // The rows are as they were measured.
    assert_eq!(raw.solved(&raw.all()).len(), raw.len());
    let ranked = said(&["compare", &text("out")], 3);
    assert!(ranked.contains("wrong: numbers, first on "), "{ranked}");
    let line = |label: &str| ranked.lines().position(|line| line.starts_with(label));
    assert!(line("largest") < line("first"), "{ranked}");
    assert_eq!(
        said(&["compare", &text("out:first"), ":largest"], 3)
            .matches("wrong: numbers")
            .count(),
        1
    );
    let summary = fs::read_to_string(text("out/summary.csv")).expect("a summary");
    assert_eq!(summary.matches("1 of 1 wrong").count(), count, "{summary}");
    // A number without its answer refutes nothing.
    let mut best = raw.with("label", "first");
    best.retain(|row| !lost(&raw, *row));
    let number = format!(
        "{},maximize,5000,v,2026-01-01,\n",
        raw.text("instance_hash", best[0])
    );
    let ledger = fs::read_to_string(text("bests.csv")).expect("a ledger");
    fs::write(text("bests.csv"), ledger + &number).expect("written");
    fs::remove_dir_all(text("out")).expect("removed");
    let (_, told) = run(&text, &[], 3);
    assert!(told.contains("bests.csv has 5000, not confirmed"), "{told}");
    assert!(told.contains("1 answer in dispute and left out"), "{told}");
    let ranked = said(&["compare", &text("out")], 3);
    assert!(
        ranked.contains("1 answer in dispute: left out."),
        "{ranked}"
    );
}

#[test]
fn what_samples_at_once_cost_is_measured_on_the_same_seeds() {
    let named = "name = \"largest\"\nlabel = \"the largest\"";
    let (_inside, text) = place("name = \"largest\"", named);
    let told = said(
        &["doctor", &text("numbers.toml"), "--budget", "1s", "--csv"],
        0,
    );
    let row = told.lines().find(|line| line.starts_with("the largest,"));
    let is_equal = row.is_some_and(|row| row.contains("equal on every pair"));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    assert!(is_equal || cores == 1, "{told}");
    refused(
        &["doctor", "ikerukana-table"],
        "",
        &["expected a problem of commands"],
    );
}

/// By size, for a folder of a contest: the first line has it. And a generator that makes other instances of the same seed.
#[test]
fn files_have_features_in_their_first_line() {
    let seeds = "seeds = { from = 1, to = 8 }\nset = { count = [3, 5] }\n";
    let (_inside, text) = place(
        seeds,
        "files = \"in/*\"\n[[tables]]\ntitle = \"t\"\nrows = \"param_n@2\"\nvalue = \"score\"\nstatistic = \"mean\"\n",
    );
    let file = text("numbers.toml");
    let written = fs::read_to_string(&file).expect("read");
    let generate = "generate = [\"sh\", \"make.sh\", \"{seed}\", \"{param:count}\"]\n";
    let with = |line: &str| written.replacen(generate, &format!("first_line = \"{line}\"\n"), 1);
    fs::create_dir(text("in")).expect("made");
    for n in 1..=4 {
        fs::write(text(&format!("in/{n}")), format!("{n} x {}\n7\n", n * 10)).expect("written");
    }
    fs::write(text("judge.sh"), "echo '{\"score\": 1}'").expect("written");
    fs::write(&file, with("{n} _ {m}")).expect("written");
    let (rows, _) = run(&text, &[], 0);
    assert_eq!(rows.distinct("param_n", &rows.all()), ["1", "2", "3", "4"]);
    assert_eq!(
        rows.distinct("param_m", &rows.all()),
        ["10", "20", "30", "40"]
    );
    for (line, words) in [
        ("{n} y", "expects `y`"),
        ("{N}", "lower case"),
        ("{n} x {m} {k}", "expects `{k}`"),
    ] {
        fs::write(&file, with(line)).expect("written");
        refused(&["run", &file, "-o", &text("none")], "", &[words]);
    }
    let (_inside, text) = place("", "");
    fs::write(text("make.sh"), "od -An -N8 -tu4 /dev/urandom\n").expect("written");
    let file = text("numbers.toml");
    refused(
        &["run", &file, "-o", &text("out")],
        "",
        &["made twice, it is not the same"],
    );
}

#[test]
fn features_that_a_generator_prints_are_columns_and_tables_divide_them() {
    const MEASURES: &str = "measures = [\"place\"]\n";
    let (_inside, text) = place(MEASURES, &format!("{MEASURES}features = [\"least\"]\n"));
    let (file, out) = (text("numbers.toml"), text("none"));
    refused(
        &["run", &file, "-o", &out],
        "",
        &["printed no feature `least`", "`#s least 12`"],
    );
    let least = "echo \"#s least $(echo \"$numbers\" | sort -n | head -n 1)\" >&2";
    let make = format!("numbers=$({MAKE})\necho \"$numbers\"\n{least}\n");
    fs::write(text("make.sh"), make).expect("written");
    let experiment = fs::read_to_string(&file).expect("read");
    let table = |rows: &str| {
        format!(
            "[[tables]]\ntitle = \"By the least\"\nrows = \"{rows}\"\nvalue = \"score\"\nstatistic = \"mean\"\n"
        )
    };
    fs::write(&file, experiment.clone() + &table("param_least@1")).expect("written");
    refused(
        &["run", &file, "-o", &out],
        "",
        &["table `By the least`", "`COLUMN@NUMBER`"],
    );
    fs::write(&file, experiment + &table("param_least@2")).expect("written");
    let (rows, _) = run(&text, &[], 0);
    let leasts = rows.numbers("param_least", &rows.all());
    assert_eq!(leasts.len(), 32);
    let page = fs::read_to_string(text("out/index.html")).expect("a page");
    let table = page.split_once("By the least").expect("the table").1;
    let table = &table[..table.find("</table>").expect("its end")];
    let least = leasts.iter().copied().fold(f64::INFINITY, f64::min);
    let most = leasts.iter().copied().fold(0.0, f64::max);
    for end in [format!("{least} … "), format!(" … {most}")] {
        assert!(table.contains(&end), "no {end} in {table}");
    }
}
