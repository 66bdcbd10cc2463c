//! Experiments, published figures and consoles from a folder of the user: `--data DIR`.

use std::path::Path;

use crate::{has, output, refused, table, words};

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
        let out = plain(&out);
        output(&words(&format!(
            "{command} mine --data {data} --out {out} --quiet"
        )));
        let figures = std::fs::read_to_string(format!("{out}/figures.csv")).expect("figures");
        has(&figures, &["mine/size"]);
        output(&["report", &out, "--data", &data]);
        refused(&["report", &out], "", &["mine/size"]);
        std::fs::remove_dir_all(&out).expect("removed");
    }
    refused(&["run", "mine"], "", &["experiment or file `mine`"]);
}

#[test]
fn a_slip_in_the_data_of_the_user_has_its_file_and_line() {
    let builtin = EXPERIMENT.replace("mine'", "ikerukana-table'");
    let ratio = format!("{PUBLISHED}ours = {{ experiment = 'mine', is.ratio = {{}} }}\n");
    let console = "[[consoles]]\nname = 'X'\nclok = 1\n";
    let titel = EXPERIMENT.replace("title", "titel");
    let plaec = PUBLISHED.replace("place", "plaec");
    let texts = [&titel, EXPERIMENT, &builtin, &plaec, &ratio, console, ""];
    let cases = table(
        "experiments/mine.toml | mine.toml:2 … `titel`
        experiments/other.toml | other.toml:1 … expected `other` as its file
        experiments/ikerukana-table.toml | is built in
        published/mine.toml | mine.toml:5 … `plaec`
        published/mine.toml | mine.toml:8 … mine/size: unknown value `ratio` … `ratio_to`
        consoles/mine.toml | mine.toml:3 … `clok`
        nothing/mine.toml | has no data … experiments/NAME.toml",
    );
    assert_eq!(cases.len(), texts.len());
    for ([name, parts], text) in cases.into_iter().zip(texts) {
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), name, text);
        let data = folder.path().display().to_string();
        let parts: Vec<&str> = parts.split(" … ").collect();
        refused(&["list", "experiments", "--data", &data], "", &parts);
    }
}
