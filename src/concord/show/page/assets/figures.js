  // Every figure as a file: SVG with its own style, PNG drawn from it, PDF printed by the browser; texts to the clipboard
  const standalone = (svg) => {
    const copy = svg.cloneNode(true), [, , wide, tall] = svg.getAttribute('viewBox').split(' ');
    copy.setAttribute('xmlns', SVG);
    copy.setAttribute('width', wide);
    copy.setAttribute('height', tall);
    for (const link of [...copy.querySelectorAll('a')]) link.replaceWith(...link.childNodes);
    const style = document.createElementNS(SVG, 'style');
    style.textContent = page.data.style;
    const defs = document.querySelector('svg.defs defs');
    copy.prepend(style, draw('rect', { width: '100%', height: '100%', fill: '#ffffff' }), ...(defs ? [defs.cloneNode(true)] : []));
    return { text: new XMLSerializer().serializeToString(copy), wide: Number(wide), tall: Number(tall) };
  };
  // The figure of the first screen is a table that can be sorted: as a file it is drawn row by row, as it is seen
  const chartSvg = (table) => {
    const rows = [...table.tBodies[0].rows].filter((row) => !row.hidden), wide = 860, step = 25, top = 40, left = 330, across = 380;
    const text = (x, y, said, kind = '', anchor = 'start') => { const made = draw('text', { x, y, class: kind, 'text-anchor': anchor }); made.textContent = said; return made; };
    const placed = (svg, y, tall) => { const copy = svg.cloneNode(true); for (const [key, value] of Object.entries({ x: left, y, width: across, height: tall, overflow: 'visible' })) copy.setAttribute(key, value); copy.removeAttribute('class'); return copy; };
    const [above, below] = [table.tHead, table.tFoot].map((part) => part.querySelector('svg')), bottom = top + step * rows.length;
    const made = draw('svg', { viewBox: '0 0 ' + wide + ' ' + (bottom + 50) }, ...(above ? [placed(above, 4, 34)] : []), ...rows.flatMap((row, i) => {
      const y = top + step * i, words = [...row.cells].map((cell) => cell.textContent.trim());
      return [text(left - 14, y + 17, words[0], i ? '' : 'b', 'end'), placed(row.querySelector('svg'), y, step), text(left + across + 44, y + 17, words[2], 'b', 'end'), text(left + across + 54, y + 17, words.slice(3).join('  '), 's')];
    }), ...(below ? [placed(below, bottom + 2, 18)] : []), text(left + across / 2, bottom + 38, table.querySelector('.axisname').textContent, 's', 'middle'));
    return made;
  };
  const drawing = (figure) => { const table = figure.querySelector('table.chart'); return table ? chartSvg(table) : figure.querySelector('svg'); };
  const savePng = (name, svg) => {
    const made = standalone(svg), url = URL.createObjectURL(new Blob([made.text], { type: 'image/svg+xml' })), image = new Image();
    image.addEventListener('load', () => {
      const canvas = el('canvas', { width: String(3 * made.wide), height: String(3 * made.tall) });
      const ground = canvas.getContext('2d');
      ground.scale(3, 3);
      ground.drawImage(image, 0, 0);
      URL.revokeObjectURL(url);
      canvas.toBlob((blob) => save(name + '.png', 'image/png', blob));
    });
    image.src = url;
  };
  // PDF: the browser prints the figure alone on a page of its own size; vectors and fonts stay what they are
  const onlySheet = new CSSStyleSheet();
  const printAlone = (figure) => {
    const copy = drawing(figure).cloneNode(true), [, , wide, tall] = copy.getAttribute('viewBox').split(' ').map(Number);
    onlySheet.replaceSync('@media print{@page{size:' + wide + 'px ' + tall + 'px;margin:0;@top-left{content:none}@bottom-right{content:none}}}');
    if (!document.adoptedStyleSheets.includes(onlySheet)) document.adoptedStyleSheets.push(onlySheet);
    const box = el('div', { id: 'only', 'aria-hidden': 'true' });
    copy.removeAttribute('aria-labelledby');
    for (const one of copy.querySelectorAll('[id]')) one.removeAttribute('id');
    box.append(copy);
    document.body.append(box);
    document.documentElement.classList.add('alone');
    addEventListener('afterprint', () => { document.documentElement.classList.remove('alone'); box.remove(); onlySheet.replaceSync(''); }, { once: true });
    print();
  };
  const figureMenu = (figure) => {
    if (figure.dataset.ready) return;
    figure.dataset.ready = 'yes';
    const name = 'concord-' + figure.dataset.figure, title = figure.dataset.title || figure.querySelector('.figname').textContent;
    const menu = el('span', { class: 'figmenu' }, el('button', { type: 'button', text: 'SVG', 'data-download': 'svg', 'aria-label': 'SVG of ' + title, onclick: () => save(name + '.svg', 'image/svg+xml', standalone(drawing(figure)).text) }),
      el('button', { type: 'button', text: 'PNG', 'data-download': 'png', 'aria-label': 'PNG of ' + title, onclick: () => savePng(name, drawing(figure)) }),
      el('button', { type: 'button', text: 'PDF', 'data-download': 'pdf', title: 'Prints the figure alone: choose “Save as PDF”', 'aria-label': 'PDF of ' + title, onclick: () => printAlone(figure) }));
    if (figure.dataset.rows) menu.append(el('button', { type: 'button', text: 'data', 'data-download': 'csv', 'aria-label': 'data: numbers of ' + title + ' as CSV', onclick: () => save(name + '.csv', 'text/csv', csv(JSON.parse(figure.dataset.rows))) }));
    figure.querySelector('figcaption').append(menu);
    const box = figure.querySelector('.drawing'); // what is wider than the screen can be reached by keys
    if (box && box.scrollWidth > box.clientWidth) for (const [key, value] of Object.entries({ tabindex: '0', role: 'region', 'aria-label': title })) box.setAttribute(key, value);
  };
  const copyButtons = (box) => {
    if (box.dataset.ready) return;
    box.dataset.ready = 'yes';
    const said = el('span', { class: 'soft', role: 'status' });
    const put = (text, what) => { navigator.clipboard.writeText(text).then(() => { said.textContent = ' ' + what + ' copied'; }, () => { said.textContent = ' select the text to copy it'; }); };
    const plain = () => box.innerText.trim();
    const row = el('p', { class: 'copybuttons controls' }, el('button', { type: 'button', class: 'small', text: 'Copy', 'aria-label': 'Copy ' + box.dataset.copy, onclick: () => put(plain(), 'text') }));
    if (box.dataset.copy === 'methods') row.append(el('button', { type: 'button', class: 'small', text: 'Copy as LaTeX', onclick: () => put(latex(plain()), 'LaTeX') }));
    row.append(said);
    box.after(row);
  };
