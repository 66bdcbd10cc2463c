#!/bin/sh
# Fills README.md's marked parts from the program: the first taste, and what a reproduction found.
# Needs a release build and a calm machine; takes about a minute and a half.
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

{
    echo
    echo '    $ ikeru run ikerukana-table'
    COLUMNS=110 $ikeru run ikerukana-table -o "$folder/table" 2>/dev/null |
        grep -v "$folder" | sed -e 's/[[:space:]]*$//' -e 's/^\(.\)/    \1/' | cat -s
} >"$folder/taste"
between taste "$folder/taste"

COLUMNS=300 $ikeru reproduce -o "$folder/all" 2>/dev/null >"$folder/answers"
{
    echo
    echo '| source | finding | experiment |'
    echo '|---|---|---|'
    while read -r source experiment; do
        finding=$(sed -n "s/^✓  *$experiment  *//p" "$folder/answers")
        # One number for what stands in the first taste too: that of the run that a reader has just seen.
        [ "$experiment" != ikerukana-table ] || finding=$(sed -n '/ than the article/s/^ *//p' "$folder/taste")
        echo "| $source | $finding | \`$experiment\` |"
    done <<'LIST'
Ikerukana ikerukana-table
Ikerukana console-throughput
Ikemasuyo ikemasuyo-scaling
Challeran challeran-prunings
Challeran challeran-sharing
A* astar-variants
A* astar-tie
Thesis thesis-2-1
Thesis puyo-today
LIST
    echo
    sed -n 's/^Published figures: /Published figures of the five sources: /p' "$folder/answers"
    echo
} >"$folder/findings"
between findings "$folder/findings"
