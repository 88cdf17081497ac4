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
  // The script stands before the data: it works while they are still read
  const parsed = new Promise((go) => { if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', () => go(), { once: true }); else go(); });
  const decode = async (id) => {
    await parsed;
    const block = document.getElementById(id);
    if (block.dataset.encoding !== 'gzip') return JSON.parse(block.textContent);
    const stream = new Blob([unsigned(block.textContent)]).stream().pipeThrough(new DecompressionStream('gzip'));
    return JSON.parse(await new Response(stream).text());
  };
  const loaded = () => (page.loading ??= Promise.all([decode('data'), decode('texts')]).then(([data, texts]) => {
    Object.assign(whole, texts);
    place = data.geometry;
    page.data = data;
    return true;
  }).catch((fault) => {
    document.querySelectorAll('.needs-script').forEach((p) => { p.textContent = 'This browser cannot unpack the data of the page: ' + fault.message; });
    return false;
  }));
  // Result documents lie each in an element of its own: one is unpacked when a table is made of it, all for the download
  const unpacked = [];
  const getDocument = (i) => (unpacked[i] ??= decode('document-' + i).then((one) => (page.documents[i] = one)));
  const missing = (name) => {
    const table = page.data.tables[name];
    return table && table.list && !page.documents[table.document] ? getDocument(table.document) : null;
  };
  // Panels of models that were not chosen yet: markup that the page's own templates made, every text in it escaped
  let unpacking = null;
  const waiting = (within) => within.querySelector('[data-stored]');
  const unpack = () => (unpacking ??= decode('shelf'));
  const fill = (panel, kept) => {
    const place = waiting(panel), box = document.createElement('template');
    if (!place) return;
    box.innerHTML = kept.panels[Number(place.dataset.stored)];
    place.replaceWith(box.content);
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
      const found = byRows(page.documents[table.document].document)[table.list];
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
      ...column, at: column.names ? (i) => column.names[column.v[i]] : column.kind === 'long' ? (i) => whole.texts[column.v[i]] ?? '' : (i) => column.v[i],
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
  const everything = async (data) => {
    const documents = await Promise.all(Array.from({ length: data.documents }, (_, i) => getDocument(i)));
    return tablesAnd(data, documents);
  };
  const tablesAnd = (data, documents) => ({ format: data.format, format_version: data.format_version,
    tables: Object.fromEntries(Object.keys(data.tables).map((name) => [name, plainTable(data, name)])),
    documents: documents.map((one) => ({ ...one, document: byRows(one.document) })) });

