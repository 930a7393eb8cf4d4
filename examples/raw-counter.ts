// Sets up counters by event number, as a driver of the processor's registers would, and counts one
// piece of work: all seven calls of openPerfmon. Where the machine has no hardware counters, events
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

// Event numbers of instructions retired and of cycles, from the processors' manuals.
const numbers = {
  intel: { instructions: 0xc0, cycles: 0x3c },
  amd: { instructions: 0xc0, cycles: 0x76 },
  arm: { instructions: 0x08, cycles: 0x11 },
};

/** Null where the processor has no time stamp counter (arm64). */
function readTimeStamp() {
  try {
    return counters.timeStamp();
  } catch (error) {
    console.log(`no time stamp: ${(error as Error).message}`);
    return null;
  }
}

const { whyNone, architecture, cores } = reportCpu();
const isAmd = cores[0]?.capabilities?.identity.vendor === 'amd';
const { instructions, cycles } =
  numbers[architecture === 'arm64' ? 'arm' : isAmd ? 'amd' : 'intel'];
const counters = openPerfmon();
console.log(`${counters.counters} counters`);

if (whyNone === null) {
  counters.setup(0, { event: instructions, unitMask: 0, kernel: false });
  counters.setup(1, { event: cycles, unitMask: 0, kernel: false });
} else {
  console.log(`no hardware counters: ${whyNone.reason}`);
  counters.setup(0, 'page-faults');
  counters.setup(1, 'task-clock');
}
for (const counter of [0, 1]) {
  console.log(`counter ${counter} is set up for ${JSON.stringify(counters.get(counter))}`);
}

const before = readTimeStamp();
counters.start(0);
counters.start(1);
work();
counters.stop(1);
counters.stop(0);
const after = readTimeStamp();

for (const counter of [0, 1]) {
  const { value, scaled } = counters.read(counter);
  console.log(`counter ${counter}: ${value}${scaled ? ' (estimated)' : ''}`);
  counters.reset(counter);
  console.log(`counter ${counter} after reset: ${counters.read(counter).value}`);
}

if (before !== null && after !== null) {
  console.log(`time stamp: ${after.value - before.value} ticks`);
  const mhz = (hz: number | undefined) => (hz === undefined ? 'unknown' : (hz / 1e6).toFixed(3));
  const { measuredHz, nominal } = after;
  console.log(`MHz: measured ${mhz(measuredHz ?? undefined)}, nominal ${mhz(nominal?.hz)}`);
}
counters.close();
