//! Experiments, published figures and consoles from a folder of the user: `--data DIR`.

use std::path::Path;

use crate::{output, refused};

const EXPERIMENT: &str = "name = 'mine'\ntitle = 'My own experiment'\nabout = 'a'\nproblem = 'reach'\n\
    variants = ['memo']\nanswers = ['mine/size']\nsettings = { steps = 4 }\nrun = { repeats = 1 }\n\
    instances = [{ files = 'ring.csv' }]\n";
const PUBLISHED: &str = "source = 'mine'\nreference = 'My own source, 2020'\n[[figures]]\nid = 'mine/size'\nplace = 'here'\n\
    claim = 'four vertices'\nvalue = 4\n";

/// Writes a file of the folder.
fn write(folder: &Path, name: &str, text: &str) {
    let file = folder.join(name);
    let parent = file.parent().expect("a folder");
    std::fs::create_dir_all(parent).expect("made");
    std::fs::write(file, text).expect("written");
}

#[test]
fn data_of_the_user_stand_beside_those_that_are_built_in() {
    let temporary = tempfile::tempdir().expect("a folder");
    let (folder, out) = (temporary.path().join("data"), temporary.path().join("run"));
    let plain = |path: &Path| path.display().to_string();
    let data = plain(&folder);
    write(&folder, "experiments/mine.toml", EXPERIMENT);
    write(&folder, "experiments/ring.csv", crate::RING);
    write(&folder, "published/mine.toml", PUBLISHED);
    let listed = output(&["list", "experiments", "--data", &data]);
    assert!(listed.contains("My own experiment") && listed.contains("ikerukana-table"));
    for command in ["run", "reproduce"] {
        output(&[
            command,
            "mine",
            "--data",
            &data,
            "--out",
            &plain(&out),
            "--quiet",
        ]);
        let figures = std::fs::read_to_string(out.join("figures.csv")).expect("figures");
        assert!(figures.contains("mine/size"), "{figures}");
        output(&["report", &plain(&out), "--data", &data]);
        refused(&["report", &plain(&out)], "", &["mine/size"]);
        std::fs::remove_dir_all(&out).expect("removed");
    }
    refused(&["run", "mine"], "", &["experiment or file `mine`"]);
}

#[test]
fn a_slip_in_the_data_of_the_user_has_its_file_and_line() {
    for (name, text, words) in [
        (
            "experiments/mine.toml",
            EXPERIMENT.replace("title", "titel"),
            &["mine.toml:2", "`titel`"][..],
        ),
        (
            "experiments/other.toml",
            EXPERIMENT.to_owned(),
            &["other.toml:1", "expected `other` as its file"],
        ),
        (
            "experiments/ikerukana-table.toml",
            EXPERIMENT.replace("mine'", "ikerukana-table'"),
            &["is built in"],
        ),
        (
            "published/mine.toml",
            PUBLISHED.replace("place", "plaec"),
            &["mine.toml:5", "`plaec`"],
        ),
        (
            "published/mine.toml",
            format!("{PUBLISHED}ours = {{ experiment = 'mine', is.ratio = {{}} }}\n"),
            &[
                "mine.toml:8",
                "mine/size: unknown value `ratio`",
                "`ratio_to`",
            ],
        ),
        (
            "consoles/mine.toml",
            "[[consoles]]\nname = 'X'\nclok = 1\n".to_owned(),
            &["mine.toml:3", "`clok`"],
        ),
        (
            "nothing/mine.toml",
            String::new(),
            &["has no data", "experiments/NAME.toml"],
        ),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), name, &text);
        let data = folder.path().display().to_string();
        refused(&["list", "experiments", "--data", &data], "", words);
    }
}
