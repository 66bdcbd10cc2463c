#!/bin/sh
# Fills README.md's findings and draws the pictures of docs/ from a run: that of the folder that is named, else a new
# reproduction (five minutes). Needs a release build and, for a new run, a calm machine; pictures need node, npm with
# playwright-core, and chromium.
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
    sed -n 's/^[0-9][^p]*published figures; by fact: /Claims of the five sources, by fact: /p' "$folder/answers"
    echo
} >"$folder/findings"
between findings "$folder/findings"

# The pictures of docs/charts.md.
$ikeru run examples/charts.toml -o "$folder/charts" >/dev/null 2>&1
$ikeru report "$folder/charts" --talk >/dev/null 2>&1
cp "$folder/charts/plots/charts-talk.svg" docs/charts/talk.svg
$ikeru report "$folder/charts" --paper >/dev/null 2>&1
for name in growth speed-up crossing two by-feature cactus scatter strip; do
    cp "$folder/charts/plots/charts-$name.svg" "docs/charts/$name.svg"
done
cp "$folder/charts/plots/charts-analysis-1.svg" docs/charts/consoles.svg

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$browser" ] || ! npm install --silent --no-audit --no-fund --prefix "$folder" playwright-core@1 >/dev/null 2>&1; then
    echo "readme.sh: no chromium or playwright-core here: the pictures of docs/ stay as they are" >&2
    exit 0
fi
cat >"$folder/shots.cjs" <<'SCRIPT'
const { chromium } = require('playwright-core');
const [run, out, executablePath] = process.argv.slice(2);
(async () => {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  const open = async (page) => {
    const tab = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    await tab.goto(`file://${run}/${page}.html`);
    return tab;
  };
  const index = await open('index');
  await index.screenshot({ path: `${out}/page.png` });
  const race = index.locator('#side-by-side .race').first();
  await race.locator('input').evaluate((range) => {
    range.value = 0.7 * range.max;
    range.dispatchEvent(new Event('input'));
  });
  await race.screenshot({ path: `${out}/side-by-side.png` });
  await (await open('challeran')).locator('#challeran-frontier').screenshot({ path: `${out}/experiment.png` });
  await browser.close();
})();
SCRIPT
NODE_PATH="$folder/node_modules" node "$folder/shots.cjs" "$(realpath "$run")" docs "$browser"
