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
  // One thing at a time in the drawer at the right; its address says what it is
  const drawer = () => document.getElementById('detail');
  const steer = (previous, next) => {
    const bar = el('div', { class: 'steer' });
    const add = (text, label, key, to) => { if (to) bar.append(el('a', { href: to, class: 'button', 'data-steer': key, 'aria-label': label, text })); };
    add('← previous', 'Previous', 'k', previous);
    add('next →', 'Next', 'j', next);
    bar.append(el('button', { type: 'button', class: 'close', text: 'Close', onclick: () => drawer().close() }));
    return bar;
  };
  const showDrawer = (children, focusOn) => {
    const dialog = drawer();
    dialog.replaceChildren(...children);
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
    const here = focusOn && dialog.querySelector(focusOn);
    if (here) { here.tabIndex = -1; here.focus({ preventScroll: true }); here.scrollIntoView({ block: 'center' }); }
    else dialog.querySelector('.close').focus();
  };
  // Which replies a test was computed from
  const rowsBehind = (table, i) => {
    const data = page.data, behind = (table.told.behind || [])[i];
    const replies = columnsOf(data, 'replies');
    const found = data.tables.replies ? (data.tables.replies.found || {})[table.told.result] : 0;
    if (!found) return { said: 'There are none here: this result was scored from a table of tests, or its replies are not in the folders that the page was made of.', rows: [] };
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
    if (!rows.length) return { said: 'None of the ' + found + ' replies of this result on the page belongs to this test.', rows };
    const said = [rows.length + (rows.length === 1 ? ' reply' : ' replies')];
    if (wanted && wanted.size) said.push('answers used: ' + [...wanted].join(', '));
    if (behind && behind.where) said.push('of participants with ' + behind.where);
    if (replies.n < (data.tables.replies.n_found || replies.n)) said.push('the page holds only a part of all replies');
    return { said: said.join('; ') + '.', rows, wanted };
  };
  // Prompt, reply and what was read from it, side by side
  const trio = (replies, r) => {
    const get = (key) => (replies.by[key] ? replies.by[key].at(r) : '');
    const prompt = el('div', {}, el('h6', { text: 'Prompt' }), get('prompt') ? replyText(get('prompt'), 0) : el('p', { class: 'soft', text: 'The files beside this result do not hold it.' }));
    if (get('told')) prompt.append(el('details', {}, el('summary', { text: 'What it was told before' }), replyText(get('told'), 0)));
    return el('div', { class: 'trio' }, prompt,
      el('div', {}, el('h6', { text: 'Reply' }), replyText(get('text'), get('length'))),
      el('div', {}, el('h6', { text: 'Read as' }), el('p', { class: 'reply', dir: 'auto', text: get('read') || '–' }), el('p', { class: 'soft', text: get('outcome') || 'outcome not said' })));
  };
  const replyItem = (replies, r, address, here) => {
    const get = (key) => replies.by[key].at(r);
    const words = [get('id') ? 'participant ' + get('id') : '', get('condition'), get('outcome')].filter(Boolean).join(' · ');
    return el('li', here ? { class: 'here' } : {}, el('p', { class: 'soft' }, el('a', { href: address }, el('bdi', { text: words || 'reply' }))), trio(replies, r));
  };
  const replyList = (replies, rows, parts, wanted) => {
    const first = Math.max(0, rows.findIndex((r) => replies.by.id.at(r) === wanted));
    const list = el('ol', { class: 'given' });
    const state = { condition: '', outcome: '' };
    const kept = () => rows.filter((r) => ['condition', 'outcome'].every((key) => state[key] === '' || replies.by[key].at(r) === state[key]));
    const more = el('button', { type: 'button', class: 'noprint', onclick: () => {
      const from = list.childElementCount;
      add(from, from + 50);
      list.children[from].tabIndex = -1;
      list.children[from].focus();
    } });
    const add = (from, to) => {
      const shown = kept();
      shown.slice(from, to).forEach((r) => list.append(replyItem(replies, r, address([...parts, replies.by.id.at(r)]), replies.by.id.at(r) === wanted)));
      const left = shown.length - list.childElementCount;
      more.hidden = left <= 0;
      more.textContent = 'Show ' + Math.min(50, left) + ' more replies';
    };
    const controls = el('div', { class: 'controls' });
    for (const key of ['condition', 'outcome']) {
      const used = [...new Set(rows.map((r) => replies.by[key].at(r)))];
      if (used.length < 2) continue;
      const select = el('select', {}, el('option', { value: '', text: 'all' }), ...used.map((name) => el('option', { value: name, text: name || '(none)' })));
      select.addEventListener('change', () => { state[key] = select.value; list.replaceChildren(); add(0, 10); });
      controls.append(el('label', { text: key + ' ' }, select));
    }
    add(0, Math.max(10, first + 3));
    return [controls, list, more];
  };
  const counted = (replies, rows) => {
    const groups = new Map(), outcomes = [];
    for (const r of rows) {
      const condition = replies.by.condition.at(r) || 'all', outcome = replies.by.outcome.at(r) || 'not said';
      if (!outcomes.includes(outcome)) outcomes.push(outcome);
      if (!groups.has(condition)) groups.set(condition, new Map());
      groups.get(condition).set(outcome, (groups.get(condition).get(outcome) || 0) + 1);
    }
    const head = el('tr', {}, el('th', { scope: 'col', text: 'condition' }), ...outcomes.map((name) => el('th', { scope: 'col', class: 'num', text: name })), el('th', { scope: 'col', class: 'num', text: 'replies' }));
    const body = [...groups].map(([condition, by]) => el('tr', {}, el('th', { scope: 'row' }, el('bdi', { text: condition })),
      ...outcomes.map((name) => el('td', { class: 'num', text: String(by.get(name) || 0) })), el('td', { class: 'num', text: String([...by.values()].reduce((a, b) => a + b, 0)) })));
    return el('div', { class: 'scroll', role: 'region', 'aria-label': 'Outcomes of the replies', tabindex: '0' }, el('table', {}, el('caption', { text: 'What became of them, by condition' }), el('thead', {}, head), el('tbody', {}, ...body)));
  };
  // Answers by condition: shares with Wilson intervals, or means with the answers themselves
  const wilson = (k, n) => {
    const z = 1.959963984540054, p = k / n, base = 1 + z * z / n;
    const middle = (p + z * z / (2 * n)) / base, half = z * Math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / base;
    return [Math.max(0, middle - half), Math.min(1, middle + half)];
  };
  const valuesOf = (replies, r) => new Map(replies.by.read.at(r).split('; ').map((one) => one.split(' = ')).filter((one) => one.length === 2));
  const svgText = (x, y, text, anchor = 'start') => { const made = draw('text', { class: 's', x, y, 'text-anchor': anchor }); made.textContent = text; return made; };
  const short = (text, n) => (text.length > n ? text.slice(0, n - 1) + '…' : text);
  const answersBy = (replies, rows, wanted) => {
    const names = new Map();
    for (const r of rows) for (const [name, value] of valuesOf(replies, r)) {
      if (wanted && wanted.size && !wanted.has(name)) continue;
      if (!names.has(name)) names.set(name, new Map());
      const by = names.get(name), condition = replies.by.condition.at(r) || 'all';
      if (!by.has(condition)) by.set(condition, []);
      by.get(condition).push(value);
    }
    return [...names].slice(0, 6).map(([name, by]) => {
      const all = [...by.values()].flat();
      const numbers = all.every((v) => v !== '' && Number.isFinite(Number(v))) && new Set(all).size > 2;
      const parts = numbers ? numberRows(by) : shareRows(by, all);
      return el('div', {}, el('p', {}, el('strong', { text: name.replaceAll('_', ' ') }), el('span', { class: 'soft', text: numbers ? ' each answer, its mean ◆' : ' share of answers, 95 % interval' })),
        draw('svg', { class: 'inline', viewBox: '0 0 520 ' + (parts.rows * 20 + 22), role: 'img', 'aria-label': 'Answers to ' + name + ' by condition: ' + parts.said }, ...parts.drawn));
    });
  };
  const shareRows = (by, all) => {
    const options = [...new Set(all)].sort(), drawn = [], said = [];
    let row = 0;
    for (const option of options.length === 2 ? options.slice(0, 1) : options.slice(0, 12)) {
      for (const [condition, values] of by) {
        const n = values.length, k = values.filter((v) => v === option).length, [low, high] = wilson(k, n), y = row * 20 + 10;
        const x = (v) => 250 + 200 * v;
        drawn.push(svgText(244, y + 4, short(option + ' · ' + condition, 36), 'end'), draw('rect', { class: 'band', x: x(0), y: y - 7, width: 200, height: 14 }), draw('rect', { class: 'model', x: x(0), y: y - 5, width: 200 * k / n, height: 10 }),
          draw('line', { class: 'edge', x1: x(low), x2: x(high), y1: y, y2: y }), svgText(456, y + 4, Math.round(100 * k / n) + ' % of ' + n));
        said.push(condition + ', ' + option + ': ' + k + ' of ' + n);
        row += 1;
      }
    }
    drawn.push(svgText(250, row * 20 + 16, '0'), svgText(450, row * 20 + 16, '1', 'end'));
    return { rows: row, drawn, said: said.join('; ') };
  };
  const numberRows = (by) => {
    const all = [...by.values()].flat().map(Number), low = Math.min(...all), high = Math.max(...all), drawn = [], said = [];
    const x = (v) => 170 + 290 * (high > low ? (v - low) / (high - low) : 0.5);
    let row = 0;
    for (const [condition, texts] of by) {
      const values = texts.map(Number), mean = values.reduce((a, b) => a + b, 0) / values.length, y = row * 20 + 10;
      drawn.push(svgText(164, y + 4, short(condition, 24), 'end'), draw('line', { class: 'axis', x1: 170, x2: 460, y1: y, y2: y }),
        draw('path', { class: 'dots', d: values.map((v) => 'M' + x(v).toFixed(1) + ' ' + y + 'h0').join('') }),
        draw('path', { class: 'edge', d: `M${x(mean) - 5} ${y}L${x(mean)} ${y - 5}L${x(mean) + 5} ${y}L${x(mean)} ${y + 5}Z` }), svgText(468, y + 4, show(mean, 'number')));
      said.push(condition + ': mean ' + show(mean, 'number') + ' of ' + values.length);
      row += 1;
    }
    drawn.push(svgText(170, row * 20 + 16, String(low)), svgText(460, row * 20 + 16, String(high), 'end'));
    return { rows: row, drawn, said: said.join('; ') };
  };
  // A test: what was found, in people and in the model, and what it rests on
  const openTest = (panel, table, i, wanted) => {
    const get = (key) => table.by[key].at(i), label = panel.dataset.name;
    const card = (page.data.studies || {})[get('study')] || {}, says = (card.says || {})[get('finding')];
    const keys = testKeys(table), base = (k) => address([label, 'people', table.by.study.at(k), keys[k]]);
    const order = table.order || (table.order = studyOrder(table)), at = order.indexOf(i);
    const made = [steer(at > 0 ? base(order[at - 1]) : '', at < order.length - 1 ? base(order[at + 1]) : ''),
      el('p', { class: 'soft' }, el('bdi', { text: label + ' · ' + (card.title || get('study')) + ' · ' + get('finding') })),
      el('h2', { id: 'detail-h' }, el('bdi', { text: get('test') }))];
    if (says) made.push(el('p', { class: 'says', text: says }));
    if (card.cite) made.push(el('p', { class: 'soft' }, card.cite + ' ', doiLink(card.doi)));
    made.push(el('dl', { class: 'apa' }, el('dt', { text: 'People' }), el('dd', { text: get('human_apa') || '–' }), el('dt', { text: 'Model' }), el('dd', { text: get('agent_apa') || '–' }),
      el('dt', { text: 'Same conclusion' }), el('dd', { text: 'PAS ' + show(get('pas'), 'share') + (get('verdict') ? ', ' + get('verdict') : '') })));
    const scale = forestScale(table, [i]);
    made.push(el('table', { class: 'plainforest' }, el('caption', { text: 'Effect d with its ' + page.data.level + ' interval: people ●, model ◆' }), el('tbody', {}, el('tr', {}, forestCell(table, i, scale)), el('tr', {}, el('td', { class: 'forest' }, forestAxis(scale))))));
    const bars = [posterior(table, i, 'human'), posterior(table, i, 'agent')].filter(Boolean);
    if (bars.length) made.push(el('h3', { text: 'What the evidence says' }), legend(), ...bars);
    const behind = rowsBehind(table, i), replies = columnsOf(page.data, 'replies');
    if (behind.rows.length) {
      const drawn = answersBy(replies, behind.rows, behind.wanted);
      if (drawn.length) made.push(el('h3', { text: 'Answers by condition' }), ...drawn);
    }
    made.push(el('h3', { text: 'Replies behind it' }), el('p', { text: behind.said }));
    if (behind.rows.length) made.push(counted(replies, behind.rows), ...replyList(replies, behind.rows, [label, 'people', get('study'), keys[i]], wanted));
    const list = el('dl', { class: 'settings' });
    for (const column of table.columns) {
      if (['test', 'study', 'finding', 'pas', 'verdict'].includes(column.key) || /_(apa|up|down|null)$/.test(column.key)) continue;
      const value = column.at(i);
      if (value === '' || value === null) continue;
      list.append(el('dt', { text: column.title }), el('dd', {}, el('bdi', { text: ['number', 'p'].includes(column.kind) && typeof value === 'number' ? String(value).replace('-', '−') : show(value, column.kind) })));
    }
    made.push(el('details', {}, el('summary', { text: 'All numbers of this test' }), list));
    showDrawer(made, wanted ? 'li.here' : '');
  };
  const doiLink = (doi) => (/^10\.\d{4,9}\/[^\s"<>]+$/.test(doi || '') ? el('a', { href: 'https://doi.org/' + doi, rel: 'noreferrer noopener', text: 'doi:' + doi }) : '');
  const testKeys = (table) => {
    if (table.keys) return table.keys;
    const seen = new Map();
    table.keys = Array.from({ length: table.n }, (_, i) => {
      const place = table.by.study.at(i) + '\u0000' + table.by.finding.at(i), n = (seen.get(place) || 0) + 1;
      seen.set(place, n);
      return (table.by.finding.at(i) || 'test') + '-' + n;
    });
    return table.keys;
  };
  const studyOrder = (table) => {
    const studies = [...new Set(table.by.study.v)];
    return Array.from({ length: table.n }, (_, i) => i).sort((a, b) => studies.indexOf(table.by.study.v[a]) - studies.indexOf(table.by.study.v[b]) || a - b);
  };
  // A row of any other table
  const openDetail = (title, table, i, back) => {
    const first = table.by.test || table.by.id || table.columns[0];
    const made = [steer('', ''), el('h2', { id: 'detail-h' }, el('bdi', { text: first.at(i) || title }))];
    if (table.by.text) made.push(trio(table, i));
    const list = el('dl', { class: 'settings' });
    for (const column of table.columns) {
      if (column === first || ['text', 'prompt', 'told', 'variables', 'read', 'outcome'].includes(column.key)) continue;
      const value = column.at(i);
      if (value === '' || value === null) continue;
      list.append(el('dt', { text: column.title }), el('dd', {}, el('bdi', { text: ['number', 'p'].includes(column.kind) && typeof value === 'number' ? String(value).replace('-', '−') : show(value, column.kind) })));
    }
    made.push(list);
    const told = (table.told.cases || [])[i];
    if (told) made.push(...stepsOf(told));
    showDrawer(made, '');
  };
  // A click on the name of a row goes to its address, where it has one
  const openRow = (table, holder, i) => {
    const panel = holder.closest('.panel'), name = holder.dataset.table;
    if (panel && name.startsWith('tests-')) location.hash = address([panel.dataset.name, 'people', table.by.study.at(i), testKeys(table)[i]]);
    else if (panel && name.startsWith('samples-')) location.hash = address([panel.dataset.name, 'reasoning', table.by.id.at(i)]);
    else if (name === 'replies') location.hash = address([table.by.model.at(i), 'replies', String(i)]);
    else openDetail(holder.dataset.title, table, i);
  };
