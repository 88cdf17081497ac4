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
      if (!name || head.classList.contains('ax')) return;  // a column without a name has nothing to sort by
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
    const names = table.classList.contains('chart') ? [] : [...table.tHead.rows[table.tHead.rows.length - 1].cells].map((cell) => cell.textContent.trim());
    for (const row of names.length ? table.tBodies[0].rows : []) [...row.cells].forEach((cell, k) => { if (cell.tagName === 'TD' && names[k]) cell.dataset.t = names[k]; });
    const controls = el('div', { class: 'controls' });
    const place = table.closest('.scroll') || table;
    if (table.classList.contains('filterable') && table.tBodies[0].rows.length > 1) filterable(table, controls);
    if (table.classList.contains('sortable') && table.tBodies[0].rows.length > 1) sortable(table);
    const rows = () => [...table.rows].filter((row) => row.parentElement.tagName !== 'THEAD' || row === table.tHead.rows[table.tHead.rows.length - 1])
      .map((row) => [...row.cells].map(cellValue));
    if (table.classList.contains('chart')) {
      if (controls.childElementCount) table.closest('.chartbox').before(controls);
      return;
    }
    const below = controls.childElementCount === 0;
    const button = downloadButton(table.dataset.name, rows);
    if (below) controls.classList.add('below');
    const caption = table.caption ? table.caption.textContent : table.dataset.name;
    controls.append(button, tableMenu(table.dataset.name, rows, caption));
    if (below) place.after(controls);
    else place.before(controls);
  };

  const dynamic = (data, holder) => {
    if (holder.dataset.ready) return;
    const waits = missing(holder.dataset.table);
    if (waits) { waits.then(() => dynamic(data, holder)); return; }
    holder.dataset.ready = 'yes';
    const title = holder.dataset.title;
    const table = columnsOf(data, holder.dataset.table);
    if (!table) { holder.replaceChildren(el('p', { class: 'soft', text: 'The result has no table of ' + title.toLowerCase() + '.' })); return; }
    const shown = table.columns.filter((column, k) => !column.hidden && (k === 0 || !Array.from({ length: table.n }, (_, i) => show(column.at(i), column.kind)).every((text) => text === '–' || text === '')));
    const forest = holder.dataset.options === 'forest';
    const state = { text: '', chosen: new Map(), sort: null, way: -1, most: holder.dataset.options === 'replies' ? REPLIES : ROWS };
    const input = el('input', { type: 'search', autocomplete: 'off' });
    const status = el('span', { class: 'soft', role: 'status' });
    const controls = el('div', { class: 'controls' });
    for (const column of ['model', 'study', 'condition', 'outcome', 'metric'].map((key) => table.by[key])) {
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
    controls.append(el('label', { text: 'Filter ' }, input), downloadButton(title + ' ' + holder.dataset.table, all), tableMenu(title + ' ' + holder.dataset.table, all, title), status);
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
      if (column === opener) return el('th', { scope: 'row' }, el('button', { type: 'button', class: 'open', onclick: () => openRow(table, holder, i) }, el('bdi', { text: column.at(i) || '(no name)' })));
      if (column.key === 'text') return el('td', { 'data-t': column.title }, el('div', { class: 'clip reply', dir: 'auto', text: String(column.at(i)).slice(0, 300) }));
      const text = show(column.at(i), column.kind);
      const named = { 'data-t': column.title, ...(numeric(column) ? { class: 'num' } : text.length > 40 ? { class: 'wrap' } : {}) };
      return numeric(column) ? el('td', { ...named, text }) : el('td', named, el('bdi', { text }));
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
    holder.showAll = () => { state.most = Infinity; render(); };
    const region = el('div', { class: 'scroll', role: 'region', 'aria-label': title, tabindex: '0' }, grid);
    holder.replaceChildren(controls, region, more);
    render();
  };
