/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tables that sort by a click on a heading and filter by text. The table of callpaths is a tree whose rows unfold; of its
 * rows only those that are seen are in the page. */
heddle.tables = (() => {
  const {element} = heddle;
  const FILTER_FROM = 8, ROWS_AT_FIRST = 25, ROWS_AT_ONCE = 200, FOLD_FROM = 60, FOLD_BELOW = 0.01;

  /* "~12.3", ">=1" are numbers with a mark; "-" is less than all. */
  const numberOf = text => {
    const number = parseFloat(text.replace(/^[~<>=?]+/, ''));
    return Number.isNaN(number) ? -Infinity : number;
  };

  const isWord = (table, column) => table.tHead.rows[0].cells[column].classList.contains('word');

  const compare = (table, column, down) => {
    const sign = down ? -1 : 1;
    const text = row => row.cells[column].textContent.trim();
    if (isWord(table, column) && table.id !== 'level-table' && table.id !== 'thread-table')
      return (a, b) => sign * text(a).localeCompare(text(b));
    const keys = new Map();
    const key = row => keys.get(row) ?? keys.set(row, numberOf(text(row))).get(row);
    return (a, b) => (key(a) === key(b) ? 0 : sign * (key(a) < key(b) ? -1 : 1));
  };

  /* Headings become buttons: once: largest first (words: A first), again: the other way, then the table's own order. */
  const makeSortable = (table, changed) => {
    const headings = [...table.tHead.rows[0].cells];
    const state = {column: -1, down: true};
    headings.forEach((heading, column) => {
      if (heading.classList.contains('heat'))
        return;
      const first = !isWord(table, column);
      const button = element('button', {type: 'button'}, ...heading.childNodes);
      heading.append(button);
      button.addEventListener('click', () => {
        if (state.column !== column)
          Object.assign(state, {column, down: first});
        else if (state.down === first)
          state.down = !first;
        else
          state.column = -1;
        headings.forEach((other, index) => {
          other.removeAttribute('aria-sort');
          if (index === state.column)
            other.setAttribute('aria-sort', state.down ? 'descending' : 'ascending');
        });
        changed();
      });
    });
    return rows => (state.column < 0 ? rows : [...rows].sort(compare(table, state.column, state.down)));
  };

  const makeFilter = (table, label, changed) => {
    const input = element('input', {type: 'search', placeholder: label, 'aria-label': label});
    input.addEventListener('input', changed);
    table.parentElement.before(element('p', {class: 'tools'}, input));
    return input;
  };

  const matches = (row, words) => {
    const text = row.cells[0].textContent.toLowerCase();
    return words.every(word => text.includes(word));
  };

  /* What does not fit into the page is left out, as in a terminal: columns of the highest rank first, the rightmost of them;
   * the place never. What is printed has them all. */
  const makeFit = table => {
    const headings = [...table.tHead.rows[0].cells], box = table.parentElement;
    const sheet = element('style', {media: 'screen'}), said = element('span'), button = element('button', {type: 'button'}, 'show all columns');
    const line = element('p', {class: 'tools narrow'}, said, button);
    let hidden = [], all = false;
    const hide = columns => {
      hidden = columns;
      sheet.textContent = columns.map(column => `#${table.id} tr > :nth-child(${column + 1}) { display: none; }`).join('\n');
      said.textContent = columns.length > 0
        ? `Not shown, for lack of room: ${[...columns].sort((a, b) => a - b).map(column => headings[column].textContent).join(', ')}.` : '';
      line.hidden = columns.length === 0;
    };
    const next = () => headings.map((heading, column) => ({rank: Number(heading.dataset.rank || 0), column})).
      filter(({rank, column}) => rank > 0 && !hidden.includes(column)).
      sort((a, b) => b.rank - a.rank || b.column - a.column)[0];
    const fit = () => {
      hide([]);
      for (let found = all ? null : next(); found && table.offsetWidth > box.clientWidth; found = next())
        hide([...hidden, found.column]);
    };
    button.addEventListener('click', () => {
      all = true;
      fit();
    });
    document.head.append(sheet);
    box.before(line);
    heddle.whenResized(box, fit);
  };

  const wordsOf = input => (input ? input.value.toLowerCase().split(/\s+/).filter(Boolean) : []);

  const offerMore = (button, left, show) => {
    button.hidden = left <= 0;
    button.textContent = `show ${Math.min(left, ROWS_AT_ONCE)} more of ${left} rows`;
    button.onclick = show;
  };

  /* ---- flat tables ---- */

  const enhance = table => {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    const more = element('button', {type: 'button', class: 'more'});
    const show = (most = ROWS_AT_FIRST) => {
      const chosen = sorted(rows.filter(row => matches(row, wordsOf(input))));
      body.replaceChildren(...chosen.slice(0, most));
      offerMore(more, chosen.length - most, () => show(most + ROWS_AT_ONCE));
    };
    const sorted = makeSortable(table, () => show());
    const input = rows.length >= FILTER_FROM ? makeFilter(table, 'filter', () => show()) : null;
    table.parentElement.after(more);
    show();
    makeFit(table);
  };

  /* ---- the tree ---- */

  const tree = {rows: [], row: new Map(), folded: new Set()};
  const idOf = row => Number(row.id.slice(1));
  const parentOf = id => (id === 0 ? null : heddle.node.get(id).parent);
  const hasChildren = id => heddle.children.get(id).length > 0;

  const ancestors = id => {
    const found = [];
    for (let at = parentOf(id); at !== null; at = parentOf(at))
      found.push(at);
    return found;
  };

  /* Rows in the tree's order, without those below a folded one. */
  const unfolded = () => {
    const hidden = new Set();
    return tree.rows.filter(row => {
      const id = idOf(row), parent = parentOf(id);
      if (parent !== null && (hidden.has(parent) || tree.folded.has(parent))) {
        hidden.add(id);
        return false;
      }
      return true;
    });
  };

  const found = words => {
    const ids = new Set();
    for (const row of tree.rows)
      if (matches(row, words))
        [idOf(row), ...ancestors(idOf(row))].forEach(id => ids.add(id));
    return tree.rows.filter(row => ids.has(idOf(row)));
  };

  /* The buttons of a row are made when it is first seen. */
  const prepare = row => {
    const id = idOf(row), cell = row.cells[0];
    if (!row.dataset.ready) {
      row.dataset.ready = '1';
      const place = cell.querySelector('.place');
      place.replaceWith(element('button', {type: 'button', class: 'place', 'data-show': id,
                                           title: 'details of this callpath'}, place.textContent));
      cell.prepend(element(hasChildren(id) ? 'button' : 'span', {class: 'fold', 'data-fold': id,
                                                                 type: hasChildren(id) ? 'button' : null}));
      if (heddle.trace && heddle.trace.instances.has(id))
        cell.append(' ', element('button', {type: 'button', class: 'slowest', 'data-slowest': id,
                                            'aria-label': 'show the slowest instance in the trace', title: 'show the slowest instance in the trace'}));
    }
    if (hasChildren(id)) {
      const fold = cell.querySelector('.fold');
      fold.textContent = tree.folded.has(id) ? '▸' : '▾';
      fold.setAttribute('aria-label', tree.folded.has(id) ? 'unfold' : 'fold');
      fold.setAttribute('aria-expanded', String(!tree.folded.has(id)));
    }
  };

  const showTree = (most = ROWS_AT_ONCE) => {
    const words = wordsOf(tree.input);
    const isSorted = tree.table.querySelector('[aria-sort]') !== null;
    let rows = tree.sorted(words.length > 0 && !isSorted ? found(words)
                                                         : isSorted ? tree.rows.filter(row => matches(row, words))
                                                                    : unfolded());
    const left = rows.length - most;
    rows = rows.slice(0, most);
    rows.forEach(prepare);
    tree.table.classList.toggle('flat', isSorted);
    tree.table.tBodies[0].replaceChildren(...rows);
    offerMore(tree.more, left, () => showTree(most + ROWS_AT_ONCE));
  };

  const setFolds = all => {
    tree.folded = new Set(all ? tree.rows.map(idOf).filter(id => id !== 0 && hasChildren(id)) : []);
    showTree();
  };

  /* Large trees begin with what matters: parts of the run below 1 % are folded. */
  const foldAtFirst = () => {
    if (tree.rows.length < FOLD_FROM)
      return;
    for (const node of heddle.node.values())
      if (node.id !== 0 && hasChildren(node.id) && !(node.wall_share_inclusive_s >= FOLD_BELOW * heddle.elapsed))
        tree.folded.add(node.id);
  };

  const onClick = event => {
    const {fold, show, slowest} = event.target.dataset;
    if (fold !== undefined && event.target.tagName === 'BUTTON') {
      const id = Number(fold), at = tree.folded;
      at.has(id) ? at.delete(id) : at.add(id);
      showTree(Math.max(ROWS_AT_ONCE, tree.table.tBodies[0].rows.length));
      tree.row.get(id).querySelector('.fold').focus();
    } else if (show !== undefined) {
      heddle.select(Number(show), true);
    } else if (slowest !== undefined) {
      heddle.traceView.showInstance(Number(slowest), 'slowest');
    }
  };

  const enhanceTree = table => {
    const fold = element('button', {type: 'button'}, 'fold all'), unfold = element('button', {type: 'button'}, 'unfold all');
    tree.table = table;
    tree.rows = [...table.tBodies[0].rows];
    tree.rows.forEach(row => tree.row.set(idOf(row), row));
    tree.more = element('button', {type: 'button', class: 'more'});
    tree.sorted = makeSortable(table, () => showTree());
    tree.input = makeFilter(table, 'filter callpaths', () => showTree());
    tree.input.after(fold, unfold);
    table.parentElement.after(tree.more);
    fold.addEventListener('click', () => setFolds(true));
    unfold.addEventListener('click', () => setFolds(false));
    table.tBodies[0].addEventListener('click', onClick);
    foldAtFirst();
    showTree();
    makeFit(table);
  };

  /** Makes a callpath's row seen. */
  const reveal = id => {
    ancestors(id).forEach(at => tree.folded.delete(at));
    tree.input.value = '';
    tree.table.querySelectorAll('[aria-sort] button').forEach(button => {
      while (button.parentElement.hasAttribute('aria-sort'))
        button.click();
    });
    showTree(Math.max(ROWS_AT_ONCE, unfolded().indexOf(tree.row.get(id)) + 20));
    tree.row.get(id).scrollIntoView({block: 'center'});
  };

  const mark = id => {
    tree.rows.forEach(row => row.classList.remove('chosen'));
    tree.row.get(id)?.classList.add('chosen');
  };

  const row = id => tree.row.get(id);

  return {enhance, enhanceTree, reveal, mark, row};
})();
