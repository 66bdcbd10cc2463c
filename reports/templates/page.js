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

// What a link leads to is shown, whatever the filter and the fold.
const reveal = () => {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  const folded = target.closest('details') ?? target.querySelector(':scope > details');
  if (folded && !folded.open) { folded.open = true; target.scrollIntoView(); }
};
addEventListener('hashchange', reveal);
reveal();

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

// What a variant is, where its name stands in a plot.
for (const article of document.querySelectorAll('article')) {
  const about = new Map([...article.querySelectorAll('.variants dt')].map((term) => [term.firstChild.textContent.trim(), term.nextElementSibling.firstChild.textContent.trim()]));
  for (const part of article.querySelectorAll('[data-series]')) {
    const words = about.get(part.dataset.series);
    if (!words || part.querySelector('title')) continue;
    const title = document.createElementNS('http://www.w3.org/2000/svg', 'title');
    title.textContent = `${part.dataset.series}: ${words}`;
    part.prepend(title);
  }
}

const copy = async (button, command) => {
  button.title = command;
  try { await navigator.clipboard.writeText(command); button.textContent = 'Copied'; } catch { prompt('The command', command); }
};
for (const code of document.querySelectorAll('[data-copy]')) {
  const button = make('button', { type: 'button', className: 'copy', textContent: 'Copy' });
  button.onclick = () => copy(button, code.textContent);
  code.after(' ', button);
}

// The command that measures a cell again: one for each table of cells.
for (const table of document.querySelectorAll('article[data-again] table[data-cells]')) {
  const cells = table.dataset.cells.split(' ');
  const name = (row) => [...row.cells].slice(0, 4).map((cell) => cell.textContent.trim()).join(' · ');
  const select = make('select', {}, ...cells.map((value, at) => make('option', { value, textContent: name(table.tBodies[0].rows[at]) })));
  const button = make('button', { type: 'button', className: 'copy', textContent: 'Copy the command' });
  const label = make('label', {}, 'Measure again: ', select);
  button.onclick = () => copy(button, `${table.closest('article').dataset.again} --cell ${select.value}`);
  select.onchange = () => { button.textContent = 'Copy the command'; };
  table.closest('.scroll').before(make('div', { className: 'again' }, label, button));
}
