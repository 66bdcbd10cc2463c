// The claims by source and verdict. The counts of verdicts at the top are filters too.
const filters = document.querySelector('#figures .filters');
if (filters) {
  const rows = [...document.querySelectorAll('#figures tbody tr')];
  const selects = [...filters.querySelectorAll('select')];
  const fold = filters.closest('details');
  for (const select of selects) {
    const values = new Set(rows.map((row) => row.dataset[select.dataset.filter]));
    select.append(...[...values].map((value) => make('option', { value, textContent: value })));
  }
  const [ofVerdict] = selects.filter((select) => select.dataset.filter === 'verdict');
  const badges = [...document.querySelectorAll('.badges [data-verdict]')];
  const apply = () => {
    for (const row of rows) {
      row.hidden = selects.some((one) => one.value && row.dataset[one.dataset.filter] !== one.value);
    }
    const shown = rows.filter((row) => !row.hidden).length;
    filters.querySelector('output').value = `${shown} of ${rows.length} claims`;
    for (const badge of badges) badge.ariaPressed = String(badge.dataset.verdict === ofVerdict.value);
  };
  for (const badge of badges) {
    const { verdict } = badge.dataset;
    badge.role = 'button';
    badge.title = `only claims whose verdict is “${verdict}”`;
    badge.onclick = (event) => {
      const isOn = ofVerdict.value === verdict;
      if (isOn) event.preventDefault();
      ofVerdict.value = isOn ? '' : verdict;
      fold.open ||= !isOn;
      apply();
    };
    badge.onkeydown = (event) => { if (event.key === ' ') { event.preventDefault(); badge.click(); } };
  }
  selects.forEach((select) => { select.onchange = apply; });
  filters.hidden = false;
  apply();
}
// What one console manages, in place of the sentence of all.
const mine = document.querySelector('.mine');
if (mine) {
  const lines = [...document.querySelectorAll('[data-console]')];
  const apply = ({ target }) => { for (const line of lines) line.hidden = line.dataset.console !== target.value; };
  const select = mine.querySelector('select');
  select.onchange = apply;
  mine.hidden = false;
  if ([...select.options].some((one) => one.value === 'PS2')) select.value = 'PS2';
  apply({ target: select });
}
// Two searches in step: time is what both count, and each stands still at its end.
const SECONDS = 12;
for (const race of document.querySelectorAll('.race')) {
  const sides = [...race.querySelectorAll('.side')].map((side) => ({
    end: Number(side.dataset.end),
    output: side.querySelector('output'),
    said: side.querySelector('.said'),
    steps: [...side.querySelectorAll('[data-at]')].map((step) => ({ step, at: Number(step.dataset.at), count: Number(step.dataset.count ?? step.dataset.at), only: step.dataset.only, words: step.dataset.said })),
  }));
  const last = Math.max(...sides.map((side) => side.end));
  const place = make('input', { type: 'range', min: 0, max: last, value: last, step: 'any', ariaLabel: 'how far both searches are' });
  let timer = null;
  const show = (now) => {
    place.value = now;
    for (const { end, output, said, steps } of sides) {
      const until = steps.findLastIndex((one) => one.at <= now);
      // Where the count is the time it runs on between two steps.
      const isTime = steps.every(({ at, count }) => at === count);
      output.value = Math.floor(isTime ? Math.min(now, end) : steps[until]?.count ?? 0).toLocaleString('en');
      if (said) said.textContent = steps[until]?.words ?? '';
      steps.forEach(({ step, only }, at) => { step.style.display = (only ? at === until : at <= until) ? '' : 'none'; });
    }
  };
  const stop = () => { cancelAnimationFrame(timer); timer = null; play.textContent = 'play'; };
  const start = () => {
    if (timer !== null) return stop();
    const from = Number(place.value) >= last ? 0 : Number(place.value);
    const began = performance.now();
    play.textContent = 'pause';
    const tick = () => {
      const now = from + (performance.now() - began) / 1000 / SECONDS * last;
      show(Math.min(now, last));
      if (now >= last) stop(); else timer = requestAnimationFrame(tick);
    };
    timer = requestAnimationFrame(tick);
  };
  const play = make('button', { type: 'button', textContent: 'play', onclick: start });
  place.oninput = () => { const to = Number(place.value); stop(); show(to); };
  show(last);
  race.append(make('div', { className: 'stepper' }, play, place));
}
