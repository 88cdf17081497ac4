  // Everything from data reaches the page as text: no markup is ever made of it.
  const SVG = 'http://www.w3.org/2000/svg';
  const ROWS = 50, REPLIES = 8;
  const el = (tag, props = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [key, value] of Object.entries(props)) {
      if (key === 'text') made.textContent = value;
      else if (key === 'class') made.className = value;
      else if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
      else made.setAttribute(key, value);
    }
    made.append(...children);
    return made;
  };
  const draw = (tag, props, ...children) => {
    const made = document.createElementNS(SVG, tag);
    for (const [key, value] of Object.entries(props)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const asNumber = (v) => (v === 'inf' ? Infinity : v === '-inf' ? -Infinity : v);
  const show = (v, kind) => {
    if (v === null || v === undefined || v === '') return '–';
    if (kind === 'flag') return v ? 'yes' : 'no';
    if (kind === 'text' || kind === 'long' || kind === undefined) return String(v);
    const x = asNumber(v);
    if (!Number.isFinite(x)) return x > 0 ? '∞' : '−∞';
    if (kind === 'share') return x === 0 ? '< 0.0001' : x.toFixed(x < 0.01 ? 4 : 2);
    if (kind === 'count') return String(x);
    if (kind === 'p') return x < 0.001 ? '< .001' : x.toFixed(3).replace(/^0/, '');
    if (x === 0) return '0.00';
    const size = Math.abs(x);
    if (size < 0.001) return x > 0 ? '< 0.001' : '> −0.001';
    if (size >= 1e5) return x.toExponential(1).replaceAll('-', '−');
    return x.toFixed(size < 0.1 ? 3 : 2).replace('-', '−');
  };

  const page = { data: null, shelf: null, chosen: null, documents: [] };
  // What nobody waits for is done in slices, so that the page answers in between
  const SLICE = 12; // milliseconds; a hand notices a hundred
  let resumed = performance.now();
  const idle = (go) => (window.requestIdleCallback ? requestIdleCallback(go, { timeout: 250 }) : setTimeout(go, 1));
  const breathe = async () => {
    if (performance.now() - resumed < SLICE) return;
    await new Promise(idle);
    resumed = performance.now();
  };
  const slowly = async (work) => { for (const _ of work) await breathe(); };
  const layOut = (section) => section.classList.add('laid');
  const atOnce = (work) => { for (const _ of work); };
  const numeric = (column) => ['number', 'share', 'count', 'p'].includes(column.kind);

  // Downloads
  const save = (name, type, text) => {
    const url = URL.createObjectURL(new Blob([text], { type }));
    const link = el('a', { href: url, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 5000);
  };
  const csvCell = (v) => {
    if (v === null || v === undefined) return '';
    let text = String(v);
    if (typeof v !== 'number' && /^[=+\-@\t\r\n]/.test(text) && !/^-?\d*\.?\d+(e[+-]?\d+)?$/i.test(text)) text = "'" + text;
    return /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  };
  const csv = (rows) => rows.map((row) => row.map(csvCell).join(',')).join('\n') + '\n';
  const fileName = (name, ending) => 'concord-' + name.replace(/[^a-z0-9-]+/gi, '-').toLowerCase() + '.' + ending;

