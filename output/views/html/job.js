/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The ranks of an MPI job as heat maps: their busy threads over time, and beside each place what each spent there. Of more
 * ranks than there is room for, neighbours share a row or a cell. */
heddle.job = (() => {
  const {element, time} = heddle;
  const data = JSON.parse((document.getElementById('job') || {textContent: 'null'}).textContent);
  const ROWS_MOST = 200, HEIGHT = 400, HIGHEST = 18, LABEL = 13, LEFT = 70, BELOW = 20, CELLS_MOST = 150, STRIP_HEIGHT = 14;
  const NOTHING = 'Full colour: all threads busy. Point at the map, or move in it with the arrow keys, for its numbers.';

  const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name);

  const onDark = draw => matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);

  /** Ranks in equal groups, at most so many: [[index, ...], ...]. */
  const fold = most => {
    const each = Math.ceil(data.ranks.length / most), all = data.ranks.map((_, index) => index);
    return Array.from({length: Math.ceil(all.length / each)}, (_, i) => all.slice(i * each, (i + 1) * each));
  };

  const nameOf = index => data.ranks[index].rank ?? heddle.baseName(data.ranks[index].file);
  const namesOf = group => (group.length > 1 ? `ranks ${nameOf(group[0])} to ${nameOf(group.at(-1))}` : `rank ${nameOf(group[0])}`);

  /** Sets the canvas to that size, in CSS pixels; returns what draws on it. */
  const begin = (canvas, width, height) => {
    const scale = window.devicePixelRatio || 1, context = canvas.getContext('2d');
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    context.scale(scale, scale);
    return context;
  };

  const paint = (context, share, x, y, width, height) => {
    context.globalAlpha = share;
    context.fillRect(x, y, width, height);
    context.globalAlpha = 1;
  };

  /* ---- in time ---- */

  /* Ranks begin together; each has its parts of its own time. */
  const busyOf = (rank, column, columns) => {
    const at = Math.floor((column + 0.5) / columns * data.elapsed_s / rank.elapsed_s * rank.busy_at.length);
    return at < rank.busy_at.length ? rank.busy_at[at] : 0;
  };

  /** Busy threads of a group in each part of the job's time: {busy, threads} of those that are known. */
  const rowOf = (group, columns) => Array.from({length: columns}, (_, column) => {
    const known = group.map(index => data.ranks[index]).filter(rank => busyOf(rank, column, columns) !== null);
    const sum = value => known.reduce((all, rank) => all + value(rank), 0);
    return {busy: sum(rank => busyOf(rank, column, columns)), threads: sum(rank => rank.threads)};
  });

  const words = (map, row, column) => {
    const {busy, threads} = map.rows[row][column], width = data.elapsed_s / map.columns;
    return `${namesOf(map.groups[row])}, ${time(column * width)} to ${time((column + 1) * width)}: ` +
      (threads > 0 ? `${busy.toFixed(2)} of ${threads} threads busy` : 'not known');
  };

  const drawMap = (canvas, map, width) => {
    const height = map.rows.length * map.high, cell = (width - LEFT) / map.columns;
    const context = begin(canvas, width, height + BELOW);
    context.fillStyle = colour('--card');
    context.fillRect(LEFT, 0, width - LEFT, height);
    context.fillStyle = colour('--busy');
    const edge = column => Math.round(LEFT + column * cell);
    map.rows.forEach((row, y) => row.forEach(({busy, threads}, x) => threads > 0 &&
      paint(context, Math.min(1, busy / threads), edge(x), y * map.high, edge(x + 1) - edge(x), map.high)));
    context.fillStyle = colour('--soft');
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'middle';
    context.textAlign = 'right';
    for (let y = 0, step = Math.ceil(LABEL / map.high); y < map.rows.length; y += step)
      context.fillText(String(nameOf(map.groups[y][0])).slice(-10), LEFT - 5, y * map.high + Math.max(LABEL, map.high) / 2);
    [['left', 0], ['center', 0.5], ['right', 1]].forEach(([align, part]) => {
      context.textAlign = align;
      context.fillText(heddle.timeBrief(part * data.elapsed_s), LEFT + part * (width - LEFT), height + BELOW / 2 + 2);
    });
    if (map.at) {
      context.strokeStyle = colour('--accent');
      context.lineWidth = 2;
      context.strokeRect(LEFT + map.at.column * cell, map.at.row * map.high, cell, map.high);
    }
  };

  const drawRanks = figure => {
    const columns = data.ranks[0].busy_at.length, groups = fold(ROWS_MOST), rows = groups.map(group => rowOf(group, columns));
    if (!rows.some(row => row.some(({threads}) => threads > 0))) {
      figure.append(element('p', {class: 'hint'}, 'It is not known when threads were busy.'));
      return;
    }
    const map = {columns, groups, rows, high: Math.max(2, Math.min(HIGHEST, Math.floor(HEIGHT / rows.length))), at: null};
    const canvas = element('canvas', {class: 'heat', tabindex: 0, role: 'img',
                                      'aria-label': 'busy threads of each rank over time; arrow keys move'});
    const readout = element('p', {class: 'hint readout', 'aria-live': 'polite'}, NOTHING);
    const box = element('div', {class: 'chart'}, canvas);
    const draw = () => drawMap(canvas, map, box.clientWidth);
    const show = (row, column) => {
      map.at = {row: Math.min(rows.length - 1, Math.max(0, row)), column: Math.min(columns - 1, Math.max(0, column))};
      readout.textContent = words(map, map.at.row, map.at.column);
      draw();
    };
    const moves = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};
    canvas.addEventListener('mousemove', event => show(Math.floor(event.offsetY / map.high),
      Math.floor((event.offsetX - LEFT) / (canvas.clientWidth - LEFT) * columns)));
    canvas.addEventListener('keydown', event => {
      const move = moves[event.key];
      if (!move)
        return;
      event.preventDefault();
      show((map.at?.row ?? 0) + move[0], (map.at?.column ?? 0) + move[1]);
    });
    figure.append(box, readout);
    if (groups[0].length > 1)
      figure.append(element('p', {class: 'hint'}, `A row is ${groups[0].length} ranks together.`));
    heddle.whenResized(box, draw);
    onDark(draw);
  };

  /* ---- places ---- */

  /* A cell shows the rank of its group that spends most. */
  const strip = (place, groups) => {
    const width = Math.max(1, Math.floor(CELLS_MOST / groups.length)), canvas = element('canvas', {class: 'heat', 'aria-hidden': 'true'});
    const foremost = groups.map(group => group.reduce((a, b) => (place.seconds[b] > place.seconds[a] ? b : a)));
    const draw = () => {
      const context = begin(canvas, width * groups.length, STRIP_HEIGHT);
      context.fillStyle = colour('--busy');
      foremost.forEach((index, x) => paint(context, place.most_s > 0 ? place.seconds[index] / place.most_s : 0, x * width, 0, width, STRIP_HEIGHT));
    };
    canvas.addEventListener('mousemove', event => {
      const index = foremost[Math.min(foremost.length - 1, Math.max(0, Math.floor(event.offsetX / width)))];
      canvas.title = `rank ${nameOf(index)}: ${time(place.seconds[index])}`;
    });
    draw();
    onDark(draw);
    return canvas;
  };

  /* The rows of the table below the figure are the places, in their order. */
  const drawPlaces = (figure, places) => {
    const table = figure.nextElementSibling.querySelector('table'), groups = fold(CELLS_MOST);
    const title = `What each rank spent, from the first to the last, where the most is 1 % of the job; full colour: Most${groups[0].length > 1 ? `. A cell is ${groups[0].length} ranks: the most of them` : ''}`;
    table.tHead.rows[0].append(element('th', {scope: 'col', class: 'heat', 'data-rank': 4, title}, 'Ranks'));
    places.forEach((place, index) => table.tBodies[0].rows[index].append(element('td', {}, place.seconds ? strip(place, groups) : '-')));
  };

  const start = () => {
    if (!data)
      return;
    heddle.compared.link();
    const figure = name => document.querySelector(`[data-figure="${name}"]`);
    drawRanks(figure('ranks'));
    for (const [name, isCall] of [['work', false], ['calls', true]])
      if (figure(name))
        drawPlaces(figure(name), data.places.filter(place => (place.wait !== null) === isCall));
  };

  return {start};
})();
