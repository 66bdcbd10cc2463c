//! The scripts by which a scheduler runs a divided campaign: one form for each launcher, written into the campaign's
//! folder.
//!
//! Every form runs `ikeru cluster shard DIR N` for each shard and `ikeru cluster merge DIR` at the end. A shard that
//! ends with 75 is unfinished: the same command resumes it.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;

use super::Divided;
use super::folder::About;
use super::slurm::{Limits, arrays};

/// The launcher that a campaign is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Launcher {
    /// One command a line, for a shell or any launcher
    Commands,
    /// GNU parallel, with its log of jobs
    Parallel,
    /// Slurm: arrays, and a job that merges them
    Slurm,
}

/// A file of the campaign's folder: name and text.
pub type File = (&'static str, String);

/// Refuses what a form cannot run for a campaign in the folder `root`.
///
/// # Errors
/// A path with characters that the form gives a meaning to.
pub fn check(about: &About, root: &Path, form: Launcher) -> Result<()> {
    // The text after a line break would be a line of the script, and Slurm replaces `%`.
    let special: &[char] = match form {
        Launcher::Commands | Launcher::Parallel => &[],
        Launcher::Slurm => &['"', '%', '\\'],
    };
    let named = root.to_str();
    let root =
        named.with_context(|| format!("{}: expected a folder's name in UTF-8", root.display()))?;
    for path in [root, &about.program] {
        let is_special = |c: &char| c.is_control() || special.contains(c);
        // Slurm's own lines contain only the folder; a shell reads the program.
        let is_read_by_shell = form == Launcher::Slurm && path == about.program;
        let found = path.chars().find(|c| match is_read_by_shell {
            true => c.is_control(),
            false => is_special(c),
        });
        if let Some(found) = found {
            bail!(
                "{path:?}: has the character {found:?}, which this form cannot hold; expected another path"
            );
        }
    }
    Ok(())
}

/// The files of a form; the user runs or submits the first one.
pub fn files(divided: &Divided, form: Launcher, limits: Limits) -> Vec<File> {
    match form {
        Launcher::Commands => vec![("commands.sh", commands(divided))],
        Launcher::Parallel => vec![
            ("parallel.sh", parallel(divided)),
            ("shards.txt", list(divided)),
        ],
        Launcher::Slurm => slurm(divided, limits),
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

/// The scripts that Slurm runs, and one that submits them.
fn slurm(divided: &Divided, limits: Limits) -> Vec<File> {
    let root = divided.quoted_root();
    let shards: Vec<u32> = divided.shards().map(|(shard, _)| shard).collect();
    let mut submit = format!(
        "#!/bin/sh\n# More flags of sbatch may follow, like --partition and --time.\nset -eu\n\
         echo job,first >{root}/jobs.csv\nafter=\n"
    );
    for array in arrays(&shards, limits.array) {
        let _ = write!(
            submit,
            "job=$(sbatch --parsable --array={} \"$@\" {root}/shard.sh {})\n\
             job=${{job%%;*}}\nafter=$after:$job\necho \"$job,{}\" >>{root}/jobs.csv\n",
            array.tasks, array.first, array.first
        );
    }
    let _ = writeln!(
        submit,
        "sbatch --parsable --dependency=\"afterany$after\" \"$@\" {root}/merge-job.sh"
    );
    vec![
        ("submit.sh", submit),
        ("shard.sh", slurm_shard(divided)),
        ("merge-job.sh", slurm_merge(divided)),
    ]
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
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '-'
        }
    };
    format!(
        "ikeru-{}",
        divided.about.name.chars().map(plain).collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::folder::tests::{about, divided};

    /// The files of a form for three shards in `/campaign`.
    fn texts(form: Launcher, isolated: bool) -> Vec<String> {
        let folder = tempfile::tempdir().expect("a folder");
        let mut divided = divided(folder.path(), 3);
        divided.root = PathBuf::from("/campaign");
        divided.about.isolated = isolated;
        let limits = Limits {
            array: 2,
            jobs: 100,
        };
        files(&divided, form, limits)
            .into_iter()
            .map(|(_, text)| text)
            .collect()
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
    fn slurm_has_an_array_for_as_many_tasks_as_one_may_have() {
        let [submit, shard, merge] = &texts(Launcher::Slurm, false)[..] else {
            panic!("three files")
        };
        assert_eq!(
            submit,
            "#!/bin/sh\n# More flags of sbatch may follow, like --partition and --time.\nset -eu\n\
             echo job,first >/campaign/jobs.csv\nafter=\n\
             job=$(sbatch --parsable --array=0-1 \"$@\" /campaign/shard.sh 1)\njob=${job%%;*}\nafter=$after:$job\n\
             echo \"$job,1\" >>/campaign/jobs.csv\n\
             job=$(sbatch --parsable --array=0 \"$@\" /campaign/shard.sh 3)\njob=${job%%;*}\nafter=$after:$job\n\
             echo \"$job,3\" >>/campaign/jobs.csv\n\
             sbatch --parsable --dependency=\"afterany$after\" \"$@\" /campaign/merge-job.sh\n"
        );
        assert_eq!(
            shard,
            "#!/bin/sh\n#SBATCH --job-name=ikeru-table\n#SBATCH --output=\"/campaign/logs/%A_%a.txt\"\n\
             #SBATCH --open-mode=append\n#SBATCH --requeue\n#SBATCH --signal=B:TERM@120\n\
             # $1 is the number of the shard of task 0.\n\
             exec /opt/ikeru cluster shard /campaign $(($1 + SLURM_ARRAY_TASK_ID))\n"
        );
        assert!(
            merge.ends_with("\nexec /opt/ikeru cluster merge /campaign\n"),
            "{merge}"
        );
        let isolated = &texts(Launcher::Slurm, true)[1];
        assert!(
            isolated.contains("#SBATCH --exclusive\n#SBATCH --hint=nomultithread\n"),
            "{isolated}"
        );
    }

    #[test]
    fn paths_that_a_form_would_read_otherwise_are_refused() {
        let plain = about(1);
        let every = [Launcher::Commands, Launcher::Parallel, Launcher::Slurm];
        for form in every {
            for path in ["/a/n\ntouch PWN\n#", "/a/\u{1b}[2J"] {
                assert!(
                    check(&plain, Path::new(path), form).is_err(),
                    "{form:?} {path:?}"
                );
                let mut other = about(1);
                other.program = path.to_owned();
                assert!(
                    check(&other, Path::new("/a"), form).is_err(),
                    "{form:?} {path:?}"
                );
            }
            assert!(
                check(&plain, Path::new("/a b/it's"), form).is_ok(),
                "{form:?}"
            );
        }
        for (path, refusing) in [
            ("/a\"b", &[Launcher::Slurm][..]),
            ("/a%jb", &[Launcher::Slurm]),
            ("/a\\b", &[Launcher::Slurm]),
        ] {
            for form in every {
                let refused = check(&plain, Path::new(path), form).is_err();
                assert_eq!(refused, refusing.contains(&form), "{form:?} {path}");
            }
        }
    }
}
