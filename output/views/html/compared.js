/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs compared: where the time of each point went, and what regions lose or gain by cause, as bars. Their numbers are in
 * the table below each. The speedups are lines (speedup.js). */
heddle.compared = (() => {
  const {element, time} = heddle;
  const read = id => JSON.parse((document.getElementById(id) || {textContent: 'null'}).textContent);
  const data = read('compare'), TITLES = read('causes');
  const ROWS_MOST = 12, LEAST_PART = 1e-4, INTERVALS_MOST = 0.15;
  const NOTHING = 'Point at a bar, or reach it by Tab, for its numbers.';

  const pointName = (comparison, index) => {
    const point = comparison.points[index];
    return comparison.mode === 'scaling' ? `${point.label} thread${point.label === '1' ? '' : 's'}` : point.label;
  };

  const mark = at => (at.in_noise ? '~' : at.noise_known === false ? '?' : '');

  /* ---- rows of a chart: {name, depth, parts: {cause: seconds}, sum, interval, noise, words} ---- */

  /* Where the time went: busy, and each cause; thread time divided by threads, so they add up to the time. */
  const ofPoint = (comparison, at, index) => {
    const seconds = at.capacity_ticks > 0 ? at.time_s / at.capacity_ticks : 0;
    const parts = {busy: at.busy_ticks * seconds};
    for (const [cause, ticks] of Object.entries(at.not_busy_ticks))
      parts[cause] = ticks * seconds;
    return {name: pointName(comparison, index), parts, sum: at.time_s, interval: at.time_interval_s, mark: '', verb: ''};
  };

  const ofLoss = (name, at, child) => ({name, child, parts: at.lost_s, sum: at.lost_total_s, interval: at.lost_total_interval_s,
                                        mark: mark(at), verb: at.lost_total_s < 0 ? 'gained' : 'lost'});

  const times = comparison => comparison.rows[0].at.map((at, index) => at && ofPoint(comparison, at, index));

  const losses = comparison => comparison.rows[0].at.slice(1).
    map((at, index) => at && at.matched && ofLoss(pointName(comparison, index + 1), at));

  /** Regions and what is outside, those that lose or gain most at a point first. */
  const foremost = (comparison, point) => comparison.rows.
    filter(row => row.parent === null && row.kind !== 'program' && row.at[point] && row.at[point].matched).
    sort((a, b) => Math.abs(b.at[point].lost_total_s) - Math.abs(a.at[point].lost_total_s));

  const regions = (comparison, point) => foremost(comparison, point).slice(0, ROWS_MOST).
    map(row => ofLoss(row.text, row.at[point]));

  /* ---- bars ---- */

  const causesOf = rows => Object.keys(TITLES).filter(cause => rows.some(row => Math.abs(row.parts[cause] || 0) > 0));

  const wordsOf = row => {
    const parts = Object.keys(TITLES).filter(cause => row.parts[cause]).
      sort((a, b) => Math.abs(row.parts[b]) - Math.abs(row.parts[a])).map(cause => `${TITLES[cause]} ${time(row.parts[cause])}`);
    const interval = row.interval ? ` (95 %: ${time(row.interval[0])} to ${time(row.interval[1])})` : '';
    return `${row.name}: ${row.mark}${time(Math.abs(row.sum))}${row.verb ? ` ${row.verb}` : ''}${interval}. ${parts.join(', ')}`;
  };

  /* The ends of a row's bars, left and right of zero. */
  const extent = row => {
    const parts = Object.values(row.parts);
    const side = sign => parts.reduce((sum, value) => sum + Math.max(0, sign * (value || 0)), 0);
    return [side(-1), side(1)];
  };

  const bar = (row, scale) => {
    const made = element('div', {class: row.mark === '~' ? 'stack noise' : 'stack', 'aria-hidden': 'true'});
    const put = (name, from, until, title) => made.append(element('i', {class: name, title,
      style: {left: `${scale.at(from)}%`, width: `${Math.max(0, scale.at(until) - scale.at(from))}%`}}));
    let left = 0, right = 0;
    for (const cause of Object.keys(TITLES)) {
      const value = row.parts[cause] || 0;
      if (Math.abs(value) < LEAST_PART * scale.width)
        continue;
      const title = `${TITLES[cause]} ${time(value)}`;
      if (value > 0)
        put(`cause ${cause}`, right, right += value, title);
      else
        put(`cause ${cause}`, left + value, left, title), left += value;
    }
    if (left < 0)
      put('zero', 0, 0, null);
    if (left < 0 && right > 0)
      put('sum', row.sum, row.sum, `together ${time(row.sum)}`);
    if (row.interval)
      put('interval', Math.max(row.interval[0], scale.from), Math.min(row.interval[1], scale.until), null);
    return made;
  };

  const scaleOf = rows => {
    const ends = rows.map(extent);
    const left = -Math.max(...ends.map(([before]) => before)), right = Math.max(...ends.map(([, after]) => after));
    const intervals = rows.map(row => row.interval).filter(interval => interval);
    const room = INTERVALS_MOST * (right - left); // a wide interval must not make the bars small
    const from = Math.max(left - room, Math.min(left, ...intervals.map(([low]) => low)));
    const until = Math.min(right + room, Math.max(right, ...intervals.map(([, high]) => high)));
    const width = until - from || 1;
    return {from, until, width, at: value => +(100 * (value - from) / width).toFixed(3)};
  };

  const legend = rows => element('p', {class: 'key'},
    ...causesOf(rows).map(cause => element('span', {}, element('i', {class: `cause ${cause}`}), TITLES[cause])),
    rows.some(row => row.interval) ? element('span', {}, element('i', {class: 'interval'}), '95 % interval of the sum') : null,
    rows.some(row => row.mark === '~') ? element('span', {}, '~ pale: within the noise') : null);

  const bars = (figure, title, found, more) => {
    const rows = found.filter(row => row);
    if (rows.length === 0)
      return;
    const scale = scaleOf(rows);
    const readout = element('p', {class: 'hint readout', 'aria-live': 'polite'}, NOTHING);
    const line = row => {
      const made = element('div', {class: 'row', tabindex: '0', role: 'listitem', 'aria-label': wordsOf(row)},
                           element('span', {class: 'name'}, row.name), bar(row, scale),
                           element('span', {class: 'sum'}, row.mark + time(row.sum)));
      const tell = () => { readout.textContent = wordsOf(row); };
      made.addEventListener('mouseenter', tell);
      made.addEventListener('focus', tell);
      return made;
    };
    if (title)
      figure.append(element('h4', {}, title));
    figure.append(element('div', {class: 'bars', role: 'list'}, ...rows.map(line)), legend(rows), readout);
    if (more > 0)
      figure.append(element('p', {class: 'hint'}, `${more} more rows are in the table only.`));
  };

  const draw = {
    times: (figure, comparison) => bars(figure, 'Where the time went', times(comparison)),
    losses: (figure, comparison) => bars(figure, null, losses(comparison)),
    regions: (figure, comparison, point) => bars(figure,
      comparison.mode === 'scaling' ? `Wall time that regions lose at ${pointName(comparison, point)}, by cause`
                                    : 'Wall time that regions lose (right) or gain (left), by cause',
      regions(comparison, point), foremost(comparison, point).length - ROWS_MOST),
    speedup: (figure, comparison, point) => heddle.speedup(figure, comparison, foremost(comparison, point)),
  };

  /* Links to the parts of the page: comparisons, or the tables of the only one. */
  const link = () => {
    const main = document.querySelector('main');
    const parts = main.querySelectorAll('h2').length > 1 ? main.querySelectorAll('h2') : main.querySelectorAll('h3');
    const words = heading => heading.textContent.split(/ ?[:,(]/)[0];
    parts.forEach((heading, index) => { heading.id = `part-${index}`; });
    main.before(element('nav', {'aria-label': 'Parts of the page'},
      ...[...parts].flatMap((heading, index) => [element('a', {href: `#part-${index}`}, words(heading)), ' '])));
  };

  const start = () => {
    if (data)
      link();
    for (const figure of data ? document.querySelectorAll('.figure') : [])
      draw[figure.dataset.figure](figure, data.comparisons[Number(figure.dataset.part)], Number(figure.dataset.point));
  };

  return {start, link};
})();
