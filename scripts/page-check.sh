#!/usr/bin/env bash
# Checks the page of a run folder in a browser: scripts/page-check.sh RUN. No console message, no violation that
# axe-core finds, no sideways scroll, at three widths in light and dark; frames work, and every badge, sort button and
# copy button does what it says; at most 3 MB.
# Needs node, npm with axe-core and playwright-core, and chromium; without them it says so and ends with 0.
set -euo pipefail

page=$(realpath "${1:?expected a run folder}")/index.html
[[ -f $page ]] || { echo "page-check: no $page" >&2; exit 2; }

skip() {
    echo "skipped: $*"
    exit 0
}
command -v node >/dev/null && command -v npm >/dev/null || skip "no node and npm here: the page was not opened"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[[ -n $browser ]] || skip "no chromium here: the page was not opened"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix "$work" axe-core@4 playwright-core@1 >/dev/null 2>&1 ||
    skip "axe-core and playwright-core are not to be had: the page was not opened"

cat >check.cjs <<'SCRIPT'
const { chromium } = require('playwright-core');
const fs = require('fs');
const [page, executablePath] = process.argv.slice(2);
const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const most = 3_000_000;
const wrong = [];
const check = (holds, what) => { if (!holds) wrong.push(what); };

(async () => {
  check(fs.statSync(page).size <= most, `the page has ${fs.statSync(page).size} bytes, expected at most ${most}`);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'] });
  await Promise.all(['light', 'dark'].map(async (colorScheme) => {
    for (const width of [390, 768, 1280]) {
      const place = `${width} px, ${colorScheme}`;
      const tab = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
      tab.on('console', (message) => wrong.push(`${place}: console: ${message.text()}`));
      tab.on('pageerror', (error) => wrong.push(`${place}: ${error.message}`));
      await tab.goto(`file://${page}`);
      const over = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      check(over <= 0, `${place}: the page scrolls sideways by ${over} px`);
      await tab.evaluate(axe);
      // Without the places of all that holds: a page of 50,000 elements takes a third of the time.
      const { violations } = await tab.evaluate(() => window.axe.run({ resultTypes: ['violations'] }));
      for (const { id, help, nodes } of violations) {
        wrong.push(`${place}: axe: ${id}: ${help}; ${nodes.length} places, first ${nodes[0].html.slice(0, 160)}`);
      }
      await tab.close();
    }
  }));
  const tab = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  tab.on('pageerror', (error) => wrong.push(error.message));
  await tab.goto(`file://${page}`);
  const acts = await tab.evaluate(() => {
    const found = {};
    const texts = (body) => [...body.rows].map((row) => row.cells[0].dataset.v ?? row.cells[0].textContent);
    const sort = document.querySelector('#figures button.sort');
    if (sort) {
      const body = sort.closest('table').tBodies[0];
      sort.click();
      const up = texts(body);
      sort.click();
      const down = texts(body);
      const ordered = [...up].sort((a, b) => a.localeCompare(b));
      found.sort = up.join() === ordered.join() && down.join() === ordered.reverse().join();
    }
    const select = document.querySelector('select[data-filter="verdict"]');
    if (select && select.options.length > 1) {
      select.value = select.options[1].value;
      select.dispatchEvent(new Event('change'));
      const shown = [...document.querySelectorAll('#figures tbody tr')].filter((row) => !row.hidden);
      found.filter = shown.length > 0 && shown.every((row) => row.dataset.verdict === select.value);
      // A badge of the chosen verdict would take it back.
      select.value = '';
      select.dispatchEvent(new Event('change'));
    }
    const group = document.querySelector('.frames:has(.stepper)');
    if (group) {
      const caption = () => group.querySelector('.frame img').src;
      const first = caption();
      const key = (name) => group.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true }));
      key('End');
      const last = caption();
      key('Home');
      found.frames = first !== last && caption() === first;
    }
    const every = (what, all, holds) => { if (all.length) found[what] = all.every(holds); };
    const badges = [...document.querySelectorAll('.badges button')];
    every('badges', badges, (badge) => {
      badge.click();
      const shown = [...document.querySelectorAll('#figures tbody tr')].filter((row) => !row.hidden);
      const right = shown.length === Number.parseInt(badge.textContent.replace(',', ''), 10)
        && shown.every((row) => row.dataset.verdict === badge.value) && badge.ariaPressed === 'true';
      badge.click();
      return right && badge.ariaPressed === 'false';
    });
    // Where every cell of a column has a number of its own, the numbers ascend, then descend.
    const number = (cell) => Number(cell.dataset.v ?? (/^\d+$/.test(cell.textContent.trim()) ? cell.textContent : NaN));
    const sorts = [...document.querySelectorAll('button.sort')];
    every('all sorts', sorts, (button) => {
      const head = button.closest('th');
      const body = head.closest('table').tBodies[0];
      const rows = body.rows.length;
      return ['ascending', 'descending'].every((order) => {
        button.click();
        const values = [...body.rows].map((row) => number(row.cells[head.cellIndex]));
        const steps = values.slice(1).map((value, at) => (value - values[at]) * (order === 'ascending' ? 1 : -1));
        return head.ariaSort === order && body.rows.length === rows && !steps.some((step) => step < 0);
      });
    });
    const copied = [];
    Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { copied.push(text); } } });
    const copies = [...document.querySelectorAll('button.copy')];
    copies.forEach((button) => button.click());
    const cells = [...document.querySelectorAll('[data-again] table[data-cells]')].flatMap((table) => table.dataset.cells.split(' '));
    if (cells.length) found['all copies'] = copied.length === cells.length && new Set(copied).size === copied.length
      && copied.every((text) => /^ikeru run \S.* --cell [0-9a-f]+$/.test(text));
    return found;
  });
  for (const [what, works] of Object.entries(acts)) check(works, `${what} does not work`);
  await browser.close();
  wrong.forEach((line) => console.error(`page-check: ${line}`));
  console.log(wrong.length ? `${wrong.length} findings` : `no finding at 390, 768 and 1280 px, light and dark; tried: ${Object.keys(acts).join(', ')}`);
  process.exit(wrong.length ? 1 : 0);
})();
SCRIPT
NODE_PATH="$work/node_modules" node check.cjs "$page" "$browser"
