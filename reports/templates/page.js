// What reading the page does not need: frames, sorting, filters, highlighted series, commands. Without this script
// every table, plot and first frame is there.
const make = (name, properties, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};

// Frames of one picture: buttons, arrow keys, play. The later frames wait in a template.
const player = (group) => {
  const template = group.querySelector('template.more');
  if (!template) return;
  const frames = [group.querySelector('.frame'), ...template.content.children];
  const slot = make('div', {}, frames[0].cloneNode(true));
  frames[0].replaceWith(slot);
  let at = 0;
  let timer = null;
  const place = make('output', { ariaLive: 'polite' });
  const button = (label, text, act) => {
    const made = make('button', { type: 'button', ariaLabel: label, title: label, textContent: text });
    made.onclick = () => { if (made.ariaDisabled !== 'true') act(); };
    return made;
  };
  const stop = () => { clearInterval(timer); timer = null; label(); };
  const label = () => {
    play.textContent = timer ? 'pause' : 'play';
  };
  const show = (to) => {
    at = Math.min(Math.max(to, 0), frames.length - 1);
    slot.replaceChildren(frames[at].cloneNode(true));
    place.value = `${at + 1} / ${frames.length}`;
    for (const one of [first, back]) one.ariaDisabled = String(at === 0);
    for (const one of [on, last]) one.ariaDisabled = String(at === frames.length - 1);
  };
  const move = (to) => { stop(); show(to); };
  const start = () => {
    if (timer) return stop();
    if (at === frames.length - 1) show(0);
    timer = setInterval(() => { if (at === frames.length - 1) stop(); else show(at + 1); }, 800);
    label();
  };
  const first = button('first frame', '|◀', () => move(0));
  const back = button('previous frame', '◀', () => move(at - 1));
  const play = make('button', { type: 'button', textContent: 'play', onclick: start });
  const on = button('next frame', '▶', () => move(at + 1));
  const last = button('last frame', '▶|', () => move(frames.length - 1));
  slot.before(make('div', { className: 'stepper' }, first, back, play, on, last, place));
  group.tabIndex = 0;
  group.title = 'arrow keys step, space plays';
  group.addEventListener('keydown', (event) => {
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: frames.length - 1 }[event.key];
    if (to !== undefined) { event.preventDefault(); move(to); }
    if (event.key === ' ' && event.target === group) { event.preventDefault(); start(); }
  });
  show(0);
};
document.querySelectorAll('.frames').forEach(player);

// A click on a head sorts by its column: by `data-v`, else by the number that begins the text, else by the text. The rows
// of an unsorted column have different units.
const valueOf = (cell) => {
  const text = cell.dataset.v ?? cell.textContent.trim();
  const number = Number.parseFloat(text.replace(/,(?=\d{3}(?!\d))/g, '').replace('−', '-').replace(/^[≥≤≈]/, ''));
  return { text, number };
};
const compare = (a, b) => {
  const [left, right] = [valueOf(a), valueOf(b)];
  const known = [left, right].map((one) => Number.isFinite(one.number));
  if (known[0] && known[1]) return left.number - right.number;
  if (known[0] !== known[1]) return known[0] ? -1 : 1;
  return left.text.localeCompare(right.text);
};
for (const table of document.querySelectorAll('table')) {
  const body = table.tBodies[0];
  if (!body || body.rows.length < 3) continue;
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    if ('unsorted' in head.dataset) return;
    const button = make('button', { type: 'button', className: 'sort' }, ...head.childNodes);
    head.append(button);
    button.onclick = () => {
      const down = head.ariaSort === 'ascending';
      for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
      head.ariaSort = down ? 'descending' : 'ascending';
      const rows = [...body.rows].sort((a, b) => compare(a.cells[column], b.cells[column]));
      body.append(...(down ? rows.reverse() : rows));
    };
  });
}

// The published figures by source and verdict. A row that a link leads to is shown, whatever the filter.
const filters = document.querySelector('.filters');
if (filters) {
  const rows = [...document.querySelectorAll('#figures tbody tr')];
  const selects = [...filters.querySelectorAll('select')];
  for (const select of selects) {
    const values = new Set(rows.map((row) => row.dataset[select.dataset.filter]));
    select.append(...[...values].map((value) => make('option', { value, textContent: value })));
  }
  const apply = () => {
    for (const row of rows) {
      row.hidden = selects.some((one) => one.value && row.dataset[one.dataset.filter] !== one.value);
    }
    const shown = rows.filter((row) => !row.hidden).length;
    filters.querySelector('output').value = `${shown} of ${rows.length} figures`;
    for (const badge of badges) badge.ariaPressed = String(badge.value === ofVerdict.value);
    const aside = document.querySelector('details.aside');
    if (aside && selects.some((one) => one.value)) aside.open = [...aside.querySelectorAll('tbody tr')].some((row) => !row.hidden);
  };
  // The counts of verdicts above are filters too.
  const [ofVerdict] = selects.filter((select) => select.dataset.filter === 'verdict');
  const badges = [...document.querySelectorAll('.badges .badge')].map((badge) => {
    const value = badge.dataset.verdict;
    const button = make('button', { type: 'button', className: badge.className, textContent: badge.textContent, value });
    button.title = `only figures whose verdict is “${value}”`;
    button.onclick = () => { ofVerdict.value = ofVerdict.value === value ? '' : value; apply(); };
    badge.replaceWith(button);
    return button;
  });
  selects.forEach((select) => { select.onchange = apply; });
  filters.hidden = false;
  apply();
  const reveal = () => {
    const row = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!row) return;
    if (row.hidden) { selects.forEach((select) => { select.value = ''; }); apply(); }
    const folded = row.closest('details');
    if (folded && !folded.open) { folded.open = true; row.scrollIntoView(); }
  };
  addEventListener('hashchange', reveal);
  reveal();
}

// A series or its name, under the pointer, fades the others of its plot.
for (const drawing of document.querySelectorAll('.plot .drawing')) {
  const parts = [...drawing.querySelectorAll('[data-series]')];
  const highlight = (chosen) => {
    for (const part of parts) part.classList.toggle('faded', chosen !== undefined && part.dataset.series !== chosen);
  };
  for (const part of parts) {
    part.addEventListener('pointerenter', () => highlight(part.dataset.series));
    part.addEventListener('pointerleave', () => highlight(undefined));
  }
}

// The command that measures a cell again.
for (const table of document.querySelectorAll('article[data-again] table[data-cells]')) {
  table.dataset.cells.split(' ').forEach((cell, at) => {
    const command = `${table.closest('article').dataset.again} --cell ${cell}`;
    const copy = make('button', { type: 'button', className: 'copy', textContent: 'copy', title: `Copy the command that measures this cell again: ${command}` });
    copy.ariaLabel = `copy the command: ${command}`;
    copy.onclick = async () => {
      try { await navigator.clipboard.writeText(command); copy.textContent = 'copied'; } catch { prompt('The command', command); }
    };
    table.tBodies[0].rows[at].cells[0].append(' ', copy);
  });
}
