//! A side of the comparison: the path of a binary, a revision, or the present working tree.
//!
//! A revision is built once, in a separate worktree, with the toolchain and the lock file that it names. The binary
//! is kept under the commit. Revisions share one folder of compiled dependencies, because each is checked out after
//! the previous one was built. The working tree has a separate folder: cargo compares times, and would treat its
//! older files as those of the revision.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, anyhow, bail};

use crate::output;
use crate::system::HERE;

/// The name of the side that is the working tree.
pub const WORKING_TREE: &str = ".";

/// One side, ready to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Build {
    /// The name as typed.
    pub name: String,
    /// The description: a path, a commit, or the working tree.
    pub what: String,
    /// Its program.
    pub program: PathBuf,
}

impl Build {
    /// The side called `name`: a file, the working tree, or a revision of the repository in `here`; built if it has to
    /// be.
    ///
    /// # Errors
    /// A name that is none of them, or a build that fails.
    pub fn of(name: &str, here: &Path) -> Result<Self> {
        HERE.check_groups("`ab`")?;
        let path = Path::new(name);
        let around = || {
            let repository = Repository::around(here);
            repository.with_context(|| format!("{name} is no file, and no revision either"))
        };
        let (what, program) = if path.is_file() {
            let program = path.canonicalize().with_context(|| name.to_owned())?;
            (program.display().to_string(), program)
        } else if name == WORKING_TREE {
            let repository = around()?;
            let kept = repository.folder().join("working-tree");
            let program = repository.compile(&repository.top, &kept.join("build"))?;
            // The next build would replace it.
            ("the working tree".to_owned(), keep(&program, &kept)?)
        } else {
            let repository = around()?;
            let commit = repository.commit(name)?;
            let what = format!("commit {}", &commit[..commit.len().min(12)]);
            (what, repository.built(&commit)?)
        };
        check(&program).with_context(|| name.to_owned())?;
        Ok(Self {
            name: name.to_owned(),
            what,
            program,
        })
    }
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

/// Copies `program` into `folder`.
fn keep(program: &Path, folder: &Path) -> Result<PathBuf> {
    let kept = folder.join("ikeru");
    std::fs::create_dir_all(folder)
        // The copy is written under another name and then renamed: another session may run the old binary.
        .and_then(|()| std::fs::copy(program, folder.join("ikeru.new")))
        .and_then(|_| std::fs::rename(folder.join("ikeru.new"), &kept))
        .with_context(|| kept.display().to_string())?;
    Ok(kept)
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
        found.map_err(|_| anyhow!("{revision}: neither a file nor a revision of {top}"))
    }

    /// The program of a commit, built unless an earlier session did.
    fn built(&self, commit: &str) -> Result<PathBuf> {
        let kept = self.folder().join(commit);
        let program = kept.join("ikeru");
        if program.is_file() {
            return Ok(program);
        }
        let source = self.folder().join("source").join(commit);
        self.check_out(commit, &source)?;
        let built = self
            .compile(&source, &self.folder().join("build"))
            .and_then(|program| keep(&program, &kept));
        let words = ["worktree", "remove", "--force", &source.to_string_lossy()];
        let removed = git(&self.top, &words);
        let program = built.with_context(|| format!("commit {commit}"))?;
        removed?;
        Ok(program)
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

    /// Builds the release binary of the working tree at `source` into `target`.
    fn compile(&self, source: &Path, target: &Path) -> Result<PathBuf> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        output::tell(&format!("building {}", source.display()));
        let status = Command::new(cargo)
            .args("build --release --locked --quiet --bin ikeru".split(' '))
            .current_dir(source)
            .env("CARGO_TARGET_DIR", target)
            .stdin(Stdio::null())
            .status()
            .context("cargo cannot be started")?;
        if !status.success() {
            bail!("cargo build --release failed in {}", source.display());
        }
        Ok(target.join("release").join("ikeru"))
    }
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
        let outside = Build::of("main", folder.path()).expect_err("no repository");
        assert!(
            format!("{outside:#}").contains("no file, and no revision"),
            "{outside:#}"
        );
        git(folder.path(), &["init", "--quiet"]).expect("a repository");
        let unknown = Build::of("no-such", folder.path()).expect_err("no revision");
        assert!(
            format!("{unknown:#}").starts_with("no-such: neither a file nor"),
            "{unknown:#}"
        );
        let other = Build::of("/bin/true", folder.path()).expect_err("another program");
        assert!(
            format!("{other:#}").contains("no build of ikeru"),
            "{other:#}"
        );
        // A name that looks like an option is not passed to git as an option.
        assert!(Build::of("--all", folder.path()).is_err());
    }

    /// Files of the working tree are older than the build of a revision that was built after they were written.
    #[test]
    fn the_working_tree_is_not_taken_for_the_revision_that_was_built_before() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).expect("written");
        };
        let main = |word: &str| format!("fn main() {{ println!(\"ikeru {word}\") }}\n");
        std::fs::create_dir(folder.path().join("src")).expect("a folder");
        let package = "[package]\nname = \"ikeru\"\nversion = \"0.0.0\"\n";
        write("Cargo.toml", &format!("{package}[workspace]\n"));
        write(
            "Cargo.lock",
            &format!("version = 4\n[[package]]\n{}", &package[10..]),
        );
        write(".gitignore", "target\n");
        write("src/main.rs", &main("base"));
        let git = |arguments: &[&str]| git(folder.path(), arguments).expect("git");
        git(&["init", "--quiet"]);
        git(&["add", "."]);
        let name = ["-c", "user.name=a", "-c", "user.email=a@b"];
        git(&[&name[..], &["commit", "--quiet", "--message", "base"]].concat());
        write("src/main.rs", &main("head"));
        for (side, said) in [("HEAD", "ikeru base\n"), (WORKING_TREE, "ikeru head\n")] {
            let build = Build::of(side, folder.path()).expect("a build");
            let output = Command::new(&build.program).output().expect("a program");
            assert_eq!(String::from_utf8_lossy(&output.stdout), said);
        }
    }
}
