#!/bin/sh
# JOBS=8 sh examples/cluster/parallel.sh DIR 40 EXPERIMENT [flags of run]
#
# JOBS shards at a time; a shard that fails is tried three times. The same command resumes what is missing. For several
# machines with a common disk add --sshloginfile FILE. Afterwards: ikeru merge DIR/* -o OUT
dir=$1 of=$2
shift 2
seq "$of" | parallel --quote --jobs "${JOBS:-2}" --retries 3 \
    ikeru run "$@" --shard "{}/$of" --resume --quiet -o "$dir/{}"
