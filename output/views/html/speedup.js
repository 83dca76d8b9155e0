/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Speedups of the program and of the regions that lose most, by threads, with the ideal one. A line has a mark and a colour of
 * its own; its button in the legend, or the mouse on it, brings it to the front and says its numbers. */
heddle.speedup = (() => {
  const {element, time} = heddle;
  const HEIGHT = 260, MARGIN = {top: 10, right: 14, bottom: 34, left: 42}, REGIONS_MOST = 6, LOGARITHMIC_FROM = 16;

  const pointsOf = (comparison, row) => comparison.points.map((point, i) => ({threads: point.threads, at: row.at[i]})).
    filter(({at}) => at && at.matched && at.speedup > 0).
    map(({threads, at}) => ({threads, speedup: at.speedup, interval: at.speedup_interval, time: at.time_s}));

  const wordsOf = line => `${line.name}: ${line.points.map(({threads, speedup, interval, time: seconds}) =>
    `${threads} thread${threads === 1 ? '' : 's'} ${time(seconds)}, × ${speedup.toFixed(2)}` +
    `${interval ? ` (${interval[0].toFixed(2)} to ${interval[1].toFixed(2)})` : ''}`).join('; ')}`;

  const scales = (lines, threads, width) => {
    const base = threads[0], most = threads[threads.length - 1];
    const all = lines.flatMap(line => line.points.map(point => point.speedup));
    const range = {x: [MARGIN.left, width - MARGIN.right], y: [HEIGHT - MARGIN.bottom, MARGIN.top]};
    if (most / base >= LOGARITHMIC_FROM)
      return {x: d3.scaleLog().base(2).domain([base, most]).range(range.x),
              y: d3.scaleLog().base(2).domain([Math.min(1, ...all), Math.max(most / base, ...all)]).range(range.y)};
    return {x: d3.scaleLinear().domain([base, most]).range(range.x),
            y: d3.scaleLinear().domain([0, Math.max(most / base, ...all)]).nice().range(range.y)};
  };

  const axes = (svg, {x, y}, threads, width) => {
    svg.append('g').attr('class', 'axis').attr('transform', `translate(0,${HEIGHT - MARGIN.bottom})`).
      call(d3.axisBottom(x).tickValues(threads).tickFormat(d3.format('d')));
    svg.append('g').attr('class', 'axis').attr('transform', `translate(${MARGIN.left},0)`).
      call(d3.axisLeft(y).ticks(5).tickFormat(d3.format('~g')));
    svg.append('g').attr('class', 'axis').append('text').attr('x', width - MARGIN.right).attr('y', HEIGHT - 4).
      attr('text-anchor', 'end').text('threads');
  };

  const draw = (box, lines, threads, width, tell) => {
    const at = scales(lines, threads, width);
    const path = d3.line().x(point => at.x(point.threads)).y(point => at.y(point.speedup));
    d3.select(box).selectAll('svg').remove();
    const svg = d3.select(box).append('svg').attr('width', width).attr('height', HEIGHT).attr('role', 'img').
      attr('aria-label', 'speedup by threads, of the program and of the regions that lose most; the numbers are in the tables');
    axes(svg, at, threads, width);
    svg.append('path').attr('class', 'ideal').attr('d', path(threads.map(each => ({threads: each, speedup: each / threads[0]}))));
    const groups = svg.selectAll('g.line').data([...lines].reverse()).join('g').attr('class', line => `line s${line.index}`).
      on('mouseenter', line => tell(line)).on('mouseleave', () => tell(null));
    groups.append('path').attr('class', 'interval').attr('d', line => line.points.filter(({interval}) => interval).
      map(({threads: each, interval: [low, high]}) => `M${at.x(each)},${at.y(Math.max(low, at.y.domain()[0]))}V${at.y(Math.min(high, at.y.domain()[1]))}`).
      join(''));
    groups.append('path').attr('class', 'course').attr('d', line => path(line.points));
    groups.append('path').attr('class', 'marks').attr('d', line => line.points.map(point =>
      markAt(line.index, at.x(point.threads), at.y(point.speedup))).join(''));
    return line => groups.classed('behind', other => line !== null && other !== line).
      filter(other => other === line).raise();
  };

  /* Marks are told apart without colours, too. */
  const markAt = (index, x, y) => [
    `M${x - 4},${y}a4,4 0 1,0 8,0a4,4 0 1,0 -8,0Z`, `M${x - 4},${y - 4}h8v8h-8Z`, `M${x},${y - 5}l5,9h-10Z`,
    `M${x},${y - 5.5}l5.5,5.5l-5.5,5.5l-5.5,-5.5Z`, `M${x},${y + 5}l5,-9h-10Z`,
    `M${x - 1.5},${y - 5}h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5v-3h3.5Z`, `M${x - 2},${y - 5}h4v10h-4Z`][index % 7];

  const button = (line, tell) => {
    const mark = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    const last = line.points[line.points.length - 1];
    d3.select(mark).attr('width', 22).attr('height', 12).attr('aria-hidden', 'true').attr('class', `line s${line.index}`).
      call(svg => svg.append('path').attr('class', 'course').attr('d', 'M0,6h22')).
      call(svg => svg.append('path').attr('class', 'marks').attr('d', markAt(line.index, 11, 6)));
    const made = element('button', {type: 'button', 'aria-label': wordsOf(line)}, mark,
                         element('span', {class: 'place'}, line.name), element('b', {}, `× ${last.speedup.toFixed(2)}`));
    for (const [event, shown] of [['focus', line], ['blur', null], ['mouseenter', line], ['mouseleave', null]])
      made.addEventListener(event, () => tell(shown));
    return made;
  };

  /** Into `figure`; `regions`: rows of the comparison, the foremost first. */
  return (figure, comparison, regions) => {
    const program = comparison.rows.find(row => row.kind === 'program');
    const chosen = [program, ...regions.filter(row => row.kind === 'region').slice(0, REGIONS_MOST)];
    const lines = chosen.map((row, index) => ({name: row.text, index, points: pointsOf(comparison, row)})).
      filter(line => line.points.length > 1);
    const threads = [...new Set(comparison.points.map(point => point.threads))].sort((a, b) => a - b);
    if (!heddle.charts || lines.length === 0 || threads.length < 2)
      return figure.remove();
    const nothing = `Dashed: ideal. Right: speedup at ${threads[threads.length - 1]} threads.`;
    const readout = element('p', {class: 'hint readout', 'aria-live': 'polite'}, nothing);
    let front = () => {};
    const tell = line => {
      readout.textContent = line ? wordsOf(line) : nothing;
      front(line);
    };
    const box = element('div', {class: 'chart'});
    const legend = element('div', {class: 'choices'}, ...lines.map(line => button(line, tell)));
    figure.append(element('h4', {}, 'Speedup by threads'), element('div', {class: 'beside'}, box, legend), readout);
    heddle.whenResized(box, width => { front = draw(box, lines, threads, width, tell); });
  };
})();
