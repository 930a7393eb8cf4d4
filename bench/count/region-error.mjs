// Page faults of a measured region against those that it makes: fresh pages, each touched once.
//   node bench/count/region-error.mjs [REGIONS]

import { join } from 'node:path';
import { root } from '../measure.mjs';

const { openGroup } = await import(`${process.env.PERF_TS_DIST ?? join(root, 'dist')}/index.js`);
const PAGE = 4096;
const regions = Number(process.argv[2] ?? 2000);
const group = openGroup(['page-faults']);

/** A mapping of its own, of pages that nobody has touched. */
const freshPages = (pages) =>
  new Uint8Array(new ArrayBuffer(pages * PAGE, { maxByteLength: pages * PAGE }));

function touch(memory) {
  for (let at = 0; at < memory.length; at += PAGE) memory[at] = 1;
}

console.log('| pages touched | regions | exact | largest error | Σ of the errors |');
console.log('| --- | --- | --- | --- | --- |');
// Until the loop is compiled: compiling it takes memory of its own.
for (let i = 0; i < 200; i++) group.measure(() => touch(freshPages(100)));
for (const pages of [0, 1, 10, 100, 1000]) {
  const errors = [];
  for (let i = 0; i < regions; i++) {
    const memory = freshPages(pages);
    const { counts } = group.measure(() => touch(memory));
    errors.push(Number(counts['page-faults']) - pages);
  }
  const exact = errors.filter((error) => error === 0).length;
  const largest = Math.max(...errors.map(Math.abs));
  const sum = errors.reduce((a, b) => a + b, 0);
  console.log(`| ${pages} | ${regions} | ${exact} | ${largest} | ${sum} |`);
}
