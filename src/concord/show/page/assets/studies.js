  // Studies of one model: what each finding says, its tests with both effects
  const outcomeStrip = (table, rows) => {
    const counts = new Map();
    for (const i of rows) { const name = table.by.verdict.at(i) || table.by.outcome.at(i) || 'not said'; counts.set(name, (counts.get(name) || 0) + 1); }
    return [...counts].map(([name, n]) => name + ' ' + n).join(' · ');
  };
  function* studyCards(holder) {
    if (holder.dataset.ready) return;
    const table = columnsOf(page.data, holder.dataset.table), panel = holder.closest('.panel');
    if (!table) { holder.dataset.ready = 'yes'; holder.replaceChildren(el('p', { class: 'soft', text: 'The result has no table of tests.' })); return; }
    const keys = testKeys(table), studies = new Map(), cards = [];
    studyOrder(table).forEach((i) => { const name = table.by.study.at(i); if (!studies.has(name)) studies.set(name, []); studies.get(name).push(i); });
    for (const [name, rows] of studies) { yield; cards.push(studyCard(panel, table, keys, name, rows)); }
    if (holder.dataset.ready) return; // made at once meanwhile
    holder.dataset.ready = 'yes';
    if (cards.length > OPEN) cards.slice(1).forEach((card) => fold(card, studies.get(card.dataset.study).length));
    holder.replaceChildren(...cards);
  }
  // Of many studies the first is unfolded; an address that names another unfolds it, paper shows all
  const OPEN = 3;
  const fold = (card, n) => {
    card.classList.add('shut');
    card.querySelector('h5').append(el('button', { type: 'button', class: 'small unfold', 'aria-expanded': 'false', text: n + (n === 1 ? ' test' : ' tests'), 'aria-label': 'Show the ' + n + ' tests of ' + card.dataset.study, onclick: () => unfoldStudy(card) }));
  };
  const unfoldStudy = (card) => {
    card.classList.remove('shut');
    const button = card.querySelector('.unfold');
    if (button) button.remove();
  };
  // A long study shows its first tests; paper shows all
  const SHORT = 6;
  const shorten = (card, body, n) => {
    let seen = 0;
    for (const row of body.rows) { if (!row.classList.contains('finding')) seen++; if (seen > SHORT) row.classList.add('over'); }
    card.classList.add('short');
    const button = el('button', { type: 'button', class: 'small more', text: 'Show all ' + n + ' tests', onclick: () => { card.classList.remove('short'); button.remove(); } });
    queueMicrotask(() => card.append(button));
  };
  const studyCard = (panel, table, keys, name, rows) => {
    const card = (page.data.studies || {})[name] || {}, scale = forestScale(table, rows), label = panel.dataset.name;
    const made = el('section', { class: 'study', 'data-study': name, 'aria-label': name, tabindex: '-1' },
      el('h5', {}, el('a', { href: address([label, 'people', name]) }, el('bdi', { text: card.title || name })), el('span', { class: 'soft', text: ' ' + outcomeStrip(table, rows) })));
    if (card.cite) made.append(el('p', { class: 'cite' }, card.cite + ' ', doiLink(card.doi)));
    const body = el('tbody');
    let finding = null;
    for (const i of rows) {
      const at = table.by.finding.at(i);
      const says = (card.says || {})[at];
      if (at !== finding && says) body.append(el('tr', { class: 'finding' }, el('th', { scope: 'rowgroup', colspan: '4', text: says })));
      finding = at;
      body.append(el('tr', {}, el('th', { scope: 'row' }, el('a', { href: address([label, 'people', name, keys[i]]) }, el('bdi', { text: table.by.test.at(i) || '(no name)' }))),
        forestCell(table, i, scale), el('td', { class: 'num c-num', text: show(table.by.pas.at(i), 'share') }), el('td', { class: 'c-verdict', text: table.by.verdict.at(i) || table.by.outcome.at(i) || '–' })));
    }
    const head = el('tr', {}, el('th', { scope: 'col', text: 'test' }), el('th', { scope: 'col', class: 'forest' }, el('span', { text: 'effect d: people ●, model ◆' }), forestAxis(scale)), el('th', { scope: 'col', class: 'num c-num', text: 'PAS' }), el('th', { scope: 'col', class: 'c-verdict', text: 'verdict' }));
    if (rows.length > SHORT + 2) shorten(made, body, rows.length);
    made.append(el('table', {}, el('caption', { class: 'hide', text: 'Tests of ' + name }), el('colgroup', {}, ...['c-name', 'c-plot', 'c-num', 'c-verdict'].map((kind) => el('col', { class: kind }))), el('thead', {}, head), body));
    return made;
  };
