//! Further seeds, and the best-known scores beside an experiment.

use super::*;

#[test]
fn further_seeds_are_drawn_until_the_order_is_decided() {
    // Better by little on most seeds: eight seeds do not decide it.
    let noisy = "command = [\"sh\", \"-c\", \"sort -n | tail -n 2 | head -n 1\"]";
    let (_inside, text) = place("command = [\"head\", \"-n\", \"1\"]", noisy);
    let file = fs::read_to_string(text("numbers.toml")).expect("text");
    let few = file.replace("to = 8", "to = 2").replace("[3, 5]", "[4]");
    fs::write(text("numbers.toml"), few).expect("written");
    let (rows, said) = run(&text, &["--until-decided", "--budget", "60s"], 0);
    assert!(rows.len() > 4, "{said}");
    assert!(
        said.contains("largest against first: +") && said.contains("decided, better"),
        "{said}"
    );
    // Both sides have the same seeds.
    let seeds = |label| rows.distinct("seed", &rows.with("label", label));
    assert_eq!(seeds("first"), seeds("largest"));
    // Two equal solvers: with a margin the run ends before its time is over.
    let (_inside, text) = place(
        "command = [\"head\", \"-n\", \"1\"]",
        "command = [\"sh\", \"largest.sh\"]\nfiles = [\"judge.sh\"]",
    );
    let began = std::time::Instant::now();
    let (_, said) = run(
        &text,
        &["--until-decided", "--budget", "300s", "--margin", "5%"],
        0,
    );
    assert!(
        began.elapsed().as_secs() < 200 && said.contains("equal on every pair"),
        "{said}"
    );
}

#[test]
fn seeds_of_a_killed_session_get_their_missing_repeats() {
    let (_inside, text) = place(
        "seeds = { from = 1, to = 8 }",
        "seeds = { from = 1, to = 2 }",
    );
    let file = fs::read_to_string(text("numbers.toml")).expect("text");
    fs::write(text("numbers.toml"), file + "[run]\nrepeats = 2\n").expect("written");
    let decided = ["--until-decided", "--budget", "300s"];
    let (whole, said) = run(&text, &decided, 0);
    assert!(whole.distinct("seed", &whole.all()).len() > 2, "{said}");
    let written = fs::read_to_string(text("out/records.csv")).expect("rows");
    let mut all = csv::Reader::from_reader(written.as_bytes());
    let heads = all.headers().expect("heads").clone();
    let place = |name: &str| {
        heads
            .iter()
            .position(|head| head == name)
            .expect("a column")
    };
    let (repeat, seed) = (place("repeat"), place("seed"));
    let mut kept = csv::Writer::from_path(text("out/records.csv")).expect("a file");
    kept.write_record(&heads).expect("written");
    for row in all.records() {
        let row = row.expect("a row");
        if &row[repeat] != "1" || &row[seed] == "1" || &row[seed] == "2" {
            kept.write_record(&row).expect("written");
        }
    }
    kept.flush().expect("written");
    let (rows, said) = run(&text, &[&["--resume"], &decided[..]].concat(), 0);
    let cells = rows.group_by(&["cell"], &rows.all());
    assert!(cells.iter().all(|own| own.len() == 2), "{said}");
    assert_eq!(rows.all().len(), whole.all().len(), "{said}");
}

#[test]
fn seeds_without_new_instances_and_digits_without_a_new_ledger() {
    let (_inside, text) = place("\"{seed}\"", "\"1\"");
    let (_, told) = run(&text, &["--variant", "largest"], 0);
    assert!(told.contains("are one instance"), "{told}");
    // The best scores keep their value when the problem gets decimal digits.
    let digits = EXPERIMENT.replace("measures =", "decimals = 2\nmeasures =");
    fs::write(text("numbers.toml"), digits).expect("written");
    let check = ["bests", &text("numbers.toml"), "--check"];
    let told = said(&check, 0);
    assert!(!told.contains("taken out"), "{told}");
}

#[test]
fn a_forged_best_score_is_taken_out() {
    let (_inside, text) = place("", "");
    run(&text, &[], 0);
    let file = text("numbers.toml");
    let told = said(&["bests", &file, "--check", "--csv"], 0);
    assert_eq!(told.lines().count(), 18, "{told}");
    assert!(
        told.contains("16 scores confirmed by the referee"),
        "{told}"
    );
    // The line of another person, who has the same answer.
    let own = fs::read_to_string(text("bests.csv")).expect("a ledger");
    let line = own.lines().nth(1).expect("a line");
    let fields: Vec<&str> = line.split(',').collect();
    let (instance, answer) = (fields[0], fields[5]);
    let forged = format!("{instance},maximize,100000,them,2026-01-01,{answer}\n");
    fs::write(text("bests.csv"), own.clone() + &forged).expect("written");
    let told = said(&["bests", &file, "--check"], 3);
    assert!(told.contains("100000 by them: the referee finds"), "{told}");
    assert!(told.contains("1 score refused by the referee"), "{told}");
    let ledger = fs::read_to_string(text("bests.csv")).expect("a ledger");
    assert_eq!(ledger.lines().count(), 17, "{ledger}");
    // A referee that fails refuses nothing.
    fs::write(text("judge.sh"), "exit 1").expect("written");
    let told = said(&["bests", &file, "--check"], 0);
    assert!(told.contains("warning: not checked"), "{told}");
    let kept = fs::read_to_string(text("bests.csv")).expect("a ledger");
    assert_eq!(kept, ledger);
    refused(&["bests", &text("none.toml")], "", &["none.toml"]);
}

#[test]
fn a_referee_that_was_changed_is_no_reason_to_mix_its_verdicts() {
    let (_inside, text) = place("", "");
    run(&text, &["--instance", "seed 1"], 0);
    fs::write(text("judge.sh"), "echo '{\"score\": 5}'\n").expect("written");
    let resumed = ["run", &text("numbers.toml"), "-o", &text("out"), "--resume"];
    let resumed = [
        &resumed[..],
        &["--mode", "contended", "--instance", "seed 1"],
    ]
    .concat();
    refused(&resumed, "", &["ran with referee of numbers", "--force"]);
    let (_, told) = run(&text, &["--instance", "seed 1", "--resume", "--force"], 0);
    assert!(
        told.contains("what another referee judged leaves all tables"),
        "{told}"
    );
    let builds = output(&["list", "builds", &text("out"), "--csv"]);
    let line = |build: &str| builds.lines().find(|line| line.starts_with(build));
    assert!(line("first#1,").is_some() && line("largest#1,").is_some());
    assert!(
        line("first,").is_some_and(|it| it.contains(",2,2,5,")),
        "{builds}"
    );
}

#[test]
fn scores_have_one_verdict_and_one_order() {
    let plot = "[[plots]]\nname = \"p\"\nkind = \"bar\"\ntitle = \"{ratio:largest/first}\"\nx = \"label\"\ny = \"score\"\n";
    let (_inside, text) = place("[[instances]]", &format!("{plot}[[instances]]"));
    // The decision on scores is the only verdict on them, and a ranking begins with the best.
    let words = ["run", &text("numbers.toml"), "-o", &text("json"), "--json"];
    let json: serde_json::Value = serde_json::from_str(&output(&words)).expect("JSON");
    assert!(json["comparisons"][0]["decision"] == "better", "{json}");
    let ranked = output(&["compare", &text("json"), "--metric", "score"]);
    let place = |label| ranked.find(&format!("\n{label} ")).expect(label);
    assert!(place("largest") < place("first"), "{ranked}");
}

#[test]
fn experiments_that_are_decided_differently_are_not_mixed() {
    let (_inside, text) = place("", "");
    let times = EXPERIMENT
        .replace("\"numbers\"", "\"times\"")
        .replace("\"maximize\"", "\"equal\"");
    fs::write(text("times.toml"), times).expect("written");
    let files = [text("times.toml"), text("numbers.toml")];
    let words = [
        "run",
        &files[0],
        &files[1],
        "--until-decided",
        "--margin",
        "1%",
    ];
    refused(&words, "", &["numbers", "times", "one after the other"]);
}

#[test]
fn the_scores_of_another_experiment_in_the_same_folder_are_not_searched_for() {
    let (_inside, text) = place("", "");
    run(&text, &[], 0);
    let counted = format!("echo x >> {}\n{MAKE}", text("made"));
    fs::write(text("make.sh"), counted).expect("written");
    let other = EXPERIMENT.replace("name = \"numbers\"", "name = \"other\"");
    let other = other.replace("to = 8", "to = 4").replace("[3, 5]", "[7]");
    fs::write(text("other.toml"), other).expect("written");
    said(
        &[
            "run",
            &text("other.toml"),
            "-o",
            &text("second"),
            "--mode",
            "contended",
        ],
        0,
    );
    let made = || {
        let lines = fs::read_to_string(text("made"))
            .expect("text")
            .lines()
            .count();
        fs::remove_file(text("made")).expect("removed");
        lines
    };
    // The first one is made twice.
    assert_eq!(made(), 5);
    // The four seeds, and as many further ones, which find nothing.
    said(&["bests", &text("other.toml")], 0);
    assert_eq!(made(), 10);
    // Further seeds of a run are found, and no seed is made twice.
    let few = EXPERIMENT.replace("to = 8", "to = 2");
    fs::write(text("numbers.toml"), few).expect("written");
    said(&["bests", &text("numbers.toml")], 0);
    assert_eq!(made(), 29);
}

#[test]
fn a_folder_with_one_experiment_stands_for_it() {
    let (inside, text) = place("", "");
    let folder = inside.path().display().to_string();
    let many = EXPERIMENT.replace("to = 8", "to = 30");
    fs::write(text("numbers.toml"), many).expect("written");
    let list = said(&["run", &folder, "--list"], 0);
    assert!(list.contains("numbers"), "{list}");
    let wanted = ["run", &folder, "--list", "--instance", "count=3, seed 99"];
    refused(&wanted, "", &["has no instance"]);
    fs::copy(text("numbers.toml"), text("more.toml")).expect("copied");
    refused(&["run", &folder], "", &["numbers: given twice"]);
    fs::remove_file(text("more.toml")).expect("removed");
    fs::remove_file(text("numbers.toml")).expect("removed");
    refused(
        &["run", &folder],
        "",
        &["is a folder; expected a TOML file"],
    );
    let (_inside, text) = place("{param:count}", "{param:cuont}");
    let words = ["did you mean `cuont`?", "a {param:NAME} of `generate`"];
    refused(&["run", &text("numbers.toml")], "", &words);
}

/// Experiments of one folder share a ledger: no seeds are drawn for the scores of another one.
#[test]
fn scores_of_other_experiments_draw_no_seeds() {
    let (_inside, text) = place("", "");
    run(&text, &[], 0);
    let other = "ffffffffffffffffffffffffffffffff,maximize,1,v,2026-01-01,\n";
    let all = fs::read_to_string(text("bests.csv")).expect("text") + other;
    fs::write(text("bests.csv"), all).expect("written");
    let counted = format!("echo made >> {}\n{MAKE}", text("calls"));
    fs::write(text("make.sh"), counted).expect("written");
    output(&["bests", &text("numbers.toml")]);
    let calls = fs::read_to_string(text("calls")).expect("text");
    // The sixteen instances, and once twice as many.
    assert!(calls.lines().count() <= 48, "{}", calls.lines().count());
}

/// The exit code of a command that gets SIGTERM as soon as it made the file.
fn terminated(words: &[&str], begun: &str) -> Option<i32> {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_ikeru"));
    let mut child = command.args(words).spawn().expect("started");
    while fs::remove_file(begun).is_err() && child.try_wait().is_ok_and(|it| it.is_none()) {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let (pid, signal) = (
        rustix::process::Pid::from_child(&child),
        rustix::process::Signal::TERM,
    );
    rustix::process::kill_process(pid, signal).expect("it works");
    child.wait().expect("ended").code()
}

#[test]
fn a_check_of_best_scores_and_a_preparation_are_interrupted() {
    let (_inside, text) = place("", "");
    run(&text, &["--instance", "seed 1"], 0);
    let (file, begun) = (text("numbers.toml"), text("begun"));
    fs::write(text("judge.sh"), "touch begun; sleep 9").expect("written");
    assert_eq!(terminated(&["bests", &file, "--check"], &begun), Some(75));
    let prepared = "prepare = [\"sh\", \"-c\", \"touch begun; sleep 2\"]\nmeasures";
    fs::write(&file, EXPERIMENT.replacen("measures", prepared, 1)).expect("written");
    assert_eq!(
        terminated(&["run", &file, "-o", &text("late")], &begun),
        Some(75)
    );
    // A plot has the name of a measure: the error is at its title.
    let plot = "[[plots]]\nname = \"place\"\nkind = \"bar\"\ntitle = \"{needs less:ends}\"\nx = \"label\"\ny = \"score\"\n";
    fs::write(&file, format!("{EXPERIMENT}{plot}")).expect("written");
    let line = format!("numbers.toml:{}: ", EXPERIMENT.lines().count() + 4);
    refused(&["run", &file, "--list"], "", &[&line]);
    let words = &["is a run folder; expected the file"];
    refused(&["bests", &text("out")], "", words);
    for flag in ["--jobs", "--repeats"] {
        let told = said(&["run", "ikerukana-table", flag, "0"], 2);
        assert!(told.contains("0 is not in 1.."), "{told}");
    }
}

#[test]
fn equal_times_end_with_the_budget_and_a_round_has_both_sides() {
    let (_inside, text) = place(
        "command = [\"sh\", \"largest.sh\"]\ncounters = [\"lines\"]",
        "command = [\"head\", \"-n1\"]",
    );
    let file = fs::read_to_string(text("numbers.toml")).expect("text");
    let file = file
        .replace("maximize", "equal")
        .replace("to = 8", "to = 1");
    fs::write(text("numbers.toml"), file).expect("written");
    let began = std::time::Instant::now();
    let own = ["run", &text("numbers.toml"), "-o", &text("out")];
    let until = "--mode isolated --repeats 2 --until-decided --budget 4s";
    let said = output(&[&own[..], &crate::words(until)].concat());
    let rows = Rows::read(std::path::Path::new(&text("out/records.csv"))).expect("rows");
    assert!(began.elapsed().as_secs() < 60, "{said}");
    // Beyond the plan, a round has both sides of one instance, and the first one is drawn for each.
    let all = rows.all();
    let is_further = |own: &Vec<u32>| rows.number("repeat", own[0]) >= Some(2.0);
    let rounds = rows.group_by(&["round"], &all).into_iter();
    let further: Vec<Vec<u32>> = rounds.filter(is_further).collect();
    assert!(further.len() > 20, "{said}");
    for own in &further {
        assert_eq!(rows.distinct("label", own).len(), 2, "{said}");
        assert_eq!((own.len(), rows.distinct("question", own).len()), (2, 1));
    }
    let firsts: Vec<u32> = further.iter().map(|own| own[0]).collect();
    assert_eq!(rows.distinct("label", &firsts).len(), 2, "{said}");
}
