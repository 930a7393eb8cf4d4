// Samples a command while it runs and prints, for each second of it, how many samples came and what
// was lost so far. No file is written.
//   node examples/live-rate.mjs ./app

import { live } from 'perf-ts';

const perSecond = [];
let totals = null;
for await (const batch of live({
  command: process.argv.slice(2),
  events: ['cpu-clock'],
  freq: 1000,
})) {
  // Columns, not objects: row i of every array is sample i.
  for (let i = 0; i < batch.length; i++) {
    const second = Math.floor(batch.timeNs[i] / 1e9);
    // Rings of different CPUs come one after the other, so a second may get latecomers.
    perSecond[second] = (perSecond[second] ?? 0) + 1;
    if (second >= 2 && perSecond[second] === 1) report(second - 2);
  }
  totals = batch.totals;
}
for (let second = Math.max(0, perSecond.length - 2); second < perSecond.length; second++)
  report(second);

function report(second) {
  const lost = totals === null ? 0 : Math.max(0, totals.lostRecords, totals.lostSamples);
  console.log(`second ${second}: ${perSecond[second] ?? 0} samples, lost ${lost}`);
}
