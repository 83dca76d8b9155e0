/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the modules share. All texts of the profile get into the page as text nodes, never as markup. */
const heddle = {
  profile: JSON.parse((document.getElementById('profile') || {textContent: 'null'}).textContent), // a comparison has none
  charts: typeof d3 !== 'undefined', // tables need no D3
  isEstimated: document.querySelector('main[data-estimated]') !== null,
};

if (heddle.profile) {
  const nodes = heddle.profile.profiles;
  /* Charts show what tables do. */
  if (heddle.isEstimated)
    for (const node of nodes)
      Object.assign(node, node.estimate_s);
  heddle.elapsed = nodes[0].elapsed_s || heddle.profile.program.elapsed_s || 0;
  heddle.node = new Map(nodes.map(node => [node.id, node]));
  heddle.children = new Map(nodes.map(node => [node.id, []]));
  for (const node of nodes)
    if (node.parent !== null && node.id !== 0)
      heddle.children.get(node.parent).push(node);
}

/** The ids of a callpath and of all below it. */
heddle.subtree = id => {
  const found = [id];
  for (let i = 0; i < found.length; i++)
    for (const child of heddle.children.get(found[i]))
      found.push(child.id);
  return found;
};

/** An element; attributes that are null are left out, children are texts or elements. */
heddle.element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (key === 'style')
      for (const [property, text] of Object.entries(value))
        made.style.setProperty(property, text);
    else if (value !== null)
      made.setAttribute(key, value);
  made.append(...children.filter(child => child !== null));
  return made;
};

/** Calls `draw(width)` now and whenever the element's width changes. */
heddle.whenResized = (element, draw) => {
  let width = 0;
  new ResizeObserver(() => {
    if (element.clientWidth !== width && element.clientWidth > 0)
      draw(width = element.clientWidth);
  }).observe(element);
};
