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
"${ikeru[@]}" ab "$BASE" . "${experiment[@]}" "${arguments[@]}" --out "$out" --format markdown \
    2>&1 >results/ab.txt | tee results/ab.err >&2 || code=${PIPESTATUS[0]}

# The regression, or why nothing was decided; else the sentence under the table.
sentence=$(sed -n 's/^\(regression\|error\|undecided\): //p' results/ab.err | head -n 1)
decides='^(Scores of head against base|Answers and counters of|.* (against|than) .* (is|on) )'
[[ -n $sentence ]] || sentence=$(grep -E -m 1 "$decides" results/ab.txt | sed 's/^#* *//' || true)
printf '**%s**\n\n%s\n' "$sentence" "$(cat results/ab.txt)" >>"${GITHUB_STEP_SUMMARY:-/dev/stdout}"
echo "sentence=$sentence" >>"${GITHUB_OUTPUT:-/dev/null}"
# The page and its tables, for the artifact.
[[ ! -e $out/run.toml ]] || "${ikeru[@]}" report "$out" >/dev/null 2>&1 || true

case $code in
0) ;;
75)
    echo "::warning title=ikeru ab::$sentence"
    code=0
    ;;
*) echo "::error title=ikeru ab::$sentence" ;;
esac
exit "$code"
