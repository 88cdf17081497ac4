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
  // Pairs of many models would be a book: on paper their matrix stands for them
  const PRINTED_PAIRS = 120;
  const tooLong = (box) => {
    const holder = box.id.startsWith('comparison') && box.querySelector('.dynamic'), table = holder && columnsOf(page.data, holder.dataset.table);
    return Boolean(table && table.n > PRINTED_PAIRS);
  };
  // On paper nothing can be unfolded: everything of the chosen model is, all rows with it
  const unfold = () => {
    if (document.documentElement.classList.contains('alone')) return;
    for (const box of document.querySelectorAll('details:not(.menu)')) {
      if (box.closest('[hidden]') || tooLong(box)) continue;
      box.open = true;
      for (const holder of box.querySelectorAll('.dynamic')) dynamic(page.data, holder);
    }
    for (const holder of document.querySelectorAll('.dynamic')) if (!holder.closest('[hidden]') && holder.showAll && holder.dataset.table !== 'replies') holder.showAll();
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
  const start = async () => {
    const decoding = decode('data'), reading = decode('texts');
    document.querySelectorAll('table.data').forEach((table) => { if (!table.closest('.panel')) enhance(table); });
    const tools = document.getElementById('tools');
    const inside = el('div', {}, theme(), el('button', { type: 'button', text: 'Print', onclick: () => print() }), el('button', { type: 'button', text: 'Keys', onclick: showHelp }));
    const select = modelSelect();
    tools.append(...(select ? [select] : []), searchBox(), el('details', { class: 'menu' }, el('summary', { text: '⋯', 'aria-label': 'More' }), inside));
    try {
      page.data = await decoding;
      place = page.data.geometry;
      Object.assign(whole, await reading);
    } catch (fault) {
      document.querySelectorAll('.needs-script').forEach((p) => { p.textContent = 'This browser cannot unpack the data of the page: ' + fault.message; });
      return;
    }
    inside.append(el('button', { type: 'button', text: 'Download everything as JSON', 'data-download': 'json',
      onclick: () => save('concord-report.json', 'application/json', JSON.stringify(everything(page.data), null, 1)) }));
    document.querySelectorAll('details.lazy').forEach((box) => box.addEventListener('toggle', () => {
      if (box.open) box.querySelectorAll('.dynamic').forEach((holder) => dynamic(page.data, holder));
    }));
    document.querySelectorAll('.copy').forEach(copyButtons);
    const first = document.querySelector('.panel');
    if (first) choose(first.dataset.name);
    document.querySelectorAll('figure').forEach((figure) => { if (!figure.closest('.panel')) figureMenu(figure); });
    document.querySelectorAll('#replies .dynamic').forEach((holder) => dynamic(page.data, holder));
    document.querySelectorAll('main > section').forEach(explain);
    addEventListener('beforeprint', unfold);
    addEventListener('hashchange', follow);
    drawer().addEventListener('close', closed);
    document.addEventListener('keydown', keys);
    marks();
    if (location.hash.length > 1) await follow();
    document.documentElement.dataset.ready = 'yes';
  };
  start();
