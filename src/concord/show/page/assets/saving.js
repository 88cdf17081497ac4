  // Tables as files: CSV for a program, Markdown, LaTeX and a document for a text
  const downloadButton = (name, rows) =>
    el('button', { type: 'button', text: 'Download CSV', 'aria-label': 'Download CSV: ' + name,
      'data-download': name, onclick: () => save(fileName(name, 'csv'), 'text/csv', csv(rows())) });
  const cellText = (v) => (v === null || v === undefined ? '' : typeof v === 'number' ? show(v, Number.isInteger(v) ? 'count' : 'number') : String(v).replace(/\s+/g, ' '));
  const markdown = (rows) => {
    const line = (row) => '| ' + row.map((v) => cellText(v).replaceAll('|', '\\|')).join(' | ') + ' |';
    return [line(rows[0]), '|' + rows[0].map(() => '---').join('|') + '|', ...rows.slice(1).map(line)].join('\n') + '\n';
  };
  const latex = (text) => text.replace(/[\\{}]/g, '').replace(/([&%$#_])/g, '\\$1').replaceAll('Δ', '$\\Delta$').replaceAll('τ', '$\\tau$').replaceAll('χ²', '$\\chi^2$').replaceAll('−', '$-$');
  const latexTable = (rows) => {
    const line = (row) => row.map((v) => latex(cellText(v))).join(' & ') + ' \\\\';
    return ['\\begin{tabular}{l' + 'r'.repeat(rows[0].length - 1) + '}', '\\toprule', line(rows[0]), '\\midrule', ...rows.slice(1).map(line), '\\bottomrule', '\\end{tabular}'].join('\n') + '\n';
  };
  // A word processor opens this as a document with one table; every text is escaped
  const wordTable = (rows, title) => {
    const table = el('table', { border: '1' }, el('caption', { text: title }), ...rows.map((row, i) => el('tr', {}, ...row.map((v) => el(i ? 'td' : 'th', { text: cellText(v) })))));
    return '<!doctype html><html><head><meta charset="utf-8"><title>' + el('p', { text: title }).innerHTML + '</title></head><body>' + table.outerHTML + '</body></html>';
  };
  const tableMenu = (name, rows, title) => {
    const button = (text, ending, type, make) => el('button', { type: 'button', text, 'data-save': ending, 'aria-label': text + ': ' + name, onclick: () => save(fileName(name, ending), type, make(rows(), title)) });
    return el('details', { class: 'menu' }, el('summary', { text: 'other forms', 'aria-label': 'Other forms of the table ' + name }), el('div', {},
      button('LaTeX', 'tex', 'text/plain', latexTable), button('Markdown', 'md', 'text/plain', markdown), button('Word', 'doc', 'application/msword', wordTable)));
  };
