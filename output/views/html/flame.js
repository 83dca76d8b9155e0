/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The callpaths as icicles: width is the part of the run. A click or Enter zooms in, Escape zooms out, arrow keys move. */
heddle.flame = (() => {
  const {element, time, percent, place, family} = heddle;
  const ROW = 22, ROWS_MOST = 40, LETTER = 6.6, LEAST_WIDTH = 0.6;
  const state = {root: null, focus: null, at: null, width: 0};

  /* A node's own part and those below; time in which no thread was busy is the program's. */
  const layout = () => {
    const root = d3.hierarchy(heddle.node.get(0), node => heddle.children.get(node.id)).
      sum(node => node.wall_share_s || 0).sort((a, b) => b.value - a.value);
    const none = (heddle.profile.program.time_at_k_s || [0])[0];
    root.value += none;
    return d3.partition()(root);
  };

  const words = cell => `${place(cell.data)}: ${time(cell.data.wall_share_inclusive_s)}, ` +
    `${percent(cell.data.wall_share_inclusive_s || 0, heddle.elapsed)} of the run`;

  const scaleOf = () => d3.scaleLinear().domain([state.focus.x0, state.focus.x1]).range([0, state.width]);

  /* Only what is wide enough to be seen is drawn. */
  const seen = x => {
    const found = [...state.focus.ancestors().slice(1)];
    const visit = cell => {
      if (x(cell.x1) - x(cell.x0) < LEAST_WIDTH || cell.depth - state.focus.depth > ROWS_MOST)
        return;
      found.push(cell);
      (cell.children || []).forEach(visit);
    };
    visit(state.focus);
    return found;
  };

  const choose = cell => {
    state.at = cell;
    state.readout.textContent = words(cell);
    state.svg.selectAll('g').classed('chosen', other => other === cell);
    heddle.select(cell.data.id, false);
  };

  const draw = () => {
    const x = scaleOf(), cells = seen(x);
    const left = cell => Math.max(0, x(cell.x0)), right = cell => Math.min(state.width, x(cell.x1));
    const wide = cell => right(cell) - left(cell);
    const top = Math.max(...cells.map(cell => cell.depth));
    state.svg.attr('width', state.width).attr('height', (top + 1) * ROW);
    const groups = state.svg.selectAll('g').data(cells, cell => cell.data.id).join(enter => {
      const made = enter.append('g').on('click', cell => zoom(cell)).
        on('mousemove', cell => { state.readout.textContent = words(cell); });
      made.append('rect').attr('rx', 2);
      made.append('text').attr('x', 5).attr('y', ROW - 8);
      made.append('title').text(words);
      return made;
    });
    groups.attr('class', cell => family(cell.data.kind)).classed('outer', cell => cell.depth < state.focus.depth).
      classed('chosen', cell => cell === state.at).
      attr('transform', cell => `translate(${left(cell)},${cell.depth * ROW})`);
    groups.select('rect').attr('width', cell => Math.max(0.5, wide(cell) - 1)).attr('height', ROW - 1);
    groups.select('text').text(cell => {
      const letters = Math.floor((wide(cell) - 8) / LETTER), text = place(cell.data);
      return letters < 3 ? '' : text.length <= letters ? text : `${text.slice(0, letters - 1)}…`;
    });
  };

  const zoom = cell => {
    state.focus = cell === state.focus && cell.parent ? cell.parent : cell;
    draw();
    choose(cell);
  };

  const beside = (cell, step) => {
    const all = cell.parent ? cell.parent.children : [cell];
    return all[all.indexOf(cell) + step];
  };

  const onKey = () => {
    const moves = {ArrowUp: state.at.parent, ArrowDown: (state.at.children || [])[0], ArrowLeft: beside(state.at, -1),
                   ArrowRight: beside(state.at, 1)};
    const {key} = d3.event;
    if (key in moves && moves[key])
      choose(moves[key]);
    else if (key === 'Enter')
      zoom(state.at);
    else if (key === 'Escape' && state.focus.parent)
      zoom(state.focus.parent);
    else if (!(key in moves))
      return;
    d3.event.preventDefault();
  };

  const start = () => {
    const section = document.getElementById('flame');
    if (!heddle.profile.program.time_at_k_s || heddle.elapsed <= 0)
      return;
    state.root = state.focus = state.at = layout();
    state.readout = element('p', {class: 'hint readout', 'aria-live': 'polite'},
                            'Width: part of the run; blank at the right: no thread was busy. Click: zoom in, again: zoom out. Arrow keys move, Enter zooms, Escape zooms out.');
    const chart = element('div', {class: 'chart'});
    section.append(element('h2', {}, 'Flame view'), chart, state.readout);
    section.hidden = false;
    state.svg = d3.select(chart).append('svg').attr('class', 'flame').attr('tabindex', 0).attr('role', 'img').
      attr('aria-label', 'callpaths by their part of the run; the table above has the same numbers').on('keydown', onKey);
    heddle.whenResized(chart, width => {
      state.width = width;
      draw();
    });
  };

  return {start};
})();
