#!/bin/sh
# sbatch --array=1-40 examples/cluster/slurm.sh DIR 40 EXPERIMENT [flags of run]
#
# DIR is on a disk that all nodes share. A task whose time is over, or that is preempted or requeued, goes on later; one that
# was killed goes on too, at most five times. `ikeru shards DIR` shows what is missing: submit these numbers once more, like
# --array=3,17, then `ikeru merge DIR/* -o OUT`. Isolated timing also needs --exclusive.
#SBATCH --requeue --open-mode=append --signal=B:TERM@120
dir=$1 of=$2
shift 2
task=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID

ikeru run "$@" --shard "$SLURM_ARRAY_TASK_ID/$of" --resume --quiet -o "$dir/$SLURM_ARRAY_TASK_ID" &
child=$!
trap 'kill -TERM $child' TERM
wait $child
code=$?
# A signal to this script ends its first `wait`.
if kill -0 $child 2>/dev/null; then
    wait $child
    code=$?
fi

# 75: interrupted. Above 128: killed by a signal. A task that was cancelled is not `RUNNING` any more.
[ $code -eq 75 ] || { [ $code -gt 128 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt 5 ]; } || exit $code
[ "$(squeue --noheader --format=%T --jobs "$task")" != RUNNING ] || scontrol requeue "$task"
exit $code
