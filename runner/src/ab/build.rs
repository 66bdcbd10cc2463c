//! A side of the comparison: the path of a binary, a revision, or the present working tree.
//!
//! A revision is built once, in a separate worktree, with the toolchain and the lock file that it names. The binary
//! is kept under the commit. Revisions share one folder of compiled dependencies, because each is checked out after
//! the previous one was built. The working tree has a separate folder: cargo compares times, and would treat its
//! older files as those of the revision.
//!
//! With several layouts, the program of each is linked with another order of its sections (`--shuffle-sections` of lld), which
//! compiles the crate of the program alone again: its other crates are the same files.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, anyhow, bail};

use ikeru_bench_data::experiment::LAYOUT;
use serde_json::Value as Json;

use crate::system::HERE;
use crate::{files, output};

/// The name of the side that is the working tree.
pub const WORKING_TREE: &str = ".";

/// The advice to those who meant a command.
const COMMANDS: &str = "of two commands: --base-command and --head-command";

/// One side, ready to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Build {
    /// The name as typed.
    pub name: String,
    /// The description: a path, a commit, or the working tree.
    pub what: String,
    /// Its program, or that of each layout.
    pub programs: Vec<PathBuf>,
}

impl Build {
    /// The side called `name`: a file, the working tree, or a revision of the repository in `here`; built if it has to
    /// be. With `layouts`, it has as many programs; `{layout}` in the path of a file is the number of each.
    ///
    /// # Errors
    /// A name that is none of them, or a build that fails.
    pub fn of(name: &str, here: &Path, layouts: Option<u32>) -> Result<Self> {
        HERE.check_groups("`ab`")?;
        let path = Path::new(name);
        let around = || {
            let repository = Repository::around(here);
            repository
                .with_context(|| format!("{name} is no file, and no revision either; {COMMANDS}"))
        };
        let files = files_called(name, layouts);
        let (what, programs) = if path.is_file() && layouts.is_some() {
            bail!(
                "{name}: a program cannot be linked again for --layouts; expected a revision, or a path with {LAYOUT} such as {name}-{LAYOUT}"
            );
        } else if files.iter().all(|file| file.is_file()) {
            let whole = files.iter().map(|file| file.canonicalize());
            let programs: Vec<PathBuf> = whole
                .collect::<Result<_, _>>()
                .with_context(|| name.to_owned())?;
            let what = match layouts {
                Some(_) => name.to_owned(),
                None => programs[0].display().to_string(),
            };
            (what, programs)
        } else if name == WORKING_TREE {
            let repository = around()?;
            let kept = repository.folder().join("working-tree");
            let build = kept.join("build");
            // The next build would replace it.
            let programs = repository.programs(&repository.top, &build, &kept, layouts)?;
            ("the working tree".to_owned(), programs)
        } else {
            let repository = around()?;
            let commit = repository.commit(name)?;
            let what = format!("commit {}", &commit[..commit.len().min(12)]);
            (what, repository.built(&commit, layouts)?)
        };
        for program in &programs {
            check(program).with_context(|| name.to_owned())?;
        }
        Ok(Self {
            name: name.to_owned(),
            what,
            programs,
        })
    }
}

/// The paths of `name`, or of each layout.
fn files_called(name: &str, layouts: Option<u32>) -> Vec<PathBuf> {
    let of_layout = |layout: u32| name.replace(LAYOUT, &layout.to_string()).into();
    layouts.map_or_else(
        || vec![name.into()],
        |layouts| (1..=layouts).map(of_layout).collect(),
    )
}

/// The files of a revision of the repository that holds `folder`: the working tree itself, or a worktree of its commit inside
/// the folder of git, where it stays for later sessions.
///
/// # Errors
/// No repository, or no such revision.
pub fn files_of(revision: &str, folder: &Path) -> Result<PathBuf> {
    let repository = Repository::around(folder)?;
    if revision == WORKING_TREE {
        return Ok(repository.top);
    }
    let commit = repository.commit(revision)?;
    let own = git(folder, &["rev-parse", "--absolute-git-dir"])?;
    let files = Path::new(&own).join("ikeru").join(&commit);
    if !files.join(".git").exists() {
        repository.check_out(&commit, &files)?;
    }
    Ok(files)
}

/// The place of `folder` in the repository that holds it.
///
/// # Errors
/// No repository.
pub fn place_in_repository(folder: &Path) -> Result<PathBuf> {
    Ok(git(folder, &["rev-parse", "--show-prefix"])?.into())
}

/// Refuses a program whose `--version` does not print `ikeru`.
fn check(program: &Path) -> Result<()> {
    let said = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .context("it cannot be started")?;
    if !said.status.success() || !said.stdout.starts_with(b"ikeru ") {
        bail!("it is no build of ikeru: --version says nothing of the kind");
    }
    Ok(())
}

/// The places in `folder` of the program, or of that of each layout.
fn kept(folder: &Path, layouts: Option<u32>) -> Vec<PathBuf> {
    let name = layouts.map_or("ikeru".to_owned(), |_| format!("ikeru-{LAYOUT}"));
    files_called(&folder.join(name).to_string_lossy(), layouts)
}

/// Copies `program` to `kept`.
fn keep(program: &Path, kept: &Path) -> Result<()> {
    let new = kept.with_extension("new");
    std::fs::create_dir_all(kept.parent().unwrap_or(kept))
        // The copy is written under another name and then renamed: another session may run the old binary.
        .and_then(|()| std::fs::copy(program, &new))
        .and_then(|_| std::fs::rename(new, kept))
        .with_context(|| kept.display().to_string())
}

/// A repository with its working tree.
struct Repository {
    top: PathBuf,
}

impl Repository {
    /// The repository whose working tree holds `here`.
    fn around(here: &Path) -> Result<Self> {
        let top = git(here, &["rev-parse", "--show-toplevel"])?;
        Ok(Self { top: top.into() })
    }

    /// The folder in which builds are kept.
    fn folder(&self) -> PathBuf {
        self.top.join("target").join("ab")
    }

    /// The commit that a revision names.
    fn commit(&self, revision: &str) -> Result<String> {
        let wanted = format!("{revision}^{{commit}}");
        let words = "rev-parse --verify --quiet --end-of-options".split(' ');
        let found = git(&self.top, &[words.collect(), vec![&*wanted]].concat());
        let top = self.top.display();
        found.map_err(|_| anyhow!("{revision}: neither a file nor a revision of {top}; {COMMANDS}"))
    }

    /// The programs of a commit, built unless an earlier session did.
    fn built(&self, commit: &str, layouts: Option<u32>) -> Result<Vec<PathBuf>> {
        let folder = self.folder().join(commit);
        let programs = kept(&folder, layouts);
        if programs.iter().all(|program| program.is_file()) {
            return Ok(programs);
        }
        let source = self.folder().join("source").join(commit);
        self.check_out(commit, &source)?;
        let built = self.programs(&source, &self.folder().join("build"), &folder, layouts);
        let words = ["worktree", "remove", "--force", &source.to_string_lossy()];
        let removed = git(&self.top, &words);
        let programs = built.with_context(|| format!("commit {commit}"))?;
        removed?;
        Ok(programs)
    }

    /// Checks out a commit into the worktree `files`.
    fn check_out(&self, commit: &str, files: &Path) -> Result<()> {
        // A worktree that an interrupted session left is checked out again.
        git(&self.top, &["worktree", "prune"])?;
        let words = "worktree add --force --force --detach".split(' ');
        let text = files.to_string_lossy();
        let added = git(&self.top, &[words.collect(), vec![&*text, commit]].concat());
        added.with_context(|| format!("{text}: no worktree"))?;
        Ok(())
    }

    /// Builds the release binary of the working tree at `source` in `target`, once for each layout, and keeps it in `folder`.
    fn programs(
        &self,
        source: &Path,
        target: &Path,
        folder: &Path,
        layouts: Option<u32>,
    ) -> Result<Vec<PathBuf>> {
        let source_name = source.display();
        if !source.join("Cargo.toml").is_file() {
            bail!("{source_name}: no Cargo.toml, so no build of ikeru; {COMMANDS}");
        }
        output::tell(&format!("building {source_name}"));
        let programs = kept(folder, layouts);
        for (layout, program) in (1..).zip(&programs) {
            compile(source, target, layouts.map(|_| layout))?;
            keep(&target.join("release").join("ikeru"), program)?;
        }
        if layouts.is_some() {
            // Cargo keeps a program for each of its calls.
            for file in files::of(&target.join("release/deps"), "ikeru-*")? {
                if file.extension().is_none() {
                    std::fs::remove_file(&file).with_context(|| file.display().to_string())?;
                }
            }
        }
        Ok(programs)
    }
}

/// Builds the release binary of the working tree at `source` into `target`, linked with the sections in the order of `layout`.
fn compile(source: &Path, target: &Path, layout: Option<u32>) -> Result<()> {
    let cargo = || {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo
            .current_dir(source)
            .env("CARGO_TARGET_DIR", target)
            .stdin(Stdio::null());
        cargo
    };
    let words = "--release --locked --quiet --bin ikeru".split(' ');
    let mut build = cargo();
    match layout {
        None => build.arg("build").args(words),
        Some(layout) => {
            let order = format!("link-arg=-Wl,--shuffle-sections=*={layout}");
            let package = package(&mut cargo()).with_context(|| source.display().to_string())?;
            let words = words.chain(["--package", &package, "--", "-C", &order]);
            build.arg("rustc").args(words)
        }
    };
    if layout.is_none() {
        build.stderr(Stdio::inherit());
    }
    let done = build.output().context("cargo cannot be started")?;
    let said = String::from_utf8_lossy(&done.stderr);
    if !done.status.success() && layout.is_some() && is_unknown_option(&said) {
        bail!(
            "--layouts: the linker has no --shuffle-sections; expected lld, which rustc has from 1.90 on for x86-64 Linux \
             (else: RUSTFLAGS='-C link-arg=-fuse-ld=lld')"
        );
    }
    eprint!("{said}");
    if !done.status.success() {
        bail!("cargo build --release failed in {}", source.display());
    }
    Ok(())
}

/// Returns whether a linker refuses the option that orders sections; the line of its call has the option too.
fn is_unknown_option(said: &str) -> bool {
    let refuses = |line: &str| {
        !line.contains("-Wl,") && line.contains("shuffle-sections") && line.contains("option")
    };
    said.lines().any(refuses)
}

/// The package whose program is called `ikeru`.
fn package(cargo: &mut Command) -> Result<String> {
    let words = "metadata --no-deps --format-version 1".split(' ');
    let said = cargo
        .args(words)
        .output()
        .context("cargo cannot be started")?;
    let known: Json = serde_json::from_slice(&said.stdout).context("cargo metadata")?;
    let has_program = |package: &&Json| {
        let mut targets = package["targets"].as_array().into_iter().flatten();
        targets.any(|it| it["name"] == "ikeru" && it["kind"][0] == "bin")
    };
    let mut packages = known["packages"].as_array().into_iter().flatten();
    let name = packages
        .find(has_program)
        .and_then(|it| it["name"].as_str());
    Ok(name
        .context("no package has a program called ikeru")?
        .to_owned())
}

/// The standard output of `git` in `folder`, trimmed.
fn git(folder: &Path, arguments: &[&str]) -> Result<String> {
    let said = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .context("git cannot be started")?;
    if !said.status.success() {
        let why = String::from_utf8_lossy(&said.stderr);
        bail!("git {}: {}", arguments[0], why.trim());
    }
    Ok(String::from_utf8_lossy(&said.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_side_is_a_program_a_revision_or_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let outside = Build::of("main", folder.path(), None).expect_err("no repository");
        assert!(
            format!("{outside:#}")
                .contains("no file, and no revision either; of two commands: --base"),
            "{outside:#}"
        );
        git(folder.path(), &["init", "--quiet"]).expect("a repository");
        let unknown = Build::of("no-such", folder.path(), None).expect_err("no revision");
        let unknown = format!("{unknown:#}");
        assert!(
            unknown.starts_with("no-such: neither a file nor") && unknown.ends_with(COMMANDS),
            "{unknown}"
        );
        let other = Build::of(".", folder.path(), None).expect_err("no workspace");
        assert!(format!("{other:#}").contains("no Cargo.toml"), "{other:#}");
        let other = Build::of("/bin/true", folder.path(), None).expect_err("another program");
        assert!(
            format!("{other:#}").contains("no build of ikeru"),
            "{other:#}"
        );
        // A name that looks like an option is not passed to git as an option.
        assert!(Build::of("--all", folder.path(), None).is_err());
    }

    /// A repository of a program that prints `ikeru` and a word, which is `base` in the commit.
    fn of_program() -> (tempfile::TempDir, impl Fn(&str)) {
        let folder = tempfile::tempdir().expect("a folder");
        let top = folder.path().to_owned();
        let write = |name: &str, text: &str| {
            std::fs::write(top.join(name), text).expect("written");
        };
        std::fs::create_dir(top.join("src")).expect("a folder");
        let package = "[package]\nname = \"ikeru\"\nversion = \"0.0.0\"\n";
        write("Cargo.toml", &format!("{package}[workspace]\n"));
        write(
            "Cargo.lock",
            &format!("version = 4\n[[package]]\n{}", &package[10..]),
        );
        write(".gitignore", "target\n");
        let top = folder.path().to_owned();
        let program = move |word: &str| {
            let text = format!("fn main() {{ println!(\"ikeru {word}\") }}\n");
            std::fs::write(top.join("src/main.rs"), text).expect("written");
        };
        program("base");
        let git = |arguments: &[&str]| git(folder.path(), arguments).expect("git");
        git(&["init", "--quiet"]);
        git(&["add", "."]);
        let name = ["-c", "user.name=a", "-c", "user.email=a@b"];
        git(&[&name[..], &["commit", "--quiet", "--message", "base"]].concat());
        (folder, program)
    }

    fn said(program: &Path) -> String {
        let output = Command::new(program).output().expect("a program");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    #[test]
    fn each_layout_of_a_revision_is_another_program_with_the_same_output() {
        let (folder, program) = of_program();
        program("head");
        for (side, word) in [("HEAD", "ikeru base\n"), (WORKING_TREE, "ikeru head\n")] {
            let build = match Build::of(side, folder.path(), Some(3)) {
                Err(error) if format!("{error:#}").contains("expected lld") => {
                    return eprintln!("skipped: the linker of this machine is not lld");
                }
                build => build.expect("a build"),
            };
            let bytes = |program: &PathBuf| std::fs::read(program).expect("a program");
            let mut contents: Vec<Vec<u8>> = build.programs.iter().map(bytes).collect();
            contents.sort_unstable();
            contents.dedup();
            assert_eq!(contents.len(), 3);
            for program in &build.programs {
                assert_eq!(said(program), word);
            }
        }
        // Paths with the number of the layout are sides too.
        let kept = folder.path().join("target/ab/working-tree");
        let (pattern, one) = (kept.join("ikeru-{layout}"), kept.join("ikeru-1"));
        let by_path = Build::of(&pattern.to_string_lossy(), folder.path(), Some(3));
        assert_eq!(by_path.expect("programs").programs.len(), 3);
        let refused = Build::of(&one.to_string_lossy(), folder.path(), Some(3));
        let error = format!("{:#}", refused.expect_err("one program"));
        assert!(
            error.contains("cannot be linked again") && error.contains("ikeru-1-{layout}"),
            "{error}"
        );
    }

    #[test]
    fn a_linker_without_the_option_is_known_by_its_line() {
        for line in [
            "/usr/bin/ld: unrecognized option '--shuffle-sections=*=1'",
            "/usr/bin/ld.gold: --shuffle-sections=*=1: unknown option",
            "ld: unknown options: --shuffle-sections=*=1",
        ] {
            assert!(is_unknown_option(&format!("error\n  = note: {line}\n")));
        }
        let call =
            "\"cc\" \"x86_64-unknown/option.rlib\" \"-Wl,--shuffle-sections=*=1\"\nno space left";
        assert!(!is_unknown_option(call));
    }

    /// Files of the working tree are older than the build of a revision that was built after they were written.
    #[test]
    fn the_working_tree_is_not_taken_for_the_revision_that_was_built_before() {
        let (folder, program) = of_program();
        program("head");
        for (side, word) in [("HEAD", "ikeru base\n"), (WORKING_TREE, "ikeru head\n")] {
            let build = Build::of(side, folder.path(), None).expect("a build");
            assert_eq!(said(&build.programs[0]), word);
        }
    }
}
