// Solvers on and off, a value and an axis: a plot and a table of instances from the cells that the page contains.
const UNITS = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];
const FIRST = 100;
const short = (value) => (Number.isInteger(value) && Math.abs(value) < 1e9 ? value.toLocaleString('en') : Number(value.toPrecision(3)).toLocaleString('en', { maximumFractionDigits: 9 }));
const said = (value, unit) => {
  if (value === null || value === undefined) return '–';
  if (unit === '%') return `${short(value)} %`;
  if (unit === '±%') return `${value > 0 ? '+' : ''}${short(value).replace('-', '−')} %`;
  if (unit[0] === '.') return value.toLocaleString('en', { minimumFractionDigits: Number(unit.slice(1)), maximumFractionDigits: Number(unit.slice(1)) });
  const three = (size) => (Number.isInteger(size) || size >= 1000 || size < 0.001 ? short(size) : size.toPrecision(3));
  if (unit === '×') return `${three(value)}×`;
  if (unit !== 'ns') return short(value);
  const [scale, word] = UNITS.find(([size]) => value >= size) ?? UNITS[3];
  return `${three(value / scale)} ${word}`;
};
const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

// The place of a value on an axis from 0 to 1, and the axis' ticks; logarithmic where the values differ by more than 20
// times, but not where they are an order.
const axisOf = (values, isOrder) => {
  const [low, high] = values.reduce(([a, b], value) => [Math.min(a, value), Math.max(b, value)], [Infinity, -Infinity]);
  const isLog = !isOrder && low > 0 && high / low > 20;
  const [from, to] = isLog ? [Math.log10(low), Math.log10(high)] : [low, high];
  const room = (to - from || 1) * 0.04;
  const place = (value) => ((isLog ? Math.log10(value) : value) - from + room) / (to - from + 2 * room || 1);
  const ticks = [];
  if (isLog) {
    const every = Math.ceil((to - from) / 6);
    for (let power = Math.ceil(from); power <= to; power += every) ticks.push(10 ** power);
  } else {
    const rough = (to - from || 1) / 5;
    const power = 10 ** Math.floor(Math.log10(rough));
    const isWhole = values.every(Number.isInteger);
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough && (size >= 1 || !isWhole)) ?? 1;
    for (let at = Math.ceil(from / step); at * step <= to + step * 1e-9; at += 1) ticks.push(Number((at * step).toPrecision(12)));
  }
  return { place, ticks };
};
const draw = (name, attributes, ...children) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};

// Medians joined by lines where x has few values with several instances each, else a point for each instance.
const plotOf = (series, x, y, room) => {
  const [width, height, left, bottom] = [Math.min(Math.max(room, 320), 880), 320, 80, 46];
  const points = series.flatMap((one) => one.points);
  if (!points.length) return make('p', { className: 'quiet', textContent: 'No solver has such a value.' });
  const [across, up] = [axisOf(points.map(([at]) => at), x.isOrder), axisOf(points.map(([, value]) => value))];
  const px = (value) => left + (width - left - 12) * across.place(value);
  const py = (value) => (height - bottom - 20) * (1 - up.place(value)) + 28;
  const svg = draw('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', fill: 'var(--ink)', 'aria-label': `${y.name} against ${x.name}` });
  const text = (at, word, anchor) => draw('text', { x: at[0], y: at[1], 'text-anchor': anchor }, word);
  for (const tick of up.ticks) {
    svg.append(draw('path', { d: `M${left} ${py(tick)}H${width - 12}`, stroke: 'var(--grid)' }), text([left - 8, py(tick) + 4], said(tick, y.unit), 'end'));
  }
  const every = Math.ceil(across.ticks.length / (width / 90));
  for (const tick of across.ticks.filter((_, at) => at % every === 0)) svg.append(text([px(tick), height - 22], said(tick, ''), 'middle'));
  svg.append(text([width / 2, height - 4], x.name, 'middle'), text([2, 12], y.name, 'start'));
  for (const { colour, points: own, name, isJoined } of series.filter((one) => one.points.length)) {
    const group = draw('g', { 'data-series': name });
    const at = own.map(([at, value]) => `${px(at).toFixed(1)} ${py(value).toFixed(1)}`);
    if (isJoined) group.append(draw('path', { d: `M${at.join('L')}`, stroke: `var(--s${colour})`, 'stroke-width': 2, fill: 'none' }));
    const isOpen = (index) => own[index][2];
    for (const index of own.keys()) if (isOpen(index)) group.append(draw('circle', { cx: px(own[index][0]), cy: py(own[index][1]), r: 3.5, stroke: `var(--s${colour})`, 'stroke-width': 1.5, fill: 'none' }));
    group.append(draw('path', { d: at.filter((_, index) => !isOpen(index)).map((one) => `M${one}h0`).join(''), stroke: `var(--s${colour})`, 'stroke-width': isJoined ? 8 : 5, 'stroke-linecap': 'round', fill: 'none' }));
    svg.append(group);
  }
  return svg;
};

for (const place of document.querySelectorAll('.cells')) {
  const data = JSON.parse(place.querySelector('script').textContent);
  const { solvers, values, best, baseline, score } = data;
  const count = solvers.length;
  const axes = [...data.axes, { name: 'instances in order', isOrder: true, of: data.questions.map((_, at) => at + 1) }];
  const isShown = solvers.map(() => true);
  // Instances of the same name are told apart by their seeds.
  const seeds = data.axes.find(({ name }) => name === 'seed')?.of;
  const isTwice = new Set(data.questions).size < data.questions.length;
  const questions = data.questions.map((name, at) => (isTwice && seeds ? `${name}, seed ${seeds[at]}` : name));
  // At first the first value in which solvers differ, and the axis with few values, else the instances in order.
  const differs = ({ of }) => of.some((one, at) => one !== null && one !== (of[at - at % count] ?? one));
  const first = Math.max(values.findIndex(differs), 0);
  const few = axes.findIndex(({ of }) => { const all = new Set(of).size; return of !== seeds && all > 1 && all <= 12 && !of.includes(null); });
  let [value, axis, key, isDown, rows, isRelative] = [first, few < 0 ? axes.length - 1 : few, null, false, FIRST, baseline !== null && score === first && count > 1];
  const difference = (now, base) => (now === null || base === null ? null : base === now ? 0 : Math.min(Math.max(100 * (now - base) / Math.max(Math.abs(now), Math.abs(base)), -100), 100));
  // Times are compared by their ratio, other values by their difference; a positive difference of scores is better.
  const isReversed = ({ of, better }) => of === values[score]?.of && better < 0;
  const compared = (chosen) => (chosen.unit === 'ns'
    ? { unit: '×', same: 1, better: chosen.better, of: (now, base) => (now === null || !base ? null : now / base) }
    : isReversed(chosen)
      ? { unit: '±%', same: 0, better: 1, of: (now, base) => difference(base, now) }
      : { unit: '±%', same: 0, better: chosen.better, of: difference });

  // The sign before a value, and that before a comparison: a larger value makes it larger, a larger base makes it smaller.
  const sign = (chosen, cell) => (chosen.bounds?.[cell] ?? ' ').trim();
  const reverse = { '': '', '≥': '≤', '≤': '≥', '≈': '≈' };
  const signOf = (chosen, cell, base) => {
    const [now, other] = [sign(chosen, cell), reverse[sign(chosen, base)]];
    const both = now === '' || now === other ? other : other === '' ? now : '≈';
    return isReversed(chosen) ? reverse[both] : both;
  };

  // The columns of the table: heads, units, and a number or text for each instance.
  const columns = () => {
    const chosen = values[value];
    const own = (solver) => (at) => chosen.of[at * count + solver];
    const shown = [...solvers.keys()].filter((solver) => isShown[solver]);
    const all = shown.map((solver) => ({ head: solvers[solver], unit: chosen.unit, of: own(solver), sign: (at) => sign(chosen, at * count + solver) }));
    if (baseline !== null) {
      for (const solver of shown.filter((one) => one !== baseline)) {
        const { unit, same, better, of } = compared(chosen);
        all.push({ head: `${solvers[solver]} against ${solvers[baseline]}`, unit, same, better, of: (at) => of(own(solver)(at), own(baseline)(at)), sign: (at) => signOf(chosen, at * count + solver, at * count + baseline) });
      }
    }
    if (value === score && best.some((one) => one !== null)) {
      for (const solver of shown) all.push({ head: `${solvers[solver]}: gap to best`, unit: '%', of: (at) => { const gap = difference(own(solver)(at), best[at]); return gap === null ? null : Math.abs(gap); }, sign: (at) => { const own = sign(chosen, at * count + solver); return chosen.better > 0 ? reverse[own] : own; } });
    }
    const failures = (at) => shown.filter((solver) => data.outcome[at * count + solver] > 0);
    all.push({ head: 'not solved', unit: '', of: (at) => failures(at).length, detail: (at) => failures(at).map((solver) => `${solvers[solver]}: ${data.outcomes[data.outcome[at * count + solver]]}`).join('; ') });
    return all;
  };
  const command = (at) => {
    const ids = [...solvers.keys()].filter((solver) => isShown[solver]).map((solver) => data.ids.substr(8 * (at * count + solver), 8));
    return `${data.again}${ids.filter((id) => !id.startsWith('-')).map((id) => ` --cell ${id}`).join('')}`;
  };
  const table = () => {
    const all = columns();
    const order = [...questions.keys()];
    if (key !== null && all[key]) {
      const sorted = new Map(order.map((at) => [at, all[key].of(at)]));
      order.sort((a, b) => (sorted.get(a) === null) - (sorted.get(b) === null) || (isDown ? -1 : 1) * (sorted.get(a) - sorted.get(b)));
    }
    const heads = all.map(({ head }, at) => {
      const button = make('button', { type: 'button', className: 'sort', textContent: head });
      button.onclick = () => { isDown = key === at && !isDown; key = at; rows = FIRST; show(); };
      return make('th', { className: 'number', ariaSort: key === at ? (isDown ? 'descending' : 'ascending') : null }, button);
    });
    const line = (at) => {
      const button = make('button', { type: 'button', className: 'copy', textContent: 'Copy' });
      button.onclick = () => copy(button, command(at));
      const cells = all.map(({ of, unit, detail, better, same, sign }) => {
        const bound = of(at) === null ? '' : sign?.(at) ?? '';
        const cell = make('td', { className: 'number', textContent: bound + said(of(at), unit) });
        const isSure = { '': true, '≥': of(at) > same, '≤': of(at) < same }[bound];
        if (better && isSure && of(at) !== null && of(at) !== same) cell.classList.add((of(at) - same) * better > 0 ? 'gains' : 'loses');
        if (detail?.(at)) cell.append(make('small', { textContent: detail(at) }));
        return cell;
      });
      return make('tr', {}, make('th', { scope: 'row', textContent: questions[at] }), ...cells, ...(data.again ? [make('td', {}, button)] : []));
    };
    const last = data.again ? [make('th', { textContent: 'run again' })] : [];
    const body = make('tbody', {}, ...order.slice(0, rows).map(line));
    const caption = make('caption', { textContent: `${order.length.toLocaleString('en')} instances; a click on a head sorts${value === score && baseline !== null ? '; positive is better' : ''}` });
    const drawn = make('table', {}, caption, make('thead', {}, make('tr', {}, make('th', { textContent: 'instance' }), ...heads, ...last)), body);
    const more = order.length > rows ? [make('button', { type: 'button', className: 'copy', textContent: `${Math.min(5 * FIRST, order.length - rows)} more of the other ${(order.length - rows).toLocaleString('en')}`, onclick: () => { rows += 5 * FIRST; show(); } })] : [];
    return [make('div', { className: 'scroll tall', tabIndex: 0, role: 'group', ariaLabel: 'Instances' }, drawn), ...more];
  };
  const plot = () => {
    const x = axes[axis];
    const series = [...solvers.keys()].filter((solver) => isShown[solver]).map((solver) => {
      const [at, open] = [new Map(), new Set()];
      questions.forEach((_, question) => {
        const own = values[value].of[question * count + solver];
        const [cell, base] = [question * count + solver, question * count + baseline];
        const [across, y] = [x.of[question], isRelative ? compared(values[value]).of(own, values[value].of[base]) : own];
        if (across === null || y === null) return;
        if (!at.has(across)) at.set(across, []);
        at.get(across).push(y);
        if (isRelative ? signOf(values[value], cell, base) : sign(values[value], cell)) open.add(across);
      });
      const points = [...at].map(([across, all]) => [across, median(all), open.has(across)]).sort((a, b) => a[0] - b[0]);
      const every = Math.ceil(points.length / 2000);
      return { name: solvers[solver], isMedian: [...at.values()].some((all) => all.length > 1), colour: data.colours[solver], isJoined: axis < data.axes.length && points.length <= Math.min(40, questions.length / 2), points: points.filter((_, index) => index % every === 0) };
    });
    const shown = isRelative ? { name: `${values[value].name} against ${solvers[baseline]}`, unit: compared(values[value]).unit } : values[value];
    const y = { ...shown, name: (series.some(({ isMedian }) => isMedian) && !shown.name.startsWith('median') ? 'median ' : '') + shown.name };
    return make('div', { className: 'drawing', tabIndex: 0, role: 'group', ariaLabel: 'The chosen value against the chosen axis' }, plotOf(series, x, y, place.clientWidth));
  };
  const chosen = make('div', {});
  const show = () => chosen.replaceChildren(plot(), ...table());
  const select = (label, names, set) => {
    const made = make('select', { onchange: () => { set(made.selectedIndex); key = null; rows = FIRST; show(); } }, ...names.map((textContent) => make('option', { textContent })));
    return make('label', {}, `${label} `, made);
  };
  const boxes = solvers.map((name, solver) => {
    const box = make('input', { type: 'checkbox', checked: true, onchange: () => { isShown[solver] = box.checked; key = null; show(); } });
    const label = make('label', { className: 'solver' }, box, make('span', {}), ` ${name}`);
    label.querySelector('span').style.background = `var(--s${data.colours[solver]})`;
    return label;
  });
  const relative = make('input', { type: 'checkbox', checked: isRelative, onchange: () => { isRelative = relative.checked; show(); } });
  const against = baseline === null ? [] : [make('label', {}, relative, ` against ${solvers[baseline]}`)];
  const filters = make('div', { className: 'filters' }, ...boxes, select('value', values.map(({ name }) => name), (to) => { value = to; }), select('along', axes.map(({ name }) => name), (to) => { axis = to; }), ...against);
  [value, axis].forEach((index, at) => { filters.querySelectorAll('select')[at].selectedIndex = index; });
  place.replaceChildren(filters, chosen);
  show();
  // In a closed fold the drawing has no width yet.
  place.closest('details')?.addEventListener('toggle', show);
}
