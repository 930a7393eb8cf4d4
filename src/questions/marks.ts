import { MARK_KINDS, type MarkKind, type MarkTable } from '../profile/mark-table.ts';
import { isInRanges, type TimeRange } from '../profile/time-range.ts';
import { type LengthFigures, Lengths } from './lengths.ts';

/** Marks of one kind and name. Lengths are of those that ended. */
export type MarkSummary = LengthFigures & {
  readonly kind: MarkKind;
  readonly name: string;
  readonly count: number;
  /** Marks whose end was not seen: aborted requests, and what went on when the program or the recording ended. */
  readonly open: number;
  /** Requests with an HTTP status of 500 and more. */
  readonly failed: number;
  /** All lengths together. */
  readonly totalNs: number;
};

/** Marks by kind and name, those that took most time together first; with `times` those with a part in them. */
export function summarizeMarks(marks: MarkTable, times?: readonly TimeRange[]): MarkSummary[] {
  const groups = new Map<number, MarkSums>();
  for (let row = 0; row < marks.length; row++) {
    const { fromNs, toNs } = marks;
    if (times !== undefined && !isInRanges(times, fromNs[row], toNs[row] - fromNs[row])) continue;
    const key = marks.name[row] * MARK_KINDS.length + marks.kind[row];
    const sums = groups.get(key) ?? new MarkSums();
    groups.set(key, sums);
    sums.add(marks, row);
  }
  return [...groups]
    .map(([key, sums]) => ({
      kind: MARK_KINDS[key % MARK_KINDS.length],
      name: marks.names[Math.floor(key / MARK_KINDS.length)],
      ...sums.finish(),
    }))
    .sort((a, b) => b.totalNs - a.totalNs || b.count - a.count);
}

const LEAST_FAILURE = 500;

/** Sums over marks of one kind and name. */
export class MarkSums {
  readonly #lengths = new Lengths();
  #count = 0;
  #open = 0;
  #failed = 0;
  #totalNs = 0;

  add({ fromNs, toNs, standsFor, isOpen, status }: MarkTable, row: number): void {
    const count = standsFor[row];
    this.#count += count;
    if (status[row] >= LEAST_FAILURE) this.#failed += count;
    if (isOpen[row] === 1) {
      this.#open += count;
      return;
    }
    const length = toNs[row] - fromNs[row];
    this.#lengths.add(length, count);
    this.#totalNs += length * count;
  }

  finish(): Omit<MarkSummary, 'kind' | 'name'> {
    const counts = { count: this.#count, open: this.#open, failed: this.#failed };
    return { ...this.#lengths.finish(), ...counts, totalNs: this.#totalNs };
  }
}
