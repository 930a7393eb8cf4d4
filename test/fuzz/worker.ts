// Runs cases of one target after the other; `run.mjs` watches, and ends what hangs.

import { parentPort, workerData } from 'node:worker_threads';
import { makeCase, runCase } from './case.ts';
import { TARGETS } from './targets/all.ts';
import { closeServer } from './targets/http.ts';

type Task = {
  readonly target: string;
  readonly from: number;
  readonly to: number;
  /** Slot 0: the number of the case that runs. Slot 1: how many have run. */
  readonly progress: SharedArrayBuffer;
  readonly names?: true;
};

/** Cases that take longer are run again, to see whether it was the machine. */
const SLOW_MS = 250;
/** Memory that grows by more than this within a case is told. */
const LARGE_BYTES = 256 * 2 ** 20;

async function runTask({ target: name, from, to, progress }: Task): Promise<void> {
  const target = TARGETS.find((known) => known.name === name);
  if (target === undefined) throw new RangeError(`no target ${name}`);
  const seeds = target.seeds();
  const slots = new Int32Array(progress);
  const counts = { read: 0, refused: 0, failed: 0 };
  let worstMs = 0;
  let worstCase = -1;
  let peakBytes = process.memoryUsage.rss();
  for (let seed = from; seed < to && seeds.length > 0; seed++) {
    Atomics.store(slots, 0, seed);
    const input = makeCase(target, seeds, seed);
    const rssBefore = process.memoryUsage.rss();
    let start = performance.now();
    const outcome = await runCase(target, input, seed);
    let ms = performance.now() - start;
    const rss = process.memoryUsage.rss();
    if (ms > SLOW_MS) {
      start = performance.now();
      await runCase(target, input, seed);
      ms = Math.min(ms, performance.now() - start);
    }
    counts[outcome.kind]++;
    if (outcome.kind === 'failed') {
      const { error } = outcome;
      parentPort?.postMessage({
        seed,
        error: error instanceof Error ? error.stack : String(error),
      });
    }
    if (rss - rssBefore > LARGE_BYTES) {
      const megabytes = Math.round((rss - rssBefore) / 2 ** 20);
      parentPort?.postMessage({ seed, error: `memory grew by ${megabytes} MiB` });
    }
    if (ms > worstMs) [worstMs, worstCase] = [ms, seed];
    peakBytes = Math.max(peakBytes, rss);
    Atomics.store(slots, 1, seed + 1 - from);
  }
  await closeServer();
  parentPort?.postMessage({
    done: true,
    seeds: seeds.length,
    counts,
    worstMs,
    worstCase,
    peakBytes,
  });
}

if (workerData?.names === true) parentPort?.postMessage(TARGETS.map(({ name }) => name));
else if (workerData !== null && workerData !== undefined) await runTask(workerData as Task);

// For `run.mjs --write`.
export { makeCase, TARGETS };
