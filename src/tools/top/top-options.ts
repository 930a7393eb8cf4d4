import { UsageError } from '../../base/errors.ts';
import { commandOnly, words } from '../../base/words.ts';
import { checkOptions } from '../../options/check.ts';
import { TOP, type TopOptions } from '../../options/top.ts';
import type { Weights } from '../../profile/types.ts';
import type { CallerSums } from './caller-sums.ts';
import type { TopTable } from './share-sums.ts';
import type { SliceTableKey } from './slice-tables.ts';

/** One event as of a report. */
export type TopEvent = {
  readonly name: string;
  readonly unit: Weights['unit'];
  /** Samples a second since the report before, of all CPUs together. */
  readonly rateHz: number;
  /** Share of all samples in that time that were of this process; 0 where they count. */
  readonly ownShare: number;
  /** Callers of the function that is watched; null: none is. */
  readonly callers: Pick<CallerSums, 'names' | 'share' | 'tree'> | null;
  /** Samples in the tables. */
  readonly samples: number;
  /**
   * Made when it is asked for; ask before the next report comes. `grouped` is empty without `keys`.
   */
  table(of: SliceTableKey): TopTable;
};

/** One state of the tables: `perf-ts top --json`. */
export type TopReport = {
  /** Since the start, milliseconds. */
  readonly elapsedMs: number;
  /** Span of the tables: so many milliseconds, since the last reset or of the window. */
  readonly shownMs: number;
  readonly isWindow: boolean;
  readonly cpus: number;
  readonly events: readonly TopEvent[];
  /** Since the start. */
  readonly samples: number;
  /** Samples that the kernel could not write, as it told so far; and since the report before. */
  readonly lost: number;
  readonly lostNow: number;
  /** Records of forks, execs and mappings that were lost since the start. */
  readonly lostSideband: number;
  readonly throttles: number;
  /** CPU time of this process in the time since the report before: 1 is one CPU. */
  readonly ownCpu: number;
  /** No more reports come. */
  readonly isLast: boolean;
};

/** Throws `UsageError` for what `top` can't do. */
export function checkTopOptions(options: TopOptions): void {
  checkOptions(TOP, options, 'top');
  const { intervalMs = 1000, windowMs } = options;
  if (windowMs !== undefined && windowMs < intervalMs) {
    throw new UsageError(words`${TOP.windowMs}: shorter than the time between two reports`, [
      words`the latter is ${TOP.intervalMs}`,
    ]);
  }
  if (options.keys?.some((key) => key.startsWith('src'))) {
    throw new UsageError(words`${TOP.sort} by source: no lines are looked up while it is sampled`, [
      commandOnly('perf-ts record, perf-ts report --sort srcline'),
    ]);
  }
}
