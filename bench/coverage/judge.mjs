// Asks the product about a simulated recording: shares by its weights and by perf's, intervals.
// `product` are its modules, as `load.mjs` or a test imports them.

import { isHardware } from './kernel.mjs';

const SOFTWARE = 1;
const HARDWARE = 0;

/**
 * The columns that a decoder would give. What was recorded beside the samples: `hasCounts`, each sample read its
 * counter (`--counts`); `finals`, the counters' final values: of `each` task (`--exit-counts`), their `sum`, or
 * `none`, as perf's own recordings have it; `hasHeader`, which says the CPU and the kernel, and so the driver.
 */
export function inputOf(
  { samples, truth, finals: counted },
  { rule, frequencyHz, period },
  { hasCounts = false, finals = 'sum', hasHeader = true },
) {
  const column = (make, of) => make.from(samples, of);
  const isFixed = rule === 'fixed';
  return {
    events: [
      {
        name: 'simulated',
        type: isHardware(rule) ? HARDWARE : SOFTWARE,
        mode: isFixed ? 'period' : 'frequency',
        frequencyHz: isFixed ? null : frequencyHz,
        fixedPeriod: isFixed ? period : null,
        unit: 'events',
        ...(hasHeader && isHardware(rule) && { driverRule: driverRuleOf(rule) }),
      },
    ],
    streams: counted.map((_, task) => ({ streamId: task + 1 })),
    threads: counted.map((_, task) => ({ tid: task + 1 })),
    samples: {
      length: samples.length,
      event: new Int32Array(samples.length),
      stream: column(Int32Array, ({ task }) => task),
      thread: column(Int32Array, ({ task }) => task),
      cpu: new Int32Array(samples.length),
      timeNs: column(Float64Array, ({ timeNs }) => timeNs),
      periodEvents: column(Float64Array, (sample) => sample.period),
      count: column(Float64Array, ({ count }) => (hasCounts ? count : Number.NaN)),
    },
    eventTotals: [finals === 'none' ? null : truth.reduce((sum, events) => sum + events, 0)],
    ...(finals === 'each' && {
      finals: counted.map((count, stream) => ({ event: 0, stream, count, runningNs: Number.NaN })),
    }),
  };
}

/** As `src/period/driver-rules.ts` has it. */
function driverRuleOf(rule) {
  const reported = rule === 'x86' ? 'next' : 'elapsed';
  return { driver: 'simulated', rule: reported, countsLag: false };
}

/**
 * One trial: for each function, and for functions 0 and 2 together as in a caller's total,
 * `{ key, truth, share, low, high, period }`; `period` is the share by perf's weights.
 */
export function judge(product, process, sampling, recorded) {
  const input = inputOf(process, sampling, recorded);
  const functions = process.truth.length;
  const self = Int32Array.from(process.samples, ({ func }) => func);
  const joined = self.map((func) => (func === 0 || func === 2 ? 0 : 1));
  const estimated = product.estimateShares(input, self);
  const made = process.truth.reduce((sum, events) => sum + events, 0);
  const rows = [];
  const add = (name, keys, key, truth) => {
    const { share, low, high } = estimated.shareOf(keys, functions, key);
    const period = estimated.sharesByPeriod(keys, functions)[key];
    rows.push({ name, truth: truth / made, share, low, high, period });
  };
  for (const [func, events] of process.truth.entries()) add(`f${func}`, self, func, events);
  if (functions > 2) add('total', joined, 0, process.truth[0] + process.truth[2]);
  return {
    rows,
    samples: process.samples.length,
    effective: estimated.effectiveSamples,
    inStep: estimated.inStep,
  };
}
