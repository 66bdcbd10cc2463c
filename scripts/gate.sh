#!/usr/bin/env bash
# The steps of action.yml: a revision against the working tree, the sentence first in the job's summary, an annotation, and
# the folder results/ab with page and tables. Ends with 1 if the tree is decided to be worse; undecided is a warning.
#
#     BASE=origin/main EXPERIMENT=bench.toml ARGUMENTS='--metric cpu --fail-if-slower 3%' scripts/gate.sh
#
# IKERU has the words that start the program; without them it is installed from the checkout of this script.
set -euo pipefail

read -ra experiment <<<"$EXPERIMENT"
read -ra arguments <<<"${ARGUMENTS:-}"
read -ra ikeru <<<"${IKERU:-}"
if ((${#ikeru[@]} == 0)); then
    ikeru=("$HOME/.cache/ikeru/bin/ikeru")
    cargo install --quiet --locked --root "$HOME/.cache/ikeru" --path "$(dirname "${BASH_SOURCE[0]}")/../runner"
fi
out=results/ab
rm -rf "$out"
mkdir -p results

code=0
"${ikeru[@]}" ab "$BASE" . "${experiment[@]}" "${arguments[@]}" --out "$out" >results/ab.txt 2> >(tee results/ab.err >&2) || code=$?
cat results/ab.txt
