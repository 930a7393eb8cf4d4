// Sets up counters by event number, as a driver of the processor's registers would, and counts one
// stretch of work: all seven calls of openPerfmon. Where the machine has no hardware counters, events
// that the kernel counts take their place.
//   npx tsx examples/raw-counter.ts (Node 22.18 and later: node examples/raw-counter.ts)

import { openPerfmon, reportCpu } from 'perf-ts';

const pages = 1000;
const PAGE_BYTES = 4096;

/** Touches fresh memory: `pages` page faults, and some instructions for each. */
function work(): void {
  const memory = Buffer.allocUnsafeSlow(pages * PAGE_BYTES);
  for (let at = 0; at < memory.length; at += PAGE_BYTES) memory[at] = 1;
}

const { whyNone } = reportCpu();
const counters = openPerfmon();
console.log(`${counters.counters} counters`);

if (whyNone === null) {
  // 0xc0 and 0x3c are Intel's instructions retired and unhalted cycles; see the processor's manual.
  counters.setup(0, { event: 0xc0, unitMask: 0x00, kernel: false });
  counters.setup(1, { event: 0x3c, unitMask: 0x00, kernel: false });
} else {
  console.log(`no hardware counters: ${whyNone.reason}`);
  counters.setup(0, 'page-faults');
  counters.setup(1, 'task-clock');
}
for (const counter of [0, 1]) {
  console.log(`counter ${counter} is set up for ${JSON.stringify(counters.get(counter))}`);
}

const before = counters.timeStamp();
counters.start(0);
counters.start(1);
work();
counters.stop(1);
counters.stop(0);
const after = counters.timeStamp();

for (const counter of [0, 1]) {
  const { value, scaled } = counters.read(counter);
  console.log(`counter ${counter}: ${value}${scaled ? ' (estimated)' : ''}`);
  counters.reset(counter);
  console.log(`counter ${counter} after reset: ${counters.read(counter).value}`);
}

console.log(`time stamp: ${after.value - before.value} ticks`);
const mhz = (hz: number | null | undefined) => (hz == null ? 'unknown' : (hz / 1e6).toFixed(3));
console.log(`rate: measured ${mhz(after.measuredHz)} MHz, nominal ${mhz(after.nominal?.hz)} MHz`);
counters.close();
