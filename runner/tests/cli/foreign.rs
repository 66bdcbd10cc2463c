//! Foreign solvers: commands next to variants, correct ones and every kind of wrong one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::fair::rows;
use crate::{RING, has, ikeru, output, refused, said, table, words};

/// In two steps from vertex 0 of the ring a walk that never steps straight back is at vertex 2.
pub const RIGHT: &str = r#"echo '{"answer": {"reachable": [2]}}'"#;

/// A folder with the ring and an experiment about it.
pub struct Bench {
    folder: tempfile::TempDir,
}

pub type Row = BTreeMap<String, String>;

impl Bench {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("ring.csv"), RING).expect("written");
        Self { folder }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn name(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    /// The entry of a shell script that is written into the folder.
    pub fn script(&self, name: &str, script: &str, more: &str) -> String {
        std::fs::write(self.path(&format!("{name}.sh")), script).expect("written");
        let input = match more.contains("jsonl") {
            true => "",
            false => ", '{stdin}'",
        };
        format!("[[variants]]\nname = '{name}'\ncommand = ['sh', '{name}.sh'{input}]\n{more}\n")
    }

    /// Writes the experiment with these entries and returns its file.
    pub fn experiment(&self, run: &str, variants: &str) -> String {
        let text = format!(
            "name = 'test'\ntitle = 't'\nabout = 'a'\nproblem = 'reach'\nsettings = {{ steps = 2, god = false }}\n\
             run = {{ {run} }}\ninstances = [{{ files = 'ring.csv' }}]\n{variants}"
        );
        std::fs::write(self.path("test.toml"), text).expect("written");
        self.name("test.toml")
    }

    /// Runs the experiment and returns its rows by label.
    pub fn run(&self, run: &str, variants: &str, more: &[&str]) -> BTreeMap<String, Row> {
        let file = self.experiment(run, variants);
        let out = self.name("run");
        let run = [&["run", &file, "--out", &out, "--quiet"], more].concat();
        let done = ikeru(&run).assert();
        let rows = rows(&self.path("run").join("records.csv"));
        let has = |outcome: &str| rows.iter().any(|row| row["outcome"] == outcome);
        done.code(match (has("wrong"), has("solved")) {
            (true, _) => 3,
            (false, false) => 4,
            (false, true) => 0,
        });
        rows.into_iter()
            .map(|row| (row["label"].clone(), row))
            .collect()
    }

    /// Runs the scripts of a table of names, outcomes, parts of the detail and scripts, in which `RIGHT` answers, and
    /// checks their rows. `more` stands in each entry, and `others` are further entries.
    fn checked(
        &self,
        run: &str,
        (more, others): (&str, &str),
        cases: &[[&str; 4]],
    ) -> BTreeMap<String, Row> {
        let entry = |[name, _, _, script]: &[&str; 4]| {
            self.script(name, &script.replace("RIGHT", RIGHT), more)
        };
        let entries: String = cases.iter().map(entry).collect();
        let rows = self.run(run, &(others.to_owned() + &entries), &[]);
        for [name, outcome, detail, _] in cases {
            check(&rows, name, outcome, detail);
        }
        rows
    }
}

/// Whether the shell's words hold: outcome, and a part of the detail.
pub fn check(rows: &BTreeMap<String, Row>, name: &str, outcome: &str, detail: &str) {
    let row = &rows[name];
    assert_eq!(row["outcome"], outcome, "{name}: {row:?}");
    assert!(row["detail"].contains(detail), "{name}: {}", row["detail"]);
}

#[test]
fn a_batch_may_take_longer_than_the_limit_of_an_answer() {
    let bench = Bench::new();
    let answers = r#"while read -r line; do case "$line" in
*prepare*) echo '{"ready": true}' ;;
*) echo '{"answer": {"reachable": [2]}}' ;;
esac; done"#;
    let quick = bench.script("quick", answers, "protocol = 'jsonl'");
    let run = "repeats = 1, limit = \"400ms\", sample = \"600ms\"";
    let rows = bench.run(run, &quick, &[]);
    check(&rows, "quick", "solved", "");
    let batch: f64 = rows["quick"]["batch_ns"].parse().expect("a time");
    assert!(batch > 5e8 && rows["quick"]["iterations"] != "1", "{batch}");
}

/// The processes whose command line has the word.
fn processes(word: &str) -> Vec<PathBuf> {
    let all = std::fs::read_dir("/proc").expect("processes").flatten();
    let has = |folder: &PathBuf| {
        let line = std::fs::read(folder.join("cmdline")).unwrap_or_default();
        let mut words = line.split(|byte| *byte == 0);
        words.any(|own| own == word.as_bytes())
    };
    all.map(|entry| entry.path()).filter(has).collect()
}

/// Waits until no process has the word in its command line.
pub fn assert_gone(word: &str) {
    let until = Instant::now() + Duration::from_secs(5);
    while Instant::now() < until && !processes(word).is_empty() {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(processes(word), [] as [PathBuf; 0]);
}

fn has_python() -> bool {
    let found = Command::new("python3").arg("--version").output().is_ok();
    if !found {
        eprintln!("skipped: there is no python3");
    }
    found
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/solvers")
}

#[test]
fn whatever_a_command_does_is_a_row() {
    let bench = Bench::new();
    let cases = table(
        r#"right         | solved  | | RIGHT
        no-newline    | solved  | | printf '{"answer": {"reachable": [2]}}'
        lingers       | solved  | | RIGHT; sleep 3217001
        fails-later   | solved  | | RIGHT; exit 1
        setting       | solved  | | echo "{\"answer\": {\"reachable\": [$IKERU_SETTING_STEPS]}}"
        leaves        | solved  | | sleep 3217002 & (setsid sleep 3217002 &); RIGHT
        shouts        | solved  | | head -c 3000000 /dev/zero | tr '\0' x >&2; RIGHT
        wrong         | wrong   | claimed 1; referee: | echo '{"answer": {"reachable": [1]}}'
        beyond        | wrong   | no answer of reach: there is no vertex 9 | echo '{"answer": {"reachable": [9]}}'
        null          | wrong   | no answer of reach | echo '{"answer": null}'
        garbled       | crashed | wrote `hello`, expected an object | echo oh dear >&2; echo hello
        garbled-words | crashed | its last words: oh dear | echo oh dear >&2; echo hello; sleep 1
        list          | crashed | wrote `[1]`, expected an object | echo '[1]'
        slip          | wrong   | unknown key `answr` | echo '{"answr": 1}'
        counts-on     | wrong   | counts `foo`, expected one of states, | echo '{"count": {"foo": 1}, "answer": {"reachable": [2]}}'
        no-count      | wrong   | wrote `{ | echo '{"count": {"states": -1}}'
        half          | crashed | wrote `{ | echo '{"answer": {"reach'
        silent        | crashed | ended without an answer, exit status: 0 |
        fails         | crashed | exit status: 7: oh dear | echo oh dear >&2; exit 7
        killed        | crashed | SIGSEGV | kill -SEGV $$
        skips         | skipped | too hard | echo '{"skip": "too hard"}'"#,
    );
    let counts = r#"echo '{"count": {"states": 5}}'; echo '{"count": {"states": 7, "own": 1}}'"#;
    let counts = bench.script(
        "counts",
        &format!("{counts}; {RIGHT}"),
        "exact = true\ncounters = ['own']",
    );
    let others = format!("{counts}[[variants]]\nname = 'memo'\n");
    let rows = bench.checked("repeats = 1, limit = '20s'", ("", &others), &cases);
    let counts = &rows["counts"];
    let field = |name: &str| counts[name].as_str();
    assert_eq!(
        (field("outcome"), field("exact"), field("score")),
        ("solved", "true", "1")
    );
    assert_eq!((field("counter_states"), field("counter_own")), ("7", "1"));
    assert_eq!(field("question"), rows["memo"]["question"]);
    assert_eq!(rows["right"]["exact"], "false");
    assert_gone("3217001");
    assert_gone("3217002");
    let page = crate::pages_of(Path::new(&bench.path("run")));
    assert!(page.contains("fails-later") && page.contains("memo"));
}

#[test]
fn a_command_that_does_not_end_is_a_timeout() {
    let bench = Bench::new();
    let late = "answer() { RIGHT; exit; }; trap answer TERM; TOLD; sleep 3217003 & wait";
    let refuted = late.replace("TOLD", "echo '{\"best\": 1}'; echo '{\"bound\": 0}'");
    let told = "echo '{\"best\": 1}'; echo '{\"bound\": 4}'";
    let [hangs, stubborn, late] = [
        "TOLD; sleep 3217003",
        "trap '' TERM; TOLD; while :; do sleep 3217003; done",
        late,
    ]
    .map(|script| script.replace("TOLD", told));
    let why = "its answer has the score 1, its bound is 0";
    let cases = [
        ["hangs", "timeout", "", &hangs],
        ["stubborn", "timeout", "", &stubborn],
        ["late", "timeout", "", &late],
        ["refuted", "wrong", why, &refuted],
    ];
    let rows = bench.checked("repeats = 1, limit = '400ms'", ("", ""), &cases);
    for name in ["hangs", "stubborn", "late"] {
        assert_eq!(rows[name]["bound"], "4", "{name}");
    }
    for name in ["hangs", "stubborn"] {
        assert_eq!(
            (rows[name]["claimed"].as_str(), rows[name]["score"].as_str()),
            ("1", ""),
            "{name}"
        );
    }
    assert_eq!(
        rows["late"]["score"], "1",
        "its best answer, told at the limit, was refereed"
    );
    assert_gone("3217003");
}

#[test]
fn an_answer_is_held_to_its_bound_and_to_every_key() {
    let cases = table(
        r#"beyond | wrong | its bound is 0 | echo '{"bound": 0}'; RIGHT
        other | wrong | `god_free` differs from `reachable` | echo '{"answer": {"reachable": [2], "god_free": [0]}}'
        inner | wrong | in a question without the god | echo '{"answer": {"reachable": [2], "god_free_is": "inner"}}'"#,
    );
    Bench::new().checked("repeats = 1", ("exact = false", ""), &cases);
}

/// The referees of these problems cannot tell an optimum: a claim is not repeated as ikeru's own, and refuted where a better
/// answer is known.
#[test]
fn a_claim_of_an_optimum_stays_a_claim_or_is_refuted() {
    let bench = Bench::new();
    let board = "3 3\n+1 +2\n+3 +4 +5\n-1 *2\n+6 +7 +8\n+9 *3\n";
    let known = format!("{board}1 0 8\n9 0 3 4 1 2 5 4 7 8 105\n");
    let field = "RRR.GG\npieces: RG RG\n".to_owned();
    let trail = |vertices: &str, score: u32| format!("\"trail\":[{vertices}],\"score\":{score}");
    let best = trail("0,3,4,1,2,5,4,7,8", 105);
    let poor = trail("0,1,2,5,8", 17);
    let none = "\"placements\":[],\"value\":0".to_owned();
    let refuted = "claims that no answer is better than";
    for (problem, file, answer, more, code, words) in [
        (
            "trail",
            &board.to_owned(),
            &poor,
            "\"proven\":true",
            3,
            refuted,
        ),
        ("trail", &known, &poor, "\"proven\":true", 3, refuted),
        (
            "trail",
            &known,
            &poor,
            "\"proven\":false,\"bound\":20",
            3,
            refuted,
        ),
        (
            "trail",
            &known,
            &poor,
            "\"proven\":false",
            0,
            "score      17\n",
        ),
        (
            "trail",
            &known,
            &best,
            "\"proven\":true",
            0,
            "score      105 (claimed)",
        ),
        ("deep", &field, &none, "\"proven\":true", 3, refuted),
        (
            "deep",
            &field,
            &none,
            "\"proven\":false",
            0,
            "no chain found",
        ),
    ] {
        let line = format!("{{\"answer\":{{{answer}}},{more}}}\n");
        std::fs::write(bench.path("said.json"), line).expect("written");
        std::fs::write(bench.path("file.txt"), file).expect("written");
        let (file, said_json) = (bench.name("file.txt"), bench.name("said.json"));
        let goal = if problem == "deep" {
            &["--set", "goal=chains"][..]
        } else {
            &[]
        };
        let command = ["--", "cat", &said_json, "{stdin}"];
        let told = said(&[&["solve", problem, &file], goal, &command].concat(), code);
        assert!(told.contains(words), "{problem}: {told}");
        let json = said(
            &[&["solve", problem, &file, "--json"], goal, &command].concat(),
            code,
        );
        let is_claimed = code == 0 && more.contains("true");
        let claims = format!("\"claimed\":{is_claimed}");
        assert!(
            json.contains(&claims) && json.contains("\"exact\":false"),
            "{json}"
        );
    }
}

/// Every answer of a built-in solver is one of a command too, and the documents name its keys.
#[test]
fn keys_of_answers_are_documented_and_accepted() {
    let bench = Bench::new();
    let documents =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/files.md"));
    let documents = documents.expect("a document");
    for (problem, generator, settings) in [
        (
            "reach",
            "reach.spanning-grid",
            &["steps=3", "target=2", "starts=all"][..],
        ),
        ("routes", "routes.spanning-grid", &["steps=3"]),
        ("trail", "trail.example", &["start=0"]),
        ("path", "path.article", &["costs=tenths", "connectivity=4"]),
        ("chain", "chain.random-field", &["asked=steps", "repeat=2"]),
        ("deep", "deep.random", &["goal=chains", "depth=1"]),
        ("build", "build.sequence", &["moves=3"]),
        ("versus", "versus.sequence", &["turns=3"]),
    ] {
        let made = ikeru(&["generate", generator, "--seed", "5"])
            .output()
            .expect("it ends");
        let file = bench.name("made.txt");
        std::fs::write(&file, made.stdout).expect("written");
        let begin = format!("| `{problem}` | ");
        let is_of = |line: &&str| line.starts_with(&begin) && line.contains('†');
        let row = documents.lines().find(is_of);
        let row = row.expect("a row of keys");
        for set in std::iter::once(None).chain(settings.iter().map(Some)) {
            let set = set.map_or(vec![], |set| vec!["--set", set]);
            let json = output(&[&["solve", problem, &file, "--json"][..], &set].concat());
            let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
            let answer = &json["answer"];
            let one = answer.get(0).unwrap_or(answer);
            for key in one.as_object().expect("an object").keys() {
                let is_named = row.contains(&format!("`{key}`"));
                let is_measure =
                    row.contains("measures of the problem") && json["measures"].get(key).is_some();
                assert!(is_named || is_measure, "{problem} {set:?}: `{key}`");
            }
            std::fs::write(
                bench.path("said.json"),
                format!("{{\"answer\":{answer}}}\n"),
            )
            .expect("written");
            let command = ["--", "cat", &bench.name("said.json"), "{stdin}"];
            said(
                &[&["solve", problem, &file][..], &set, &command].concat(),
                0,
            );
        }
    }
}

#[test]
fn a_wrong_solver_is_named_wrong_and_an_unsolved_run_is_told() {
    let bench = Bench::new();
    let liar = bench.script("liar", "echo '{\"answer\": {\"reachable\": [0]}}'", "");
    let file = bench.experiment(
        "repeats = 1",
        &format!("[[variants]]\nname = 'memo'\n{liar}{PLOT}"),
    );
    let told = said(&["run", &file, "--out", &bench.name("both")], 3);
    let mut lines = told.lines().map(str::trim_start);
    let of_liar = lines.find(|line| line.starts_with("liar"));
    let of_liar = of_liar.unwrap_or_else(|| panic!("{told}"));
    has(of_liar, &["0 of 1, 1 wrong"]);
    assert!(!of_liar.contains("nothing to compare"), "{told}");
    let silent = bench.script("silent", "sleep 10", "");
    let slow = bench.experiment("repeats = 1, limit = '100ms'", &(silent + PLOT));
    let told = said(&["run", &slow, "--out", &bench.name("slow")], 4);
    has(&told, &["Nothing was solved: of 1 sample 1 timeout."]);
}

/// A plot with a title.
const PLOT: &str = "[[plots]]\nname = 'time'\nkind = 'bar'\ntitle = 'memo is quick'\n";

#[test]
fn a_tried_solver_has_the_memory_that_it_is_given() {
    let asked = |more: &[&str]| {
        let script = "head -c 300000000 /dev/zero | tail -c 200000000 | wc -c >&2; exit 3";
        let words = ["--", "sh", "-c", script, "x", "{instance}"];
        let done = ikeru(&[&["solve", "reach", "-"], more, &words].concat())
            .write_stdin(RING)
            .assert()
            .code(2);
        String::from_utf8_lossy(&done.get_output().stderr).into_owned()
    };
    let free = asked(&[]);
    assert!(free.contains("200000000"), "{free}");
    let bound = asked(&["--memory", "64MiB"]);
    assert!(!bound.contains("200000000"), "{bound}");
}

#[test]
fn a_flood_is_cut_off() {
    let why = "wrote more than 16 MiB before its answer";
    let cases = [
        ["line", "crashed", why, "cat /dev/zero"],
        ["lines", "crashed", why, "yes ''"],
    ];
    Bench::new().checked("repeats = 1, limit = '60s'", ("", ""), &cases);
}

#[test]
fn a_process_that_is_kept_answers_many_times() {
    // The name, the outcome, a part of the detail, and what follows the words `prepare` and `solve`.
    let cases = table::<5>(
        "kept        | solved  | | READY | RIGHT
        slow-start  | solved  | | sleep 0.2; READY | RIGHT
        dies        | crashed | exit status: 3: tired | READY | echo tired >&2; exit 3
        dies-early  | crashed | exit status: 4 | EXIT | RIGHT
        twice       | crashed | wrote on after its answer | READY | RIGHT; RIGHT
        eager       | crashed | wrote before it was asked | RIGHT | RIGHT
        refuses     | skipped | too hard | echo '{\"skip\": \"too hard\"}' | RIGHT
        never-ready | timeout | during the preparation | sleep 3217004 | RIGHT
        hangs       | timeout | | READY | sleep 3217004",
    );
    let serve = |&[_, _, _, ready, answer]: &[&str; 5]| {
        let ready = ready.replace("READY", "echo '{\"ready\": true}'");
        match &*ready {
            "EXIT" => "exit 4".to_owned(),
            _ => format!(
                "while read -r line; do case $line in *prepare*) {ready};; *) {answer};; esac; done"
            ),
        }
    };
    let scripts: Vec<String> = cases.iter().map(serve).collect();
    let cases = cases.iter().zip(&scripts);
    let cases: Vec<[&str; 4]> = cases
        .map(|(&[name, outcome, detail, ..], script)| [name, outcome, detail, script])
        .collect();
    let run = "repeats = 2, limit = '1s'";
    let rows = Bench::new().checked(run, ("protocol = 'jsonl'", ""), &cases);
    let number = |name: &str, column: &str| rows[name][column].parse::<f64>().expect("a number");
    assert!(
        number("slow-start", "prepare_ns") > 2e8,
        "its start is its preparation"
    );
    assert!(number("slow-start", "wall_ns") < 2e8, "and not its answer");
    assert_gone("3217004");
}

#[test]
fn contended_mode_keeps_a_process_and_loses_nothing() {
    let bench = Bench::new();
    let serve = format!(
        "echo started >>started\nwhile read -r line; do case $line in *prepare*) echo '{{\"ready\": true}}';; *) {RIGHT};; esac; done"
    );
    let entries =
        bench.script("kept", &serve, "protocol = 'jsonl'") + &bench.script("once", RIGHT, "");
    // One at a time: on a loaded machine a second worker would start a second process.
    let one = ["--jobs", "1"];
    let rows = bench.run("repeats = 4, mode = 'contended'", &entries, &one);
    check(&rows, "kept", "solved", "");
    check(&rows, "once", "solved", "");
    let started = std::fs::read_to_string(bench.path("started")).expect("it was started");
    assert_eq!(started.lines().count(), 1);
    let all = crate::fair::rows(&bench.path("run/records.csv"));
    assert_eq!(all.len(), 8);
}

#[test]
fn memory_is_limited() {
    if !has_python() {
        return;
    }
    let bench = Bench::new();
    let entry = "[[variants]]\nname = 'eats'\ncommand = ['python3', '-c', 'x = bytearray(1 << 30)', '{stdin}']\n";
    let rows = bench.run("repeats = 1, memory_mib = 128", entry, &[]);
    check(&rows, "eats", "out-of-memory", "MemoryError");
}

#[test]
fn a_command_that_cannot_run_is_refused_before_anything_runs() {
    let bench = Bench::new();
    for [name, command, parts] in table(
        "'x' | ['no-such-program', '{stdin}'] | test.toml:10 … `no-such-program` of `x` is not in PATH
        'x' | ['./test.toml', '{stdin}'] | test.toml:10 … is no executable file in
        'x' | ['sh', 'no.sh', '{stdin}'] | test.toml:10 … the script `no.sh` of `x` is no file in
        \"memo\" | ['sh', '{stdin}'] | test.toml:9 … `memo`, which is a variant of reach
        'x' | ['sh', '{setting:stepz}', '{stdin}'] | test.toml:10 … setting of the command x `stepz` … did you mean `steps`?
        'x' | ['sh', '{instanse}'] | test.toml:10 … unknown placeholder `{instanse}`
        'x' | [] | test.toml:10 … is empty",
    ) {
        let parts: Vec<&str> = parts.split(" … ").collect();
        let entry = format!("[[variants]]\nname = {name}\ncommand = {command}\n");
        let file = bench.experiment("repeats = 1", &entry);
        refused(&["run", &file, "--out", &bench.name("run")], "", &parts);
        assert!(!bench.path("run").exists());
    }
}

#[test]
fn what_a_command_names_is_part_of_its_samples_identity() {
    let bench = Bench::new();
    let cell = |more: &[&str]| {
        bench.run("repeats = 1", &bench.script("it", RIGHT, ""), more)["it"].clone()
    };
    let first = cell(&[]);
    std::fs::remove_dir_all(bench.path("run")).expect("removed");
    let again = cell(&[]);
    assert_eq!(first["sample"], again["sample"]);
    let file = bench.name("test.toml");
    std::fs::write(bench.path("it.sh"), format!("{RIGHT} # changed")).expect("written");
    let out = bench.name("run");
    output(&["run", &file, "--out", &out, "--resume", "--quiet"]);
    let rows = rows(&bench.path("run/records.csv"));
    assert_eq!(rows.len(), 2);
    assert_ne!(rows[0]["cell"], rows[1]["cell"]);
    assert_ne!(rows[0]["variant_version"], rows[1]["variant_version"]);
    assert_eq!(rows[0]["question"], rows[1]["question"]);
}

#[test]
fn a_killed_run_takes_its_commands_with_it_and_is_resumed() {
    let bench = Bench::new();
    let script = format!("sleep 0.05\n: 3217005\n{RIGHT}\nsleep 3217005");
    let file = bench.experiment("repeats = 30", &bench.script("it", &script, ""));
    let out = bench.name("run");
    let run = ["run", &file, "--out", &out, "--quiet"];
    let mut child = Command::new(env!("CARGO_BIN_EXE_ikeru"))
        .args(run)
        .spawn()
        .expect("started");
    let records = bench.path("run/records.csv");
    let written = || std::fs::read_to_string(&records).map_or(0, |text| text.lines().count());
    let until = Instant::now() + Duration::from_secs(60);
    while written() < 4 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("killed");
    child.wait().expect("ended");
    assert_gone("3217005");
    assert!((4..31).contains(&written()), "{}", written());
    output(&[&run[..], &["--resume"]].concat());
    let rows = rows(&records);
    let samples: std::collections::BTreeSet<&str> =
        rows.iter().map(|row| row["sample"].as_str()).collect();
    assert_eq!((rows.len(), samples.len()), (30, 30));
    assert!(rows.iter().all(|row| row["outcome"] == "solved"));
}

#[test]
fn settings_of_a_command_multiply() {
    let bench = Bench::new();
    let entry = "[[variants]]\nname = 'it'\ncommand = ['sh', '-c', 'echo \"{\\\"answer\\\": {\\\"reachable\\\": [$0]}}\"', '{setting:end}', '{stdin}']\n\
                 label = 'end {end}'\nset = { end = [1, 2] }\n";
    let rows = bench.run("repeats = 1", entry, &[]);
    check(&rows, "end 1", "wrong", "");
    check(&rows, "end 2", "solved", "");
    assert_eq!(rows["end 1"]["method_end"], "1");
}

#[test]
fn a_command_is_tried_in_one_line() {
    let bench = Bench::new();
    let map = bench.name("ring.csv");
    let tried = |more: &str, script: &str, code: i32| {
        let solve = format!("solve reach {map} --set steps=2 --set god=false{more} -- sh -c");
        said(&[&words(&solve)[..], &[script, "{stdin}"]].concat(), code)
    };
    has(
        &tried("", RIGHT, 0),
        &["referee    ok", "reachable: 1 of 4"],
    );
    let wrong = r#"echo '{"answer": {"reachable": [1]}}'"#;
    has(&tried(" --json", wrong, 3), &[r#""outcome":"wrong""#]);
    let fails = tried("", "echo oh dear >&2; exit 1", 2);
    has(&fails, &["exit status: 1: oh dear"]);
    let hangs = tried(" --limit 300ms", "sleep 3217006", 0);
    has(&hangs, &["outcome    timeout"]);
    assert_gone("3217006");
}

#[test]
fn the_example_in_python_agrees_and_the_liar_is_caught_every_time() {
    if !has_python() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("run");
    let text = std::fs::read_to_string(examples().join("reach.toml")).expect("the example");
    let liar = "[[variants]]\nname = \"liar\"\ncommand = [\"python3\", \"liar.py\", \"{instance}\", \"{setting:steps}\"]\n";
    for file in ["reach.py", "liar.py"] {
        std::fs::copy(examples().join(file), folder.path().join(file)).expect("copied");
    }
    let file = folder.path().join("reach.toml");
    std::fs::write(&file, format!("{text}\n{liar}")).expect("written");
    let plain = |path: &Path| path.display().to_string();
    let (file, into) = (plain(&file), plain(&out));
    let run = ["run", &file, "--out", &into, "--repeats", "1", "--quiet"];
    ikeru(&run).assert().code(3);
    let rows = rows(&out.join("records.csv"));
    let truth: BTreeMap<&str, &str> = rows
        .iter()
        .filter(|row| row["label"] == "memo")
        .map(|row| (row["question"].as_str(), row["score"].as_str()))
        .collect();
    let mut lies = 0;
    for row in &rows {
        let truth: u64 = truth[row["question"].as_str()].parse().expect("a number");
        let is_lie = row["label"] == "liar" && truth.is_multiple_of(2);
        lies += u32::from(is_lie);
        let expected = if is_lie { "wrong" } else { "solved" };
        assert_eq!(row["outcome"], expected, "{row:?}");
        if !is_lie {
            assert_eq!(row["score"], truth.to_string());
        }
    }
    assert!(lies > 0, "the liar never lied");
    let protocol = rows.iter().filter(|row| row["label"] == "protocol");
    assert_eq!(protocol.count(), truth.len());
}

#[test]
fn the_example_in_cpp_counts_the_nodes_of_the_plain_search() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name).display().to_string();
    let source = examples().join("trail.cpp");
    let built = Command::new("c++")
        .args(["-O1", "-o", &file("trail")])
        .arg(source)
        .status();
    if !built.is_ok_and(|status| status.success()) {
        eprintln!("skipped: there is no C++ compiler");
        return;
    }
    std::fs::copy(examples().join("trail.toml"), file("trail.toml")).expect("copied");
    let (file, out) = (file("trail.toml"), file("run"));
    output(&["run", &file, "--out", &out, "--repeats=1", "--quiet"]);
    let rows = rows(&folder.path().join("run/records.csv"));
    let found = |row: &Row| ["score", "counter_nodes"].map(|name| row[name].clone());
    let plain: BTreeMap<&str, [String; 2]> = rows
        .iter()
        .filter(|row| row["label"] == "dfs")
        .map(|row| (row["question"].as_str(), found(row)))
        .collect();
    for row in rows.iter().filter(|row| row["label"].starts_with("cpp")) {
        assert_eq!(
            (row["outcome"].as_str(), row["exact"].as_str()),
            ("solved", "true"),
            "{row:?}"
        );
        assert_eq!(found(row), plain[row["question"].as_str()]);
    }
}
