//! The lock of the problem outside of the workspace agrees with the workspace's: `cargo --locked` takes either.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

/// The crate outside of the workspace.
const OUTSIDE: &str = "own-problem";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn table(path: &Path) -> Table {
    let text = std::fs::read_to_string(path);
    let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.parse()
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The packages of a lock.
fn packages(lock: &Table) -> Vec<&Table> {
    let packages = lock["package"].as_array().expect("packages");
    packages.iter().filter_map(Value::as_table).collect()
}

fn word<'a>(package: &'a Table, key: &str) -> &'a str {
    package.get(key).and_then(Value::as_str).unwrap_or("")
}

fn outside() -> Table {
    table(&root().join("examples").join(OUTSIDE).join("Cargo.lock"))
}

#[test]
fn both_locks_have_the_same_versions() {
    let (workspace, outside) = (table(&root().join("Cargo.lock")), outside());
    let identity =
        |package: &Table| ["name", "version", "checksum"].map(|key| word(package, key).to_owned());
    let known: BTreeSet<_> = packages(&workspace).into_iter().map(identity).collect();
    for package in packages(&outside) {
        assert!(
            word(package, "name") == OUTSIDE || known.contains(&identity(package)),
            "examples/{OUTSIDE}/Cargo.lock has {} {}, Cargo.lock has not",
            word(package, "name"),
            word(package, "version")
        );
    }
}

/// The packages that every build of a crate needs: neither those of tests nor optional ones.
fn needed(manifest: &Table) -> BTreeSet<String> {
    let mut tables = vec![manifest];
    let targets = manifest.get("target").and_then(Value::as_table);
    tables.extend(
        targets
            .into_iter()
            .flatten()
            .filter_map(|(_, target)| target.as_table()),
    );
    let kinds = ["dependencies", "build-dependencies"];
    let listed = tables
        .into_iter()
        .flat_map(|table| kinds.map(|kind| table.get(kind)));
    let entries = listed.flatten().filter_map(Value::as_table).flatten();
    let is_optional = |entry: &Value| entry.get("optional").and_then(Value::as_bool) == Some(true);
    entries
        .filter(|(_, entry)| !is_optional(entry))
        .map(|(name, _)| name.clone())
        .collect()
}

/// The folders of the workspace's crates by the crates' names.
fn members() -> Vec<(String, Table)> {
    let workspace = table(&root().join("Cargo.toml"));
    let folders = workspace["workspace"]["members"]
        .as_array()
        .expect("members");
    let folders = folders.iter().filter_map(Value::as_str);
    let manifests = folders.map(|folder| table(&root().join(folder).join("Cargo.toml")));
    manifests
        .map(|manifest| {
            (
                manifest["package"]["name"]
                    .as_str()
                    .expect("a name")
                    .to_owned(),
                manifest,
            )
        })
        .collect()
}

#[test]
fn the_lock_outside_has_what_the_crates_of_the_workspace_need() {
    let outside = outside();
    let members = members();
    let ours = packages(&outside)
        .into_iter()
        .filter(|package| !package.contains_key("source"));
    let mut compared = 0;
    for package in ours {
        let name = word(package, "name");
        let Some((_, manifest)) = members.iter().find(|(member, _)| member == name) else {
            assert_eq!(name, OUTSIDE, "a package from a folder that is no member");
            continue;
        };
        let locked = package.get("dependencies").and_then(Value::as_array);
        // A dependency of which there are two versions is locked as `name version`.
        let locked = locked.into_iter().flatten().filter_map(Value::as_str);
        let locked = locked.filter_map(|entry| entry.split(' ').next());
        let locked: BTreeSet<String> = locked.map(str::to_owned).collect();
        assert_eq!(
            locked,
            needed(manifest),
            "{name} in examples/{OUTSIDE}/Cargo.lock"
        );
        compared += 1;
    }
    assert!(compared > 5, "{compared} crates of the workspace");
}
