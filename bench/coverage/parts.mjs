// What kinds of processes are made of, in the form that `sample.mjs` takes.

export const MS = 1e6;
export const SECOND = 1e9;

const eventsIn = (ns, perSecond) => Math.max(1, Math.round((ns * perSecond) / SECOND));
export const run = (func, ns, perSecond) => ({ func, events: eventsIn(ns, perSecond), ns });
export const asleep = (ns) => ({ func: -1, events: 0, ns });
/** `events` of them, `gapNs` apart. */
export const each = (func, events, gapNs) => ({ func, events, ns: events * gapNs });

/** One task that does `runs` until `seconds` have passed: of its own time, asleep included. */
export function oneTask(functions, seconds, runs) {
  return { functions, tasks: [{ runs: limited(seconds * SECOND, runs) }] };
}

export function limited(endNs, runs) {
  return function* until(random) {
    let passed = 0;
    for (const part of runs(random)) {
      yield part;
      passed += part.ns;
      if (passed >= endNs) return;
    }
  };
}

export const frequency = (frequencyHz) => ({ rule: 'software', frequencyHz });
export const hardware = (frequencyHz) => ({ rule: 'hardware', frequencyHz });
export const pebs = (frequencyHz) => ({ rule: 'pebs', frequencyHz });
export const every = (period, more = {}) => ({ rule: 'fixed', period, ...more });
export const rates = (...list) => list.map(frequency);
