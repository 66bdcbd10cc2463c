//! The scripts by which a scheduler runs a divided campaign, written into the campaign's folder: a form for each launcher,
//! and the jobs of Slurm.
//!
//! Every form runs `ikeru cluster shard DIR N` for each shard and `ikeru cluster merge DIR` at the end. A shard that
//! ends with 75 is unfinished: the same command resumes it.

use std::path::Path;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;

use super::Divided;
use super::folder::About;

/// The launcher that a campaign is written for. Slurm has a command of its own, `ikeru cluster submit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Launcher {
    /// One command a line, for a shell or any launcher
    Commands,
    /// GNU parallel, with its log of jobs
    Parallel,
}

/// A file of the campaign's folder: name and text.
pub type File = (&'static str, String);

/// Refuses a campaign in the folder `root` that no script can hold: the text after a line break would be a line of it.
///
/// # Errors
/// A path with a control character.
pub fn check(about: &About, root: &Path) -> Result<()> {
    let named = root.to_str();
    let root =
        named.with_context(|| format!("{}: expected a folder's name in UTF-8", root.display()))?;
    refuse(root, char::is_control)?;
    refuse(&about.program, char::is_control)
}

/// Refuses what [`check`] does, and a folder that Slurm would read otherwise in its own lines; it replaces `%`.
///
/// # Errors
/// A path with such a character.
pub fn check_slurm(about: &About, root: &Path) -> Result<()> {
    check(about, root)?;
    refuse(&root.to_string_lossy(), |c| matches!(c, '"' | '%' | '\\'))
}

fn refuse(path: &str, is_special: impl Fn(char) -> bool) -> Result<()> {
    if let Some(found) = path.chars().find(|c| is_special(*c)) {
        bail!(
            "{path:?}: has the character {found:?}, which this form cannot hold; expected another path"
        );
    }
    Ok(())
}

/// The files of a form; the user runs the first one.
pub fn files(divided: &Divided, form: Launcher) -> Vec<File> {
    match form {
        Launcher::Commands => vec![("commands.sh", commands(divided))],
        Launcher::Parallel => vec![
            ("parallel.sh", parallel(divided)),
            ("shards.txt", list(divided)),
        ],
    }
}

/// One command a line.
fn list(divided: &Divided) -> String {
    let commands = divided
        .shards()
        .map(|(shard, _)| divided.command(&shard.to_string()) + "\n");
    commands.collect()
}

fn commands(divided: &Divided) -> String {
    format!("{}{}\n", list(divided), divided.merge_command())
}

fn parallel(divided: &Divided) -> String {
    let jobs = if divided.about.isolated && !divided.about.share_nodes {
        // An isolated shard runs alone on its machine.
        "1"
    } else {
        "\"${JOBS:-1}\""
    };
    format!(
        "#!/bin/sh\n\
         # JOBS shards at a time; each uses all cores unless it was emitted with --jobs. Run it again to go on: the log\n\
         # names the shards that ended well, all others are run again. More flags of parallel may follow.\n\
         cd {} || exit 2\n\
         parallel --joblog joblog --resume-failed --jobs {jobs} \"$@\" <shards.txt\n\
         code=$?\n\
         {} || exit\n\
         exit $code\n",
        divided.quoted_root(),
        divided.merge_command()
    )
}

/// The batch script of a shard. The program replaces the script (`exec`), so that signals reach it once and directly.
pub fn slurm_shard(divided: &Divided) -> String {
    let logs = divided.root.join("logs");
    let exclusive = if divided.about.isolated && !divided.about.share_nodes {
        "#SBATCH --exclusive\n#SBATCH --hint=nomultithread\n"
    } else {
        ""
    };
    format!(
        "#!/bin/sh\n#SBATCH --job-name={name}\n#SBATCH --output=\"{logs}/%A_%a.txt\"\n\
         #SBATCH --open-mode=append\n#SBATCH --requeue\n#SBATCH --signal=B:TERM@120\n{exclusive}\
         # $1 is the number of the shard of task 0.\n\
         exec {command}\n",
        name = job_name(divided),
        logs = logs.display(),
        command = divided.command("$(($1 + SLURM_ARRAY_TASK_ID))"),
    )
}

/// The batch script that merges.
pub fn slurm_merge(divided: &Divided) -> String {
    format!(
        "#!/bin/sh\n#SBATCH --job-name={}-merge\n#SBATCH --output=\"{}/merge_%j.txt\"\nexec {}\n",
        job_name(divided),
        divided.root.join("logs").display(),
        divided.merge_command()
    )
}

/// The names of jobs: letters, digits and hyphens.
fn job_name(divided: &Divided) -> String {
    let name = divided.about.name.to_ascii_lowercase();
    format!(
        "ikeru-{}",
        name.replace(|c: char| !c.is_ascii_alphanumeric(), "-")
    )
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::folder::tests::{about, divided};

    /// A campaign of three shards in `/campaign`.
    fn three(isolated: bool) -> Divided {
        let folder = tempfile::tempdir().expect("a folder");
        let mut divided = divided(folder.path(), 3);
        divided.root = PathBuf::from("/campaign");
        divided.about.isolated = isolated;
        divided
    }

    /// The files of a form for it.
    fn texts(form: Launcher, isolated: bool) -> Vec<String> {
        let files = files(&three(isolated), form).into_iter();
        files.map(|(_, text)| text).collect()
    }

    #[test]
    fn commands_are_one_a_line_and_the_merge_is_last() {
        let expected = "/opt/ikeru cluster shard /campaign 1\n/opt/ikeru cluster shard /campaign 2\n\
                        /opt/ikeru cluster shard /campaign 3\n/opt/ikeru cluster merge /campaign\n";
        assert_eq!(texts(Launcher::Commands, false), [expected]);
    }

    #[test]
    fn parallel_resumes_by_its_log() {
        let [script, list] = &texts(Launcher::Parallel, false)[..] else {
            panic!("two files")
        };
        assert!(script.contains(
            "\nparallel --joblog joblog --resume-failed --jobs \"${JOBS:-1}\" \"$@\" <shards.txt\n"
        ));
        assert_eq!(list.lines().count(), 3);
        let isolated = &texts(Launcher::Parallel, true)[0];
        assert!(isolated.contains("--jobs 1 "), "{isolated}");
    }

    #[test]
    fn the_jobs_of_slurm_are_requeued_and_alone_where_times_are_measured() {
        assert_eq!(
            slurm_shard(&three(false)),
            "#!/bin/sh\n#SBATCH --job-name=ikeru-table\n#SBATCH --output=\"/campaign/logs/%A_%a.txt\"\n\
             #SBATCH --open-mode=append\n#SBATCH --requeue\n#SBATCH --signal=B:TERM@120\n\
             # $1 is the number of the shard of task 0.\n\
             exec /opt/ikeru cluster shard /campaign $(($1 + SLURM_ARRAY_TASK_ID))\n"
        );
        let merge = slurm_merge(&three(false));
        assert!(
            merge.ends_with("\nexec /opt/ikeru cluster merge /campaign\n"),
            "{merge}"
        );
        let isolated = slurm_shard(&three(true));
        assert!(
            isolated.contains("#SBATCH --exclusive\n#SBATCH --hint=nomultithread\n"),
            "{isolated}"
        );
    }

    #[test]
    fn paths_that_a_script_would_read_otherwise_are_refused() {
        let plain = about(1);
        for check in [check, check_slurm] {
            for path in ["/a/n\ntouch PWN\n#", "/a/\u{1b}[2J"] {
                assert!(check(&plain, Path::new(path)).is_err(), "{path:?}");
                let mut other = about(1);
                other.program = path.to_owned();
                assert!(check(&other, Path::new("/a")).is_err(), "{path:?}");
            }
            assert!(check(&plain, Path::new("/a b/it's")).is_ok());
        }
        for path in ["/a\"b", "/a%jb", "/a\\b"] {
            assert!(check(&plain, Path::new(path)).is_ok(), "{path}");
            assert!(check_slurm(&plain, Path::new(path)).is_err(), "{path}");
        }
    }
}
