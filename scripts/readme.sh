#!/bin/sh
# Fills README.md's findings from a run: those of the folder that is named, else of a new reproduction (five minutes).
# Needs a release build and, for a new run, a calm machine.
set -eu
cd "$(dirname "$0")/.."
ikeru=target/release/ikeru
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# between NAME FILE: puts FILE between the lines <!-- NAME --> and <!-- /NAME --> of README.md.
between() {
    awk -v name="$1" -v file="$2" '
        $0 == "<!-- /" name " -->" { inside = 0 }
        !inside { print }
        $0 == "<!-- " name " -->" { inside = 1; while ((getline line < file) > 0) print line }
    ' README.md >"$folder/README.md"
    cp "$folder/README.md" README.md
}

run=${1:-$folder/all}
[ $# -gt 0 ] || $ikeru reproduce -o "$run" >/dev/null 2>&1
$ikeru report "$run" 2>/dev/null >"$folder/short"
$ikeru report --verbose "$run" 2>/dev/null >"$folder/answers"
{
    echo
    # The five lines with which `reproduce` ends.
    sed -n '1,/^$/p' "$folder/short" | sed -e '/^$/d' -e 's/^/    /'
    echo
    echo '| source | finding | experiment |'
    echo '|---|---|---|'
    while read -r source experiment; do
        finding=$(sed -n "s/^✓  *$experiment  *//p" "$folder/answers")
        echo "| $source | $finding | \`$experiment\` |"
    done <<'LIST'
Ikerukana ikerukana-table
Ikerukana ikerukana-growth
Ikemasuyo ikemasuyo-scaling
Challeran challeran-frontier
A* astar-variants
A* astar-tie
Thesis thesis-2-1
Thesis puyo-today
LIST
    echo
    sed -n 's/^Published figures: /Claims of the five sources: /p' "$folder/answers"
    echo
} >"$folder/findings"
between findings "$folder/findings"
