/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Draws a window of the trace on a canvas: where in the run it is, how many threads were busy, a row for each thread, the
 * callpath of one of them. A column of pixels has each state's part of its time, busy at the bottom. */
heddle.traceDraw = (() => {
  const {trace, place, family} = heddle;
  const LEFT = 40, RIGHT = 8, RANGE = 7, STRIP = 44, AXIS = 20, GAP = 4, LANE = 17, LANES_MOST = 10, FONT = 11;
  const WIDE_FOR_TEXT = 34, LETTER = 6.7, SEEN_FOR_LANES = 400000;
  const FAMILIES = ['region', 'loop', 'task', 'sync', 'routine', 'program'];
  let look = null;

  /* ---- colours: those of the page's other charts ---- */

  const bytesOf = colour => (colour.match(/[\d.]+/g) || [0, 0, 0]).map(Number);
  const packed = colour => {
    const [red, green, blue] = bytesOf(colour);
    return (255 << 24 | blue << 16 | green << 8 | red) >>> 0; // a pixel's bytes, on machines that begin with the least
  };
  const isLight = colour => {
    const [red, green, blue] = bytesOf(colour);
    return 0.299 * red + 0.587 * green + 0.114 * blue > 140;
  };

  const readColours = box => {
    const probe = heddle.element('i');
    box.append(probe);
    const ofState = id => {
      probe.className = id;
      return getComputedStyle(probe).backgroundColor;
    };
    const states = trace.stateIds.map(ofState);
    const named = {};
    for (const [name, variable] of [...FAMILIES.map(one => [one, one === 'sync' ? 'other' : one]), ['text', 'text'], ['soft', 'soft'],
                                    ['line', 'line'], ['card', 'card'], ['accent', 'accent'], ['ground', 'ground']]) {
      probe.style.backgroundColor = `var(--${variable})`;
      named[name] = getComputedStyle(probe).backgroundColor;
    }
    const code = getComputedStyle(box).getPropertyValue('--code');
    probe.remove();
    look = {states, pixels: states.map(packed), ...named, code};
  };

  /* ---- where things are ---- */

  const pathOf = node => {
    const found = [];
    for (let at = heddle.node.get(node); at && at.id !== 0; at = heddle.node.get(at.parent))
      found.unshift(at);
    return found;
  };

  const rowHeight = rows => (rows <= 16 ? 22 : rows <= 32 ? 16 : 11);

  let depth = null; // of the trace's callpaths
  const lanesOf = () => {
    depth ??= Math.min(LANES_MOST, Math.max(0, ...trace.nodes().map(node => pathOf(node).length)));
    return depth;
  };

  /** Heights and places of a view of `rows` threads. */
  const layout = (rows, width) => {
    const top = RANGE + GAP + STRIP + AXIS + GAP, high = rowHeight(rows);
    const lanes = top + rows * high + 2 * GAP;
    return {left: LEFT, inner: Math.max(40, width - LEFT - RIGHT), width, strip: RANGE + GAP, axis: RANGE + GAP + STRIP, top, high,
            lanes, height: lanes + LANE * (lanesOf() + 1)};
  };

  /* ---- columns of pixels ---- */

  /* For each column the ticks of each state; what a thread was in at its begin and end is exact. */
  const columnsOf = (thread, view, columns, each) => {
    const step = (view.to - view.from) / columns;
    let index = trace.indexAt(thread, view.from);
    let before = trace.sumsUntil(thread, view.from, index, new Float64Array(trace.WIDTH)), after = new Float64Array(trace.WIDTH);
    const part = new Float64Array(trace.WIDTH);
    for (let i = 0; i < columns; i++) {
      const until = view.from + (i + 1) * step;
      index = trace.indexAt(thread, until, Math.max(0, index));
      trace.sumsUntil(thread, until, index, after);
      for (let state = 0; state < trace.WIDTH; state++)
        part[state] = after[state] - before[state];
      each(i, part, step, index);
      [before, after] = [after, before];
    }
  };

  /* One row of pixels high `high`: from the bottom up, in the order of states. */
  const paintColumn = (pixels, columns, at, high, part, step) => {
    let sum = 0, y = high;
    for (const state of trace.states) {
      if (!(part[state] > 0))
        continue;
      sum += part[state];
      const until = high - Math.round(Math.min(1, sum / step) * high);
      const colour = look.pixels[state];
      while (y > until)
        pixels[--y * columns + at] = colour;
    }
  };

  const paintRow = (context, thread, view, x, y, columns, high, busy) => {
    const image = context.createImageData(columns, high), pixels = new Uint32Array(image.data.buffer);
    columnsOf(thread, view, columns, (i, part, step) => {
      paintColumn(pixels, columns, i, high, part, step);
      busy[i] += part[0] / step;
    });
    context.putImageData(image, x, y);
  };

  const countBusy = (thread, view, columns, busy) =>
    columnsOf(thread, view, columns, (i, part, step) => { busy[i] += part[0] / step; });

  /* ---- words ---- */

  const cut = (text, width) => {
    const letters = Math.floor((width - 8) / LETTER);
    return letters < 3 ? '' : text.length <= letters ? text : `${text.slice(0, letters - 1)}…`;
  };

  const wordsOf = stretch => {
    const state = trace.stateIds[stretch.state];
    const name = place(heddle.node.get(stretch.node));
    return state === 'busy' ? name : state === 'idle' ? 'idle' : `${state.replaceAll('_', ' ')}, ${name}`;
  };

  /* The stretches that are wide enough get their names; there are few of them. */
  const nameRow = (context, thread, view, geometry, y) => {
    const scale = geometry.inner / (view.to - view.from), least = WIDE_FOR_TEXT / scale;
    let ticks = view.from;
    context.font = `${FONT}px ${look.code}`;
    for (let tries = geometry.inner; ticks < view.to && tries > 0; tries--) {
      const stretch = trace.stretch(thread, trace.indexAt(thread, ticks));
      if (!stretch) {
        const next = trace.indexAt(thread, ticks) + 1;
        ticks = next < thread.changes ? Math.max(thread.times[next], ticks + 1 / scale) : view.to;
        continue;
      }
      const from = Math.max(stretch.from, view.from), to = Math.min(stretch.to, view.to);
      if (to - from >= least && !stretch.several) {
        context.fillStyle = isLight(look.states[stretch.state]) ? '#111' : '#fff';
        context.fillText(cut(wordsOf(stretch), (to - from) * scale), geometry.left + (from - view.from) * scale + 4, y + geometry.high / 2 + 4);
      }
      if ((to - from) * scale > 3 && stretch.from > view.from) { // where one ends and the like begins
        context.fillStyle = look.ground;
        context.fillRect(geometry.left + (from - view.from) * scale - 0.5, y, 1, geometry.high - 1);
      }
      ticks = Math.max(stretch.to, ticks + 1 / scale);
    }
  };

  /* ---- the axis ---- */

  const stepOf = (span, most) => {
    const least = span / most, power = 10 ** Math.floor(Math.log10(least));
    return [1, 2, 5, 10].map(factor => factor * power).find(step => step >= least);
  };

  /** Seconds with as many digits as tell neighbours apart. */
  const moment = (seconds, step) => `${seconds.toFixed(Math.min(9, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9))))} s`;

  const drawAxis = (context, view, geometry) => {
    const from = trace.seconds(view.from), to = trace.seconds(view.to);
    const step = stepOf(to - from, Math.max(2, geometry.inner / 120));
    context.font = `${FONT}px system-ui, sans-serif`;
    context.textAlign = 'center';
    for (let i = Math.ceil(from / step); i * step <= to; i++) {
      const x = geometry.left + (i * step - from) / (to - from) * geometry.inner;
      context.fillStyle = look.line;
      context.fillRect(Math.round(x), geometry.axis, 1, 5);
      context.fillStyle = look.soft;
      context.fillText(moment(i * step, step), Math.min(Math.max(x, geometry.left + 22), geometry.left + geometry.inner - 22), geometry.axis + 16);
    }
    context.textAlign = 'left';
  };

  /* ---- busy threads ---- */

  const drawStrip = (context, geometry, busy, columns, most) => {
    const floor = geometry.strip + STRIP, wide = geometry.inner / columns;
    context.fillStyle = look.card;
    context.fillRect(geometry.left, geometry.strip, geometry.inner, STRIP);
    context.fillStyle = look.states[0];
    for (let i = 0; i < columns; i++) {
      const high = Math.min(1, busy[i] / most) * STRIP;
      context.fillRect(geometry.left + i * wide, floor - high, wide + 0.3, high);
    }
    context.fillStyle = look.soft;
    context.font = `${FONT}px system-ui, sans-serif`;
    context.textAlign = 'right';
    context.fillText(String(most), geometry.left - 5, geometry.strip + 9);
    context.fillText('0', geometry.left - 5, floor);
    context.textAlign = 'left';
  };

  /* Which part of the trace is seen. */
  const drawRange = (context, view, geometry) => {
    const wide = Math.max(3, (view.to - view.from) / trace.end * geometry.inner);
    context.fillStyle = look.line;
    context.fillRect(geometry.left, 0, geometry.inner, RANGE - 2);
    context.fillStyle = look.soft;
    context.fillRect(geometry.left + Math.min(view.from / trace.end * geometry.inner, geometry.inner - wide), 0, wide, RANGE - 2);
  };

  /* ---- the callpath of one thread ---- */

  /* Where the thread was longest in each column; null: it did not live. */
  const nodesOf = (thread, view, columns) => {
    const step = (view.to - view.from) / columns, found = new Array(columns).fill(null);
    let index = Math.max(0, trace.indexAt(thread, view.from));
    for (let i = 0; i < columns; i++) {
      const from = view.from + i * step, to = from + step, ticks = new Map();
      for (; index < thread.changes && thread.times[index] < to; index++) {
        const stretch = trace.stretch(thread, index);
        if (stretch)
          ticks.set(stretch.node, (ticks.get(stretch.node) || 0) + Math.min(to, stretch.to) - Math.max(from, stretch.from));
      }
      index = Math.max(0, index - 1);
      found[i] = [...ticks].reduce((most, one) => (one[1] > most[1] ? one : most), [null, 0])[0];
    }
    return found;
  };

  const drawLane = (context, geometry, y, cells, wide) => {
    for (let i = 0, until; i < cells.length; i = until) {
      for (until = i + 1; until < cells.length && cells[until] === cells[i];)
        until++;
      if (!cells[i])
        continue;
      const x = geometry.left + i * wide, width = (until - i) * wide;
      context.fillStyle = look[family(cells[i].kind)];
      context.fillRect(x, y, Math.max(0.5, width - (width > 3 ? 1 : 0)), LANE - 1);
      context.fillStyle = look.text;
      context.fillText(cut(place(cells[i]), width), x + 4, y + 12);
    }
  };

  /** True: all were drawn; false: more changes are in the window than can be looked at one by one. */
  const drawLanes = (context, thread, view, geometry, columns) => {
    if (trace.indexAt(thread, view.to) - trace.indexAt(thread, view.from) > SEEN_FOR_LANES)
      return false;
    const paths = new Map();
    const cells = nodesOf(thread, view, columns).map(node => (node === null ? [] : paths.get(node) ?? paths.set(node, pathOf(node)).get(node)));
    context.font = `${FONT}px ${look.code}`;
    for (let lane = 0; lane < lanesOf(); lane++)
      drawLane(context, geometry, geometry.lanes + LANE * (lane + 1), cells.map(path => path[lane] || null), geometry.inner / columns);
    return true;
  };

  const drawLanesTitle = (context, thread, geometry, drawn) => {
    context.font = `${FONT}px system-ui, sans-serif`;
    context.fillStyle = look.soft;
    context.fillText(drawn ? `Callpath of thread ${thread.thread}, outermost first` : `Zoom in for the callpath of thread ${thread.thread}`,
                     geometry.left, geometry.lanes + 11);
  };

  /* ---- all of it ---- */

  const drawMarks = (context, state, geometry) => {
    const {view, threads, marked, instance, selected} = state;
    const x = ticks => geometry.left + Math.min(1, Math.max(0, (ticks - view.from) / (view.to - view.from))) * geometry.inner;
    const floor = geometry.top + threads.length * geometry.high;
    context.strokeStyle = look.accent;
    context.lineWidth = 2;
    for (const edge of instance || [])
      if (edge >= view.from && edge <= view.to)
        context.strokeRect(x(edge), geometry.strip, 0.01, floor - geometry.strip);
    if (selected) {
      context.globalAlpha = 0.25;
      context.fillStyle = look.accent;
      context.fillRect(x(selected[0]), geometry.strip, x(selected[1]) - x(selected[0]), floor - geometry.strip);
      context.globalAlpha = 1;
    }
    const row = marked ? threads.indexOf(marked.thread) : -1;
    if (row >= 0 && marked.to > view.from && marked.from < view.to)
      context.strokeRect(x(marked.from) - 1, geometry.top + row * geometry.high, Math.max(3, x(marked.to) - x(marked.from) + 2), geometry.high - 1);
  };

  const drawLabels = (context, state, geometry) => {
    context.font = `${FONT}px system-ui, sans-serif`;
    context.textAlign = 'right';
    state.threads.forEach((thread, row) => {
      const isChosen = thread === state.thread;
      context.fillStyle = isChosen ? look.accent : look.soft;
      context.fillText(`${isChosen ? '▸' : ''}${thread.thread}`, geometry.left - 5, geometry.top + row * geometry.high + geometry.high / 2 + 4);
    });
    context.textAlign = 'left';
  };

  /** Draws `state`: the window `view` {from, to}, the threads shown, the chosen one, a marked stretch, an instance,
   *  what the mouse selects. */
  const draw = (canvas, state, geometry) => {
    const scale = window.devicePixelRatio || 1, context = canvas.getContext('2d');
    const columns = Math.round(geometry.inner * scale), busy = new Float64Array(columns);
    canvas.width = Math.round(geometry.width * scale);
    canvas.height = Math.round(geometry.height * scale);
    state.threads.forEach((thread, row) => paintRow(context, thread, state.view, Math.round(geometry.left * scale),
      Math.round((geometry.top + row * geometry.high) * scale), columns, Math.round((geometry.high - 1) * scale), busy));
    trace.threads.filter(thread => !state.threads.includes(thread)).forEach(thread => countBusy(thread, state.view, columns, busy));
    context.setTransform(scale, 0, 0, scale, 0, 0);
    drawRange(context, state.view, geometry);
    drawStrip(context, geometry, busy, columns, state.most);
    drawAxis(context, state.view, geometry);
    drawLabels(context, state, geometry);
    if (geometry.high > FONT)
      state.threads.forEach((thread, row) => nameRow(context, thread, state.view, geometry, geometry.top + row * geometry.high));
    const drawn = drawLanes(context, state.thread, state.view, geometry, Math.round(geometry.inner));
    drawLanesTitle(context, state.thread, geometry, drawn);
    drawMarks(context, state, geometry);
  };

  return {readColours, layout, draw, moment, pathOf};
})();
