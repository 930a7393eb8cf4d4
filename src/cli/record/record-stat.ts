import { formatCount } from '../../base/numbers.ts';
import type { ConcurrentCount } from '../../counting/stat/concurrent-counters.ts';
import { sumSamples } from '../../counting/stat/sampled-sums.ts';
import type { Recording } from '../../record/recording.ts';
import { formatTable } from '../render/table.ts';

/** An event counted beside the samples, and what the samples say of it. */
type BesideRow = Pick<ConcurrentCount, 'event' | 'count' | 'unit' | 'reason'> & {
  /** Number of samples of a sampled event in a file; null otherwise. */
  readonly samples: number | null;
  /** Σ of the samples' periods, in `unit`. */
  readonly sampled: number | null;
  /** `sampled / count`: what the samples stand for of what happened. */
  readonly share: number | null;
};

/** The counts of `record --stat`, next to the sums of the samples. */
export function countedBeside({ path, counted, events }: Recording): BesideRow[] {
  const sums = path === '-' ? null : sumSamples(path);
  return (counted ?? []).map(({ event, count, unit, factor, reason }) => {
    const sum = events.includes(event) ? sums?.get(event) : undefined;
    const sampled = sum === undefined ? null : sum.events * factor;
    const share = sampled === null || count === null || count === 0 ? null : sampled / count;
    return { event, count, unit, reason, samples: sum?.samples ?? null, sampled, share };
  });
}

/** The counts of `record --stat` as lines of a table; none without the option. */
export function besideLines(recording: Recording): string[] {
  if (recording.counted === null) return [];
  const number = (value: number | null, unit: string): string =>
    value === null ? '' : unit === '' ? formatCount(value) : value.toFixed(2);
  const rows = countedBeside(recording).map((row) => [
    row.count === null ? 'not counted' : number(row.count, row.unit),
    row.unit,
    row.event,
    number(row.sampled, row.unit),
    row.share === null ? '' : `${(100 * row.share).toFixed(2)}%`,
    row.reason === null ? '' : `# ${row.reason}`,
  ]);
  const header = ['counted', 'unit', 'event', 'Σ samples', 'of it', ''];
  return ['', ...formatTable(header, rows, { right: [0, 3, 4] })];
}
