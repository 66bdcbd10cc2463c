#!/usr/bin/env bash
# The files of examples/cluster for Slurm and GNU parallel, for real and on one host: each runs 40 shards of a small
# experiment, ten of which are killed; under Slurm one of two nodes is drained and resumed. The merged folder must equal that
# of the undivided run in every row and column but those of times and places.
#
#     scripts/cluster-test.sh            # IKERU names the program (default: target/debug/ikeru)
#
# It needs Debian's packages slurm-wlm, munge and parallel, and installs what is missing if it may. What a machine forbids is
# printed as `skipped: …`.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
chmod 755 "$work"
mkdir "$work/bin"
cp "${IKERU:-target/debug/ikeru}" "$work/bin/ikeru"
export PATH=$work/bin:$PATH

fail() {
    printf 'cluster-test: %s\n' "$*" >&2
    exit 1
}

# Ends the jobs, the daemons by their pid files, and the steps whose environment names our folder.
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
    local packages=$1
    shift
    command -v "$@" >/dev/null && [[ $(command -v "$@" | wc -l) -eq $# ]] && return 0
    [[ $(id -u) -eq 0 ]] && command -v apt-get >/dev/null || return 1
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive timeout 240 apt-get install -y --no-install-recommends $packages \
        >"$work/apt.txt" 2>&1 </dev/null && [[ $(command -v "$@" | wc -l) -eq $# ]]
}

# Waits until a command succeeds.
until_true() {
    local seconds=$1 what=$2 end
    shift 2
    end=$((SECONDS + seconds))
    until "$@"; do
        [[ $SECONDS -lt $end ]] || fail "$what did not come within $seconds s"
        sleep 0.1
    done
}

cat >"$work/small.toml" <<'TOML'
name = "small"
title = "Shards"
about = "Some seconds of work in 80 questions."
problem = "reach"
variants = ["memo", "memo-flat"]
settings = { steps = 12 }
instances = [{ generator = "reach.spanning-grid", seeds = { from = 1, to = 80 } }]
run = { repeats = 15, sample = "20ms", mode = "contended" }
TOML
what=("$work/small.toml" --jobs 1)

# Kills ten shards, each once, after some of their samples.
killed=()
kill_ten() {
    local process folder
    for process in $(pgrep -f "^ikeru run .* -o $1/[0-9]+\$"); do
        # The process may have ended.
        folder=$( (tr '\0' '\n' <"/proc/$process/cmdline") 2>/dev/null | tail -n 1) || continue
        [[ -n $folder && " ${killed[*]} " != *" $folder "* && ${#killed[@]} -lt 10 ]] || continue
        if [[ -f $folder/records.csv && $(wc -l <"$folder/records.csv") -gt 5 ]] && kill -9 "$process"; then
            killed+=("$folder")
        fi
    done
    [[ ${#killed[@]} -eq 10 ]]
}

# The merged folder against the undivided one, and the killed shards against those that ran through.
equal() {
    local name=$1 dir=$2 folder
    ikeru shards "$dir" --format csv >"$work/shards.csv" || fail "$name: samples are missing"
    [[ $(grep -c ',0,no' "$work/shards.csv") -eq 40 ]] || fail "$name: not 40 whole shards"
    ikeru merge "$dir"/* -o "$dir.merged"
    ikeru report "$dir.merged" >/dev/null
    for folder in "${killed[@]}"; do
        [[ $(grep -c '^\[\[session\]\]' "$folder/run.toml") -ge 2 ]] || fail "$name: $folder was not resumed"
    done
    python3 - "$work/whole" "$dir.merged" <<'PYTHON' || fail "$name: the merged folder differs"
import csv, sys
# Times, what follows from them, and where and when a sample was taken.
FREE = {"wall_ns", "cpu_ns", "batch_ns", "iterations", "prepare_ns", "process_cpu_ns", "peak_bytes", "started_ns", "session",
        "node", "job", "task", "core", "canary"}
def rows(folder):
    with open(folder + "/records.csv", newline="") as file:
        return sorted(tuple((k, v) for k, v in row.items() if k not in FREE) for row in csv.DictReader(file))
one, two = map(rows, sys.argv[1:])
print(f"{len(two)} rows, {len(two[0])} columns compared, {sum(a != b for a, b in zip(one, two))} differ")
sys.exit(one != two)
PYTHON
    echo "$name: 40 shards, ten killed and resumed: every row equals the undivided run"
}

gnu_parallel() {
    has parallel parallel || { echo "skipped: GNU parallel is not to be had here"; return; }
    local dir=$work/parallel job
    killed=()
    sh examples/cluster/parallel.sh "$dir" 40 "${what[@]}" >"$work/parallel.txt" 2>&1 &
    job=$!
    until_true 120 "the tenth shard" kill_ten "$dir"
    wait "$job" || { cat "$work/parallel.txt" >&2; fail "parallel.sh failed"; }
    equal "GNU parallel" "$dir"
}

slurm_up() {
    has "slurm-wlm munge" munged slurmctld slurmd sbatch squeue scontrol || return 1
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

is_drained() { [[ $(sinfo --noheader --nodes=n2 --format=%T) == drained ]]; }
queue_is_empty() { [[ -z $(squeue --noheader) ]]; }

slurm() {
    slurm_up || { echo "skipped: no Slurm here: $(tail -n 1 "$work"/munged.txt "$work"/slurm*.log 2>/dev/null | tr '\n' ' ')"; return; }
    local dir=$work/slurm
    killed=()
    sbatch --array=1-40 --output="$work/slurm-%a.txt" examples/cluster/slurm.sh "$dir" 40 "${what[@]}"
    until_true 120 "the tenth shard" kill_ten "$dir"
    scontrol update nodename=n2 state=drain reason=test
    until_true 60 "the drained node" is_drained
    [[ -n $(squeue --noheader --states=PENDING) ]] || fail "Slurm: no task was left for the drained node"
    squeue --noheader --format='%T %N' | sort | uniq -c
    scontrol update nodename=n2 state=resume
    until_true 240 "an empty queue" queue_is_empty
    equal Slurm "$dir"
    echo "Slurm: node n2 drained with tasks in the queue, and resumed"
}

ikeru run "${what[@]}" --quiet --out "$work/whole"
gnu_parallel
slurm
