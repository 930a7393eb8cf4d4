import { UsageError } from '../../base/errors.ts';
import type { GroupKey } from '../../profile/analysis/grouped-report.ts';
import type { RecordOptions } from '../../record/record-options.ts';
import type { CallerSums } from './caller-sums.ts';
import type { TopTable } from './share-sums.ts';
import type { SliceTableKey } from './slice-tables.ts';

/** The options of `record` except those of a file, and the window of the tables. */
export type TopOptions = Pick<
  RecordOptions,
  | 'command'
  | 'pids'
  | 'tids'
  | 'systemWide'
  | 'cpus'
  | 'events'
  | 'freq'
  | 'count'
  | 'strictFreq'
  | 'callGraph'
  | 'only'
  | 'cgroup'
  | 'inherit'
  | 'durationMs'
  | 'ringPages'
  | 'user'
  | 'asRoot'
  | 'nodeFlags'
  | 'env'
  | 'onNotice'
  | 'signal'
> & {
  /** Between two reports, milliseconds. Default 1000. */
  readonly intervalMs?: number;
  /** Reports are of the last so many milliseconds; absent: of all since the start or `reset`. */
  readonly windowMs?: number;
  /** What a sample counts for. Default `period`: the events that it stands for. */
  readonly weight?: 'samples' | 'period';
  /** Also a table with a row per combination of these. Not by source line: none is looked up. */
  readonly keys?: readonly GroupKey[];
  /** Rows of tables after which they are made anew, so that memory is bounded. Default 400 000. */
  readonly mostRows?: number;
  /** Samples of this process count, too. */
  readonly withSelf?: boolean;
};

/** One event as of a report. */
export type TopEvent = {
  readonly name: string;
  readonly unit: 'events' | 'nanoseconds' | 'samples';
  /** Samples a second since the report before, of all CPUs together. */
  readonly rateHz: number;
  /** Share of all samples in that time that were of this process; 0 where they count. */
  readonly ownShare: number;
  /** Of the function that is watched; null: of none. */
  readonly callers: Pick<CallerSums, 'names' | 'share' | 'tree'> | null;
  /** In the tables. */
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
  /** What the tables are of: so many milliseconds, since the last reset or of the window. */
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
  const { intervalMs = 1000, windowMs, weight } = options;
  if (!(intervalMs >= 50)) throw new UsageError('-d: expected at least 0.05 seconds');
  if (windowMs !== undefined && !(windowMs >= intervalMs)) {
    throw new UsageError('--window: shorter than the time between two reports', [
      'the latter is -d SECONDS',
    ]);
  }
  if (weight !== undefined && weight !== 'samples' && weight !== 'period') {
    throw new UsageError(`--weight ${weight}: not while it is sampled`, [
      'what was counted before each sample is known only when a recording is complete: perf-ts record, perf-ts report',
    ]);
  }
  if (options.keys?.some((key) => key.startsWith('src'))) {
    throw new UsageError('--sort by source: no lines are looked up while it is sampled', [
      'perf-ts record, perf-ts report --sort srcline',
    ]);
  }
}
