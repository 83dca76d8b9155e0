/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One callpath in detail. */
heddle.region = (() => {
  const {element, time, percent, count, place} = heddle;
  const CHOICES_MOST = 400, LINES_MOST = 12, LOOPS_MOST = 3, TASKS_MOST = 3, SOURCE_BEFORE = 4, SOURCE_AFTER = 12;
  const state = {};

  const card = (title, ...content) => (content.some(one => one !== null)
    ? element('div', {class: 'card'}, element('h3', {}, title), ...content) : null);

  /* "<=" and its like stand in the table of callpaths: what a number may be in truth. */
  const markOf = (id, title) => {
    const headings = [...document.querySelectorAll('#callpath-table thead th')].map(heading => heading.textContent);
    const cell = heddle.tables.row(id)?.cells[headings.indexOf(title)];
    return cell ? /^[~<>=?]*/.exec(cell.textContent)[0] : '';
  };

  const facts = node => {
    const team = node.team_size, shares = node.task;
    const marked = (title, text) => markOf(node.id, title) + text;
    const pairs = [
      ['elapsed', node.elapsed_s !== null && node.elapsed_s !== undefined && marked('Elapsed', time(node.elapsed_s))],
      ['part of the run', node.wall_share_inclusive_s > 0 &&
        marked('Wall%', `${time(node.wall_share_inclusive_s)}, ${percent(node.wall_share_inclusive_s, heddle.elapsed)}`)],
      ['gain', node.potential_gain_s > 0 && marked('Gain', time(node.potential_gain_s))],
      ['calls', node.visits !== null && marked('Calls', count(node.visits))],
      ['team', team && (team.min === team.max ? `${team.min} threads` : `${team.min} to ${team.max} threads`)],
      ['busy on average', node.mean_concurrency && marked('Conc', node.mean_concurrency.toFixed(2))],
      ['imbalance', node.imbalance && marked('Imbal', node.imbalance.toFixed(2))],
      ['chunks', node.loop && `${count(node.loop.chunks)} of ${count(node.loop.iterations)} iterations`],
      ['tasks', shares && `${count(shares.created)} created, ${count(shares.run)} run, ${count(shares.run_elsewhere)} elsewhere`],
    ];
    return element('dl', {class: 'facts'}, ...pairs.filter(([, value]) => value).
      map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value))));
  };

  const threads = id => {
    const rows = heddle.states.byThread(id);
    return card('Threads', rows.length > 0 ? heddle.states.table(rows) : null, rows.length > 0 ? heddle.states.legend(rows) : null,
                heddle.states.left(rows));
  };

  /* Horizontal bars: [[label, value, text]]. */
  const bars = (rows, head, kind = '') => {
    const most = Math.max(...rows.map(([, value]) => value), 1e-12);
    return element('table', {class: `plain ${kind}`},
      element('thead', {}, element('tr', {}, ...head.map((title, i) => element('th', {class: i === 1 ? 'fill' : null}, title)))),
      element('tbody', {}, ...rows.map(([label, value, text]) => element('tr', {}, element('th', {scope: 'row'}, label),
        element('td', {class: 'bar fill', style: {'--v': String(100 * value / most)}}), element('td', {}, text)))));
  };

  /* A column for each of `heights` (null: none); the axis below is from `from` to `to`. */
  const columns = (heading, label, {heights, from, to, format, left, title}) => {
    const most = Math.max(...heights);
    const box = element('div', {class: 'chart'});
    if (!heddle.charts || !(most > 0))
      return null;
    const height = 140, margin = 64, floor = 116;
    heddle.whenResized(box, width => {
      const x = d3.scaleLinear().domain([0, heights.length]).range([margin, width - 10]);
      const y = d3.scaleLinear().domain([0, most]).range([floor, 8]);
      const at = d3.scaleLinear().domain([from, to]).range([margin, width - 10]);
      d3.select(box).selectAll('svg').remove();
      const svg = d3.select(box).append('svg').attr('width', width).attr('height', height).attr('role', 'img').
        attr('aria-label', label);
      svg.append('g').attr('class', 'area').selectAll('rect').data(heights).join('rect').attr('x', (one, i) => x(i)).
        attr('width', Math.max(0.5, x(1) - x(0) - 0.5)).attr('y', one => y(one || 0)).attr('height', one => floor - y(one || 0)).
        append('title').text((one, i) => (one === null ? '' : title(i)));
      svg.append('g').attr('class', 'axis').attr('transform', `translate(0,${floor})`).
        call(d3.axisBottom(at).ticks(Math.max(2, width / 110)).tickFormat(format));
      svg.append('g').attr('class', 'axis').attr('transform', `translate(${margin},0)`).call(d3.axisLeft(y).ticks(3).tickFormat(left));
    });
    return card(heading, box);
  };

  const levels = node => {
    const times = node.elapsed_at_k_s || node.thread_time_at_k_inclusive_s;
    if (!times || !times.some(seconds => seconds > 0))
      return null;
    const sum = times.reduce((a, b) => a + b, 0);
    const last = times.reduce((found, seconds, k) => (seconds > 0 ? k : found), 0);
    const from = node.elapsed_at_k_s ? 0 : 1;
    return card(node.elapsed_at_k_s ? 'Threads of the program busy meanwhile' : 'Thread time by threads busy',
                bars(times.slice(from, last + 1).map((seconds, k) => [String(k + from), seconds, percent(seconds, sum)]), ['Busy', '', '%']));
  };

  /* ---- in time ---- */

  /* How many threads were busy while it ran; where it did not run, nothing. */
  const inTime = node => {
    const history = node.history;
    const busy = history ? history.elapsed_s.map((seconds, i) => (seconds > 0 ? history.busy_s[i] / seconds : null)) : [];
    const last = history ? history.begin_s + busy.length * history.width_s : 0;
    if (!history || !busy.some(threads => threads !== null))
      return null;
    return columns(`When it ran, and threads of the program busy then: ${place(node)}`, 'threads busy while the region ran, over the run', {
      heights: busy,
      from: history.begin_s, to: last,
      format: heddle.timeBrief, left: value => d3.format('~g')(value),
      title: i =>
        `at ${time(history.begin_s + i * history.width_s)}: ran for ${time(history.elapsed_s[i])}, ${busy[i].toFixed(2)} threads busy`,
    });
  };

  /* ---- loops ---- */

  const space = node => {
    const {lower, upper, buckets} = node.loop.space;
    const costs = buckets.map(part => (part.iterations > 0 ? part.s / part.iterations : null));
    const known = lower !== null && upper !== null;
    return columns(`Time of an iteration, first to last: ${place(node)}`, 'time of an iteration, from the first to the last', {
      heights: costs,
      from: known ? lower : 0, to: known ? upper : 100,
      format: value => (known ? d3.format('~s')(value) : `${value} %`), left: heddle.timeBrief,
      title: i => `part ${i + 1} of ${costs.length}: ${time(costs[i])} an iteration`,
    });
  };

  /* ---- how long many things took: chunks, tasks ---- */

  /* `all`: how many there were, observed or not. */
  const durations = (title, what, lengths, all) => {
    const found = lengths.log2_ns.map((things, i) => [i, things]).filter(([, things]) => things > 0);
    if (found.length === 0)
      return null;
    const rows = lengths.log2_ns.slice(found[0][0], found[found.length - 1][0] + 1).
      map((things, i) => [`from ${time(2 ** (i + found[0][0]) * 1e-9)}`, things, count(things)]);
    const seen = lengths.observed < all ? `; ${count(lengths.observed)} of ${count(all)} were observed` : '';
    return card(title, bars(rows, ['Time', '', what]),
                element('p', {class: 'hint'}, `mean ${time(lengths.mean)}, longest ${time(lengths.max)}${seen}`));
  };

  const chunks = node => durations(`How long chunks took: ${place(node)}`, 'Chunks', node.loop.chunk_s, node.loop.chunks);

  const tasks = node => [
    durations(`How long tasks took: ${place(node)}`, 'Tasks', node.task.run_s, node.task.run),
    durations(`How long tasks waited to begin: ${place(node)}`, 'Tasks', node.task.delay_s, node.task.run),
  ];

  /* ---- samples, counters, source ---- */

  const hot = id => {
    const sums = new Map();
    for (const below of heddle.subtree(id))
      for (const sample of heddle.node.get(below).samples || []) {
        const line = sample.file && sample.line ? ` ${heddle.baseName(sample.file)}:${sample.line}` : ` ${sample.module || ''}`;
        const key = `${sample.function || sample.offset || '?'}${line}`;
        sums.set(key, (sums.get(key) || 0) + sample.count);
      }
    const rows = [...sums].sort((a, b) => b[1] - a[1]).slice(0, LINES_MOST);
    const all = [...sums.values()].reduce((a, b) => a + b, 0);
    return card('Hot lines', rows.length > 0
      ? bars(rows.map(([name, samples]) => [name, samples, percent(samples, all)]), ['Line', '', '%'], 'named') : null);
  };

  const counters = node => {
    const own = {...node.counters_inclusive, ...node.metrics_inclusive};
    const rows = Object.entries(own).filter(([, value]) => value !== null);
    return card('Counters, while busy', rows.length > 0 ? element('table', {class: 'plain'}, element('tbody', {},
      ...rows.map(([name, value]) => element('tr', {}, element('th', {scope: 'row'}, name),
                                             element('td', {}, Number.isInteger(value) ? count(value) : value.toPrecision(4)))))) : null);
  };

  /* The lines around the construct, copied from the page's source. */
  const source = node => {
    const file = [...document.querySelectorAll('details.source')].find(one => one.dataset.file === node.file);
    const rows = file ? [...file.querySelectorAll('tr[data-line]')].filter(row => {
      const line = Number(row.dataset.line);
      return line >= node.line - SOURCE_BEFORE && line <= node.line + SOURCE_AFTER;
    }) : [];
    if (rows.length === 0)
      return null;
    const copy = rows.map(row => {
      const made = row.cloneNode(true);
      made.classList.toggle('site', Number(row.dataset.line) === node.line);
      made.querySelectorAll('small').forEach(link => link.remove());
      return made;
    });
    const made = card(`${heddle.baseName(node.file)}:${node.line}`, element('div', {class: 'wide'},
      element('table', {class: 'code'}, element('tbody', {}, ...copy))));
    made.classList.add('broad');
    return made;
  };

  /* ---- the panel ---- */

  const show = id => {
    const node = heddle.node.get(id);
    state.choice.value = String(id);
    const below = heddle.subtree(id).map(one => heddle.node.get(one));
    const loops = below.filter(one => one.loop && one.loop.chunk_s).slice(0, LOOPS_MOST);
    const created = below.filter(one => one.task && one.task.run_s).slice(0, TASKS_MOST);
    const cards = [threads(id), levels(node), inTime(node), ...loops.flatMap(loop => [space(loop), chunks(loop)]), ...created.flatMap(tasks),
                   hot(id), counters(node), source(node)];
    state.title.textContent = place(node);
    state.body.replaceChildren(facts(node), ...[heddle.traceView.instanceButtons(id)].filter(Boolean), element('div', {class: 'cards'}, ...cards.filter(one => one)));
    heddle.tables.mark(id);
  };

  const option = id => element('option', {value: id}, `${place(heddle.node.get(id))} (id ${id})`);

  /* A callpath that is not among the choices becomes one. */
  const choose = (id, scrolls) => {
    if (![...state.choice.options].some(one => one.value === String(id)))
      state.choice.append(option(id));
    show(id);
    if (scrolls)
      document.getElementById('region').scrollIntoView({block: 'start'});
  };

  const start = () => {
    const section = document.getElementById('region');
    const nodes = [...heddle.node.values()].sort((a, b) => (b.wall_share_inclusive_s || 0) - (a.wall_share_inclusive_s || 0));
    state.choice = element('select', {'aria-label': 'callpath'}, ...nodes.slice(0, CHOICES_MOST).map(node => option(node.id)));
    state.title = element('h3', {class: 'subject', 'aria-live': 'polite'});
    state.body = element('div');
    state.choice.addEventListener('change', () => show(Number(state.choice.value)));
    section.append(element('h2', {}, 'One callpath'), element('p', {class: 'tools'}, state.choice), state.title, state.body);
    section.hidden = false;
    const first = nodes.find(node => heddle.family(node.kind) === 'region') || nodes[0];
    show(first.id);
  };

  return {start, choose};
})();

/** Shows a callpath in detail. */
heddle.select = (id, scrolls) => heddle.region.choose(id, scrolls);
