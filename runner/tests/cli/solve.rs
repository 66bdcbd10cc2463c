//! Instances that are generated, solved and read back.

use serde_json::Value as Json;

use crate::{RING, has, ikeru, output, refused, shared_data, words};

fn json(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn solve_text(problem: &str, text: &str, more: &[&str]) -> Json {
    let arguments = [&["solve", problem, "-", "--json"], more].concat();
    let done = ikeru(&arguments).write_stdin(text).assert().success();
    json(&String::from_utf8_lossy(&done.get_output().stdout))
}

#[test]
fn a_small_map_is_solved_from_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("ring.csv");
    std::fs::write(&file, RING).expect("written");
    let file = file.to_str().expect("a plain path");
    let solve = format!("solve reach {file} --set steps=2 --json");
    let solved = json(&output(&words(&solve)));
    let keys =
        "problem variant instance outcome score exact referee wall_ns counters measures answer";
    for key in words(keys) {
        assert!(solved.get(key).is_some(), "no `{key}` in {solved}");
    }
    assert_eq!(solved["answer"]["reachable"], serde_json::json!([2]));
    assert_eq!(solved["referee"], "ok");
    assert_eq!(solved["instance"]["size"], 4);
    let text = output(&["solve", "reach", file, "--variant", "memo"]);
    has(&text, &["referee    ok"]);
}

#[test]
fn nothing_reached_is_said() {
    let solve = words("solve reach - --set steps=5 --set god=false");
    let done = ikeru(&solve).write_stdin("2\n\n\n1\n0\n-1\n").assert();
    let text = String::from_utf8_lossy(&done.success().get_output().stdout).into_owned();
    has(&text, &["reachable: 0 of 2 vertices: none\n"]);
}

#[test]
fn a_byte_order_mark_is_no_part_of_an_instance() {
    let board = format!("\u{feff}{}", output(&["generate", "trail.example"]));
    ikeru(&["solve", "trail", "-"])
        .write_stdin(board)
        .assert()
        .success();
}

#[test]
fn the_shared_sample_in_ten_steps() {
    let Some(file) = shared_data("reach/sample-24.csv") else {
        return;
    };
    let file = file.to_str().expect("a plain path");
    for variant in ["memo", "memo-flat", "arrivals", "slots"] {
        let solve = format!("solve reach {file} --set steps=10 --variant {variant} --json");
        let solved = json(&output(&words(&solve)));
        let expected: Vec<u64> = (0..24).filter(|v| ![0, 16, 17].contains(v)).collect();
        assert_eq!(solved["answer"]["reachable"], serde_json::json!(expected));
    }
}

#[test]
fn a_scenario_opens_its_map_beside_it() {
    let Some(file) = shared_data("path/arena2.map.scen") else {
        return;
    };
    let file = file.to_str().expect("a plain path");
    let solved = json(&output(&["solve", "path", file, "--json"]));
    assert_eq!(solved["measures"]["published_checked"], 929.0);
}

#[test]
fn every_problem_solves_what_it_generates() {
    for (generator, problem) in [
        ("reach.rail", "reach"),
        ("routes.full-grid", "routes"),
        ("trail.example", "trail"),
        ("path.article", "path"),
        ("chain.long-chain", "chain"),
    ] {
        let text = output(&["generate", generator, "--seed", "3"]);
        let solved = solve_text(problem, &text, &["--limit", "60s", "--private"]);
        assert_eq!(solved["outcome"], "solved", "{generator}");
        assert_eq!(solved["referee"], "ok", "{generator}");
    }
}

#[test]
fn plain_search_proves_the_trail_of_the_article() {
    let example = output(&["generate", "trail.example"]);
    let trail = solve_text("trail", &example, &["--variant", "dfs"]);
    assert_eq!(
        (&trail["score"], &trail["exact"]),
        (&json("36"), &json("true"))
    );
}

#[test]
fn a_seed_means_one_instance() {
    let made = |seed| output(&["generate", "trail.random", "--seed", seed]);
    assert_eq!(made("5"), made("5"));
    assert_ne!(made("5"), made("6"));
}

#[test]
fn lists_are_printed() {
    assert!(output(&["list", "variants", "reach"]).contains("memo-flat"));
    assert!(output(&["list", "experiments"]).contains("ikerukana-table"));
    assert!(output(&["list", "generators", "-v"]).contains("--set width=30"));
}

#[test]
fn every_subcommand_has_an_example() {
    for command in ["solve", "generate", "list"] {
        has(&output(&[command, "--help"]), &["Example"]);
    }
}

#[test]
fn a_certificate_is_written_and_verified_and_a_forged_one_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (board, proof) = (path("board.txt"), path("proof.txt"));
    let generate = |seed: u32, file: &str| {
        let set = "--set width=5 --set height=5";
        output(&words(&format!(
            "generate trail.random --seed {seed} {set} -o {file}"
        )))
    };
    generate(3, &board);
    let solved = output(&["solve", "trail", &board, "--json", "--certificate", &proof]);
    let score = json(&solved)["score"].clone();
    let verify = format!("solve --verify {proof} --instance {board} --json");
    let verified = json(&output(&words(&verify)));
    assert_eq!(verified["score"], score);
    assert!(verified["leaves"].as_u64() > Some(0));
    assert!(output(&["solve", "--verify", &proof]).contains("no answer has a better score"));

    let text = std::fs::read_to_string(&proof).expect("written");
    let forged = path("forged.txt");
    let refused = |text: &str, message: &str| {
        std::fs::write(&forged, text).expect("written");
        let verify = ["solve", "--verify", &forged];
        refused(&verify, "", &["forged.txt", message]);
    };
    let without_leaf: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with("leaf"))
        .collect();
    refused(&without_leaf.join("\n"), "expected");
    refused(&text[..text.len() / 2], "");
    refused(&text.replace("score ", "score 1"), "claimed");
    refused("ikeru certificates\n", "expected `ikeru certificate `");
    let other = path("other.txt");
    generate(4, &other);
    for command in [
        format!("solve --verify {proof} --instance {other}"),
        format!("solve trail {board} --variant dominance --certificate {proof}"),
    ] {
        ikeru(&words(&command)).assert().code(2);
    }
}
