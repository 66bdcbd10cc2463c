#!/usr/bin/env bash
# Clusters, for real and on one host: GNU parallel with its log of jobs; a Slurm of two nodes, one of which is set down
# while an array runs. What each leaves must equal an undisturbed run in every counter.
#
#     scripts/cluster-test.sh            # IKERU names the program (default: target/debug/ikeru)
#
# It needs Debian's packages parallel, slurmctld, slurmd, slurm-client and munge, and installs what is missing if
# it may. What a machine forbids is told as `skipped: …`.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
chmod 755 "$work"
ikeru=$(realpath "${IKERU:-target/debug/ikeru}")

fail() {
    printf 'cluster-test: %s\n' "$*" >&2
    exit 1
}

skipped() { printf 'skipped: %s\n' "$*"; }

# Ends the jobs, then the daemons by their pid files, then what the daemons left: steps whose environment names our folder.
finish() {
    local file process
    if [[ -n ${SLURM_CONF:-} ]]; then
        scancel --quiet --user="$(id -un)" 2>/dev/null
        sleep 1
    fi
    for file in "$work"/slurmctld.pid "$work"/slurmd-*.pid "$work"/munged.pid; do
        [[ -f $file ]] && kill "$(cat "$file")" 2>/dev/null
    done
    sleep 1
    for process in $(pgrep slurmstepd); do
        grep -qzF "SLURM_CONF=$work/" "/proc/$process/environ" 2>/dev/null && kill -9 "$process"
    done
    rm -rf "$work"
}
trap finish EXIT

# Installs packages unless their programs are there.
has() {
    local packages=$1 program
    shift
    local missing=0
    for program in "$@"; do command -v "$program" >/dev/null || missing=1; done
    [[ $missing -eq 0 ]] && return 0
    [[ $(id -u) -eq 0 ]] && command -v apt-get >/dev/null || return 1
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive timeout 120 apt-get install -y --no-install-recommends $packages \
        >"$work/apt.txt" 2>&1 </dev/null || return 1
    for program in "$@"; do command -v "$program" >/dev/null || return 1; done
}

# Samples with outcome, score and counters, sorted: what must not depend on how a campaign ran.
counters() {
    sed 's/"[^"]*"/quoted/g' "$1/records.csv" | awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^(experiment|sample|outcome|score|bound|counter_.*)$/) kept[++n] = i }
        { for (i = 1; i <= n; i++) printf "%s,", $kept[i]; print "" }' | sort
}

equal() {
    counters "$1" >"$work/found"
    cmp -s "$work/whole.counters" "$work/found" || fail "$2: other counters than the undisturbed run"
    [[ -s $1/index.html ]] || fail "$2: no page"
}

# The experiment: 6 questions, two variants, some seconds a shard.
what=(ikerukana-table --mode contended --jobs 1 --variant memo --variant memo-flat --repeats 200)

undisturbed() {
    "$ikeru" run "${what[@]}" --out "$work/whole" --quiet
    counters "$work/whole" >"$work/whole.counters"
    [[ $(wc -l <"$work/whole.counters") -gt 2000 ]] || fail "the undisturbed run has too few samples"
}

# Rows in a shard's journal.
rows() { if [[ -f $1/records.csv ]]; then wc -l <"$1/records.csv"; else echo 0; fi; }

# Waits until a command succeeds.
until_true() {
    local seconds=$1 what=$2 waited
    shift 2
    for ((waited = 0; waited < seconds * 10; waited++)); do
        "$@" && return 0
        sleep 0.1
    done
    fail "$what did not come within $seconds s"
}

begun() { [[ $(rows "$1") -gt ${2:-20} ]]; }

gnu_parallel() {
    has parallel parallel || { skipped "GNU parallel is not to be had here"; return; }
    local dir=$work/parallel killed
    "$ikeru" cluster emit "${what[@]}" --as parallel --tasks 4 -o "$dir" >/dev/null
    # One shard is killed in the middle: the log says so.
    JOBS=2 sh "$dir/parallel.sh" >"$work/parallel.txt" 2>&1 &
    local script=$!
    until_true 60 "the second shard" begun "$dir/shards/0002"
    killed=$(pgrep -f "^$ikeru cluster shard $dir 2\$") || fail "no process of shard 2"
    kill -9 "$killed"
    wait "$script" && fail "parallel.sh must fail with its shard"
    [[ $(awk 'NR > 1 && ($7 != 0 || $8 != 0)' "$dir/joblog" | wc -l) -eq 1 ]] || fail "joblog: not one failed shard"
    sh "$dir/parallel.sh" >"$work/parallel.txt" 2>&1 || { cat "$work/parallel.txt" >&2; fail "parallel.sh does not resume"; }
    # Four shards, and the second once more.
    [[ $(tail -n +2 "$dir/joblog" | wc -l) -eq 5 ]] || fail "joblog: finished shards ran again"
    equal "$dir/merged" "GNU parallel"
    echo "GNU parallel: a shard killed, resumed from its log: same counters"
}

slurm_up() {
    has "slurmctld slurmd slurm-client munge" munged slurmctld slurmd sbatch squeue scontrol || return 1
    dd if=/dev/urandom of="$work/munge.key" bs=1024 count=1 2>/dev/null
    chmod 600 "$work/munge.key"
    munged --force --key-file="$work/munge.key" --socket="$work/munge.socket" --pid-file="$work/munged.pid" \
        --log-file="$work/munged.log" --seed-file="$work/munge.seed" 2>"$work/munged.txt" || return 1
    cat >"$work/slurm.conf" <<CONF
ClusterName=ikeru
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket,cred_expire=5
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool-%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd-%n.log
SlurmctldPort=16817
ReturnToService=1
KillWait=5
MaxArraySize=4
MaxJobCount=100
NodeName=n[1-2] NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=[16818-16819] CPUs=1
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
    mkdir -p "$work/state" "$work/spool-n1" "$work/spool-n2"
    export SLURM_CONF=$work/slurm.conf
    slurmctld >"$work/slurmctld.txt" 2>&1 && slurmd -N n1 && slurmd -N n2 || return 1
    local waited
    for ((waited = 0; waited < 200; waited++)); do
        [[ $(sinfo --noheader --format=%T 2>/dev/null) == idle ]] && return 0
        sleep 0.1
    done
    return 1
}

slurm_array() {
    slurm_up || { skipped "no Slurm on this machine: $(tail -n 1 "$work"/munged.txt "$work"/slurm*.log 2>/dev/null | tr '\n' ' ')"; return; }
    local dir=$work/slurm down
    "$ikeru" cluster submit slurm "${what[@]}" --tasks 6 -o "$dir" >"$work/submitted"
    grep -q "submitted: 6 shards as [0-9]* and [0-9]*," "$work/submitted" || fail "MaxArraySize is 4: expected two arrays"
    # The node of a shard that has begun is set down.
    until_true 60 "a shard on n2" on_second_node "$dir"
    scontrol update nodename=n2 state=down reason=test
    until_true 20 "shard $down_shard in the queue again" is_waiting "$dir"
    cat "$work/status"
    until_true 60 "n2" node_is_back
    until_true 150 "the merge" test -s "$dir/merged/index.html"
    until_true 30 "an empty queue" queue_is_empty
    equal "$dir/merged" "Slurm"
    "$ikeru" cluster status "$dir" | tee "$work/status"
    grep -q '^done  *6 ' "$work/status" || fail "status: not every shard is done"
    [[ $(grep -c '^\[\[session\]\]' "$dir/shards/000$down_shard/run.toml") -ge 2 ]] ||
        fail "the shard of the node that went down was not resumed"
    echo "Slurm: a node down in the middle, requeued, merged: same counters"
}

down_shard=
on_second_node() {
    local line shard
    for shard in 1 2 3 4 5 6; do
        begun "$1/shards/000$shard" || continue
        line=$(squeue --noheader --format='%N|%F|%K' --states=RUNNING | grep '^n2|') || continue
        # The shard of task 0 of each array stands in jobs.csv.
        local job task first
        IFS='|' read -r _ job task <<<"$line"
        first=$(awk -F, -v job="$job" '$1 == job { print $2 }' "$1/jobs.csv")
        [[ $((first + task)) -eq $shard ]] && { down_shard=$shard; return 0; }
    done
    return 1
}

is_waiting() {
    "$ikeru" cluster status "$1" >"$work/status"
    awk -v shard="$down_shard" '$1 == "waiting" { for (i = 5; i <= NF; i++) if ($i == shard) found = 1 } END { exit !found }' \
        "$work/status"
}

# A node that is up already cannot be resumed.
node_is_back() {
    scontrol update nodename=n2 state=resume 2>/dev/null ||
        grep -q -x -E 'idle|allocated|mixed' <<<"$(sinfo --noheader --nodes=n2 --format=%T)"
}

queue_is_empty() { [[ -z $(squeue --noheader) ]]; }

undisturbed
gnu_parallel
slurm_array
