#!/usr/bin/env bash
# Runs a campaign on MPI ranks again and again while its journal grows: a rank that dies ends the whole job, and the same
# command goes on. It gives up after K runs in a row that added no row, with the last one's exit code.
#
#     scripts/mpi-retry.sh DIR K COMMAND…
#     scripts/mpi-retry.sh results/big 3 mpirun -n 8 ikeru run challeran-frontier --mode contended --on mpi --resume -o results/big
set -uo pipefail

if [[ $# -lt 3 || ! $2 =~ ^[1-9][0-9]*$ ]]; then
    sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
folder=$1 most=$2
shift 2

rows() { if [[ -f $folder/records.csv ]]; then wc -l <"$folder/records.csv"; else echo 0; fi; }

without=0
while :; do
    before=$(rows)
    "$@" </dev/null
    code=$?
    [[ $code -eq 0 ]] && exit 0
    if [[ $(rows) -gt $before ]]; then without=0; else without=$((without + 1)); fi
    if [[ $without -ge $most ]]; then
        echo "mpi-retry: $without runs in a row added no row; the last ended with $code" >&2
        exit "$code"
    fi
    echo "mpi-retry: ended with $code after $(($(rows) - before)) rows; once more" >&2
done
