import { openGroup } from 'perf-ts';
import { bench } from 'vitest';

/**
 * `bench` of vitest that also counts: once vitest has warmed up, the group is enabled for the
 * measured iterations, and the counts of one are printed. The iterations are timed as ever; what
 * vitest does between two of them is counted with them.
 */
export function countedBench(name, events, fn, options = {}) {
  const group = openGroup(events);
  let calls = 0;
  bench(
    name,
    () => {
      calls++;
      return fn();
    },
    {
      ...options,
      setup(_task, mode) {
        if (mode !== 'run') return;
        calls = 0;
        group.reset();
        group.enable();
      },
      teardown(_task, mode) {
        if (mode !== 'run') return;
        group.disable();
        const { counts, runningShare } = group.read();
        const perCall = group.keys.map((key) =>
          counts[key] === null ? `${key} not counted` : `${key} ${Number(counts[key]) / calls}`,
        );
        const share = runningShare === 1 ? '' : `, on the PMU ${runningShare}`;
        console.log(`${name}, per iteration of ${calls}: ${perCall.join(', ')}${share}`);
      },
    },
  );
}
