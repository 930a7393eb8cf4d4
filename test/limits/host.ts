// A process that makes files and runs commands on them, one after the other, as its parent says.

import { readFileSync, writeFileSync } from 'node:fs';
import { atCommand, FailedError, PerfDataError, UsageError } from '../../src/base/errors.ts';
import { declareProgram } from '../../src/cli/declare-program.ts';
import { beginRun } from '../../src/cli/shared/run.ts';
import { readStat } from '../../src/system/processes/thread-stat.ts';
import { allShapes, type Case, writeCase } from './cases.ts';

export type Order =
  | {
      readonly kind: 'make';
      readonly seed: number;
      readonly folder: string;
      readonly size: number | null;
    }
  | { readonly kind: 'run'; readonly words: readonly string[] };

/** How a command ended, and the most memory that its process had meanwhile. */
export type Result = {
  readonly outcome: 'answered' | 'refused' | 'failed';
  /** The refusal, or the stack of what should not have been thrown. */
  readonly message: string;
  /** Time of its threads on a CPU, or that which passed if that is less: other programs don't count. */
  readonly ms: number;
  readonly peakBytes: number;
};

export type Answer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'made'; readonly made: Case }
  | { readonly kind: 'ran'; readonly result: Result };

const PEAK_RSS = '5';
/** USER_HZ, the same on every architecture that Node runs on. */
const TICK_MS = 10;

/** Memory beyond which what earlier commands left behind is collected; each time would cost more than a small case. */
const COLLECTED_BEYOND = 400e6;

/** The peak of the process so far is forgotten, as far as the kernel allows it. */
function resetPeak(): void {
  if (process.memoryUsage.rss() > COLLECTED_BEYOND) globalThis.gc?.();
  try {
    writeFileSync('/proc/self/clear_refs', PEAK_RSS);
  } catch {
    // Then it is that of all commands so far, and a large one is run again in a process of its own.
  }
}

function peakBytes(): number {
  const status = readFileSync('/proc/self/status', 'latin1');
  return 1024 * Number(/^VmHWM:\s*(\d+)/m.exec(status)?.[1]);
}

/** CPU milliseconds, user and system, of `xz`, tools that were asked, and all that was waited for. */
function childrenMs(): number {
  const fields = readStat('self') ?? [];
  return TICK_MS * (Number(fields[13]) + Number(fields[14]));
}

export async function runCommand(words: readonly string[]): Promise<Result> {
  const program = declareProgram((bare) => bare.exitOverride());
  beginRun();
  resetPeak();
  const start = performance.now();
  const cpuStart = process.cpuUsage();
  const childrenStart = childrenMs();
  const elapsedMs = () => {
    const { user, system } = process.cpuUsage(cpuStart);
    const cpuMs = (user + system) / 1000 + childrenMs() - childrenStart;
    return Math.min(performance.now() - start, cpuMs);
  };
  const end = (outcome: Result['outcome'], message: string): Result => ({
    outcome,
    message,
    ms: elapsedMs(),
    peakBytes: peakBytes(),
  });
  try {
    await program.parseAsync(words, { from: 'user' });
    return end('answered', '');
  } catch (error) {
    const isReported =
      error instanceof PerfDataError || error instanceof FailedError || error instanceof UsageError;
    if (isReported) return end('refused', atCommand(error).message);
    return end('failed', error instanceof Error ? String(error.stack) : String(error));
  }
}

const shapes = allShapes();

async function obey(order: Order): Promise<Answer> {
  if (order.kind === 'run') return { kind: 'ran', result: await runCommand(order.words) };
  return { kind: 'made', made: writeCase(shapes, order.seed, order.folder, order.size) };
}

if (process.send !== undefined) {
  process.on(
    'message',
    (order: Order) => void obey(order).then((answer) => process.send?.(answer)),
  );
  process.send({ kind: 'ready' } satisfies Answer);
}
