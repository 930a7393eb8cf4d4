// Parts of kinds of processes, in the form that `sample.mjs` takes.

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

/**
 * A task by the clock: every `cycleNs`, and by `lateNs` later than that, function 0 works for `firstNs` and
 * function 1 for `secondNs`.
 */
export const byTheClock =
  (cycleNs, [firstNs, secondNs], seconds, lateNs = () => 0) =>
  (random) => {
    const startNs = random.uniform() * cycleNs;
    return {
      functions: 2,
      tasks: [
        {
          startNs,
          *runs() {
            for (let cycle = 1; cycle * cycleNs < seconds * SECOND; cycle++) {
              yield run(0, firstNs, 300_000);
              yield run(1, secondNs, 150_000);
              yield { untilNs: startNs + cycle * cycleNs + lateNs(random), ns: 0 };
            }
          },
        },
      ],
    };
  };

export const frequency = (frequencyHz) => ({ rule: 'software', frequencyHz });
export const hardware = (frequencyHz) => ({ rule: 'hardware', frequencyHz });
export const pebs = (frequencyHz) => ({ rule: 'pebs', frequencyHz });
export const every = (period, more = {}) => ({ rule: 'fixed', period, ...more });
export const rates = (...list) => list.map(frequency);
