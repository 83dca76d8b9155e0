/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tables first: they must work where a chart does not. Those of a job get a column of charts before. */
heddle.job.start();
document.querySelectorAll('table[id]').forEach(table => {
  if (table.id === 'callpath-table')
    heddle.tables.enhanceTree(table);
  else
    heddle.tables.enhance(table);
});
document.querySelectorAll('table[id]').forEach(table => table.classList.add('ready'));
if (heddle.profile) {
  heddle.states.explainProgram();
  heddle.traceView.start();
  heddle.region.start();
}
heddle.compared.start();
if (heddle.profile && heddle.charts) {
  heddle.timeline.start();
  heddle.flame.start();
}

/* What only scripts can draw gets its link in the list of parts, too. */
for (const [id, words] of [['region', 'One callpath'], ['flame', 'Flame view']])
  if (heddle.profile && !document.getElementById(id).hidden)
    document.querySelector('nav a[href="#callpaths"]').after(' ', heddle.element('a', {href: `#${id}`}, words));

/* Links to a callpath, "#c12": its row may be folded away. */
document.addEventListener('click', event => {
  const link = event.target.closest('a[href^="#c"]');
  const id = link && /^#c\d+$/.test(link.getAttribute('href')) ? Number(link.getAttribute('href').slice(2)) : NaN;
  if (!heddle.profile || !heddle.node.has(id))
    return;
  event.preventDefault();
  heddle.tables.reveal(id);
  heddle.select(id, false);
});
