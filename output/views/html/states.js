/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The states of threads, as bars. */
heddle.states = (() => {
  const {element, time} = heddle;
  const THREADS_AT_ONCE = 64;

  /* The states of one row of "threads" in the JSON, by name. */
  const statesOf = row => ({busy: row.busy_s, ...row.wait_s, ...row.runtime_by_s, idle: row.idle_s});

  /** What each thread did in a callpath and below it: [[thread, {state: seconds}]]. */
  const byThread = id => {
    const sums = new Map();
    for (const below of heddle.subtree(id))
      for (const row of heddle.node.get(below).threads || []) {
        const sum = sums.get(row.thread) ?? sums.set(row.thread, {}).get(row.thread);
        for (const [state, seconds] of Object.entries(statesOf(row)))
          sum[state] = (sum[state] || 0) + (seconds || 0);
      }
    return [...sums].sort((a, b) => a[0] - b[0]);
  };

  const total = states => Object.values(states).reduce((sum, seconds) => sum + seconds, 0);
  const words = state => state.replaceAll('_', ' ');

  const bar = (states, longest) => element('span', {class: 'states'}, ...Object.entries(states).
    filter(([, seconds]) => seconds > 0).
    map(([state, seconds]) => element('i', {class: state, title: `${words(state)} ${time(seconds)}`,
                                            style: {'--v': String(100 * seconds / longest)}})));

  const line = (thread, states, longest) => element('tr', {},
    element('th', {scope: 'row'}, `thread ${thread}`), element('td', {class: 'fill'}, bar(states, longest)),
    element('td', {}, time(states.busy)), element('td', {}, time(total(states) - states.busy)));

  /** A table with a bar for each thread. */
  const table = rows => {
    const longest = Math.max(...rows.map(([, states]) => total(states)), 1e-12);
    return element('table', {class: 'plain'},
      element('thead', {}, element('tr', {}, element('th', {class: 'word'}, 'Thread'), element('th', {class: 'fill'}),
                                   element('th', {}, 'Busy'), element('th', {}, 'Other'))),
      element('tbody', {}, ...rows.slice(0, THREADS_AT_ONCE).map(([thread, states]) => line(thread, states, longest))));
  };

  /** The states that occur, with their colours. */
  const legend = rows => {
    const found = new Set(rows.flatMap(([, states]) => Object.keys(states).filter(state => states[state] > 0)));
    return element('p', {class: 'key'}, ...[...found].map(state => element('span', {},
      element('i', {class: state}), words(state))));
  };

  const left = rows => (rows.length > THREADS_AT_ONCE
    ? element('p', {class: 'hint'}, `${rows.length - THREADS_AT_ONCE} more threads are not shown`) : null);

  /** Under the table of the program's threads: what its colours are. */
  const explainProgram = () => {
    const section = document.getElementById('threads');
    const rows = heddle.profile.threads.map(row => [row.thread, statesOf({...row, wait_s: row.wait_by_cause_s})]);
    section.querySelector('.wide').after(legend(rows));
  };

  return {byThread, table, legend, left, explainProgram};
})();
