// Runs cells: plain, plain again, recorded; and compares them byte for byte.

import { nameOf } from './cells.ts';
import { isKnown } from './known.ts';
import type { Cell, Runner, Seen } from './ways.ts';

/**
 * `known`: the difference is one that the documentation names. `unsteady`: two plain runs differ, which is a defect of the program here and says nothing of perf-ts.
 */
export type Verdict = 'passed' | 'known' | 'failed' | 'unsteady' | 'skipped';

export type Result = {
  readonly name: string;
  readonly verdict: Verdict;
  /** The first difference; empty where there is none. */
  readonly difference: string;
  readonly seconds: number;
};

const PARTS = ['status', 'stdout', 'stderr', 'files'] as const;
const LONGEST_LINE = 160;
/** Characters shown before the first that differs. */
const BEFORE = 40;

/** The first line in which two runs differ, as one line; null where they are the same. */
export function firstDifference(plain: Seen, other: Seen): string | null {
  for (const part of PARTS) {
    if (plain[part] === other[part]) continue;
    const [expected, got] = [plain[part].split('\n'), other[part].split('\n')];
    const at = expected.findIndex((line, index) => line !== got[index]);
    const index = at < 0 ? expected.length : at;
    const [a, b] = [expected[index], got[index]];
    const from = Math.max(0, firstUnequal(a ?? '', b ?? '') - BEFORE);
    const difference = `${part} line ${index + 1}: plain ${shown(a, from)}, with perf-ts ${shown(b, from)}`;
    if (part !== 'status') return difference;
    // Both, as the recorder's words are not among the program's.
    const last = [...other.stderr.split('\n'), ...other.words].findLast((line) => line !== '');
    return `${difference}; its last words ${shown(last, 0)}`;
  }
  return null;
}

function firstUnequal(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

/** The part of a line from here on, as far as a person reads. */
function shown(line: string | undefined, from: number): string {
  if (line === undefined) return 'ends';
  const part = line.slice(from, from + LONGEST_LINE);
  return `${from > 0 ? '…' : ''}${JSON.stringify(part)}${from + LONGEST_LINE < line.length ? '…' : ''}`;
}

/** Runs one cell. Runs without perf-ts are kept for the cells that are compared with the same. */
export class Matrix {
  readonly #runner: Runner;
  readonly #plain = new Map<string, Promise<{ seen: Seen; unsteady: string | null }>>();
  constructor(runner: Runner) {
    this.#runner = runner;
  }

  async try(cell: Cell): Promise<Result> {
    const started = performance.now();
    const end = (verdict: Verdict, difference: string): Result => {
      const seconds = (performance.now() - started) / 1000;
      return { name: nameOf(cell), verdict, difference, seconds };
    };
    const { seen, unsteady } = await this.#baseline(cell);
    if (unsteady !== null) return end('unsteady', unsteady);
    const recorded = await this.#runner.recorded(cell);
    const difference = firstDifference(seen, recorded);
    if (difference === null) return end('passed', '');
    if (isKnown(cell, seen, recorded)) return end('known', difference);
    // One more look at the program alone: what differs there now and then is no finding.
    const again = firstDifference(seen, await this.#runner.plain(cell));
    return again === null ? end('failed', difference) : end('unsteady', again);
  }

  #baseline(cell: Cell): Promise<{ seen: Seen; unsteady: string | null }> {
    const way = cell.way === 'launch' ? '' : cell.way;
    const key = [way, cell.node.major, cell.program.name, cell.flags.name].join('\n');
    const known = this.#plain.get(key);
    if (known !== undefined) return known;
    const made = this.#twice(cell);
    this.#plain.set(key, made);
    return made;
  }

  async #twice(cell: Cell): Promise<{ seen: Seen; unsteady: string | null }> {
    const seen = await this.#runner.plain(cell);
    // The other ways and flags run the same programs.
    if (cell.way !== 'launch' || cell.flags.name !== '') return { seen, unsteady: null };
    const unsteady = firstDifference(seen, await this.#runner.plain(cell));
    return { seen, unsteady: unsteady === null ? null : `plain twice: ${unsteady}` };
  }
}
