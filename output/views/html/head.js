/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs before the tables are read: with scripts their rows wait until start.js has chosen those that are shown first, so
 * that a browser does not lay out thousands twice. If that fails all are shown, as without scripts. */
document.documentElement.classList.add('scripted');
window.addEventListener('error', () => document.documentElement.classList.remove('scripted'));
