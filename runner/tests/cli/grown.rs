//! A run folder that grows: the loop of edit, compile, run.

use crate::{output, said};

struct Loop {
    inside: tempfile::TempDir,
}

impl Loop {
    fn path(&self, name: &str) -> String {
        self.inside.path().join(name).display().to_string()
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.inside.path().join(name), text).expect("written");
    }

    /// An experiment of these variants, which print their seed and what their script adds.
    fn experiment(&self, variants: &[&str], more: &str) {
        let entry = |name: &&str| {
            format!(
                "[[variants]]\nname = '{name}'\ncommand = ['sh', '{name}.sh']\nfiles = ['{name}.sh']\n"
            )
        };
        let variants: String = variants.iter().map(entry).collect();
        self.write(
            "e.toml",
            &format!(
                "name = 'e'\ntitle = 't'\nabout = 'a'\n[problem]\ndirection = 'maximize'\ngenerate = ['echo', '{{seed}}']\n\
                 referee = ['sh', '-c', 'echo {{\\\"score\\\": $(cat $0)}}', '{{answer}}']\n\
                 [run]\nmode = 'contended'\n{variants}[[instances]]\nseeds = {{ from = 1, to = 12 }}\n{more}"
            ),
        );
    }

    /// Resumes the run, and returns what it says and the number of rows.
    fn resume(&self, more: &[&str]) -> (String, usize) {
        let (file, out) = (self.path("e.toml"), self.path("out"));
        let told = said(&[&["run", &file, "-o", &out, "--resume"], more].concat(), 0);
        let rows = std::fs::read_to_string(self.path("out/records.csv")).expect("rows");
        (told, rows.lines().count() - 1)
    }
}

#[test]
fn a_folder_takes_what_is_missing_whatever_changed() {
    let here = Loop {
        inside: tempfile::tempdir().expect("a folder"),
    };
    for (name, script) in [
        ("a", "read n; echo $((n + 10))"),
        ("b", "read n; echo $n"),
        ("c", "[ -e licence ] || exit 1; read n; echo $((n + 20))"),
    ] {
        here.write(&format!("{name}.sh"), script);
    }
    here.experiment(&["a", "b"], "");
    let (told, rows) = here.resume(&["--comment", "two solvers"]);
    assert!(
        rows == 24 && told.contains("b against a: −") && told.contains("decided, worse"),
        "{told}"
    );
    // A third solver, in another order; it crashes without its licence.
    here.experiment(&["c", "a", "b"], "");
    let (told, rows) = here.resume(&[]);
    assert!(rows == 36 && told.contains("crashed: e, c on "), "{told}");
    here.write("licence", "");
    let (told, rows) = here.resume(&["--retry", "crashed"]);
    // The samples of all three are taken again.
    assert!(
        rows == 72 && told.contains("36 samples again") && !told.contains("crashed: "),
        "{told}"
    );
    let missing = output(&[
        "run",
        &here.path("e.toml"),
        "-o",
        &here.path("out"),
        "--resume",
        "--list",
    ]);
    assert!(missing.contains("  nothing\n"), "{missing}");
    // Another program of b; the samples of the earlier one leave all tables.
    here.write("b.sh", "read n; echo $((n + 30))");
    let (told, rows) = here.resume(&["--comment", "b adds thirty"]);
    assert_eq!(rows, 84, "{told}");
    assert!(told.contains("of an earlier b are left out"), "{told}");
    let compared = |a: &str, b: &str| {
        let a = format!("{}:{a}", here.path("out"));
        output(&["compare", &a, b, "--metric", "score", "--csv"])
    };
    assert!(compared("a", ":b").contains(",better,"));
    assert!(compared("b#1", ":b#2").contains(",better,"));
    // The first program of b once more takes up its samples.
    here.write("b.sh", "read n; echo $n");
    let (told, rows) = here.resume(&[]);
    assert!(rows == 84 && told.contains("decided, worse"), "{told}");
    here.write("b.sh", "read n; echo $((n + 30))");
    // Other words and a plot take no sample.
    let plot = "[[plots]]\nname = 'p'\nkind = 'bar'\ntitle = 't'\nx = 'label'\ny = 'score'\n";
    here.experiment(&["c", "a", "b"], plot);
    assert_eq!(here.resume(&[]).1, 84);
    let runs = output(&["list", "runs", &here.inside.path().display().to_string()]);
    assert!(
        runs.contains("b adds thirty") && runs.contains("c, a, b"),
        "{runs}"
    );
    let builds = output(&["list", "builds", &here.path("out"), "--csv"]);
    for build in ["\na,", "\nb#1,", "\nb,"] {
        assert!(builds.contains(build), "{build:?}: {builds}");
    }
    // All samples of a session are taken again.
    let (told, rows) = here.resume(&["--retry", "session:3"]);
    assert!(rows == 120 && told.contains("36 samples again"), "{told}");
    let scores = output(&["compare", &here.path("out"), "--metric", "score", "--csv"]);
    assert!(
        scores.starts_with("variant,solved,solved of,mean score,"),
        "{scores}"
    );
    assert!(scores.contains(",12,12,"), "{scores}");
    let wrong = said(
        &[
            "run",
            &here.path("e.toml"),
            "-o",
            &here.path("out"),
            "--resume",
            "--retry",
            "broken",
        ],
        2,
    );
    assert!(wrong.contains("expected `failed`, an outcome"), "{wrong}");
}
