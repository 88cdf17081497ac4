  // Terms explain themselves where they are first used: pointed at, focused or tapped
  const definitions = () => {
    const found = new Map();
    for (const dt of document.querySelectorAll('#board dl.key dt')) for (const term of dt.textContent.split(', ')) found.set(term.trim(), dt.nextElementSibling.textContent);
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
  const explained = (root, known) => {
    const left = new Map(known), places = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT, { acceptNode: (node) => {
      const inside = node.parentElement;
      if (inside.closest('.panel') !== (root.matches('.panel') ? root : null)) return NodeFilter.FILTER_REJECT;
      return inside.closest('p, figcaption, caption') && !inside.closest('a, button, svg, summary, .copy, dl, [hidden], .hide') ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_REJECT;
    } });
    while (left.size && walker.nextNode()) {
      const node = walker.currentNode;
      for (const term of [...left.keys()]) {
        const at = node.data.search(new RegExp('(?<![\\p{L}_-])' + term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') + '(?![\\p{L}_-])', 'u'));
        if (at >= 0) { places.push([node, term, at]); left.delete(term); break; }
      }
    }
    for (const [node, term, at] of places) {
      const rest = node.splitText(at);
      rest.data = rest.data.slice(term.length);
      rest.before(termButton(term, known.get(term)));
    }
  };
  const explain = (root) => {
    if (root.dataset.explained) return;
    root.dataset.explained = 'yes';
    page.terms = page.terms || definitions();
    explained(root, page.terms);
  };
