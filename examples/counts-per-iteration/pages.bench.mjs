// npx vitest bench --run examples/counts-per-iteration
// With a PMU, count ['cycles:u', 'instructions:u', 'cache-misses:u'].

import { describe } from 'vitest';
import { countedBench } from './counted-bench.mjs';

const EVENTS = ['page-faults:u', 'task-clock:u'];
const PAGE = 4096;

/** Untouched memory, a page fault for each of its pages. */
function touchFreshPages(pages) {
  const bytes = pages * PAGE;
  const memory = new Uint8Array(new ArrayBuffer(bytes, { maxByteLength: bytes }));
  for (let at = 0; at < bytes; at += PAGE) memory[at] = 1;
}

describe('fresh memory', () => {
  const options = { time: 0, iterations: 200, warmupTime: 0, warmupIterations: 50 };
  countedBench('100 pages', EVENTS, () => touchFreshPages(100), options);
  countedBench('300 pages', EVENTS, () => touchFreshPages(300), options);
});
