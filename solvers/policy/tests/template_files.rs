//! Files of the user: templates are read when the question is asked, weights when a solver is prepared; the text of both
//! is a part of what was measured.

use std::path::PathBuf;

use ikeru_core::testing::settings;
use ikeru_core::{Deadline, Direction, Incumbent, Search, Settings, Value, erase};
use ikeru_policy::Build;
use ikeru_policy::templates::weights::NamedWeights;

/// A file that is deleted after the test.
struct File(PathBuf);

impl File {
    fn new(name: &str) -> Self {
        let name = format!("ikeru-{}-{name}.txt", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    fn write(&self, text: &str) {
        std::fs::write(&self.0, text).expect("a file in the temporary folder");
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

const FLAT: &str = "# flat\nAAAA..\n";
const TALL: &str = "# tall\n.....A\n.....A\n.....A\n.....A\n";

#[test]
fn an_edited_file_is_another_question() {
    let file = File::new("edited");
    let problem = erase::<Build>();
    let names = Value::Text(file.0.display().to_string());
    let settings = Settings::from_iter([("templates", names)]);
    file.write(FLAT);
    let flat = problem.content(&settings);
    assert_eq!(flat, FLAT);
    file.write(TALL);
    assert_ne!(problem.content(&settings), flat);
    let built_in = Settings::from_iter([("templates", Value::Text("stairs".to_owned()))]);
    assert_eq!(problem.content(&built_in), "");
    assert_eq!(problem.content(&Settings::new()), "");
}

#[test]
fn the_referee_judges_by_the_text_that_was_asked_about() {
    let file = File::new("judged");
    let problem = erase::<Build>();
    file.write(FLAT);
    let settings = Settings::from_iter([
        ("templates", Value::Text(file.0.display().to_string())),
        ("goal", Value::Text("template".to_owned())),
    ]);
    let game = problem
        .generate("build.sequence", &Settings::new(), 1)
        .expect("a game");
    let game = game.ask(&settings).expect("a question");
    let solve = || {
        let solver = game.prepare("template", &Settings::new(), Deadline::never());
        let mut solver = solver.expect("a policy");
        let incumbent = Incumbent::new(Direction::Maximize);
        solver.solve(&mut Search::new(&incumbent));
        (solver.answer_json(), solver.referee(Deadline::never()))
    };
    let before = solve();
    let checked = before.1.clone().expect("an answer").expect("a game");
    assert!(
        checked.measures.contains(&("completed", 1.0)),
        "{checked:?}"
    );
    for edited in [Some(TALL), Some("no template"), None] {
        match edited {
            Some(text) => file.write(text),
            None => std::fs::remove_file(&file.0).expect("the file"),
        }
        assert_eq!(solve(), before, "{edited:?}");
    }
}

/// The placements of `variant` with the settings `method`, on the question `asked` to three sequences.
fn placements(variant: &str, method: &str, asked: &str) -> [serde_json::Value; 3] {
    [1, 2, 3].map(|seed| placements_of(seed, variant, method, asked))
}

fn placements_of(seed: u64, variant: &str, method: &str, asked: &str) -> serde_json::Value {
    let problem = erase::<Build>();
    let game = problem
        .generate("build.sequence", &Settings::new(), seed)
        .expect("a game");
    let game = game.ask(&settings(asked)).expect("a question");
    let solver = game.prepare(variant, &settings(method), Deadline::never());
    let mut solver = solver
        .map_err(|refusal| refusal.to_string())
        .expect("a policy");
    let incumbent = Incumbent::new(Direction::Maximize);
    solver.solve(&mut Search::new(&incumbent));
    solver.answer_json().expect("an answer")["placements"].clone()
}

#[test]
fn weights_of_a_file_compare_leaves_and_complete_no_template() {
    let file = File::new("weights");
    let weights = format!("leaf_weights={}", file.0.display());
    let letters: String = ('A'..='H').map(|letter| format!("{letter} 5\n")).collect();
    let rows: String = (1..=13).map(|row| format!("row-{row} 2\n")).collect();
    file.write(&format!("# all 10\n{letters}border 5 # as well\n{rows}"));
    for border in ["hard", "soft"] {
        let asked = format!("goal=template border={border}");
        let uniform = placements("template", "", &format!("{asked} weights=uniform"));
        assert_eq!(placements("template", &weights, &asked), uniform);
        assert_ne!(placements("template", "", &asked), uniform);
    }
    file.write(&format!(
        "{letters}border 3\nrow-2 0.5\ncolumn-6 3.5\nb1 0.25\n"
    ));
    for asked in [
        "border=soft completion_match=0.8 completion=match",
        "border=hard completion=match",
        "border=soft",
    ] {
        let asked = format!("goal=template moves=14 {asked}");
        let naive = placements("template-matrices", &format!("depth=1 {weights}"), &asked);
        assert_eq!(
            placements("template", &format!("depth=1 {weights}"), &asked),
            naive,
            "{asked}"
        );
    }
    let method = Settings::from_iter([("leaf_weights", Value::Text(file.0.display().to_string()))]);
    assert!(
        erase::<Build>().content(&method).contains("column-6 3.5"),
        "another file is another cell"
    );
}

#[test]
fn learned_weights_play_all_variants_that_match_templates() {
    for set in ["stairs", "sandwich"] {
        let weights = "depth=2 leaf_weights=learned";
        for (variant, goal) in [("template", "template"), ("combined", "chain")] {
            let asked = format!("templates={set} goal={goal}");
            let own = placements(variant, "depth=2", &asked);
            assert_ne!(placements(variant, weights, &asked), own, "{variant} {set}");
        }
    }
}

#[test]
fn a_bad_file_of_weights_says_where_and_what() {
    for (text, message) in [
        (
            "A 1\n\nZZ 1\n",
            "w:3: `ZZ 1`, expected a capital, `border`, `row-1`, `column-1` or a cell like `a1`",
        ),
        ("A 1\nA 2\n", "w:2: `A 2`, expected each name once"),
        (
            "A 0\n",
            "w:1: `A 0`, expected a number above 0 and at most 10000",
        ),
        ("A\n", "w:1: `A`, expected a name and its number"),
    ] {
        let error = NamedWeights::read(text, "w").expect_err(text);
        assert_eq!(error.message, message);
    }
    let file = File::new("few-weights");
    file.write("A 1\n");
    let game = erase::<Build>()
        .generate("build.sequence", &Settings::new(), 1)
        .expect("a game");
    let weights = settings(&format!("leaf_weights={}", file.0.display()));
    let refused = game
        .prepare("template", &weights, Deadline::never())
        .err()
        .expect("a refusal");
    assert!(
        refused.to_string().contains(": no weight for `"),
        "{refused}"
    );
}
