#!/usr/bin/env bash
# Checks the pages of a run folder in a browser: scripts/page-check.sh RUN. No console message, no violation that
# axe-core finds, no sideways scroll, on every page at three widths in light and dark, folds closed and open; frames and
# searches in step work, every badge, sort button and copy button does what it says, and every link within the pages leads
# somewhere; of a book the first page has at most 700 kB and ten screens of 1280×800; all pages have at most 3 MB.
# Needs node, npm with axe-core and playwright-core, and chromium; without them it says so and ends with 0.
set -euo pipefail

folder=$(realpath "${1:?expected a run folder}")
[[ -f $folder/index.html ]] || { echo "page-check: no $folder/index.html" >&2; exit 2; }

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
const path = require('path');
const [folder, executablePath] = process.argv.slice(2);
const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const MOST = 3_000_000;
const MOST_FIRST = 700_000;
const SCREENS = 10;
const wrong = [];
const check = (holds, what) => { if (!holds) wrong.push(what); };
const pages = fs.readdirSync(folder).filter((name) => name.endsWith('.html'));
const bytes = (name) => fs.statSync(path.join(folder, name)).size;

(async () => {
  const all = pages.reduce((sum, name) => sum + bytes(name), 0);
  check(all <= MOST, `the pages have ${all} bytes, expected at most ${MOST}`);
  check(pages.length === 1 || bytes('index.html') <= MOST_FIRST, `the first page has ${bytes('index.html')} bytes, expected at most ${MOST_FIRST}`);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'] });
  const ids = {};
  const links = [];
  await Promise.all(['light', 'dark'].map(async (colorScheme) => {
    for (const page of pages) for (const width of [390, 768, 1280]) {
      const place = `${page}, ${width} px, ${colorScheme}`;
      const tab = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
      tab.on('console', (message) => wrong.push(`${place}: console: ${message.text()}`));
      tab.on('pageerror', (error) => wrong.push(`${place}: ${error.message}`));
      await tab.goto(`file://${folder}/${page}`);
      const { over, height } = await tab.evaluate(() => ({
        over: document.documentElement.scrollWidth - innerWidth, height: document.documentElement.scrollHeight,
      }));
      check(over <= 0, `${place}: the page scrolls sideways by ${over} px`);
      if (page === 'index.html' && width === 1280 && pages.length > 1) {
        check(height <= SCREENS * 800, `${place}: ${height} px high, expected at most ${SCREENS} screens of 800`);
      }
      await tab.evaluate(axe);
      for (const isOpen of [false, true]) {
        if (isOpen) await tab.evaluate(() => document.querySelectorAll('details').forEach((one) => { one.open = true; }));
        const wide = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        check(wide <= 0, `${place}: with open folds the page scrolls sideways by ${wide} px`);
        // Without the places of all that holds: a page of many elements takes a third of the time.
        const { violations } = await tab.evaluate(() => window.axe.run({ resultTypes: ['violations'] }));
        for (const { id, help, nodes } of violations) {
          wrong.push(`${place}: axe: ${id}: ${help}; ${nodes.length} places, first ${nodes[0].html.slice(0, 160)}`);
        }
      }
      if (width === 1280 && colorScheme === 'light') {
        ids[page] = new Set(await tab.evaluate(() => [...document.querySelectorAll('[id]')].map((one) => one.id)));
        const own = await tab.evaluate(() => [...document.querySelectorAll('a[href]')].map((one) => one.getAttribute('href')));
        links.push(...own.map((href) => ({ page, href })));
      }
      await tab.close();
    }
  }));
  for (const { page, href } of links.filter(({ href }) => !/^[a-z]+:/.test(href))) {
    const [file, id] = href.split('#').map(decodeURIComponent);
    const target = file || page;
    const leads = id ? ids[target]?.has(id) : fs.existsSync(path.join(folder, target));
    check(leads, `${page}: the link ${href} leads nowhere`);
  }
  const tried = new Set();
  for (const page of pages) {
  const tab = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  tab.on('pageerror', (error) => wrong.push(error.message));
  await tab.goto(`file://${folder}/${page}`);
  const acts = await tab.evaluate(async () => {
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
    const badges = [...document.querySelectorAll('.badges [data-verdict]')];
    every('badges', badges, (badge) => {
      badge.click();
      const shown = [...document.querySelectorAll('#figures tbody tr')].filter((row) => !row.hidden);
      const own = shown.filter((row) => row.dataset.ofFact === badge.dataset.verdict);
      const facts = new Set(own.map((row) => row.dataset.fact)).size;
      const right = facts === Number.parseInt(badge.textContent.replace(',', ''), 10) && document.querySelector('#figures details').open
        && shown.every((row) => row.dataset.verdict === badge.dataset.verdict) && badge.ariaPressed === 'true';
      badge.click();
      return right && badge.ariaPressed === 'false';
    });
    // Where every cell of a column has a number of its own, the numbers ascend, then descend.
    const number = (cell) => Number(cell.dataset.v ?? (/^\d+$/.test(cell.textContent.trim()) ? cell.textContent : NaN));
    const sorts = [...document.querySelectorAll('button.sort')].filter((button) => !button.closest('.cells'));
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
    // The table of instances is drawn anew for each order.
    const instances = document.querySelector('.cells');
    if (instances) {
      const head = () => instances.querySelector('th:nth-child(2)');
      const rows = instances.querySelectorAll('tbody tr').length;
      found.instances = rows > 0 && ['ascending', 'descending'].every((order) => {
        head().querySelector('button').click();
        return head().ariaSort === order && instances.querySelectorAll('tbody tr').length === rows;
      });
    }
    const copied = [];
    Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { copied.push(text); } } });
    const tables = [...document.querySelectorAll('[data-again] table[data-cells]')];
    let cells = 0;
    for (const table of tables) {
      const again = table.closest('article').querySelector('.again');
      const [select, button] = [again.querySelector('select'), again.querySelector('button.copy')];
      for (const cell of table.dataset.cells.split(' ')) {
        select.value = cell;
        button.click();
        await Promise.resolve();
        cells += 1;
      }
      if (select.options.length !== table.tBodies[0].rows.length) found['a cell for each row'] = false;
    }
    if (cells) found['all copies'] = copied.length === cells && new Set(copied).size === copied.length
      && copied.every((text) => /^ikeru run \S.* --cell [0-9a-f]+$/.test(text));
    every('searches in step', [...document.querySelectorAll('.race')], (race) => {
      const range = race.querySelector('input[type=range]');
      const [counts, ends] = [() => [...race.querySelectorAll('output')].map((one) => Number(one.value.replace(/,/g, ''))),
        [...race.querySelectorAll('.side')].map((side) => Number(side.dataset.end))];
      const at = (place) => { range.value = place; range.dispatchEvent(new Event('input')); return counts(); };
      const seen = (side) => [...side.querySelectorAll('[data-at]')].filter((step) => step.style.display !== 'none').length;
      const shown = () => [...race.querySelectorAll('.side')].map(seen);
      const last = at(range.max);
      const atEnd = shown();
      const first = at(0);
      const atStart = shown();
      return Number(range.max) === Math.max(...ends) && first.every((count, side) => count <= last[side]) && last.some((count, side) => count > first[side])
        && atStart.every((count, side) => count <= atEnd[side]) && atEnd.every((count) => count > 0);
    });
    const named = [...document.querySelectorAll('.plot')].filter((plot) => plot.closest('article')?.querySelector('.variants dt'));
    every('names explained', named.filter((plot) => {
      const labels = [...plot.closest('article').querySelectorAll('.variants dt')].map((term) => term.firstChild.textContent.trim());
      return [...plot.querySelectorAll('[data-series]')].some((part) => labels.includes(part.dataset.series));
    }), (plot) => plot.querySelector('[data-series] > title'));
    return found;
  });
  for (const [what, works] of Object.entries(acts)) check(works, `${page}: ${what} does not work`);
  Object.keys(acts).forEach((what) => tried.add(what));
  await tab.close();
  }
  await browser.close();
  wrong.forEach((line) => console.error(`page-check: ${line}`));
  console.log(wrong.length ? `${wrong.length} findings` : `no finding on ${pages.length} pages of ${all} bytes at 390, 768 and 1280 px, light and dark; tried: ${[...tried].join(', ')}`);
  process.exit(wrong.length ? 1 : 0);
})();
SCRIPT
NODE_PATH="$work/node_modules" node check.cjs "$folder" "$browser"
