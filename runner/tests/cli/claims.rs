//! The claims of a text beside an experiment: `claims.toml`.

use std::path::Path;

use crate::{has, output, refused};

const EXPERIMENT: &str = "name = 'NAME'\ntitle = 'Sizes'\n[problem]\ndirection = 'equal'\nscore = 'Score = {score}'\n\
    [[variants]]\nname = 'a'\ncommand = ['sh', '-c', 'echo Score = 4; echo \"#s steps 6\" >&2']\ncounters = ['steps']\n\
    [[variants]]\nname = 'b'\ncommand = ['sh', '-c', 'echo Score = 4; echo \"#s steps 3\" >&2']\ncounters = ['steps']\n\
    [[instances]]\nfiles = 'one.txt'\n";
const CLAIMS: &str = "source = 'Doe'\nreference = 'Twice as fast, 2024'\n\
    [[figures]]\nid = 'doe/twice'\nplace = 'table 1'\nclaim = 'A takes twice as many steps'\nvalue = 2\nclaims = 'exact'\n\
    ours = { experiment = 'first', column = 'counter_steps', where = { label = 'a' }, is.ratio_to = { label = 'b' } }\n\
    [[figures]]\nid = 'doe/seven'\nplace = 'table 2'\nclaim = 'A takes seven steps'\nvalue = 7\nclaims = 'exact'\n\
    ours = { experiment = 'second', column = 'counter_steps', where = { label = 'a' } }\n\
    [[figures]]\nid = 'doe/1999'\nplace = 'table 2'\nclaim = 'it took an hour in 1999'\nvalue = 1\nunit = 'h'\n\
    verdict = 'not-comparable'\n";

fn paper(folder: &Path, claims: &str) {
    for name in ["first", "second"] {
        let text = EXPERIMENT.replace("NAME", name);
        std::fs::write(folder.join(format!("{name}.toml")), text).expect("written");
    }
    std::fs::write(folder.join("one.txt"), "1\n").expect("written");
    std::fs::write(folder.join("claims.toml"), claims).expect("written");
}

#[test]
fn a_folder_with_claims_is_a_book_of_its_own() {
    let inside = tempfile::tempdir().expect("a folder");
    let (folder, run) = (inside.path().join("paper"), inside.path().join("run"));
    std::fs::create_dir(&folder).expect("made");
    paper(&folder, CLAIMS);
    let [typed, out] = [&folder, &run].map(|path| path.display().to_string());
    let said = output(&["run", &typed, "--out", &out]);
    has(
        &said,
        &[
            "differs         doe/seven  7 (exactly 7)            6",
            "reproduced      doe/twice  2 (exactly 2)            2",
            "not comparable  doe/1999 ",
            "1 reproduced · 1 fact differs · 1 not comparable",
        ],
    );
    let page = |name: &str| std::fs::read_to_string(run.join(name)).expect("a page");
    has(
        &page("index.html"),
        &["<h1>Twice as fast, 2024</h1>", "data-filter=\"verdict\""],
    );
    has(
        &page("doe.html"),
        &["id=\"first\"", "id=\"claim-doe&#x2f;seven\""],
    );
    assert!(!page("index.html").contains("poverty god"));
    // The run folder holds the claims, wherever the text is; a resumed run reads them again.
    let json = |arguments: &[&str]| -> serde_json::Value {
        serde_json::from_str(&output(arguments)).expect("JSON")
    };
    paper(&folder, &CLAIMS.replace("value = 7", "value = 6"));
    let verdicts = |found: &serde_json::Value| found["verdicts"][0]["text"].clone();
    assert_eq!(verdicts(&json(&["report", &out, "--json"])), "1 reproduced");
    let resumed = json(&["run", &typed, "--out", &out, "--resume", "--json"]);
    assert_eq!(verdicts(&resumed), "2 reproduced");
    assert_eq!(resumed["samples"], 4);
    // A file is named without its folder, and one that is wrong hides no other.
    std::fs::write(folder.join("third.toml"), "name = ").expect("written");
    let here = std::process::Command::new(env!("CARGO_BIN_EXE_ikeru"))
        .args(["run", "first.toml", "-o", "here", "-q"])
        .current_dir(&folder)
        .output();
    let here = here.expect("started");
    assert!(
        here.status.success(),
        "{}",
        String::from_utf8_lossy(&here.stderr)
    );
    std::fs::remove_file(folder.join("third.toml")).expect("removed");
    let alone = folder.join("second.toml").display().to_string();
    let out = format!("{out}-alone");
    let said = output(&[
        "run",
        &alone,
        "-o",
        &out,
        "--until-decided",
        "--budget",
        "1s",
    ]);
    assert!(
        !said.contains("doe/twice") && said.contains("1 not measured"),
        "{said}"
    );
}

#[test]
fn a_slip_in_claims_has_its_file_and_line() {
    for (from, to, part) in [
        (
            "place",
            "plaec",
            "claims.toml:5: doe/twice: unknown key `plaec`",
        ),
        (
            "doe/seven",
            "doe/twice",
            "claims.toml:4: the figure `doe/twice` stands twice",
        ),
        (
            "value = 2",
            "",
            "claims.toml:4: doe/twice: expected a `value` or a `band`",
        ),
        (
            "'second'",
            "'secnod'",
            "claims.toml:11: doe/seven: unknown experiment `secnod`, did you mean `second`? (known: first, second)",
        ),
    ] {
        let inside = tempfile::tempdir().expect("a folder");
        paper(inside.path(), &CLAIMS.replacen(from, to, 1));
        let file = inside.path().join("first.toml").display().to_string();
        refused(&["run", &file], "", &[part]);
    }
    let inside = tempfile::tempdir().expect("a folder");
    paper(
        inside.path(),
        &CLAIMS.replacen("counter_steps", "counter_stesp", 1),
    );
    let [file, out] =
        ["first.toml", "run"].map(|name| inside.path().join(name).display().to_string());
    let said = output(&["run", &file, "-o", &out]);
    has(
        &said,
        &["not measured in this run", "no column `counter_stesp`"],
    );
}
