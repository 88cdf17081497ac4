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
  // Long tables would be a book: on paper the rest stands for them, and says that they are on the page
  const PRINTED = 20;
  const tooLong = (box) => {
    const holder = box.querySelector('.dynamic'), table = holder && columnsOf(page.data, holder.dataset.table);
    const rows = table ? table.n : box.querySelectorAll('tbody tr, dt, li').length;
    const lines = [...box.querySelectorAll('pre')].reduce((sum, one) => sum + one.textContent.split('\n').length, rows);
    return (lines > PRINTED && !box.querySelector('figure')) || box.matches('#cite, #made');
  };
  // On paper nothing can be unfolded: everything of the chosen model is, all rows with it
  const unfold = () => {
    if (document.documentElement.classList.contains('alone') || !page.data) return;
    atOnce(rest());
    for (const box of document.querySelectorAll('details:not(.menu)')) {
      if (box.closest('[hidden]')) continue;
      if (tooLong(box) && !box.open) { box.classList.add('unprinted'); continue; }
      box.open = true;
      for (const holder of box.querySelectorAll('.dynamic')) dynamic(page.data, holder);
    }
    for (const holder of document.querySelectorAll('.dynamic')) if (!holder.closest('[hidden], details:not([open])') && holder.showAll && holder.dataset.table !== 'replies') holder.showAll();
  };
  // The section that is read is marked in the bar
  const marks = () => {
    const links = [...document.querySelectorAll('.bar nav a')];
    const seen = new IntersectionObserver((entries) => {
      for (const entry of entries) if (entry.isIntersecting) for (const link of links) {
        if (link.hash === '#' + entry.target.id) link.setAttribute('aria-current', 'true');
        else link.removeAttribute('aria-current');
      }
    }, { rootMargin: '-20% 0px -70% 0px' });
    for (const link of links) { const target = document.getElementById(link.hash.slice(1)); if (target) seen.observe(target); }
  };
  // Everything that is not seen at first: tables, cards and menus of the first model, then the sections' own places
  function* rest() {
    for (const table of document.querySelectorAll('table.data')) if (!table.closest('.panel') && !table.dataset.ready) { yield; table.dataset.ready = 'yes'; enhance(table); }
    for (const box of document.querySelectorAll('.copy')) copyButtons(box);
    const first = document.querySelector('.panel');
    if (first && page.chosen === null) chosenPanels(first.dataset.name);
    for (const panel of document.querySelectorAll('.panel:not([hidden])')) yield* beginning(panel);
    for (const figure of document.querySelectorAll('figure')) if (!figure.closest('.panel')) { yield; figureMenu(figure); }
    for (const holder of document.querySelectorAll('#replies .dynamic')) { yield; dynamic(page.data, holder); }
    for (const section of document.querySelectorAll('main > section')) { yield; explain(section); }
  }
  const build = async () => {
    if (!(await loaded())) return;
    await slowly(rest());
    await Promise.all(unpacked);
    joined(document.getElementById('main'));
    for (const section of laid()) { layOut(section); await new Promise(idle); }
    document.documentElement.dataset.built = 'yes';
    performance.mark('concord: built');
  };
  // No line ends between a number and its %
  const joined = (root) => {
    for (const one of root.querySelectorAll('p, h1, h2, h3, h4, strong, figcaption, summary, li')) for (const node of one.childNodes) {
      if (node.nodeType === Node.TEXT_NODE && /\d %/.test(node.data)) node.data = node.data.replace(/(\d) %/g, '$1\u00a0%');
    }
  };
  const unlock = (box) => { if (box.open) box.querySelectorAll('.dynamic').forEach((holder) => dynamic(page.data, holder)); };
  const start = async () => {
    const tools = document.getElementById('tools');
    const all = async () => { if (await loaded()) save('concord-report.json', 'application/json', JSON.stringify(await everything(page.data), null, 1)); };
    const inside = el('div', {}, theme(), el('button', { type: 'button', text: 'Print', onclick: () => Promise.resolve(page.building).then(() => print()) }), el('button', { type: 'button', text: 'Keys', onclick: showHelp }),
      el('button', { type: 'button', text: 'Download everything as JSON', 'data-download': 'json', onclick: all }));
    const select = modelSelect();
    tools.append(...(select ? [select] : []), searchBox(), el('details', { class: 'menu' }, el('summary', { text: '⋯', 'aria-label': 'More' }), inside));
    document.addEventListener('toggle', (event) => { if (event.target.matches('details.lazy')) loaded().then((done) => { if (done) unlock(event.target); }); }, true);
    addEventListener('beforeprint', unfold);
    addEventListener('hashchange', follow);
    drawer().addEventListener('close', closed);
    document.addEventListener('keydown', keys);
    marks();
    if (location.hash.length > 1) await follow();
    joined(document.getElementById('answer'));
    performance.mark('concord: ready');
    document.documentElement.dataset.ready = 'yes'; // whoever opened the page can use it
    page.building = build(); // and nothing is left to be made
  };
  start();
