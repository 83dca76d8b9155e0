/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The trace: each thread's changes as typed arrays, and sums over any window of time. Times are ticks since the trace's
 * begin. null: the page has none. embed.h says what the bytes are. */
heddle.trace = (() => {
  const holder = document.getElementById('trace');
  if (!holder)
    return null;
  const data = JSON.parse(holder.textContent);
  const states = data.states.length, NOTHING = states; // as a state: the thread does not live
  const BLOCK = 64; // changes; before each block are sums of all that comes before it
  const placeCount = data.places.length / 2;
  const nodeOf = place => data.places[2 * place - 2];
  const stateOf = place => data.places[2 * place - 1];

  const occurs = new Array(states + 1).fill(false); // states in the trace
  for (let i = 1; i <= placeCount; i++)
    occurs[stateOf(i)] = true;

  /* ---- reading ---- */

  const bytesOf = text => {
    const letters = atob(text), bytes = new Uint8Array(letters.length);
    for (let i = 0; i < bytes.length; i++)
      bytes[i] = letters.charCodeAt(i);
    return bytes;
  };

  /* Goes through bytes. */
  const readerOf = bytes => {
    let at = 0;
    const byte = () => bytes[at++];
    const number = () => {
      let found = bytes[at++];
      if (found < 128)
        return found;
      found -= 128;
      for (let factor = 128, more = true; more; factor *= 128) {
        const one = bytes[at++];
        more = one > 127;
        found += (one & 127) * factor;
      }
      return found;
    };
    return {byte, number, tell: () => at, seek: to => { at = to; }};
  };

  /* A stretch that stands for several stays in bytes, from an offset: there may be a million. Fills `parts`, by state;
   * returns how many they are. */
  const parts = new Float64Array(states);
  const readSeveral = (reader, offset) => {
    reader.seek(offset);
    const count = reader.number(), occurs = reader.number();
    let sum = 0;
    for (let state = 0; state < states; state++)
      sum += parts[state] = occurs & 1 << state ? reader.byte() : 0;
    for (let state = 0; state < states; state++)
      parts[state] /= sum;
    return count;
  };

  /** What a change stands for, {count, parts}; null: for itself. */
  const severalOf = (thread, index) => (thread.offsets && thread.offsets[index] > 0
    ? {count: readSeveral(thread.reader, thread.offsets[index]), parts: [...parts]} : null);

  const read = ({thread, kind, changes, data: text}) => {
    const made = {thread, kind, changes, times: new Float64Array(changes), places: new Uint32Array(changes), offsets: null, reader: null};
    const reader = readerOf(bytesOf(text)), {number} = reader;
    if (data.resolution_s > 0)
      Object.assign(made, {reader, offsets: new Uint32Array(changes)});
    let ticks = 0;
    for (let i = 0; i < changes; i++) {
      made.times[i] = ticks += number();
      made.places[i] = number();
      if (made.places[i] > 0)
        continue;
      made.places[i] = number();
      made.offsets[i] = reader.tell();
      readSeveral(reader, made.offsets[i]);
      parts.forEach((part, state) => { occurs[state] ||= part > 0; });
    }
    return made;
  };

  /* ---- sums ---- */

  const add = (thread, index, ticks, sums) => {
    if (!thread.offsets || thread.offsets[index] === 0) {
      sums[stateOf(thread.places[index])] += ticks;
      return;
    }
    readSeveral(thread.reader, thread.offsets[index]);
    for (let state = 0; state < states; state++)
      sums[state] += parts[state] * ticks;
  };

  const WIDTH = states + 1;
  const prepare = thread => {
    const blocks = Math.ceil(thread.changes / BLOCK);
    const sums = new Float64Array(WIDTH), before = new Float64Array(blocks * WIDTH);
    for (let i = 0; i < thread.changes; i++) {
      if (i % BLOCK === 0)
        before.set(sums, i / BLOCK * WIDTH);
      if (i + 1 < thread.changes)
        add(thread, i, thread.times[i + 1] - thread.times[i], sums);
    }
    thread.before = before;
    return thread;
  };

  /** The last change at or before a time; -1: there is none. `from`: it is not before this one. */
  const indexAt = (thread, ticks, from = 0) => {
    let low = from - 1, high = thread.changes;
    for (let step = 1; low + step < high; step *= 2)
      if (thread.times[low + step] > ticks) {
        high = low + step;
        break;
      }
    for (low = Math.max(low, -1); high - low > 1;) {
      const middle = low + high >> 1;
      if (thread.times[middle] <= ticks)
        low = middle;
      else
        high = middle;
    }
    return low;
  };

  /** Fills `sums` with the ticks of each state up to a time, `index` being indexAt() of it. */
  const sumsUntil = (thread, ticks, index, sums) => {
    if (index < 0)
      return sums.fill(0);
    const block = Math.floor(index / BLOCK);
    for (let i = 0; i < WIDTH; i++)
      sums[i] = thread.before[block * WIDTH + i];
    for (let i = block * BLOCK; i < index; i++)
      add(thread, i, thread.times[i + 1] - thread.times[i], sums);
    add(thread, index, ticks - thread.times[index], sums);
    return sums;
  };

  /** Ticks by state of a thread from one time to another. */
  const sumsOf = (thread, from, to) => {
    const before = sumsUntil(thread, from, indexAt(thread, from), new Float64Array(WIDTH));
    return sumsUntil(thread, to, indexAt(thread, to), new Float64Array(WIDTH)).map((sum, state) => sum - before[state]);
  };

  /** A change as a stretch, up to the next one; null: the thread does not live then. */
  const stretch = (thread, index) => {
    if (index < 0 || index + 1 >= thread.changes || stateOf(thread.places[index]) === NOTHING)
      return null;
    return {thread, index, from: thread.times[index], to: thread.times[index + 1], node: nodeOf(thread.places[index]),
            state: stateOf(thread.places[index]), several: severalOf(thread, index)};
  };

  const threads = data.threads.map(one => prepare(read(one)));
  data.threads.length = 0; // the texts are in the page
  const end = Math.max(1, ...threads.map(thread => thread.times[thread.changes - 1]));
  return {
    threads, end, WIDTH, NOTHING, indexAt, sumsUntil, sumsOf, stretch, nodeOf, stateOf,
    stateIds: data.states,
    states: data.states.map((_, state) => state).filter(state => occurs[state]),
    resolution: data.resolution_s,
    tickSeconds: data.seconds_per_tick,
    nodes: () => Array.from({length: placeCount}, (_, i) => nodeOf(i + 1)),
    seconds: ticks => data.begin_s + ticks * data.seconds_per_tick,
    instances: new Map(data.instances.map(one => [one.id, one])),
  };
})();
