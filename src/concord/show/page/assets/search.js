  // Search over models, studies, findings and replies
  const HITS = 6;
  const matches = (wanted) => {
    const words = wanted.toLowerCase().split(/\s+/).filter(Boolean), found = [];
    const fits = (text) => words.every((word) => text.toLowerCase().includes(word));
    const labels = [...new Set([...document.querySelectorAll('.panel')].map((panel) => panel.dataset.name))];
    const add = (kind, list) => { if (list.length) found.push([kind, list.slice(0, HITS)]); };
    add('Models', labels.filter(fits).map((label) => [label, address([label])]));
    const panel = chosenPanel('people'), table = panel && columnsOf(page.data, panel.dataset.tests);
    if (table) {
      const keys = testKeys(table), cards = page.data.studies || {}, name = panel.dataset.name;
      const studies = [...new Set(table.by.study.names)];
      add('Studies', studies.filter((study) => fits(study + ' ' + ((cards[study] || {}).title || '') + ' ' + ((cards[study] || {}).cite || ''))).map((study) => [(cards[study] || {}).title || study, address([name, 'people', study])]));
      const rows = Array.from({ length: table.n }, (_, i) => i);
      add('Tests', rows.filter((i) => fits(table.by.study.at(i) + ' ' + table.by.test.at(i) + ' ' + (((cards[table.by.study.at(i)] || {}).says || {})[table.by.finding.at(i)] || ''))).map((i) => [table.by.study.at(i) + ': ' + table.by.test.at(i), address([name, 'people', table.by.study.at(i), keys[i]])]));
    }
    const replies = columnsOf(page.data, 'replies');
    if (replies) {
      const hits = [];
      for (let r = 0; r < replies.n && hits.length < HITS; r++) {
        const text = replies.by.text.at(r);
        if (fits(text)) hits.push([short(replies.by.model.at(r) + ': ' + text.replace(/\s+/g, ' '), 90), address([replies.by.model.at(r), 'replies', String(r)])]);
      }
      add('Replies', hits);
    }
    return found;
  };
  const searchBox = () => {
    const input = el('input', { type: 'search', id: 'search', placeholder: 'search   /', 'aria-label': 'Search models, studies, tests and replies', autocomplete: 'off' });
    const list = el('ul', { class: 'found', hidden: '', 'aria-label': 'Found' });
    const look = async () => {
      if (!(await loaded())) return;
      const wanted = input.value.trim();
      list.hidden = wanted.length < 2;
      if (list.hidden) return;
      const found = matches(wanted);
      list.replaceChildren(...(found.length ? found.flatMap(([kind, hits]) => [el('li', { class: 'soft', text: kind }), ...hits.map(([text, to]) => el('li', {}, el('a', { href: to }, el('bdi', { text }))))])
        : [el('li', { class: 'soft', role: 'status', text: 'Nothing found' })]));
    };
    input.addEventListener('input', look);
    input.addEventListener('keydown', (event) => { if (event.key === 'ArrowDown') { const first = list.querySelector('a'); if (first) { event.preventDefault(); first.focus(); } } });
    list.addEventListener('click', () => { list.hidden = true; });
    return el('div', { class: 'search', role: 'search', onkeydown: (event) => { if (event.key === 'Escape') { list.hidden = true; input.blur(); } } }, input, list);
  };
