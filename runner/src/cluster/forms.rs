//! What a scheduler runs of a divided campaign: one form each, written into its folder.
//!
//! Every form runs `ikeru shard DIR N` for each shard and `ikeru merge DIR` at the end. A shard that ends with 75 is
//! unfinished: the same command goes on with it.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;

use super::Divided;
use super::folder::About;
use super::slurm::{Limits, arrays};
use crate::output::quoted;

/// For whom a campaign is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// One command a line, for a shell or any launcher
    Commands,
    /// GNU parallel, with its log of jobs
    Parallel,
    /// Slurm: arrays, and a job that merges them
    Slurm,
    /// HTCondor: a submit file
    Condor,
    /// Kubernetes: an indexed Job
    K8s,
}

/// What some forms need besides.
#[derive(Debug, Clone, Default)]
pub struct Needs {
    /// The container image of the program, for Kubernetes.
    pub image: String,
    /// The persistent volume claim that holds the campaign's folder, for Kubernetes.
    pub claim: String,
    /// Slurm's limits.
    pub limits: Limits,
}

/// A file of the campaign's folder: name and text.
pub type File = (&'static str, String);

/// Refuses what a form cannot run for a campaign in the folder `root`.
///
/// # Errors
/// Isolated timing where the form cannot ask for a node of its own; a path with characters that the form gives a meaning to.
pub fn check(about: &About, root: &Path, form: Form) -> Result<()> {
    // What follows a line break would be a line of the script. Slurm replaces `%`, HTCondor and Kubernetes replace `$(…)`.
    let special: &[char] = match form {
        Form::Commands | Form::Parallel => &[],
        Form::Slurm => &['"', '%', '\\'],
        Form::Condor | Form::K8s => &['$'],
    };
    let root = root.to_str();
    let root = root.with_context(|| format!("{root:?}: expected a folder's name in UTF-8"))?;
    for path in [root, &about.program] {
        let is_special = |c: &char| c.is_control() || special.contains(c);
        // Slurm's own lines name the folder alone; a shell reads the program.
        let is_read_by_shell = form == Form::Slurm && path == about.program;
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
    if about.isolated && !about.share_nodes && matches!(form, Form::Condor | Form::K8s) {
        bail!(
            "isolated timing needs a node of its own and pinned cores, which this form cannot ask for; \
             --mode contended, or --share-nodes times nevertheless"
        );
    }
    Ok(())
}

/// The files of a form; the first one is what a person runs or submits.
pub fn files(divided: &Divided, form: Form, needs: &Needs) -> Vec<File> {
    match form {
        Form::Commands => vec![("commands.sh", commands(divided))],
        Form::Parallel => vec![
            ("parallel.sh", parallel(divided)),
            ("shards.txt", list(divided)),
        ],
        Form::Slurm => slurm(divided, needs.limits),
        Form::Condor => vec![
            ("shards.sub", condor(divided)),
            ("merge.sh", merge(divided)),
        ],
        Form::K8s => vec![("job.yaml", kubernetes(divided, &needs.image, &needs.claim))],
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

/// A scripts that merges, for schedulers that run it after all shards.
fn merge(divided: &Divided) -> String {
    format!("#!/bin/sh\nexec {}\n", divided.merge_command())
}

fn parallel(divided: &Divided) -> String {
    let jobs = if divided.about.isolated && !divided.about.share_nodes {
        // Isolated cells share a machine with nothing.
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

/// The batch script of a shard. The program takes its place, so that signals reach it once and directly.
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

fn condor(divided: &Divided) -> String {
    let quoted = |text: &str| text.replace('\'', "''").replace('"', "\"\"");
    let shards: Vec<String> = divided
        .shards()
        .map(|(shard, _)| shard.to_string())
        .collect();
    let root = divided.root.display().to_string();
    format!(
        "# condor_submit shards.sub; when all are done: sh merge.sh\n\
         universe = vanilla\n\
         executable = {program}\n\
         arguments = \"shard '{root}' $(shard)\"\n\
         log = {plain}/logs/condor.txt\n\
         output = {plain}/logs/$(shard).txt\n\
         error = {plain}/logs/$(shard).txt\n\
         should_transfer_files = NO\n\
         kill_sig = SIGTERM\n\
         job_max_vacate_time = 120\n\
         on_exit_remove = (ExitBySignal == False) && (ExitCode != 75)\n\
         queue shard in ({shards})\n",
        program = divided.about.program,
        root = quoted(&root),
        plain = root,
        shards = shards.join(", ")
    )
}

fn kubernetes(divided: &Divided, image: &str, claim: &str) -> String {
    // JSON's strings are strings of YAML.
    let word = |text: &str| serde_json::Value::from(text).to_string();
    let root = divided.root.display().to_string();
    let script = format!(
        "exec {} shard {} $((JOB_COMPLETION_INDEX + 1))",
        quoted(&divided.about.program),
        divided.quoted_root()
    );
    format!(
        "# kubectl apply -f job.yaml; when it is complete, where the volume is mounted: {merge}\n\
         apiVersion: batch/v1\n\
         kind: Job\n\
         metadata:\n\
         \x20 name: {name}\n\
         spec:\n\
         \x20 completionMode: Indexed\n\
         \x20 completions: {shards}\n\
         \x20 parallelism: {shards}\n\
         \x20 backoffLimitPerIndex: {most}\n\
         \x20 podFailurePolicy:\n\
         \x20   rules:\n\
         \x20   - action: Ignore\n\
         \x20     onPodConditions:\n\
         \x20     - type: DisruptionTarget\n\
         \x20 template:\n\
         \x20   spec:\n\
         \x20     restartPolicy: Never\n\
         \x20     terminationGracePeriodSeconds: 120\n\
         \x20     containers:\n\
         \x20     - name: shard\n\
         \x20       image: {image}\n\
         \x20       command: [\"sh\", \"-c\", {script}]\n\
         \x20       volumeMounts:\n\
         \x20       - name: campaign\n\
         \x20         mountPath: {root}\n\
         \x20     volumes:\n\
         \x20     - name: campaign\n\
         \x20       persistentVolumeClaim:\n\
         \x20         claimName: {claim}\n",
        merge = divided.merge_command(),
        name = job_name(divided),
        shards = divided.about.shards,
        most = divided.about.give_up_after + 1,
        image = word(image),
        script = word(&script),
        root = word(&root),
        claim = word(claim),
    )
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::cluster::folder::tests::{about, divided};

    /// The files of a form for three shards in `/campaign`.
    fn texts(form: Form, isolated: bool) -> Vec<String> {
        let folder = tempfile::tempdir().expect("a folder");
        let mut divided = divided(folder.path(), 3);
        divided.root = PathBuf::from("/campaign");
        divided.about.isolated = isolated;
        let needs = Needs {
            image: "registry/ikeru:1".to_owned(),
            claim: "shared".to_owned(),
            limits: Limits {
                array: 2,
                jobs: 100,
            },
        };
        files(&divided, form, &needs)
            .into_iter()
            .map(|(_, text)| text)
            .collect()
    }

    #[test]
    fn commands_are_one_a_line_and_the_merge_is_last() {
        let expected = "/opt/ikeru shard /campaign 1\n/opt/ikeru shard /campaign 2\n\
                        /opt/ikeru shard /campaign 3\n/opt/ikeru merge /campaign\n";
        assert_eq!(texts(Form::Commands, false), [expected]);
    }

    #[test]
    fn parallel_resumes_by_its_log() {
        let [script, list] = &texts(Form::Parallel, false)[..] else {
            panic!("two files")
        };
        assert!(script.contains(
            "\nparallel --joblog joblog --resume-failed --jobs \"${JOBS:-1}\" \"$@\" <shards.txt\n"
        ));
        assert_eq!(list.lines().count(), 3);
        let isolated = &texts(Form::Parallel, true)[0];
        assert!(isolated.contains("--jobs 1 "), "{isolated}");
    }

    #[test]
    fn slurm_has_an_array_for_as_many_tasks_as_one_may_have() {
        let [submit, shard, merge] = &texts(Form::Slurm, false)[..] else {
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
             exec /opt/ikeru shard /campaign $(($1 + SLURM_ARRAY_TASK_ID))\n"
        );
        assert!(
            merge.ends_with("\nexec /opt/ikeru merge /campaign\n"),
            "{merge}"
        );
        let isolated = &texts(Form::Slurm, true)[1];
        assert!(
            isolated.contains("#SBATCH --exclusive\n#SBATCH --hint=nomultithread\n"),
            "{isolated}"
        );
    }

    #[test]
    fn condor_runs_an_unfinished_shard_again() {
        let text = &texts(Form::Condor, false)[0];
        assert!(
            text.contains("\narguments = \"shard '/campaign' $(shard)\"\n"),
            "{text}"
        );
        assert!(
            text.contains("\non_exit_remove = (ExitBySignal == False) && (ExitCode != 75)\n"),
            "{text}"
        );
        assert!(text.ends_with("\nqueue shard in (1, 2, 3)\n"), "{text}");
    }

    #[test]
    fn kubernetes_has_an_index_for_each_shard() {
        let text = &texts(Form::K8s, false)[0];
        for line in [
            "  completionMode: Indexed\n  completions: 3\n  parallelism: 3\n  backoffLimitPerIndex: 6\n",
            "        image: \"registry/ikeru:1\"\n",
            "        command: [\"sh\", \"-c\", \"exec /opt/ikeru shard /campaign $((JOB_COMPLETION_INDEX + 1))\"]\n",
            "          mountPath: \"/campaign\"\n",
            "          claimName: \"shared\"\n",
        ] {
            assert!(text.contains(line), "no {line} in {text}");
        }
    }

    #[test]
    fn isolated_timing_is_refused_where_no_node_is_ones_own() {
        let mut about = about(1);
        let root = Path::new("/campaign");
        about.isolated = true;
        for form in [Form::Condor, Form::K8s] {
            let error = check(&about, root, form).expect_err("refused").to_string();
            assert!(error.contains("--share-nodes"), "{error}");
            assert!(check(&about, root, Form::Slurm).is_ok());
        }
        about.share_nodes = true;
        assert!(check(&about, root, Form::Condor).is_ok());
    }

    #[test]
    fn paths_that_a_form_would_read_otherwise_are_refused() {
        let plain = about(1);
        let every = [
            Form::Commands,
            Form::Parallel,
            Form::Slurm,
            Form::Condor,
            Form::K8s,
        ];
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
            ("/a\"b", &[Form::Slurm][..]),
            ("/a%jb", &[Form::Slurm]),
            ("/a\\b", &[Form::Slurm]),
            ("/$(b)", &[Form::Condor, Form::K8s]),
        ] {
            for form in every {
                let refused = check(&plain, Path::new(path), form).is_err();
                assert_eq!(refused, refusing.contains(&form), "{form:?} {path}");
            }
        }
    }
}
