/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers and places for people, as in Heddle's reports. */
heddle.time = seconds => {
  if (seconds === null || seconds === undefined)
    return '-';
  const size = Math.abs(seconds);
  const [factor, unit] = size >= 1 ? [1, 's'] : size >= 1e-3 ? [1e3, 'ms'] : [1e6, 'us'];
  const decimals = size * factor >= 1000 ? 1 : size * factor >= 100 ? 2 : 3;
  return size === 0 ? '0 s' : `${(seconds * factor).toFixed(decimals)} ${unit}`;
};

/** With three digits, for axes. */
heddle.timeBrief = seconds => {
  const [number, unit] = heddle.time(seconds).split(' ');
  return `${+Number(number).toPrecision(3)} ${unit}`;
};

heddle.percent = (part, whole) => (whole > 0 ? `${(100 * part / whole).toFixed(1)} %` : '-');

heddle.count = number => (number === null || number === undefined ? '-' : number.toLocaleString('en'));

heddle.baseName = path => path.slice(path.lastIndexOf('/') + 1);

/** "loop static heat.c:42"; a routine's or phase's name. */
heddle.place = node => {
  const line = node.file && node.line ? `${heddle.baseName(node.file)}:${node.line}` : '';
  if (node.kind === 'program')
    return `program ${heddle.profile.run.program || ''}`;
  if (node.kind === 'routine')
    return node.name || line || 'unknown routine';
  if (node.kind === 'phase')
    return `phase ${node.name || 'without a name'}`;
  return `${node.kind.replace('_', ' ')} ${line || node.name || `${node.module || '?'}+${node.offset || ''}`}`;
};

/** Families of callpaths, for colours. */
heddle.family = kind => {
  if (/^(parallel|teams)$/.test(kind))
    return 'region';
  if (/^(loop|distribute|taskloop)/.test(kind))
    return 'loop';
  if (/^(task$|single|sections|workshare|scope|masked|phase|target)/.test(kind))
    return 'task';
  return /^(routine|program)$/.test(kind) ? kind : 'sync';
};
