// Asks for a rate of page faults and shows how the kernel's adaptive period got there.
//   node examples/period-convergence.mjs 5000 ./app

import { openProfile, record } from 'perf-ts';

const [freq, ...command] = process.argv.slice(2);
const { path } = await record({
  command,
  events: ['page-faults'],
  freq: Number(freq),
  output: 'period-convergence.perf.data',
});

const opened = await openProfile(path, { symbols: false });
for (const { event, targetHz, streamCount, streams } of opened.periods({ streams: 3 }).events) {
  console.log(`${event}: ${targetHz} Hz asked, ${streamCount} streams`);
  for (const { streamId, verdict, samples, settleSamples, steady, firstPeriods } of streams) {
    console.log(`stream ${streamId}: ${verdict}, ${samples} samples`);
    console.log(`  first periods  ${firstPeriods.slice(0, 24).join(' ')}`);
    if (steady === null) continue;
    console.log(`  at rest after  ${settleSamples} samples`);
    console.log(`  period         ${steady.period.median} (median)`);
    console.log(`  rate           ${steady.hz.toFixed(0)} Hz`);
  }
}
