//! Files and answers as other people write them: scenarios, maps from spreadsheets, answers of commands.

use std::fs;

use tempfile::TempDir;

use crate::fair::rows;
use crate::{has, output, said};

/// Four by three cells with a wall.
const MAP: &str = "type octile\nheight 3\nwidth 4\nmap\n....\n.@..\n....\n";
/// A shortest path of it from 0,0 to 3,2, of the length 3 + √2.
const PATH: &str = "[[0,0],[1,0],[2,0],[3,1],[3,2]]";

/// A row of a scenario of [`MAP`] from 0,0 to 3,2 that publishes a length.
fn row(length: &str) -> String {
    format!("0\ts.map\t4\t3\t0\t0\t3\t2\t{length}\n")
}

/// A folder with the map and these files.
struct Place {
    inside: TempDir,
}

impl Place {
    fn new(files: &[(&str, &str)]) -> Self {
        let place = Self {
            inside: tempfile::tempdir().expect("a folder"),
        };
        for (name, text) in [("s.map", MAP)].iter().chain(files) {
            place.write(name, text);
        }
        place
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.text(name), text).expect("written");
    }

    fn text(&self, name: &str) -> String {
        self.inside.path().join(name).display().to_string()
    }

    /// What `solve` says of a file, with the exit code that is expected.
    fn solved(&self, problem: &str, file: &str, more: &[&str], code: i32) -> String {
        said(
            &[&["solve", problem, &self.text(file)], more].concat(),
            code,
        )
    }

    /// The same where a command gives the answer.
    fn answered(
        &self,
        problem: &str,
        file: &str,
        (sets, answer): (&[&str], &str),
        code: i32,
    ) -> String {
        self.write("answer.json", &format!("{{\"answer\":{answer}}}\n"));
        let answer = self.text("answer.json");
        let command = ["--", "cat", &answer, "{stdin}"];
        self.solved(problem, file, &[sets, &command].concat(), code)
    }
}

/// The value of a line of `solve`, such as `referee` or `measure    left_out`.
fn line<'a>(text: &'a str, name: &str) -> &'a str {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix(name));
    lines
        .next()
        .unwrap_or_else(|| panic!("{name}: {text}"))
        .trim()
}

#[test]
fn a_published_length_that_no_path_has_is_not_the_solvers_fault() {
    let scenario = format!("version 1\n{}{}", row("4.24264069"), row("4.41421356"));
    let place = Place::new(&[("s.map.scen", &scenario)]);
    for variant in ["heap", "jps", "dijkstra"] {
        let text = place.solved("path", "s.map.scen", &["--variant", variant], 0);
        assert_eq!(line(&text, "outcome"), "solved");
        assert_eq!(line(&text, "measure    published_checked"), "2");
        assert_eq!(line(&text, "measure    published_contradicted"), "1");
    }
}

#[test]
fn a_run_warns_of_published_lengths_that_no_path_has() {
    let rows = ["4.24264069", "4.41421356", "5"].map(row).concat();
    let rows = format!("version 1\n{rows}");
    let experiment = "name = \"own\"\ntitle = \"Own\"\nproblem = \"path\"\nvariants = [\"heap\", \"jps\"]\n\
                      [[instances]]\nfiles = \"s.map.scen\"\n[run]\nrepeats = 2\n";
    let place = Place::new(&[("s.map.scen", &rows), ("own.toml", experiment)]);
    let (file, out) = (place.text("own.toml"), place.text("run"));
    let told = said(&["run", &file, "-o", &out], 0);
    let warning = "whose published length is not that of the shortest path: 2\n";
    assert!(told.contains(warning), "{told}");
    let page = fs::read_to_string(format!("{out}/index.html")).expect("a page");
    assert!(page.contains(warning.trim_end()), "{page}");
    // Asked by tenths, as published scenarios are, there are as many.
    let other = row("1").replacen("s.map", "other.map", 1);
    let rows = rows + &row("9").repeat(15) + &other.repeat(2);
    let parts = "settings = { tenth = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] }\n[[instances]]";
    let tenths = experiment.replacen("[[instances]]", parts, 1);
    let place = Place::new(&[("s.map.scen", &rows), ("own.toml", &tenths)]);
    let told = said(
        &["run", &place.text("own.toml"), "-o", &place.text("run")],
        0,
    );
    assert!(told.contains(&warning.replace(": 2", ": 17")), "{told}");
    assert!(told.contains("or the map is another: 2"), "{told}");
}

#[test]
fn a_published_length_without_any_path_is_told() {
    let map = format!(
        "type octile\nheight 3\nwidth 5\nmap\n{}",
        "..@..\n".repeat(3)
    );
    let rows = ["0 0 4 0 4", "0 0 1 0 1"].map(|row| format!("0 a.map 5 3 {row}\n"));
    let rows = format!("version 1\n{}", rows.concat().replace(' ', "\t"));
    let place = Place::new(&[("a.map", &map), ("a.map.scen", &rows)]);
    let text = place.solved("path", "a.map.scen", &[], 0);
    assert!(text.contains("2 queries, 1 with a path"), "{text}");
    assert_eq!(line(&text, "measure    published_checked"), "2");
    assert_eq!(line(&text, "measure    published_contradicted"), "1");
}

#[test]
fn a_path_that_is_not_claimed_to_be_shortest_may_be_longer() {
    let scenario = format!("version 1\n{}", row("-1"));
    let detour = "{\"path\":[[0,0],[0,1],[0,2],[1,2],[2,2],[3,2]],\"cost\":5}";
    let place = Place::new(&[("s.map.scen", &scenario)]);
    let proven = |proven: bool, code| {
        let answer = format!("{detour},\"proven\":{proven}");
        place.answered("path", "s.map.scen", (&[], &answer), code)
    };
    let text = proven(true, 3);
    has(line(&text, "referee"), &["the shortest has 4.41421"]);
    let text = proven(false, 0);
    assert_eq!(line(&text, "referee"), "ok");
    let excess = line(&text, "measure    excess_percent");
    assert!(excess.starts_with("13.27"), "{text}");
    // The same by the entry of an experiment.
    place.write("answer.json", &format!("{{\"answer\":{detour}}}\n"));
    let entry = |exact: bool| {
        format!(
            "[[variants]]\nname = '{exact}'\ncommand = ['cat', 'answer.json', '{{stdin}}']\nexact = {exact}\n"
        )
    };
    let head = "name = 'e'\ntitle = 't'\nabout = 'a'\nproblem = 'path'\nrun = { repeats = 1 }\n\
                instances = [{ files = 's.map.scen' }]\n";
    place.write("e.toml", &format!("{head}{}{}", entry(true), entry(false)));
    let (file, out) = (place.text("e.toml"), place.text("run"));
    said(&["run", &file, "--out", &out, "--quiet"], 3);
    let mut rows = rows(&place.inside.path().join("run/records.csv"));
    rows.sort_by(|a, b| a["label"].cmp(&b["label"]));
    let outcomes = rows
        .iter()
        .map(|row| (row["label"].as_str(), row["outcome"].as_str()));
    let expected = [("false", "solved"), ("true", "wrong")];
    assert_eq!(outcomes.collect::<Vec<_>>(), expected);
}

#[test]
fn what_an_answer_claims_beside_its_path_is_checked() {
    let place = Place::new(&[]);
    let sets = ["--set", "start=0,0", "--set", "goal=3,2"];
    let answered = |cost: &str, code: i32| {
        let answer = format!("{{\"path\":{PATH}{cost}}}");
        place.answered("path", "s.map", (&sets, &answer), code)
    };
    for cost in ["", ",\"cost\":4.414213562373095", ",\"cost\":4.41421"] {
        assert_eq!(line(&answered(cost, 0), "referee"), "ok");
    }
    let claims = ",\"cost\":99,\"straight_hundredths\":300,\"diagonal_hundredths\":100";
    has(line(&answered(claims, 3), "referee"), &["claims `cost` 99"]);
}

#[test]
fn one_row_is_answered_as_many_are() {
    let one = format!("version 1\n{}", row("-1"));
    let two = one.clone() + &row("-1");
    let place = Place::new(&[("one.scen", &one), ("two.scen", &two)]);
    let answer = format!("{{\"path\":{PATH}}}");
    for (file, answer) in [
        ("one.scen", answer.clone()),
        ("one.scen", format!("[{answer}]")),
        ("two.scen", format!("[{answer},{answer}]")),
    ] {
        let text = place.answered("path", file, (&[], &answer), 0);
        assert_eq!(line(&text, "referee"), "ok");
    }
    for bare in [
        format!("[[{PATH},300,100]]"),
        format!("[{answer},{answer}]"),
    ] {
        let text = place.answered("path", "one.scen", (&[], &bare), 3);
        assert_eq!(line(&text, "outcome"), "wrong");
    }
}

#[test]
fn brackets_are_letters_of_a_files_name() {
    let scenario = format!("version 1\n{}", row("4.41421356").repeat(10));
    let place = Place::new(&[("s[1].map.scen", &scenario)]);
    let maps = place.text("maps [2012]");
    fs::create_dir(&maps).expect("a folder");
    place.write("maps [2012]/s.map", MAP);
    place.write("maps [2012]/s.map.scen", &scenario);
    let set = format!("maps={maps}");
    output(&["run", "movingai", "--set", &set, "--list"]);
    for files in ["s[1].map.scen", "s[1].*.scen", "maps [2012]/*.scen"] {
        place.write(
            "e.toml",
            &format!(
                "name = 'e'\ntitle = 't'\nabout = 'a'\nproblem = 'path'\nvariants = ['heap']\n\
                 instances = [{{ files = '{files}' }}]\n"
            ),
        );
        output(&["run", &place.text("e.toml"), "--list"]);
    }
}

#[test]
fn a_map_from_a_spreadsheet_is_read() {
    for map in [
        "4,\n1,3\n0,2\n1,3\n0,2\n1\n0\n-1\n",
        "4,\n1,3\n0,2\n1,3\n0,2\n1,\n0,\n-1,\n",
        "\u{feff}4,,\r\n1,3,\r\n0,2,\r\n1,3,\r\n0,2,\r\n1,,\r\n0,,\r\n-1,,\r\n",
        "5,,\n1,3,\n0,2,4\n1,3,\n0,2,\n1,,\n1,,\n0,,\n-1,,\n",
        "4\n1,3,\n0,2,\n1,3,\n0,2,\n1\n0\n-1\n",
    ] {
        let place = Place::new(&[("m.csv", map)]);
        let text = place.solved("reach", "m.csv", &["--set", "steps=2"], 0);
        assert!(text.contains("reachable: "), "{map}: {text}");
        assert!(text.contains(" vertices: 2"), "{map}: {text}");
    }
}

#[test]
fn an_answer_has_the_letters_of_its_file() {
    let place = Place::new(&[
        ("f.txt", "ABBBA.\nAAABC.\n"),
        ("d.txt", "BBB.C.\npieces: BB AD\n"),
    ]);
    let text = place.solved("chain", "f.txt", &["--json"], 0);
    let solved: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let rest = solved["answer"]["fields"][0]["rest"]
        .as_array()
        .expect("a field");
    assert_eq!(rest[rest.len() - 2..], ["....A.", "....C."], "{text}");
    let text = place.solved("deep", "d.txt", &[], 0);
    assert!(text.contains("BB at ") && !text.contains("GG"), "{text}");
}

#[test]
fn totals_of_an_answer_are_checked() {
    let place = Place::new(&[("c.txt", "RRRR..\n"), ("d.txt", "RRR...\npieces: RG GG\n")]);
    let field = "\"fields\":[{\"chains\":1,\"cleared\":4,\"attack\":0,\"rest\":[\"......\"]}]";
    let chain = |claims: &str, code| {
        let answer = format!("{{{claims}{field}}}");
        place.answered("chain", "c.txt", (&[], &answer), code)
    };
    assert_eq!(
        line(&chain("\"chains\":1,\"cleared\":4,", 0), "referee"),
        "ok"
    );
    let text = chain("\"chains\":9,\"cleared\":99,\"attack\":77,", 3);
    assert!(line(&text, "referee").contains("claims `"), "{text}");
    let deep = |claims: &str, code| {
        let answer = format!("{{\"value\":1,\"placements\":[\"4U\"]{claims}}}");
        place.answered("deep", "d.txt", (&["--set", "goal=chains"], &answer), code)
    };
    assert_eq!(line(&deep("", 0), "referee"), "ok");
    let text = deep(",\"chains\":7,\"attack\":99,\"cleared\":50", 3);
    assert!(line(&text, "referee").contains("claims `"), "{text}");
}
