// The programs of workloads.cc in JavaScript, with a region of their own.
//   node bench/count/workload.mjs float|matrix SIZE EVENT…     prints the region's counts as JSON

import { join } from 'node:path';
import { root } from '../measure.mjs';

const { openGroup, countNumbers } = await import(
  `${process.env.PERF_TS_DIST ?? join(root, 'dist')}/index.js`
);
const [kind, sizeText, ...events] = process.argv.slice(2);
const size = Number(sizeText);
const group = openGroup(events);

function addFloats(times) {
  let [x, y, z, t] = [0.5, 0.5, 0.5, 0.5];
  for (let i = 0; i < times; i++) {
    x = x + y;
    y = x + t;
    z = x + z;
    x = t + y;
    t = y + x;
    if (t > 1e300) x = y = z = t = 0.5;
  }
  return x + y + z + t;
}

function multiply(a, b, c, rows, side) {
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < side; j++) {
      let sum = 0;
      for (let k = 0; k < side; k++) sum += a[i * side + k] * b[k * side + j];
      c[i * side + j] = sum;
    }
  }
  return c[rows * side - 1];
}

function region() {
  if (kind === 'float') return () => addFloats(size);
  const a = new Float64Array(size * size).map(Math.random);
  const b = new Float64Array(size * size).map(Math.random);
  const c = new Float64Array(size * size);
  return () => multiply(a, b, c, 8, size);
}

console.log(JSON.stringify(countNumbers(group.measure(region()).counts)));
