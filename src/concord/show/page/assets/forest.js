  // Rows of a forest plot: the places are those of forest.py, given with the data
  let place = null;
  const arm = (x, y, kind, value, low, high) => {
    if (value === null) return [];
    const parts = [], r = place.diamond;
    if (low !== null && high !== null) parts.push(draw('line', { class: kind === 'p' ? 'pline' : 'mline', x1: x(low), x2: x(high), y1: y, y2: y }));
    parts.push(kind === 'p' ? draw('circle', { class: 'human', cx: x(value), cy: y, r: place.dot })
      : draw('path', { class: 'model', d: `M${x(value) - r} ${y}L${x(value)} ${y - r}L${x(value) + r} ${y}L${x(value)} ${y + r}Z` }));
    return parts;
  };
  const forestScale = (table, rows) => {
    let low = -place.least, high = place.least;
    for (const key of ['human_d', 'human_low', 'human_high', 'agent_d', 'agent_low', 'agent_high']) {
      for (const i of rows) {
        const v = asNumber(table.by[key].at(i));
        if (v !== null && Number.isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); }
      }
    }
    const wider = low === -place.least && high === place.least ? 0 : place.room * (high - low);
    low -= wider;
    high += wider;
    const start = place.label + place.before, end = place.width - place.after;
    return { low, high, x: (v) => start + (Math.min(Math.max(asNumber(v), low), high) - low) / (high - low) * (end - start) };
  };
  const ticks = (low, high) => {
    const rough = (high - low) / 5, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((m) => m * power).find((one) => one >= rough * 0.999);
    const made = [];
    for (let i = Math.ceil(low / step - 1e-9); i <= Math.floor(high / step + 1e-9); i++) made.push(Number((i * step).toFixed(10)));
    return made;
  };
  const forestBox = (...children) => draw('svg', { viewBox: `${place.label} 0 ${place.width - place.label} ${place.row}`, 'aria-hidden': 'true', focusable: 'false' }, ...children);
  const forestAxis = (scale) => forestBox(...ticks(scale.low, scale.high).flatMap((v) => {
    const label = draw('text', { class: 's', x: scale.x(v), y: place.row - 10, 'text-anchor': 'middle' });
    label.textContent = String(v).replace('-', '−');
    return [label, draw('line', { class: 'axis', x1: scale.x(v), x2: scale.x(v), y1: place.row - 6, y2: place.row })];
  }));
  const forestCell = (table, i, scale) => {
    const get = (key) => table.by[key].at(i), middle = place.row / 2;
    return el('td', { class: 'forest' }, forestBox(
      draw('line', { class: 'ref', x1: scale.x(0), x2: scale.x(0), y1: 0, y2: place.row }),
      ...arm(scale.x, middle - place.apart, 'p', get('human_d'), get('human_low'), get('human_high')),
      ...arm(scale.x, middle + place.apart, 'm', get('agent_d'), get('agent_low'), get('agent_high'))));
  };
  const posterior = (table, i, who) => {
    const parts = ['up', 'null', 'down'].map((key) => table.by[who + '_' + key].at(i));
    if (parts[1] === null) return null;
    const known = parts[0] === null ? [1 - parts[1], parts[1], 0] : parts;
    let x = 0;
    const names = parts[0] === null ? ['effect', 'no effect', ''] : ['up', 'no effect', 'down'];
    const bars = known.map((p, k) => {
      const bar = draw('rect', { class: 'p' + k, x, y: 0, width: Math.max(p, 0) * 500, height: 18 });
      x += p * 500;
      return bar;
    });
    const words = known.map((p, k) => (names[k] ? names[k] + ' ' + show(p, 'share') : '')).filter(Boolean).join(', ');
    const name = who === 'human' ? 'People' : 'Model';
    return el('div', {}, el('p', { text: name + ': ' + words }), draw('svg', { viewBox: '0 0 500 18', 'aria-hidden': 'true' }, ...bars));
  };
  const bothSides = (table, i) => {
    const rows = [['effect d', 'd'], [page.data.level + ' interval of d, low', 'low'], [page.data.level + ' interval of d, high', 'high'], ['log Bayes factor', 'log_bf'], ['p', 'p']];
    const cell = (who, key) => { const v = table.by[who + '_' + key].at(i); return el('td', { class: 'num', text: typeof v === 'number' ? String(v).replace('-', '−') : show(v, 'number') }); };
    return el('table', {}, el('caption', { text: 'Statistics of people and model' }),
      el('thead', {}, el('tr', {}, el('th', { scope: 'col', text: 'statistic' }), el('th', { scope: 'col', class: 'num', text: 'people' }), el('th', { scope: 'col', class: 'num', text: 'model' }))),
      el('tbody', {}, ...rows.map(([name, key]) => el('tr', {}, el('th', { scope: 'row', text: name }), cell('human', key), cell('agent', key)))));
  };
  const legend = () => el('p', { class: 'legend' }, ...['effect up', 'no effect', 'effect down'].map((name, k) =>
    el('span', {}, draw('svg', { viewBox: '0 0 12 12', 'aria-hidden': 'true' }, draw('rect', { class: 'p' + k, width: 12, height: 12 })), name)));
