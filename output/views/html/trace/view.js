/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The trace's window: what is shown of it, and what mouse and keys do. */
heddle.traceView = (() => {
  const {trace, element, time, percent, count, place} = heddle;
  const THREADS_AT_ONCE = 64, AROUND = 0.06, DRAGGED = 4;
  const state = {view: null, threads: [], thread: null, first: 0, most: 1, marked: null, instance: null, selected: null};
  let canvas, geometry, box, readout, shown, chosen, planned = false;

  const words = id => id.replaceAll('_', ' ');
  const stateWords = number => words(trace.stateIds[number]);
  const long = ticks => time(ticks * trace.tickSeconds);
  const perPixel = () => (state.view.to - state.view.from) / geometry.inner;
  const at = ticks => heddle.traceDraw.moment(trace.seconds(ticks), perPixel() * trace.tickSeconds);

  const redraw = () => {
    planned = false;
    heddle.traceDraw.draw(canvas, state, geometry);
    shown.textContent = wordsOfWindow(state.view.from, state.view.to);
  };

  const plan = () => {
    if (!planned && geometry)
      requestAnimationFrame(redraw);
    planned = Boolean(geometry);
  };

  /* ---- the window ---- */

  const shortest = () => Math.min(trace.end, 2e-7 / trace.tickSeconds);

  const show = (from, to) => {
    const wide = Math.min(trace.end, Math.max(shortest(), to - from));
    const begin = Math.min(Math.max(0, (from + to - wide) / 2), trace.end - wide);
    state.view = {from: begin, to: begin + wide};
    plan();
  };

  const whole = () => show(0, trace.end);

  const zoom = (factor, around = (state.view.from + state.view.to) / 2) => {
    const wide = Math.min(trace.end, Math.max(shortest(), (state.view.to - state.view.from) / factor));
    const part = (around - state.view.from) / (state.view.to - state.view.from);
    show(around - part * wide, around - part * wide + wide);
  };

  const move = part => {
    const wide = state.view.to - state.view.from;
    const from = Math.min(Math.max(0, state.view.from + part * wide), trace.end - wide);
    show(from, from + wide);
  };

  const showAround = (from, to) => show(from - AROUND * (to - from), to + AROUND * (to - from));

  /* ---- words ---- */

  const where = node => {
    const names = heddle.traceDraw.pathOf(node).reverse().slice(0, 4).map(place);
    return names.length > 0 ? names.join(' ‹ ') : place(heddle.node.get(0));
  };

  const several = stretch => {
    const parts = stretch.several.parts.map((part, number) => [part, number]).filter(([part]) => part > 0).sort((a, b) => b[0] - a[0]);
    return `${count(stretch.several.count)} short ones: ${parts.map(([part, number]) => `${stateWords(number)} ${percent(part, 1)}`).join(', ')}; most of it in`;
  };

  const wordsOf = stretch => `Thread ${stretch.thread.thread}: ${stretch.several ? several(stretch) : `${stateWords(stretch.state)} in`} ` +
    `${where(stretch.node)}; from ${at(stretch.from)}, for ${long(stretch.to - stretch.from)}`;

  /* "busy 80.0 %, barrier implicit 20.0 %" of ticks by state, the largest first. */
  const wordsOfSums = (sums, whole) => [...sums].map((sum, number) => [sum, number]).
    filter(([sum, number]) => sum > 0 && number !== trace.NOTHING).sort((a, b) => b[0] - a[0]).
    map(([sum, number]) => `${stateWords(number)} ${percent(sum, whole)}`).join(', ');

  const wordsOfColumn = (thread, from, to, changes) => `Thread ${thread.thread}, ${at(from)}, a pixel of ${long(to - from)}: ` +
    `${count(changes)} changes; ${wordsOfSums(trace.sumsOf(thread, from, to), to - from)}`;

  const sumsOfAll = (from, to) => trace.threads.map(thread => trace.sumsOf(thread, from, to)).
    reduce((all, sums) => all.map((sum, number) => sum + sums[number]));

  const wordsOfBusy = (from, to) =>
    `${at(from)}, a pixel of ${long(to - from)}: ${(sumsOfAll(from, to)[0] / (to - from)).toFixed(2)} threads busy on average`;

  /* The chart as a text, for those who do not see it. */
  const wordsOfWindow = (from, to) => {
    const sums = sumsOfAll(from, to), lived = sums.slice(0, trace.NOTHING).reduce((all, sum) => all + sum, 0);
    return `Shown: ${at(from)} to ${at(to)}, which is ${long(to - from)}; ${(sums[0] / (to - from)).toFixed(2)} threads busy on average. ` +
      `All threads: ${wordsOfSums(sums, lived)}.`;
  };

  /* ---- what is where ---- */

  const ticksAt = x => state.view.from + (x - geometry.left) * perPixel();
  const threadAt = y => state.threads[Math.floor((y - geometry.top) / geometry.high)];

  /* The longest stretch of a pixel's time. */
  const longestIn = (thread, from, to) => {
    let found = null, longest = 0;
    for (let i = trace.indexAt(thread, from); i < thread.changes && (i < 0 || thread.times[i] < to); i++) {
      const stretch = trace.stretch(thread, i);
      const wide = stretch ? Math.min(to, stretch.to) - Math.max(from, stretch.from) : 0;
      if (wide > longest)
        [found, longest] = [stretch, wide];
    }
    return found;
  };

  const describe = (x, y) => {
    const thread = threadAt(y), from = ticksAt(x - 0.5), to = ticksAt(x + 0.5);
    if (x < geometry.left || x > geometry.left + geometry.inner)
      return '';
    if (y < geometry.top)
      return wordsOfBusy(Math.max(0, from), Math.min(trace.end, to));
    if (!thread)
      return '';
    const changes = trace.indexAt(thread, to) - trace.indexAt(thread, from);
    if (changes > 2)
      return wordsOfColumn(thread, Math.max(0, from), Math.min(trace.end, to), changes);
    const found = trace.stretch(thread, trace.indexAt(thread, ticksAt(x)));
    return found ? wordsOf(found) : `Thread ${thread.thread}: not there`;
  };

  /* ---- a stretch is chosen ---- */

  const button = (label, words, act) => {
    const made = element('button', {type: 'button', title: words, 'aria-label': words}, label);
    made.addEventListener('click', act);
    return made;
  };

  const choose = stretch => {
    if (!stretch)
      return;
    state.marked = stretch;
    state.thread = stretch.thread;
    heddle.select(stretch.node, false);
    chosen.replaceChildren(element('span', {}, wordsOf(stretch)), ' ', element('a', {href: `#c${stretch.node}`}, 'in the table'), ' ',
                           button('zoom to it', 'zoom to the chosen stretch', () => showAround(stretch.from, stretch.to)));
    chosen.hidden = false;
    plan();
  };

  /* The next change of the chosen thread, or the one before; the window follows. */
  const step = by => {
    const {marked, thread, view} = state;
    const isSeen = marked && marked.thread === thread;
    let index = isSeen ? marked.index + by // it may begin later than this window, or end before
      : Math.min(thread.changes - 2, Math.max(0, trace.indexAt(thread, (view.from + view.to) / 2)));
    while (index >= 0 && index < thread.changes && !trace.stretch(thread, index))
      index += by;
    const found = trace.stretch(thread, index), wide = view.to - view.from;
    if (found && (found.from < view.from || found.to > view.to) && found.to - found.from < wide)
      show((found.from + found.to - wide) / 2, (found.from + found.to + wide) / 2);
    choose(found);
  };

  const chooseThread = by => {
    const index = Math.min(trace.threads.length - 1, Math.max(0, trace.threads.indexOf(state.thread) + by));
    state.thread = trace.threads[index];
    if (!state.threads.includes(state.thread))
      page(Math.floor(index / THREADS_AT_ONCE) * THREADS_AT_ONCE);
    readout.textContent = `Thread ${state.thread.thread} (${state.thread.kind})`;
    plan();
  };

  /* ---- instances of regions ---- */

  /** "slowest" or "first" of a region. */
  const showInstance = (id, which) => {
    const of = trace.instances.get(id), [from, to] = of[which];
    state.instance = of[which];
    showAround(from, to);
    heddle.select(id, false);
    chosen.replaceChildren(element('span', {}, `${which === 'first' ? 'First' : 'Slowest'} of ${count(of.count)} instances of ` +
      `${where(id)}; from ${at(from)}, for ${long(to - from)}`), ' ', element('a', {href: `#c${id}`}, 'in the table'));
    chosen.hidden = false;
    document.getElementById('trace-section').scrollIntoView({block: 'start'});
    canvas.focus({preventScroll: true});
  };

  /** Buttons that show a region's instances; null: it has none in the trace. */
  const instanceButtons = id => {
    const of = trace && trace.instances.get(id);
    if (!of || !canvas)
      return null;
    const one = (which, label) => button(`${label}: ${long(of[which][1] - of[which][0])}`, `show the ${which} of ${count(of.count)} instances in the trace`,
                                         () => showInstance(id, which));
    return element('p', {class: 'tools'}, 'In the trace:', one('slowest', 'slowest instance'), one('first', 'first instance'));
  };

  /* ---- mouse and keys ---- */

  const onWheel = event => {
    if (!(event.ctrlKey || event.metaKey || document.activeElement === canvas))
      return;
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
      move((event.deltaX || event.deltaY) / geometry.inner);
    else
      zoom(2 ** (-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.002)), ticksAt(event.offsetX));
  };

  /* Rows are dragged; on the strip and the axis, or with Shift, dragging selects what to zoom into. */
  const drag = (down, x) => {
    const wide = down.view.to - down.view.from, from = down.view.from + (down.x - x) * perPixel();
    down.moved = true;
    if (down.selects)
      state.selected = [ticksAt(Math.min(down.x, x)), ticksAt(Math.max(down.x, x))];
    else
      show(Math.min(Math.max(0, from), trace.end - wide), Math.min(Math.max(0, from), trace.end - wide) + wide);
    plan();
  };

  const drop = down => {
    const selected = state.selected;
    state.selected = null;
    if (down && selected)
      show(Math.max(0, selected[0]), Math.min(trace.end, selected[1]));
    plan();
  };

  const addMouse = () => {
    let down = null;
    canvas.addEventListener('wheel', onWheel, {passive: false});
    canvas.addEventListener('pointerdown', event => {
      if (event.button !== 0)
        return;
      down = {x: event.offsetX, view: state.view, moved: false, selects: event.shiftKey || event.offsetY < geometry.top};
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', event => {
      if (down && (down.moved || Math.abs(event.offsetX - down.x) >= DRAGGED))
        drag(down, event.offsetX);
      readout.textContent = describe(event.offsetX, event.offsetY) || '\u00a0';
    });
    canvas.addEventListener('pointerup', event => {
      const thread = threadAt(event.offsetY);
      if (down && !down.moved && thread && event.offsetY >= geometry.top)
        choose(longestIn(thread, ticksAt(event.offsetX - 0.5), ticksAt(event.offsetX + 0.5)));
      drop(down);
      down = null;
    });
    canvas.addEventListener('pointercancel', () => drop(down = null));
    canvas.addEventListener('dblclick', event => zoom(4, ticksAt(event.offsetX)));
  };

  const KEYS = {
    '+': () => zoom(2), '=': () => zoom(2), '-': () => zoom(0.5), '0': whole,
    ArrowLeft: () => move(-0.1), ArrowRight: () => move(0.1), PageUp: () => move(-0.9), PageDown: () => move(0.9),
    Home: () => move(-Infinity), End: () => move(Infinity),
    ArrowUp: () => chooseThread(-1), ArrowDown: () => chooseThread(1), n: () => step(1), p: () => step(-1),
    z: () => state.marked && showAround(state.marked.from, state.marked.to),
    Enter: () => state.marked && heddle.tables.reveal(state.marked.node),
  };

  const onKey = event => {
    if (event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key])
      return;
    event.preventDefault();
    KEYS[event.key]();
  };

  /* ---- start ---- */

  /* Of many threads so many at a time. */
  const page = first => {
    state.first = Math.min(Math.max(0, first), Math.max(0, trace.threads.length - 1));
    state.threads = trace.threads.slice(state.first, state.first + THREADS_AT_ONCE);
    if (!state.threads.includes(state.thread))
      state.thread = state.threads[0];
    if (geometry)
      resize(box.clientWidth);
  };

  const resize = width => {
    geometry = heddle.traceDraw.layout(state.threads.length, width);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${geometry.height}px`;
    redraw();
  };

  const tools = () => {
    const made = element('p', {class: 'tools'}, button('+', 'zoom in', KEYS['+']), button('−', 'zoom out', KEYS['-']), button('all', 'the whole trace', whole),
                         button('◂', 'earlier', () => move(-0.5)), button('▸', 'later', () => move(0.5)));
    if (trace.threads.length > THREADS_AT_ONCE)
      made.append(button('threads ▴', 'the threads before', () => page(state.first - THREADS_AT_ONCE)),
                  button('threads ▾', 'the threads after', () => state.first + THREADS_AT_ONCE < trace.threads.length && page(state.first + THREADS_AT_ONCE)),
                  `${THREADS_AT_ONCE} of ${trace.threads.length} threads at once`);
    return made;
  };

  const help = () => element('details', {class: 'legend'}, element('summary', {}, 'What is shown, and keys'),
    element('p', {}, 'Above: threads busy on average. Below it a row for each thread: where a pixel has several states, each has its part of the ' +
      'height, busy at the bottom. At the end: the callpath in which the chosen thread was most of each pixel\'s time.'),
    element('p', {}, 'Drag rows to move; drag along the top, or with Shift, to zoom into what you select. The wheel zooms with Ctrl, or once the chart has the focus; with Shift it moves. A click chooses a stretch and its ' +
      'callpath. Keys: + and − zoom, left and right arrows move, 0 shows everything; up and down arrows choose a thread, n and p its next and ' +
      'previous stretch, z zooms to it, Enter goes to its callpath in the table.'));

  const legend = () => element('p', {class: 'key'}, ...trace.states.map(number => element('span', {},
    element('i', {class: trace.stateIds[number]}), stateWords(number))));

  const start = () => {
    if (!trace || trace.threads.length === 0)
      return;
    const view = document.getElementById('trace-view');
    readout = element('p', {class: 'hint readout', 'aria-live': 'polite'}, 'Point at a thread to read what it did; click to choose.');
    chosen = element('p', {class: 'chosen-stretch', 'aria-live': 'polite', hidden: ''});
    shown = element('p', {class: 'hint', id: 'trace-shown', 'aria-live': 'polite'});
    canvas = element('canvas', {tabindex: 0, role: 'img', class: 'trace', 'aria-describedby': 'trace-shown',
                                'aria-label': 'what threads did over time; + and - zoom, arrow keys move, n and p go through the stretches of a thread'});
    box = element('div', {class: 'chart'}, canvas);
    view.append(tools(), readout, box, legend(), shown, chosen, help());
    heddle.traceDraw.readColours(view);
    const levels = heddle.profile.program.time_at_k_s;
    state.most = levels ? levels.reduce((found, seconds, k) => (seconds > 0 ? k : found), 1) : trace.threads.length;
    page(0);
    whole();
    addMouse();
    canvas.addEventListener('keydown', onKey);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      heddle.traceDraw.readColours(view);
      plan();
    });
    heddle.whenResized(box, resize);
  };

  return {start, showInstance, instanceButtons, redraw, state, locate: () => geometry};
})();
