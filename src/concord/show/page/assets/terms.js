  // Terms explain themselves where they are first used: pointed at, focused or tapped
  const definitions = () => {
    const found = new Map();
    for (const dt of document.querySelectorAll('#terms dl.key dt')) for (const term of dt.textContent.split(', ')) found.set(term.trim(), { words: dt.nextElementSibling.textContent,
      pattern: new RegExp('(?<![\\p{L}_-])' + term.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&') + '(?![\\p{L}_-])', 'u') });
    return found;
  };
  const tip = () => document.getElementById('term-tip') || document.body.appendChild(el('div', { id: 'term-tip', role: 'tooltip', hidden: '' }));
  const showTip = (button, words) => {
    const box = tip(), at = button.getBoundingClientRect();
    box.textContent = words;
    box.hidden = false;
    box.style.left = Math.max(8, Math.min(at.left, document.documentElement.clientWidth - box.offsetWidth - 8)) + 'px';
    box.style.top = (at.bottom + box.offsetHeight + 8 > innerHeight ? at.top - box.offsetHeight - 6 : at.bottom + 6) + 'px';
    button.setAttribute('aria-describedby', 'term-tip');
  };
  const hideTip = () => { tip().hidden = true; };
  const termButton = (term, words) => {
    const button = el('button', { type: 'button', class: 'term', text: term });
    for (const kind of ['mouseenter', 'focus', 'click']) button.addEventListener(kind, () => showTip(button, words));
    for (const kind of ['mouseleave', 'blur']) button.addEventListener(kind, hideTip);
    return button;
  };
  // Texts of paragraphs and captions: few, where drawings have thousands
  const NOT_IN = 'a, button, svg, summary, .copy, dl, [hidden], .hide, .card';
  function* running(root, own) {
    for (const block of root.querySelectorAll('p, figcaption, caption')) {
      if (block.closest('.panel') !== own || block.closest(NOT_IN)) continue;
      const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) if (!walker.currentNode.parentElement.closest(NOT_IN)) yield walker.currentNode;
    }
  }
  const explained = (root, known) => {
    const left = new Map(known), places = [], own = root.matches('.panel') ? root : null;
    for (const node of running(root, own)) {
      if (!left.size) break;
      for (const [term, { pattern }] of left) {
        const at = node.data.search(pattern);
        if (at >= 0) { places.push([node, term, at]); left.delete(term); break; }
      }
    }
    for (const [node, term, at] of places) {
      const rest = node.splitText(at);
      rest.data = rest.data.slice(term.length);
      rest.before(termButton(term, known.get(term).words));
    }
  };
  const explain = (root) => {
    if (root.dataset.explained) return;
    root.dataset.explained = 'yes';
    page.terms = page.terms || definitions();
    explained(root, page.terms);
  };
