// How soon a report of a program of JavaScript shows JavaScript: for each recording and level of frames,
// the rank by self of the first function of JavaScript and of the first own one, and how many functions
// of JavaScript are among the first 40 rows.
//
//     node bench/javascript-first.mjs FILE…

import { basename } from 'node:path';
import { openProfile } from '../dist/index.js';

const ROWS = 40;
const OWNERS = ['user code', 'dependency', 'node internal'];
const CATEGORIES = ['native', 'kernel', 'user code', 'dependency', 'node internal', 'V8'];

const ranks = ({ profile }, report) => {
  const { funcs, dsos } = profile;
  const rows = report.bySymbol.slice().sort((a, b) => b.self - a.self);
  const categoryOf = ({ func }) => CATEGORIES[funcs.category[func]];
  const isScript = (row) =>
    OWNERS.includes(categoryOf(row)) && dsos[funcs.dso[row.func]]?.kind === 'jit';
  const rankOf = (matches) => rows.findIndex(matches) + 1 || 'none';
  return [
    rankOf(isScript),
    rankOf((row) => isScript(row) && categoryOf(row) === 'user code'),
    rows.slice(0, ROWS).filter(isScript).length,
  ];
};

console.log(`| recording | frames | first of JavaScript | first own | of JavaScript in ${ROWS} |`);
console.log('| --- | --- | --- | --- | --- |');
for (const file of process.argv.slice(2)) {
  for (const frames of ['all', 'javascript', 'own']) {
    const opened = await openProfile(file, { frames });
    const cells = ranks(opened, opened.report());
    console.log(`| ${basename(file, '.data')} | ${frames} | ${cells.join(' | ')} |`);
  }
}
