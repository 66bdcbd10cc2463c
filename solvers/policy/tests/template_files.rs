//! Template files of the user: a file is read when the question is asked, and its text is a part of the question.

use std::path::PathBuf;

use ikeru_core::{Deadline, Direction, Incumbent, Search, Settings, Value, erase};
use ikeru_policy::Build;

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
