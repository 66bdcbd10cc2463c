//! The commands that a page offers to copy: each measures the cell of its row, and nothing else.

use std::path::Path;

use crate::ikeru;

/// The commands that the page of a run offers to copy: the article's command, and the identity of a row's cell.
fn copied(run: &Path) -> Vec<(String, String)> {
    let page = crate::pages_of(run);
    let between = |text: &str, from: &str| {
        let (_, rest) = text.split_once(from)?;
        Some(rest.split_once('"')?.0.to_owned())
    };
    let mut commands = Vec::new();
    for article in page.split("<article ").skip(1) {
        let again = between(article, "data-again=\"").expect("a command");
        let again = [("&#x2f;", "/"), ("&#x27;", "'"), ("&amp;", "&")]
            .iter()
            .fold(again, |text, (from, to)| text.replace(from, to));
        let cells = between(article, "data-cells=\"").expect("cells");
        commands.extend(
            cells
                .split(' ')
                .map(|cell| (again.clone(), cell.to_owned())),
        );
    }
    commands
}

/// The column `cell` of a run.
fn cells_of(run: &Path) -> std::collections::BTreeSet<String> {
    let rows = crate::fair::rows(&run.join("records.csv"));
    rows.into_iter()
        .map(|mut row| row.remove("cell").expect("a column"))
        .collect()
}

/// Two seeds, a list with commas, a setting that is part of a label and that a plot names, several policies.
const COPIED: &str = r#"
name = "copied"
title = "Commands with spaces and lists"
about = "Lower is faster."
problem = "path"
variants = ["dijkstra", { name = "heap", label = "heap, tie {tie}", set = { tie = ["first-in", "low-h"] } }]
instances = [{ generator = "path.terrain", label = "it's terrain", seeds = [4, 5], set = { width = 8, height = 8 } }]
run = { repeats = 1, sample = "1us", warm_up = "1us", bound_policy = ["private", "shared"] }

[[plots]]
name = "ties"
title = "First in, first out"
kind = "strip"
x = "label"
y = "counter_expansions"
where = { label = "heap, tie first-in" }
"#;

#[test]
fn every_copied_command_selects_its_own_cell_and_no_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a file's.toml");
    std::fs::write(&file, COPIED).expect("written");
    let file = file.to_str().expect("plain letters");
    let mut tried = 0;
    for (name, arguments) in [
        ("own", &[file, "--seed", "3", "--mode", "contended"][..]),
        ("lists", &["astar-example-costs", "--repeats", "1"]),
        (
            "labels",
            &["puyo-selections", "--repeats", "1", "--limit", "200ms"],
        ),
    ] {
        let run = folder.path().join(name);
        let out = run.to_str().expect("plain letters");
        let words = [&["run", "--quiet", "--out", out], arguments].concat();
        ikeru(&words).assert().success();
        let commands = copied(&run);
        let cells = cells_of(&run);
        // The table on the page ends after 8 cells.
        assert_eq!(commands.len(), cells.len().min(8), "{name}");
        for (at, (again, cell)) in commands.iter().enumerate() {
            let same: Vec<&String> = cells.iter().filter(|id| id.starts_with(cell)).collect();
            assert_eq!(same.len(), 1, "{cell}");
            let command = again.strip_prefix("ikeru ").expect("a command line");
            // The command as a user pastes it; the first one runs to its end.
            let (flags, again_in) = (" --list", folder.path().join(format!("{name}-again")));
            let flags = match at {
                0 => format!(" --quiet --out {}", again_in.display()),
                _ => flags.to_owned(),
            };
            let pasted = format!(
                "{} {command} --cell {cell}{flags}",
                env!("CARGO_BIN_EXE_ikeru")
            );
            let done = assert_cmd::Command::new("sh")
                .args(["-c", &pasted])
                .assert();
            let done = done.success();
            if at == 0 {
                assert_eq!(
                    cells_of(&again_in).iter().collect::<Vec<_>>(),
                    same,
                    "{pasted}"
                );
            } else {
                let list = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
                let row = list.lines().nth(1).expect("a row");
                let words: Vec<&str> = row.split_whitespace().collect();
                assert_eq!(words[1], "1", "{pasted}: {list}");
            }
            tried += 1;
        }
    }
    assert!(tried > 20, "{tried} commands");
}
