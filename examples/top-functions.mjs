// Records a command and prints the functions that its time went to.
//   node examples/top-functions.mjs ./app --its-option

import { openProfile, record } from 'perf-ts';

const recording = await record({
  command: process.argv.slice(2),
  events: ['cpu-clock'],
  freq: 4000,
  callGraph: 'fp',
  output: 'top-functions.perf.data',
  onNotice: (notice) => console.error(notice),
});

const opened = await openProfile(recording.path);
const { samples, bySymbol } = opened.report();
console.log(`${samples} samples, lost ${recording.totals.lostSamples ?? 'an unknown number'}`);
for (const { func, selfShare, totalShare } of bySymbol.slice(0, 10)) {
  const shares = [selfShare, totalShare].map((share) => `${(share * 100).toFixed(1)}%`.padStart(6));
  console.log(...shares, opened.nameOf(func));
}
