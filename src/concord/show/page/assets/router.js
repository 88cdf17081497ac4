  // Addresses: #/m/MODEL/QUESTION/STUDY/TEST/REPLY; each opens there, the way back works
  const address = (parts) => '#/m/' + parts.map((part) => encodeURIComponent(part)).join('/');
  const panels = (question) => [...document.querySelectorAll('.panel[data-panel="' + question + '"]')];
  const chosenPanel = (question) => panels(question).find((panel) => !panel.hidden) || null;
  function* beginning(panel) {
    if (waiting(panel)) {
      if (page.shelf) fill(panel, page.shelf);
      else { unpack().then((kept) => { page.shelf = kept; begin(panel); }); return; }
    }
    for (const holder of panel.querySelectorAll('.studies')) yield* studyCards(holder);
    for (const holder of panel.querySelectorAll('.dynamic')) {
      yield;
      if (holder.closest('details.lazy:not([open])')) missing(holder.dataset.table); // at hand when it is opened or printed
      else dynamic(page.data, holder);
    }
    for (const table of panel.querySelectorAll('table.data')) if (!table.dataset.ready) { yield; table.dataset.ready = 'yes'; enhance(table); }
    for (const figure of panel.querySelectorAll('figure')) { yield; figureMenu(figure); }
    scatterHits(panel);
    yield;
    explain(panel);
  }
  const begin = (panel) => atOnce(beginning(panel));
  // One selection for all questions; a question without the model shows its first one, and says so
  const choose = (label) => { for (const panel of chosenPanels(label)) begin(panel); };
  const chosenPanels = (label) => {
    const all = [...document.querySelectorAll('.panel')];
    const known = all.find((panel) => panel.dataset.name === label) || all.find((panel) => panel.dataset.model === label);
    if (!known) return [];
    page.chosen = known.dataset.name;
    const chosen = [];
    let told = 0; // once is enough
    for (const question of new Set(all.map((panel) => panel.dataset.panel))) {
      const own = panels(question);
      const shown = own.find((panel) => panel.dataset.name === page.chosen) || own.find((panel) => panel.dataset.model === known.dataset.model) || own[0];
      for (const panel of own) panel.hidden = panel !== shown;
      const note = document.querySelector('[data-chosen="' + question + '"]');
      if (note) note.textContent = shown.dataset.model === known.dataset.model ? (own.length > 1 && !told++ ? 'Shown: ' + shown.dataset.name + '. Choose another model in the bar above, or in the table of answers.' : '')
        : known.dataset.name + ' has no result here; ' + shown.dataset.name + ' is shown.';
      chosen.push(shown);
    }
    const select = document.getElementById('model');
    if (select) select.value = page.chosen;
    return chosen;
  };
  const modelSelect = () => {
    const labels = [...new Set([...document.querySelectorAll('.panel')].map((panel) => panel.dataset.name))];
    if (labels.length < 2) return null;
    const select = el('select', { id: 'model', 'aria-label': 'Model shown below' }, ...labels.map((label) => el('option', { value: label, text: label })));
    select.addEventListener('change', () => { location.hash = address([select.value]); });
    return select;
  };
  // Sections below the first screen are laid out when they come near it; a place among them is known when all are
  const laid = () => [...document.querySelectorAll('main > section')];
  const look = (target) => { laid().forEach(layOut); if (target) target.scrollIntoView({ block: 'start', behavior: 'instant' }); };
  const follow = async () => {
    const hash = location.hash;
    if (!hash.startsWith('#/m/')) {
      closeDrawer();
      if (hash.length > 1) { const target = document.getElementById(decodeURIComponent(hash.slice(1))); if (target) { for (let box = target.closest('details'); box; box = box.parentElement.closest('details')) box.open = true; look(target); } }
      return;
    }
    let parts;
    try { parts = hash.slice(4).split('/').map(decodeURIComponent); } catch { return; }
    const [label, question, ...rest] = parts;
    if (!(await loaded())) return;
    const before = page.chosen;
    if (!page.shelf && waiting(document)) page.shelf = await unpack();
    choose(label);
    if (question === 'people' && rest.length >= 2) { if (openTestAt(rest)) return; }
    if (question === 'reasoning' && rest.length) { if (openSample(rest[0])) return; }
    if (question === 'replies' && rest.length) { if (openReply(Number(rest[0]))) return; }
    closeDrawer();
    if (question === 'people' && rest.length) {
      const card = [...document.querySelectorAll('.panel:not([hidden]) .study')].find((one) => one.dataset.study === rest[0]);
      if (card) unfoldStudy(card);
      look(card || document.getElementById('people'));
      if (card) card.focus({ preventScroll: true });
      return;
    }
    const section = question ? document.getElementById(question) : null;
    if (section) look(chosenPanel(question) || section);
    else if (before !== null && before !== page.chosen && !question) look(document.querySelector('.panel:not([hidden])'));
  };
  const openTestAt = ([study, key, ...reply]) => {
    const panel = chosenPanel('people'), table = panel && columnsOf(page.data, panel.dataset.tests);
    if (!table) return false;
    const keys = testKeys(table), i = keys.findIndex((one, k) => one === key && table.by.study.at(k) === study);
    if (i < 0) return false;
    const card = [...panel.querySelectorAll('.study')].find((one) => one.dataset.study === study);
    if (card) unfoldStudy(card);
    if (card && !drawer().open) look(card);
    openTest(panel, table, i, reply.length ? reply.join('/') : '');
    return true;
  };
  const openSample = (id) => {
    const panel = chosenPanel('reasoning'), holder = panel && panel.querySelector('.dynamic[data-table^="samples-"]');
    const table = holder && columnsOf(page.data, holder.dataset.table);
    const i = table ? Array.from({ length: table.n }, (_, k) => k).findIndex((k) => table.by.id.at(k) === id) : -1;
    if (i < 0) return false;
    openDetail('Vignette', table, i);
    return true;
  };
  const openReply = (i) => {
    const table = columnsOf(page.data, 'replies');
    if (!table || !(i >= 0 && i < table.n)) return false;
    openDetail('Reply', table, i);
    return true;
  };
  const closeDrawer = () => { if (drawer().open) { page.leaving = true; drawer().close(); page.leaving = false; } };
  // Closing goes one level up, so that the address always says what is seen
  const closed = () => {
    if (page.leaving || !location.hash.startsWith('#/m/')) return;
    const parts = location.hash.slice(4).split('/');
    const kept = parts[1] === 'people' ? parts.slice(0, 3) : parts.slice(0, 1);
    history.pushState(null, '', '#/m/' + kept.join('/'));
  };
  const scatterHits = (panel) => {
    const table = panel.dataset.tests ? columnsOf(page.data, panel.dataset.tests) : null;
    for (const svg of panel.querySelectorAll('svg[data-low]')) {
      if (svg.dataset.ready || !table) continue;
      svg.dataset.ready = 'yes';
      svg.classList.add('hit');
      const [low, high, bottom, top, x0, x1, y0, y1] = ['low', 'high', 'bottom', 'top', 'x0', 'x1', 'y0', 'y1'].map((k) => Number(svg.dataset[k]));
      svg.addEventListener('click', (event) => {
        const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
        let best = -1, distance = 12 * 12;
        for (let i = 0; i < table.n; i++) {
          const h = table.by.human_d.at(i), a = table.by.agent_d.at(i);
          if (typeof h !== 'number' || typeof a !== 'number') continue;
          const x = x0 + (h - low) / (high - low) * (x1 - x0), y = y0 + (a - bottom) / (top - bottom) * (y1 - y0);
          const d = (x - at.x) ** 2 + (y - at.y) ** 2;
          if (d < distance) { distance = d; best = i; }
        }
        if (best >= 0) location.hash = address([panel.dataset.name, 'people', table.by.study.at(best), testKeys(table)[best]]);
      });
    }
  };
  // Keys: / searches, j and k go on and back, ? tells them
  const HELP = [['/', 'search models, studies, tests and replies'], ['j  k', 'next and previous test in the drawer; next and previous model outside it'], ['Esc', 'close'], ['?', 'this list']];
  const showHelp = () => {
    const dialog = document.getElementById('help');
    dialog.replaceChildren(el('h2', { id: 'help-h', text: 'Keys' }), el('dl', { class: 'keys' }, ...HELP.flatMap(([key, words]) => [el('dt', {}, el('kbd', { text: key })), el('dd', { text: words })])),
      el('button', { type: 'button', class: 'close', text: 'Close', onclick: () => dialog.close() }));
    if (!dialog.open) dialog.showModal();
  };
  const keys = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (event.key === '/') { event.preventDefault(); document.getElementById('search').focus(); }
    else if (event.key === '?') showHelp();
    else if (event.key === 'j' || event.key === 'k') {
      const link = drawer().open ? drawer().querySelector('[data-steer="' + event.key + '"]') : null;
      const select = document.getElementById('model');
      if (link) location.hash = link.getAttribute('href');
      else if (!drawer().open && select) { select.selectedIndex = Math.min(select.length - 1, Math.max(0, select.selectedIndex + (event.key === 'j' ? 1 : -1))); location.hash = address([select.value]); }
    }
  };
