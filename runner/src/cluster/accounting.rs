//! Slurm's accounting: how many more jobs a user may submit.
//!
//! Limits stand in associations (a user in an account, perhaps in a partition) and in qualities of service (QOS), of which
//! a job may have one and its partition another. Of the limits on one user's jobs the first counts that is set, in
//! the order partition's QOS, job's QOS, association; those on the jobs of many users count all. Limits on running jobs
//! (`MaxJobs`) need nobody's care: tasks above them wait.

use std::fmt;

use super::slurm::{said, value};

/// The limit that leaves room for the fewest jobs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Room {
    limit: Limit,
    /// The jobs in the queue that it counts.
    queued: usize,
}

impl Room {
    /// How many more jobs may be submitted, tasks of arrays counted each.
    pub fn jobs(&self) -> usize {
        self.limit.most.saturating_sub(self.queued)
    }
}

impl fmt::Display for Room {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Limit { name, most, .. } = &self.limit;
        write!(f, "{name} is {most}, with {} in the queue", self.queued)
    }
}

/// The room for jobs with these `flags` of sbatch, on the cluster with this `configuration`; `None` if no limit is
/// enforced, or nobody tells.
pub fn room(configuration: &str, flags: &[String]) -> Option<Room> {
    let enforced = value(configuration, "AccountingStorageEnforce")?;
    if !enforced.split(',').any(|word| word == "limits") {
        return None;
    }
    let cluster = value(configuration, "ClusterName")?;
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let user = variable("USER").or_else(|| variable("LOGNAME"))?;
    let ask = |words: &str| {
        let words: Vec<&str> = words.split_whitespace().collect();
        said("sacctmgr", &words).ok()
    };
    let columns = "DefaultAccount,Account,Partition,MaxSubmitJobs,GrpSubmitJobs,DefaultQOS,QOS";
    let associations = ask(&format!(
        "-nP show user where name={user} cluster={cluster} withassoc format={columns}"
    ))?;
    let partitions = said("scontrol", &["--oneliner", "show", "partition"]).ok()?;
    let asked = |flag, variable_name| flag_value(flags, flag).or_else(|| variable(variable_name));
    let partitions = Partitions::read(
        &partitions,
        asked(("--partition", "-p"), "SBATCH_PARTITION"),
    );
    let account = asked(("--account", "-A"), "SBATCH_ACCOUNT");
    let association = Association::read(&associations, account.as_deref(), &partitions.name)?;
    let group = ask(&format!(
        "-nP show assoc where cluster={cluster} account={} format=User,GrpSubmitJobs",
        association.account
    ))?;
    let columns = "Name,Flags,MaxSubmitJobsPerUser,MaxSubmitJobsPerAccount,GrpSubmitJobs";
    let qualities = ask(&format!("-nP show qos format={columns}"))?;
    let asked = asked(("--qos", "-q"), "SBATCH_QOS");
    let limits = limits(
        &association,
        &group,
        &partitions,
        &qualities,
        asked.as_deref(),
    );
    let rooms = limits.into_iter().filter_map(|limit| {
        let words = ["--noheader", "--array", "--format=%i"].map(str::to_owned);
        let words: Vec<String> = words.into_iter().chain(limit.queued.clone()).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let queued = said("squeue", &words).ok()?.lines().count();
        Some(Room { limit, queued })
    });
    rooms.min_by_key(Room::jobs)
}

/// A limit on jobs in the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Limit {
    /// Its name, and whose it is.
    name: String,
    most: usize,
    /// What makes `squeue` list the jobs that it counts.
    queued: Vec<String>,
}

/// The last value of a flag, long or short: `--qos=x`, `--qos x`, `-q x`, `-qx`.
fn flag_value(flags: &[String], (long, short): (&str, &str)) -> Option<String> {
    let mut found = None;
    let mut words = flags.iter();
    while let Some(word) = words.next() {
        if word == long || word == short {
            found = words.next().cloned();
        } else if let Some(value) = word.strip_prefix(long) {
            found = value.strip_prefix('=').map(str::to_owned).or(found);
        } else if let Some(value) = word.strip_prefix(short) {
            found = Some(value.to_owned());
        }
    }
    found
}

/// The partition of the jobs.
#[derive(Debug, Default, PartialEq, Eq)]
struct Partitions {
    name: String,
    /// Its QOS, if it has one, and all partitions that have the same.
    quality: Option<String>,
    alike: Vec<String>,
}

impl Partitions {
    /// Reads lines of `scontrol --oneliner show partition`: `PartitionName=all … Default=YES QoS=N/A …`. Of several that are
    /// asked for, the first.
    fn read(text: &str, asked: Option<String>) -> Self {
        let word = |line: &'_ str, key: &str| {
            let mut words = line
                .split_whitespace()
                .filter_map(|word| word.split_once('='));
            words
                .find(|(name, _)| *name == key)
                .map(|(_, value)| value.to_owned())
        };
        let name = |line: &str| word(line, "PartitionName");
        let quality = |line: &str| word(line, "QoS").filter(|quality| quality != "N/A");
        let is_default = |line: &&str| word(line, "Default").as_deref() == Some("YES");
        let first = |asked: String| asked.split(',').next().map(str::to_owned);
        let own = asked
            .and_then(first)
            .or_else(|| text.lines().find(is_default).and_then(name));
        let mut lines = text.lines();
        let own_quality = lines
            .find(|line| own.is_some() && name(line) == own)
            .and_then(quality);
        let alike = text
            .lines()
            .filter(|line| own_quality.is_some() && quality(line) == own_quality);
        Self {
            alike: alike.filter_map(name).collect(),
            name: own.unwrap_or_default(),
            quality: own_quality,
        }
    }
}

/// The association of the jobs.
#[derive(Debug, PartialEq, Eq)]
struct Association {
    account: String,
    partition: String,
    /// As `sacctmgr` prints them: empty without a limit.
    most: String,
    most_of_group: String,
    /// The QOS of its jobs that ask for none.
    quality: String,
}

impl Association {
    /// Reads lines like `root|other||5||debug|debug,normal`: default account, account, partition, `MaxSubmit`, `GrpSubmit`,
    /// default QOS, all QOS. The user's limits are those of the account where it has none of its own.
    fn read(text: &str, account: Option<&str>, partition: &str) -> Option<Self> {
        let rows = text.lines().filter_map(|line| {
            let fields: Vec<&str> = line.split('|').collect();
            <[&str; 7]>::try_from(fields).ok()
        });
        let is_own = |[default, own, limited_to, ..]: &[&str; 7]| {
            own.eq_ignore_ascii_case(account.unwrap_or(default))
                && (limited_to.is_empty() || *limited_to == partition)
        };
        let row = rows.filter(is_own).max_by_key(|row| row[2].len())?;
        let [_, account, partition, most, of_group, default, all] = row;
        let quality = match (default, all) {
            ("", one) if !one.is_empty() && !one.contains(',') => one,
            ("", _) => "normal",
            (default, _) => default,
        };
        Some(Self {
            account: account.to_owned(),
            partition: partition.to_owned(),
            most: most.to_owned(),
            most_of_group: of_group.to_owned(),
            quality: quality.to_owned(),
        })
    }
}

/// A QOS that counts for the jobs: its row of `sacctmgr`, and what makes `squeue` list its jobs.
type Quality<'a> = ([&'a str; 5], String);

/// The QOS that count for such jobs, first the one whose limits on a user come first. `text` has lines like
/// `debug|OverPartQOS|2||`: QOS, flags, `MaxSubmitPU`, `MaxSubmitPA`, `GrpSubmit`.
fn qualities<'a>(text: &'a str, partitions: &Partitions, asked: &str) -> Vec<Quality<'a>> {
    let row = |name: &str| {
        let rows = text.lines().map(|line| line.split('|').collect::<Vec<_>>());
        let mut rows = rows.filter_map(|fields| <[&str; 5]>::try_from(fields).ok());
        rows.find(|row| row[0].eq_ignore_ascii_case(name))
    };
    let of_partition = partitions.quality.as_deref().and_then(row);
    let alike = format!("--partition={}", partitions.alike.join(","));
    let own = row(asked).map(|row| (row, format!("--qos={}", row[0])));
    let is_over = |(row, _): &Quality| row[1].split(',').any(|flag| flag == "OverPartQOS");
    let mut both = [of_partition.map(|row| (row, alike)), own];
    if both[1].as_ref().is_some_and(is_over) {
        both.reverse();
    }
    both.into_iter().flatten().collect()
}

/// The limit of this name, if `most` is a number; `place` makes `squeue` list what it counts.
fn limit(name: String, most: &str, place: &[&str]) -> Option<Limit> {
    let queued = place.iter().map(|&word| word.to_owned()).collect();
    let most = most.parse().ok()?;
    Some(Limit { name, most, queued })
}

/// The limits on such jobs. `group` has lines like `|50` and `root|`: users, the account itself without one, and their
/// `GrpSubmit`; `text` is as [`qualities`] reads it.
fn limits(
    association: &Association,
    group: &str,
    partitions: &Partitions,
    text: &str,
    asked: Option<&str>,
) -> Vec<Limit> {
    let of_account = format!("--account={}", association.account);
    let of_qos = qualities(text, partitions, asked.unwrap_or(&association.quality));
    let mut all = Vec::new();
    for ([name, _, _, of_an_account, of_all], place) in &of_qos {
        let whose = |what: &str| format!("{what} of the QOS {name}");
        let shared = [place, &of_account].map(String::as_str);
        all.extend(limit(
            whose("MaxSubmitJobsPerAccount"),
            of_an_account,
            &shared,
        ));
        all.extend(limit(whose("GrpSubmitJobs"), of_all, &shared[..1]));
    }
    let of_user = of_qos.iter().find_map(|([name, _, most, ..], place)| {
        let name = format!("MaxSubmitJobsPerUser of the QOS {name}");
        limit(name, most, &[place, "--me"])
    });
    let of_partition = format!("--partition={}", association.partition);
    let own: &[&str] = match association.partition.is_empty() {
        true => &[&of_account, "--me"],
        false => &[&of_account, &of_partition, "--me"],
    };
    let whose = |what: &str| format!("{what} of the account {}", association.account);
    all.extend(of_user.or_else(|| limit(whose("MaxSubmitJobs"), &association.most, own)));
    let of_this_user = whose("GrpSubmitJobs of this user");
    all.extend(limit(of_this_user, &association.most_of_group, own));
    let mut group = group.lines().filter_map(|line| line.split_once('|'));
    let of_group = group.find(|(user, _)| user.is_empty());
    all.extend(of_group.and_then(|(_, most)| limit(whose("GrpSubmitJobs"), most, &[&of_account])));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    // As Slurm 22.05 prints them.
    const ASSOCIATIONS: &str = "root|other||5||debug|debug,normal\nroot|lab|long|3|||normal\nroot|lab||20|||normal\nroot|root|||||normal\n";
    const GROUP: &str = "|50\nroot|\nroot|\n";
    const QUALITIES: &str =
        "normal||||\npart||7|8|9\ndebug||2||\nfast|DenyOnLimit,OverPartQOS|40||\n";
    const PARTITIONS: &str = "PartitionName=all AllowGroups=ALL Default=YES QoS=N/A DefaultTime=NONE State=UP\n\
         PartitionName=long AllowGroups=ALL Default=NO QoS=part DefaultTime=NONE State=UP\n\
         PartitionName=longer AllowGroups=ALL Default=NO QoS=part DefaultTime=NONE State=UP\n";

    /// Each limit on jobs with these flags, as `squeue` lists what it counts.
    fn told(flags: &str) -> Vec<String> {
        let flags: Vec<String> = flags.split_whitespace().map(str::to_owned).collect();
        let partitions = Partitions::read(PARTITIONS, flag_value(&flags, ("--partition", "-p")));
        let account = flag_value(&flags, ("--account", "-A"));
        let association = Association::read(ASSOCIATIONS, account.as_deref(), &partitions.name);
        let association = association.expect("an association");
        let asked = flag_value(&flags, ("--qos", "-q"));
        let limits = limits(
            &association,
            GROUP,
            &partitions,
            QUALITIES,
            asked.as_deref(),
        );
        let told =
            |limit: &Limit| format!("{} {}: {}", limit.name, limit.most, limit.queued.join(" "));
        limits.iter().map(told).collect()
    }

    #[test]
    fn the_first_limit_on_a_users_jobs_counts_and_all_of_a_group() {
        let group = "GrpSubmitJobs of the account root 50: --account=root";
        assert_eq!(told(""), [group]);
        let group = "GrpSubmitJobs of the account lab 50: --account=lab";
        assert_eq!(
            told("-Alab"),
            [
                "MaxSubmitJobs of the account lab 20: --account=lab --me",
                group
            ]
        );
        // The default QOS of the association comes before its own limit, and what is asked for before that.
        let debug = "MaxSubmitJobsPerUser of the QOS debug 2: --qos=debug --me";
        assert_eq!(told("--account other")[0], debug);
        assert_eq!(
            told("--account=other -q normal --time=9")[0],
            "MaxSubmitJobs of the account other 5: --account=other --me"
        );
        let of_partition = [
            "MaxSubmitJobsPerAccount of the QOS part 8: --partition=long,longer --account=lab",
            "GrpSubmitJobs of the QOS part 9: --partition=long,longer",
        ];
        let user = "MaxSubmitJobsPerUser of the QOS part 7: --partition=long,longer --me";
        let long = [&of_partition[..], &[user, group]].concat();
        assert_eq!(told("-A lab -p long"), long);
        assert_eq!(told("-A lab -p longer,all --qos=debug"), long);
        let over = "MaxSubmitJobsPerUser of the QOS fast 40: --qos=fast --me";
        let over = [&of_partition[..], &[over, group]].concat();
        assert_eq!(told("-A lab -p long --qos fast"), over);
    }

    #[test]
    fn an_association_of_the_partition_comes_before_that_of_all() {
        let read = |account, partition| Association::read(ASSOCIATIONS, account, partition);
        let long = read(Some("LAB"), "long").expect("one");
        assert_eq!((long.partition.as_str(), long.most.as_str()), ("long", "3"));
        let all = read(Some("lab"), "all").expect("one");
        assert_eq!(
            (
                all.partition.as_str(),
                all.most.as_str(),
                all.quality.as_str()
            ),
            ("", "20", "normal")
        );
        assert_eq!(read(Some("none"), "all"), None);
        // What an older or a foreign program prints is no association.
        assert_eq!(
            Association::read(" Nothing new added.\n", None, "all"),
            None
        );
        assert_eq!(Partitions::read("", None), Partitions::default());
    }
}
