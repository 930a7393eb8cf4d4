// Runs cases of one target after the other in a process of its own; `run.mjs` watches, and ends what hangs.

import { readFileSync, writeFileSync, writeSync } from 'node:fs';
import { makeCase, runCase } from './case.ts';
import { TARGETS } from './targets/all.ts';
import { FAULTY_TARGETS } from './targets/faulty.ts';
import { closeServer } from './targets/http.ts';

/** Request of `run.mjs` to a process, in `PERF_TS_FUZZ_TASK`. */
type Task = { readonly target: string; readonly from: number; readonly to: number };

/** Memory of a process that a case may come to. */
const MOST_BYTES = 2 ** 30;
/** The pipe to `run.mjs`: written at once, since a case may never come back to the event loop. */
const REPORTS = 3;

const ALL = [...TARGETS, ...FAULTY_TARGETS];

async function runTask({ target: name, from, to }: Task): Promise<void> {
  const target = ALL.find((known) => known.name === name);
  if (target === undefined) throw new RangeError(`no target ${name}`);
  const seeds = target.seeds();
  const counts = { read: 0, refused: 0, failed: 0 };
  const worst = { cpuMs: 0, ofCpu: -1, bytes: 0, ofBytes: -1 };
  let next = seeds.length > 0 ? from : to;
  while (next < to) {
    const seed = next++;
    const input = makeCase(target, seeds, seed);
    forgetPeak();
    const before = cpuMs();
    report({ begins: seed, cpuMs: before });
    const outcome = await runCase(target, input, seed);
    const took = cpuMs() - before;
    const bytes = peakBytes();
    counts[outcome.kind]++;
    if (outcome.kind === 'failed') {
      const { error } = outcome;
      report({
        seed,
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
    }
    if (took > worst.cpuMs) Object.assign(worst, { cpuMs: took, ofCpu: seed });
    if (bytes > worst.bytes) Object.assign(worst, { bytes, ofBytes: seed });
    if (bytes > MOST_BYTES) {
      report({ seed, error: `it took ${Math.round(bytes / 2 ** 20)} MiB of memory` });
      // Garbage of this case would count for the next ones.
      break;
    }
  }
  await closeServer();
  report({ done: true, next, seeds: seeds.length, counts, worst });
}

function report(message: object): void {
  writeSync(REPORTS, `${JSON.stringify(message)}\n`);
}

/** CPU time of this process, which other processes of the machine do not lengthen. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Sets the process's peak of memory to what it takes now; on kernels that can, and else it stays. */
function forgetPeak(): void {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    // The peak of all cases so far is an upper bound.
  }
}

function peakBytes(): number {
  const [, kilobytes = '0'] =
    /^VmHWM:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

const task = process.env.PERF_TS_FUZZ_TASK;
if (task !== undefined) await runTask(JSON.parse(task) as Task);

// For `run.mjs`, which is no such process.
export { ALL, makeCase, TARGETS };
