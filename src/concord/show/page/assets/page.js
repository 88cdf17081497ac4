'use strict';
(() => {
  // Everything from data reaches the page as text: no markup is ever made of it.
  const SVG = 'http://www.w3.org/2000/svg';
  const ROWS = 50;
  const el = (tag, props = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [key, value] of Object.entries(props)) {
      if (key === 'text') made.textContent = value;
      else if (key === 'class') made.className = value;
      else if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
      else made.setAttribute(key, value);
    }
    made.append(...children);
    return made;
  };
  const draw = (tag, props, ...children) => {
    const made = document.createElementNS(SVG, tag);
    for (const [key, value] of Object.entries(props)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const asNumber = (v) => (v === 'inf' ? Infinity : v === '-inf' ? -Infinity : v);
  const show = (v, kind) => {
    if (v === null || v === undefined || v === '') return '–';
    if (kind === 'flag') return v ? 'yes' : 'no';
    if (kind === 'text' || kind === 'long' || kind === undefined) return String(v);
    const x = asNumber(v);
    if (!Number.isFinite(x)) return x > 0 ? '∞' : '−∞';
    if (kind === 'share') return x === 0 ? '< 0.0001' : x.toFixed(x < 0.01 ? 4 : 2);
    if (kind === 'count') return String(x);
    if (kind === 'p') return x < 0.001 ? '< .001' : x.toFixed(3).replace(/^0/, '');
    if (x === 0) return '0.00';
    const size = Math.abs(x);
    if (size < 0.001) return x > 0 ? '< 0.001' : '> −0.001';
    if (size >= 1e5) return x.toExponential(1).replaceAll('-', '−');
    return x.toFixed(size < 0.1 ? 3 : 2).replace('-', '−');
  };

  const numeric = (column) => ['number', 'share', 'count', 'p'].includes(column.kind);

  // Downloads
  const save = (name, type, text) => {
    const url = URL.createObjectURL(new Blob([text], { type }));
    const link = el('a', { href: url, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 5000);
  };
  const csvCell = (v) => {
    if (v === null || v === undefined) return '';
    let text = String(v);
    if (typeof v !== 'number' && /^[=+\-@\t\r\n]/.test(text) && !/^-?\d*\.?\d+(e[+-]?\d+)?$/i.test(text)) text = "'" + text;
    return /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  };
  const csv = (rows) => rows.map((row) => row.map(csvCell).join(',')).join('\n') + '\n';
  const fileName = (name) => 'concord-' + name.replace(/[^a-z0-9-]+/gi, '-').toLowerCase() + '.csv';
  const downloadButton = (name, rows) =>
    el('button', { type: 'button', text: 'Download CSV', 'aria-label': 'Download CSV: ' + name,
      'data-download': name, onclick: () => save(fileName(name), 'text/csv', csv(rows())) });

  // Tables that are in the page from the start
  const cellValue = (cell) => (cell.dataset.v !== undefined ? cell.dataset.v : cell.textContent.trim());
  const compare = (a, b) => {
    const missing = (x) => x === '' || x === null || x === undefined;
    if (missing(a) || missing(b)) return missing(a) - missing(b) || 0;
    const x = typeof a === 'number' ? a : Number(a), y = typeof b === 'number' ? b : Number(b);
    if (!Number.isNaN(x) && !Number.isNaN(y)) return x - y;
    return String(a).localeCompare(String(b), 'en', { numeric: true });
  };
  const signed = (way, a, b) => {
    const missing = (x) => x === '' || x === null || x === undefined;
    return missing(a) || missing(b) ? compare(a, b) : way * compare(a, b);
  };
  const sortable = (table) => {
    const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
    heads.forEach((head, at) => {
      const name = head.textContent.trim();
      const button = el('button', { type: 'button', text: name });
      head.replaceChildren(button);
      button.addEventListener('click', () => {
        const now = head.getAttribute('aria-sort');
        const first = head.classList.contains('num') ? -1 : 1;  // numbers from the largest, names from A
        const way = now === null ? first : now === 'descending' ? 1 : -1;
        heads.forEach((other) => other.removeAttribute('aria-sort'));
        head.setAttribute('aria-sort', way > 0 ? 'ascending' : 'descending');
        const rows = [...table.tBodies[0].rows];
        rows.sort((r, s) => signed(way, cellValue(r.cells[at]), cellValue(s.cells[at])));
        table.tBodies[0].append(...rows);
      });
    });
  };
  const filterable = (table, controls) => {
    const input = el('input', { type: 'search', autocomplete: 'off' });
    const count = el('span', { class: 'soft', role: 'status' });
    input.addEventListener('input', () => {
      const wanted = input.value.trim().toLowerCase();
      let kept = 0;
      for (const row of table.tBodies[0].rows) {
        row.hidden = wanted !== '' && !row.cells[0].textContent.toLowerCase().includes(wanted);
        kept += row.hidden ? 0 : 1;
      }
      count.textContent = kept + ' of ' + table.tBodies[0].rows.length;
    });
    controls.append(el('label', { text: 'Filter ' }, input), count);
  };
  const enhance = (table) => {
    const controls = el('div', { class: 'controls' });
    const place = table.closest('.scroll') || table;
    if (table.classList.contains('filterable') && table.tBodies[0].rows.length > 1) filterable(table, controls);
    if (table.classList.contains('sortable') && table.tBodies[0].rows.length > 1) sortable(table);
    const rows = () => [...table.rows].filter((row) => row.parentElement.tagName !== 'THEAD' || row === table.tHead.rows[table.tHead.rows.length - 1])
      .map((row) => [...row.cells].map(cellValue));
    const below = controls.childElementCount === 0;
    const button = downloadButton(table.dataset.name, rows);
    if (below) controls.classList.add('below');
    controls.append(button);
    if (below) place.after(controls);
    else place.before(controls);
  };

  // One panel a model
  const switches = (started) => {
    for (const holder of document.querySelectorAll('[data-switch]')) {
      const panels = [...document.querySelectorAll('[data-panel="' + holder.dataset.switch + '"]')];
      const showOnly = (at) => panels.forEach((panel, i) => {
        panel.hidden = i !== at;
        if (i === at) started(panel);
      });
      if (panels.length > 1) {
        const select = el('select', {}, ...panels.map((panel, i) => el('option', { value: i, text: panel.dataset.name })));
        select.addEventListener('change', () => showOnly(Number(select.value)));
        holder.append(el('label', { text: holder.dataset.label + ' ' }, select));
        holder.classList.add('controls');
      }
      showOnly(0);
    }
  };

  // The data: JSON, or JSON compressed and written in 85 signs, four bytes in five of them
  const SIGNS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%,()*+-;.=:?@^_`{|}~';
  const unsigned = (text) => {
    const begin = text.indexOf(' ') + 1;
    const digit = new Uint8Array(128);
    [...SIGNS].forEach((sign, i) => { digit[sign.charCodeAt(0)] = i; });
    const view = new DataView(new ArrayBuffer((text.length - begin) / 5 * 4));
    for (let i = begin, at = 0; i < text.length; i += 5, at += 4) {
      let word = 0;
      for (let k = 0; k < 5; k++) word = word * 85 + digit[text.charCodeAt(i + k)];
      view.setUint32(at, word);
    }
    return view.buffer.slice(0, Number(text.slice(0, begin)));
  };
  const decode = async (id) => {
    const block = document.getElementById(id);
    if (block.dataset.encoding !== 'gzip') return JSON.parse(block.textContent);
    const stream = new Blob([unsigned(block.textContent)]).stream().pipeThrough(new DecompressionStream('gzip'));
    return JSON.parse(await new Response(stream).text());
  };
  // Lists of like objects are stored by columns: {"@": keys, "v": columns}; {"@": 0, "v": object} is an object
  const byRows = (value) => {
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return value.map(byRows);
    if (Array.isArray(value['@'])) {
      const columns = value.v.map(byRows);
      return (columns[0] || []).map((_, i) => Object.fromEntries(value['@'].map((key, k) => [key, columns[k][i]])));
    }
    return Object.fromEntries(Object.entries(value['@'] === 0 ? value.v : value).map(([key, one]) => [key, byRows(one)]));
  };

  // Tables made of the data
  const whole = { texts: [], cap: null };
  // Numbers that follow from others are not stored: the upper end of an even interval, the third of three shares
  const implied = (by, who) => {
    const [d, low, high, up, down, none] = ['d', 'low', 'high', 'up', 'down', 'null'].map((key) => by[who + '_' + key]);
    const end = high.at, share = none.at;
    high.at = (i) => end(i) ?? (low.at(i) === null ? null : Number((2 * d.at(i) - low.at(i)).toPrecision(4)));
    none.at = (i) => share(i) ?? (up.at(i) === null ? null : Math.max(0, Number((1 - up.at(i) - down.at(i)).toFixed(4))));
  };
  const columnsOf = (data, name) => {
    const table = data.tables[name];
    if (!table) return null;
    if (table.made) return table.made;
    if (table.list) {
      const found = byRows(data.documents[table.document].document)[table.list];
      const rows = found.filter((row) => row && typeof row === 'object' && !Array.isArray(row));
      table.n = rows.length;
      table.columns = table.columns.map((column) => {
        const names = [...new Set(rows.map((row) => String(row[column.key] ?? '')))];
        return column.kind === 'text' ? { ...column, names, v: rows.map((row) => names.indexOf(String(row[column.key] ?? ''))) }
          : { ...column, v: rows.map((row) => row[column.key] ?? null) };
      });
    }
    const base = table.base ? data.tables[table.base].columns : [];
    const columns = [...base, ...table.columns].map((column) => ({
      ...column, at: column.names ? (i) => column.names[column.v[i]] : column.kind === 'long' ? (i) => whole.texts[column.v[i]] : (i) => column.v[i],
    }));
    const by = Object.fromEntries(columns.map((c) => [c.key, c]));
    for (const who of ['human', 'agent']) if (by[who + '_null']) implied(by, who);
    table.made = { n: table.n, columns, by, told: table };
    return table.made;
  };
  const plainTable = (data, name) => {
    const table = columnsOf(data, name);
    const rows = Array.from({ length: table.n }, (_, i) => i);
    return { n: table.n, columns: Object.fromEntries(table.columns.map((c) => [c.key, rows.map(c.at)])) };
  };
  const everything = (data) => ({ format: data.format, format_version: data.format_version,
    tables: Object.fromEntries(Object.keys(data.tables).map((name) => [name, plainTable(data, name)])),
    documents: data.documents.map((one) => ({ ...one, document: byRows(one.document) })) });

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
    const rows = [['effect d', 'd'], ['95 % interval of d, low', 'low'], ['95 % interval of d, high', 'high'], ['log Bayes factor', 'log_bf'], ['p', 'p']];
    const cell = (who, key) => { const v = table.by[who + '_' + key].at(i); return el('td', { class: 'num', text: typeof v === 'number' ? String(v).replace('-', '−') : show(v, 'number') }); };
    return el('table', {}, el('caption', { text: 'Statistics of people and model' }),
      el('thead', {}, el('tr', {}, el('th', { scope: 'col', text: 'statistic' }), el('th', { scope: 'col', class: 'num', text: 'people' }), el('th', { scope: 'col', class: 'num', text: 'model' }))),
      el('tbody', {}, ...rows.map(([name, key]) => el('tr', {}, el('th', { scope: 'row', text: name }), cell('human', key), cell('agent', key)))));
  };
  const legend = () => el('p', { class: 'legend' }, ...['effect up', 'no effect', 'effect down'].map((name, k) =>
    el('span', {}, draw('svg', { viewBox: '0 0 12 12', 'aria-hidden': 'true' }, draw('rect', { class: 'p' + k, width: 12, height: 12 })), name)));
  // A reply as text, its beginning where it is long; what the page itself lacks is said
  const CLIP = 700;
  const replyText = (text, length) => {
    const box = el('div', {});
    const body = el('p', { class: 'reply', dir: 'auto', text: text.length > CLIP ? text.slice(0, CLIP) + ' …' : text });
    box.append(body);
    if (text.length > CLIP) {
      const more = el('button', { type: 'button', class: 'small', text: 'Show all of it', onclick: () => { body.textContent = text; more.remove(); body.tabIndex = -1; body.focus(); } });
      box.append(more);
    }
    if (whole.cap !== null && length > whole.cap) box.append(el('p', { class: 'soft', text: 'Cut here: the page holds ' + whole.cap + ' of ' + length + ' characters.' }));
    if (text === '') body.replaceChildren(el('span', { class: 'soft', text: length ? '(not held by the page)' : '(no text)' }));
    return box;
  };
  // The replies that a test was computed from
  const repliesBehind = (data, table, i) => {
    const behind = (table.told.behind || [])[i];
    const replies = columnsOf(data, 'replies');
    const found = data.tables.replies ? (data.tables.replies.found || {})[table.told.result] : 0;
    if (!found) return [el('p', { text: 'There are none here: this result was scored from a table of tests, or its replies are not in the folders that the page was made of.' })];
    const get = (key, r) => replies.by[key].at(r);
    const experiment = behind ? behind.experiment : table.by.sub_study.at(i);
    const wanted = behind ? new Set(behind.variables) : null;
    const rows = [];
    for (let r = 0; r < replies.n; r++) {
      if (get('result', r) !== table.told.result || get('study', r) !== table.by.study.at(i) || get('experiment', r) !== experiment) continue;
      if (behind && behind.conditions.length && get('condition', r) && !behind.conditions.includes(get('condition', r))) continue;
      if (wanted && wanted.size && get('variables', r) && !get('variables', r).split(' ').some((name) => wanted.has(name))) continue;
      rows.push(r);
    }
    if (!rows.length) return [el('p', { text: 'None of the ' + found + ' replies of this result on the page belongs to this test.' })];
    const groups = new Map(), outcomes = [];
    for (const r of rows) {
      const condition = get('condition', r) || 'all', outcome = get('outcome', r) || 'not said';
      if (!outcomes.includes(outcome)) outcomes.push(outcome);
      if (!groups.has(condition)) groups.set(condition, new Map());
      groups.get(condition).set(outcome, (groups.get(condition).get(outcome) || 0) + 1);
    }
    const head = el('tr', {}, el('th', { scope: 'col', text: 'condition' }), ...outcomes.map((name) => el('th', { scope: 'col', class: 'num', text: name })), el('th', { scope: 'col', class: 'num', text: 'replies' }));
    const counted = [...groups].map(([condition, by]) => el('tr', {}, el('th', { scope: 'row' }, el('bdi', { text: condition })),
      ...outcomes.map((name) => el('td', { class: 'num', text: String(by.get(name) || 0) })), el('td', { class: 'num', text: String([...by.values()].reduce((a, b) => a + b, 0)) })));
    const said = [rows.length + (rows.length === 1 ? ' reply' : ' replies')];
    if (wanted && wanted.size) said.push('answers used: ' + [...wanted].join(', '));
    if (behind && behind.where) said.push('of participants with ' + behind.where);
    if (replies.n < (data.tables.replies.n_found || replies.n)) said.push('the page holds only a part of all replies');
    const list = el('ol', { class: 'given' });
    const show = (from, to) => rows.slice(from, to).forEach((r) => list.append(el('li', {},
      el('p', { class: 'soft' }, el('bdi', { text: ['participant ' + get('id', r), get('condition', r), get('outcome', r), get('read', r)].filter(Boolean).join(' · ') })),
      replyText(get('text', r), get('length', r)))));
    show(0, 10);
    const more = el('button', { type: 'button', text: 'Show ' + Math.min(50, rows.length - 10) + ' more replies', onclick: () => {
      const from = list.childElementCount;
      show(from, from + 50);
      if (list.childElementCount >= rows.length) more.remove();
      list.children[from].tabIndex = -1;
      list.children[from].focus();
    } });
    return [el('p', { text: said.join('; ') + '.' }),
      el('div', { class: 'scroll', role: 'region', 'aria-label': 'Outcomes of the replies', tabindex: '0' }, el('table', {}, el('caption', { text: 'What became of them, by condition' }), el('thead', {}, head), el('tbody', {}, ...counted))),
      list, ...(rows.length > 10 ? [more] : [])];
  };
  // Gold steps and the reply's steps, matched ones named on both sides
  const stepList = (title, texts, n, partner, other) => el('div', {},
    el('h4', { text: title + ' (' + n + ')' }),
    texts.length ? el('ol', { class: 'steps' }, ...texts.map((text, k) => el('li', { class: partner.has(k) ? 'met' : 'unmet' },
      el('span', { class: 'reply', dir: 'auto', text }),
      el('span', { class: 'match', text: partner.has(k) ? '✓ matches ' + other + ' ' + (partner.get(k) + 1) : 'no match' }))))
      : el('p', { class: 'soft', text: 'none' }),
    ...(n > texts.length ? [el('p', { class: 'soft', text: '… and ' + (n - texts.length) + ' more in the result file.' })] : []));
  const stepsOf = (told) => {
    const [gold, steps, pairs, early, answer, nGold, nSteps, nMatched] = told;
    const forward = new Map(pairs.map(([s, g]) => [s, g])), back = new Map(pairs.map(([s, g]) => [g, s]));
    const text = (k) => whole.texts[k];
    return [el('h3', { text: 'The two answers' }),
      el('div', { class: 'sides' }, el('div', {}, el('h4', { text: 'Early answer' }), replyText(text(early), 0)), el('div', {}, el('h4', { text: 'Answer after reasoning' }), replyText(text(answer), 0))),
      el('h3', { text: 'Steps: ' + nMatched + ' matched' }),
      el('div', { class: 'sides' }, stepList('Gold steps', gold.map(text), nGold, back, 'step'), stepList('Steps of the reply', steps.map(text), nSteps, forward, 'gold step'))];
  };
  const detail = (data, title, table, i) => {
    const dialog = document.getElementById('detail');
    const first = table.by.test || table.by.id || table.columns[0];
    const close = el('button', { type: 'button', class: 'close', text: 'Close', onclick: () => dialog.close() });
    dialog.replaceChildren(close, el('h2', { id: 'detail-h' }, el('bdi', { text: first.at(i) || title })));
    if (table.by.human_null) {
      const bars = [posterior(table, i, 'human'), posterior(table, i, 'agent')].filter(Boolean);
      if (bars.length) dialog.append(el('h3', { text: 'What the evidence says' }), legend(), ...bars);
      dialog.append(el('h3', { text: 'Both sides' }), bothSides(table, i));
    }
    const list = el('dl', { class: 'settings' });
    for (const column of table.columns) {
      if (column === first || column.key === 'text' || column.key === 'variables' || (table.by.human_null && /^(human|agent)_/.test(column.key))) continue;
      const value = column.at(i);
      if (value === '') continue;
      list.append(el('dt', { text: column.title }), el('dd', {}, el('bdi', { text: ['number', 'p'].includes(column.kind) && typeof value === 'number' ? String(value).replace('-', '−') : show(value, column.kind) })));
    }
    dialog.append(list);
    if (table.by.text) dialog.append(el('h3', { text: 'Reply' }), replyText(table.by.text.at(i), table.by.length.at(i)));
    if (table.by.human_null) dialog.append(el('h3', { text: 'Replies behind it' }), ...repliesBehind(data, table, i));
    const told = (table.told.cases || [])[i];
    if (told) dialog.append(...stepsOf(told));
    dialog.showModal();
    dialog.scrollTop = 0;
    close.focus();
  };
  const dynamic = (data, holder) => {
    if (holder.dataset.ready) return;
    holder.dataset.ready = 'yes';
    const title = holder.dataset.title;
    const table = columnsOf(data, holder.dataset.table);
    if (!table) { holder.replaceChildren(el('p', { class: 'soft', text: 'The result has no table of ' + title.toLowerCase() + '.' })); return; }
    const shown = table.columns.filter((column) => !column.hidden);
    const forest = holder.dataset.options === 'forest';
    const state = { text: '', chosen: new Map(), sort: null, way: -1, most: ROWS };
    const input = el('input', { type: 'search', autocomplete: 'off' });
    const status = el('span', { class: 'soft', role: 'status' });
    const controls = el('div', { class: 'controls' });
    for (const column of ['model', 'study', 'outcome', 'metric'].map((key) => table.by[key])) {
      const used = column ? [...new Set(column.v)] : [];
      if (used.length < 2 || used.length > 80) continue;
      const select = el('select', {}, el('option', { value: '', text: 'all' }), ...used.map((k) => el('option', { value: k, text: column.names[k] === '' ? '(none)' : column.names[k] })));
      select.addEventListener('change', () => {
        if (select.value === '') state.chosen.delete(column);
        else state.chosen.set(column, Number(select.value));
        state.most = ROWS;
        render();
      });
      controls.append(el('label', { text: column.title + ' ' }, select));
    }
    input.addEventListener('input', () => { state.text = input.value.trim().toLowerCase(); state.most = ROWS; render(); });
    const words = table.columns.filter((column) => column.kind === 'text' || column.kind === 'long');
    const all = () => [table.columns.map((c) => c.title), ...Array.from({ length: table.n }, (_, i) => table.columns.map((c) => c.at(i)))];
    controls.append(el('label', { text: 'Filter ' }, input), downloadButton(title + ' ' + holder.dataset.table, all), status);
    const heads = shown.map((column) => {
      const head = el('th', { scope: 'col', class: numeric(column) ? 'num' : '' });
      head.append(el('button', { type: 'button', text: column.title, onclick: () => {
        state.way = state.sort === column ? -state.way : column.kind === 'text' ? 1 : -1;
        state.sort = column;
        heads.forEach((other) => other.removeAttribute('aria-sort'));
        head.setAttribute('aria-sort', state.way > 0 ? 'ascending' : 'descending');
        render();
      } }));
      return head;
    });
    const body = el('tbody');
    const headRow = el('tr', {}, ...heads);
    const opener = table.by.test || table.by.id || shown[0];
    const drawnAt = shown.indexOf(opener) + 1;
    const insert = (row, made) => row.insertBefore(made, row.children[drawnAt] || null);
    const axis = el('th', { scope: 'col', class: 'forest' });
    if (forest) insert(headRow, axis);
    const grid = el('table', {}, el('caption', { text: title }), el('thead', {}, headRow), body);
    const more = el('button', { type: 'button', class: 'more', text: 'Show more rows', onclick: () => { state.most += 10 * ROWS; render(); } });
    const cell = (column, i) => {
      if (column === opener) return el('th', { scope: 'row' }, el('button', { type: 'button', class: 'open', onclick: () => detail(data, title, table, i) }, el('bdi', { text: column.at(i) || '(no name)' })));
      if (column.key === 'text') return el('td', {}, el('div', { class: 'clip reply', dir: 'auto', text: String(column.at(i)).slice(0, 300) }));
      const text = show(column.at(i), column.kind);
      return numeric(column) ? el('td', { class: 'num', text }) : el('td', text.length > 40 ? { class: 'wrap' } : {}, el('bdi', { text }));
    };
    const render = () => {
      let rows = Array.from({ length: table.n }, (_, i) => i);
      for (const [column, wanted] of state.chosen) rows = rows.filter((i) => column.v[i] === wanted);
      if (state.text) rows = rows.filter((i) => words.some((column) => column.at(i).toLowerCase().includes(state.text)));
      if (state.sort) rows.sort((a, b) => signed(state.way, asNumber(state.sort.at(a)), asNumber(state.sort.at(b))));
      const page = rows.slice(0, state.most);
      const scale = forest ? forestScale(table, page) : null;
      body.replaceChildren(...page.map((i) => {
        const row = el('tr', {}, ...shown.map((column) => cell(column, i)));
        if (forest) insert(row, forestCell(table, i, scale));
        return row;
      }));
      if (scale) axis.replaceChildren(el('span', { text: 'effect d: people ●, model ◆' }), forestAxis(scale));
      status.textContent = (page.length < rows.length ? page.length + ' shown of ' : '') + rows.length + ' of ' + table.n + ' rows';
      more.hidden = page.length >= rows.length;
    };
    const region = el('div', { class: 'scroll', role: 'region', 'aria-label': title, tabindex: '0' }, grid);
    holder.replaceChildren(controls, region, more);
    render();
  };
  const scatterHits = (data, panel) => {
    const holder = panel.querySelector('[data-options=forest]');
    for (const svg of panel.querySelectorAll('svg[data-low]')) {
      if (svg.dataset.ready || !holder) continue;
      svg.dataset.ready = 'yes';
      svg.classList.add('hit');
      const [low, high, x0, x1, y0, y1] = ['low', 'high', 'x0', 'x1', 'y0', 'y1'].map((k) => Number(svg.dataset[k]));
      svg.addEventListener('click', (event) => {
        const table = columnsOf(data, holder.dataset.table);
        if (!table) return;
        const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
        let best = -1, distance = 12 * 12;
        for (let i = 0; i < table.n; i++) {
          const h = table.by.human_d.at(i), a = table.by.agent_d.at(i);
          if (typeof h !== 'number' || typeof a !== 'number') continue;
          const x = x0 + (h - low) / (high - low) * (x1 - x0), y = y0 + (a - low) / (high - low) * (y1 - y0);
          const d = (x - at.x) ** 2 + (y - at.y) ** 2;
          if (d < distance) { distance = d; best = i; }
        }
        if (best >= 0) detail(data, 'Test', table, best);
      });
    }
  };

  const theme = () => {
    const button = el('button', { type: 'button', id: 'theme' });
    const dark = () => {
      const chosen = document.documentElement.dataset.theme;
      return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    };
    const name = () => { button.textContent = dark() ? 'Light mode' : 'Dark mode'; };
    button.addEventListener('click', () => { document.documentElement.dataset.theme = dark() ? 'light' : 'dark'; name(); });
    name();
    return button;
  };

  const start = async () => {
    const decoding = decode('data'), reading = decode('texts');
    document.querySelectorAll('table.data').forEach((table) => { if (!table.closest('.panel')) enhance(table); });
    const tools = document.getElementById('tools');
    tools.append(theme(), el('button', { type: 'button', text: 'Print', onclick: () => print() }));
    let data = null;
    const begin = (panel) => {
      for (const table of panel.querySelectorAll('table.data')) if (!table.dataset.ready) { table.dataset.ready = 'yes'; enhance(table); }
      if (!data) return;
      for (const holder of panel.querySelectorAll('.dynamic')) if (!holder.closest('details.lazy:not([open])')) dynamic(data, holder);
      scatterHits(data, panel);
    };
    switches(begin);
    try {
      data = await decoding;
      place = data.geometry;
      Object.assign(whole, await reading);
    } catch (fault) {
      document.querySelectorAll('.needs-script').forEach((p) => { p.textContent = 'This browser cannot unpack the data of the page: ' + fault.message; });
      return;
    }
    tools.append(el('button', { type: 'button', text: 'Download everything as JSON', 'data-download': 'json',
      onclick: () => save('concord-report.json', 'application/json', JSON.stringify(everything(data), null, 1)) }));
    document.querySelectorAll('details.lazy').forEach((box) => box.addEventListener('toggle', () => {
      if (box.open) box.querySelectorAll('.dynamic').forEach((holder) => dynamic(data, holder));
    }));
    document.querySelectorAll('.panel:not([hidden])').forEach(begin);
    document.querySelectorAll('#replies .dynamic, #comparisons .dynamic').forEach((holder) => dynamic(data, holder));
    // On paper nothing can be unfolded.
    const folded = [...document.querySelectorAll('#short details')];
    addEventListener('beforeprint', () => folded.forEach((one) => { one.open = true; }));
    document.documentElement.dataset.ready = 'yes';
  };
  start();
})();
