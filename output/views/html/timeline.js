/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How many threads were busy in the course of the run. Drag or arrow keys move, + and - and the wheel (with Ctrl, or when
 * the chart has the focus) zoom, 0 shows the whole run. */
heddle.timeline = (() => {
  const {element, time, percent} = heddle;
  const HEIGHT = 180, MARGIN = {top: 8, right: 12, bottom: 24, left: 34}, ZOOM_MOST = 200;

  /* Steps [{from, until, busy, none, sequential}], in seconds and threads; before the tool was loaded one was busy. */
  const stepsOf = line => {
    const steps = line.begin_s > 0 ? [{from: 0, until: line.begin_s, busy: 1, none: 0, sequential: 1}] : [];
    line.busy_s.forEach((busy, i) => {
      const from = line.begin_s + i * line.width_s;
      const width = Math.min(line.width_s, heddle.elapsed - from);
      if (width > 0)
        steps.push({from, until: from + width, busy: busy / width, none: line.none_s[i] / width,
                    sequential: line.sequential_s[i] / width});
    });
    return steps;
  };

  const words = step => `${time(step.from)} to ${time(step.until)}: ${step.busy.toFixed(2)} threads busy on average; ` +
    `none ${percent(step.none, 1)}, exactly one ${percent(step.sequential, 1)} of the time`;

  const draw = (box, steps, most, width, readout) => {
    const inner = width - MARGIN.left - MARGIN.right, floor = HEIGHT - MARGIN.bottom;
    const x = d3.scaleLinear().domain([0, heddle.elapsed]).range([MARGIN.left, MARGIN.left + inner]);
    const y = d3.scaleLinear().domain([0, most]).range([floor, MARGIN.top]);
    d3.select(box).selectAll('svg').remove();
    const svg = d3.select(box).append('svg').attr('width', width).attr('height', HEIGHT).attr('tabindex', 0).
      attr('role', 'img').attr('aria-label', 'threads busy over time; + and - zoom, arrow keys move, 0 shows the whole run');
    svg.append('clipPath').attr('id', 'timeline-clip').append('rect').attr('x', MARGIN.left).attr('width', inner).
      attr('height', HEIGHT);
    const plot = svg.append('g').attr('clip-path', 'url(#timeline-clip)');
    const bars = plot.append('g').attr('class', 'area').selectAll('rect').data(steps).join('rect').
      attr('y', step => y(Math.min(step.busy, most))).attr('height', step => floor - y(Math.min(step.busy, most)));
    const serial = plot.append('g').attr('class', 'serial').selectAll('rect').data(steps).join('rect').
      attr('y', floor - 3).attr('height', 3).attr('opacity', step => Math.min(1, step.none + step.sequential));
    const axis = svg.append('g').attr('class', 'axis').attr('transform', `translate(0,${floor})`);
    svg.append('g').attr('class', 'axis').attr('transform', `translate(${MARGIN.left},0)`).
      call(d3.axisLeft(y).ticks(Math.min(most, 6)).tickFormat(d3.format('~g')));

    const place = scale => {
      const at = selection => selection.attr('x', step => scale(step.from)).
        attr('width', step => Math.max(0.5, scale(step.until) - scale(step.from) + 0.3));
      at(bars);
      at(serial);
      axis.call(d3.axisBottom(scale).ticks(Math.max(2, inner / 90)).tickFormat(s => (s === 0 ? '0' : `${+s.toPrecision(6)} s`)));
    };
    let shown = x;
    const extent = [[MARGIN.left, 0], [MARGIN.left + inner, HEIGHT]];
    const zoom = d3.zoom().scaleExtent([1, ZOOM_MOST]).extent(extent).translateExtent(extent).
      filter(() => (d3.event.type === 'wheel' ? d3.event.ctrlKey || d3.event.metaKey || document.activeElement === svg.node()
                                              : d3.event.button === 0 && (d3.event.type !== 'touchstart' || d3.event.touches.length > 1))).
      on('zoom', () => place(shown = d3.event.transform.rescaleX(x)));
    svg.call(zoom).on('mousemove', function () {
      const at = shown.invert(d3.mouse(this)[0]);
      const step = steps.find(one => one.from <= at && at < one.until);
      readout.textContent = step ? words(step) : '\u00a0';
    });
    const keys = {'+': () => zoom.scaleBy(svg, 2), '=': () => zoom.scaleBy(svg, 2), '-': () => zoom.scaleBy(svg, 0.5),
                  '0': () => svg.call(zoom.transform, d3.zoomIdentity),
                  ArrowLeft: () => zoom.translateBy(svg, 60 / d3.zoomTransform(svg.node()).k, 0),
                  ArrowRight: () => zoom.translateBy(svg, -60 / d3.zoomTransform(svg.node()).k, 0)};
    svg.on('keydown', () => {
      if (keys[d3.event.key]) {
        d3.event.preventDefault();
        keys[d3.event.key]();
      }
    });
    place(x);
    return keys;
  };

  const start = () => {
    const box = document.getElementById('timeline');
    const line = heddle.profile.timeline;
    if (!line || heddle.elapsed <= 0)
      return box.remove();
    const steps = stepsOf(line);
    const levels = heddle.profile.program.time_at_k_s || [];
    const highest = levels.reduce((found, seconds, k) => (seconds > 0 ? k : found), 1);
    const most = Math.max(highest, Math.ceil(Math.max(...steps.map(step => step.busy)) - 0.01));
    const readout = element('p', {class: 'hint readout'}, 'Height: threads busy on average. Red: at most one busy.');
    let keys = {};
    const button = (key, label) => {
      const made = element('button', {type: 'button', 'aria-label': label, title: label}, key === '0' ? 'all' : key === '-' ? '−' : key);
      made.addEventListener('click', () => keys[key]());
      return made;
    };
    const chart = element('div', {class: 'chart'});
    box.append(element('p', {class: 'tools'}, button('+', 'zoom in'), button('-', 'zoom out'), button('0', 'the whole run')),
               chart, readout);
    heddle.whenResized(chart, width => { keys = draw(chart, steps, most, width, readout); });
  };

  return {start};
})();
