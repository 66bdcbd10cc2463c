#!/usr/bin/env bash
# Compares kernels of the tree with those of an older revision: counters and instructions (valgrind), then times (`ikeru ab`).
#   scripts/regress.sh v0.1.0                      # every kernel of the list below
#   BUDGET=0 scripts/regress.sh v0.1.0 '^path'     # those whose line matches, without times
# Ends with 1 where the older revision takes less than 0.97 of the tree's instructions, or counts otherwise what both count, and
# scripts/regress.txt does not excuse it, or where `ikeru ab` decides that the tree is slower.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
revision=${1:?usage: scripts/regress.sh OLD_REVISION [KERNELS]} chosen=${2:-.}
if ! command -v valgrind >/dev/null; then
    echo "scripts/regress.sh: valgrind is not installed" >&2
    exit 2
fi
mkdir -p "${CARGO_TARGET_DIR:-target}/regress"
folder=$(realpath "${CARGO_TARGET_DIR:-target}/regress")

# Problem, variant, generator with its parameters; the settings of question and variant.
list() {
    cat <<'LIST'
reach memo reach.spanning-grid | steps=48 god=true
reach arrivals reach.spanning-grid | steps=48 god=false
reach bitboard reach.spanning-grid | steps=48 god=false
reach bitboard reach.spanning-grid | steps=200 god=true
reach bitboard reach.spanning-grid width=10 height=10 | steps=48 god=false starts=all
reach bitboard reach.spanning-grid width=64 height=64 | steps=48 god=false
reach bitboard reach.spanning-grid width=100 height=100 | steps=48 god=false
reach slots reach.spanning-grid | steps=48 god=true
reach batch reach.spanning-grid width=10 height=10 | steps=48 god=false starts=all
path heap path.terrain width=256 height=256 queries=40 |
path bucket path.terrain width=256 height=256 queries=40 |
path bucket path.random width=256 height=256 queries=40 |
path jps path.terrain width=256 height=256 queries=40 |
path jps path.rooms width=256 height=256 queries=40 |
path jps path.random width=256 height=256 queries=40 |
path jps-tables path.maze width=256 height=256 queries=40 |
path jps-bounds path.maze width=64 height=64 queries=40 |
trail dfs+bound trail.random width=4 height=4 |
trail dominance trail.random width=4 height=4 |
trail lagrangian trail.random width=6 height=6 |
trail lagrangian trail.random width=8 height=8 |
chain bitboard chain.long-chain |
chain bitboard-avx2 chain.long-chain |
deep bound deep.random |
build beam build.sequence |
build template build.sequence |
LIST
}

# Builds the program in a folder into $1, its symbols kept. In one folder of builds cargo, which goes by times, would take the
# tree for what was built of the revision.
build() {
    (cd "$2" && cargo build --release --locked --quiet --config profile.release.strip=false --target-dir "$folder/build-$1" -p ikeru)
    cp "$folder/build-$1/release/ikeru" "$folder/$1"
}

# What build $1 counts for an answer, and its instructions; the other words are those of `solve`.
count() {
    local program=$folder/$1
    shift
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect='*Prepared*AnySolver*::solve' \
        "$program" solve "$@" --limit 600s --json 2>"$folder/valgrind" >"$folder/answer" || return
    grep -o '"counters":{[^}]*}' "$folder/answer" || return
    sed -n 's/.*Collected : *//p' "$folder/valgrind"
}

# Counters as lines NAME:COUNT, by name: an older revision may lack some.
each() {
    grep -o '"[a-z_]*":[0-9]*' <<<"$1" | tr -d '"' | sort
}

rm -rf "$folder/source"
mkdir "$folder/source"
git archive "$revision" | tar -x -m -C "$folder/source"
build old "$folder/source"
build new .
failed=0
printf '%14s %14s %8s  %s\n' "$revision" tree old/new kernel
while read -r kernel; do
    read -r problem variant generator parameters <<<"${kernel%%|*}"
    read -ra parameters <<<"$parameters"
    read -ra settings <<<"${kernel#*|}"
    "$folder/new" generate "$generator" "${parameters[@]/#/--set=}" -o "$folder/instance"
    solve=("$problem" "$folder/instance" --variant "$variant" "${settings[@]/#/--set=}")
    if ! old=$(count old "${solve[@]}") || ! new=$(count new "${solve[@]}"); then
        printf '%14s %14s %8s  %s\n' '' '' 'refused' "$kernel"
        continue
    fi
    { read -r old_counters && read -r old_instructions; } <<<"$old"
    { read -r new_counters && read -r new_instructions; } <<<"$new"
    ratio=$(awk "BEGIN { printf \"%.3f\", $old_instructions / $new_instructions }")
    remark=$(join -t: <(each "$old_counters") <(each "$new_counters") |
        awk -F: '$2 != $3 { printf " %s %s -> %s", $1, $2, $3 }')
    if [[ -n $remark ]] || awk "BEGIN { exit $ratio >= 0.97 }"; then
        if reason=$(grep -F "$problem $variant:" scripts/regress.txt); then
            remark+=" excused: ${reason#*: }"
        else
            remark+=' NOT EXCUSED'
            failed=1
        fi
    fi
    printf '%14s %14s %8s  %s%s\n' "$old_instructions" "$new_instructions" "$ratio" "$kernel" "$remark"
done < <(list | grep -E "$chosen")

if [[ ${BUDGET:=60s} != 0 ]]; then
    for experiment in ikerukana-table astar-variants challeran-table puyo-simulators; do
        rm -rf "${folder:?}/$experiment"
        "$folder/new" ab "$folder/old" "$folder/new" "$experiment" --metric cpu --budget "$BUDGET" --out "$folder/$experiment" || failed=1
    done
fi
exit $failed
