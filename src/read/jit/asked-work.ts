import { NONE } from '../../base/brand.ts';
import type { AskedIn, WorkLog } from './pool-work.ts';

/** Work whose callback asks for the next, as a file is read piece by piece: those of a file of some gigabytes. */
const MOST_LINE = 16_384;

/** Interns the calls in which work was asked for as a stack of the profile. */
type InternCalls = (calls: AskedIn) => number;

/**
 * The calls in which work of libuv's pool was asked for, as stacks of the profile, which code has to be named by the time that
 * it was asked for at. Rows are those of the `WorkLog`.
 */
export class AskedWork {
  readonly #log: WorkLog;
  /** Rows to intern, in the order of their times. */
  readonly #rows: readonly (AskedIn & { readonly row: number })[];
  /** Place in `#stacks` by row. */
  readonly #placeOf = new Map<number, number>();
  readonly #stacks: number[] = [];
  #next = 0;

  /** `sampled`: rows of work that samples were taken in. */
  constructor(log: WorkLog, sampled: Iterable<number>) {
    this.#log = log;
    const rows = new Set<number>();
    for (const row of sampled) for (const each of this.#lineOf(row, rows)) rows.add(each);
    this.#rows = [...rows]
      .flatMap((row) => {
        const calls = log.askedIn(row);
        return calls === null ? [] : [{ ...calls, row }];
      })
      .sort((a, b) => a.timeNs - b.timeNs);
  }

  /** A row, and those of the work in whose callbacks it was asked for. */
  *#lineOf(row: number, known?: ReadonlySet<number>): Iterable<number> {
    let left = MOST_LINE;
    for (let at = row; at !== NONE && left-- > 0; at = this.#log.askerOf(at)) {
      if (known?.has(at) === true) return;
      yield at;
    }
  }

  /** Goes on to a time. Times only grow. */
  moveTo(timeNs: number, intern: InternCalls): void {
    for (; this.#next < this.#rows.length; this.#next++) {
      const calls = this.#rows[this.#next];
      if (calls.timeNs > timeNs) return;
      this.#placeOf.set(calls.row, this.#stacks.push(intern(calls)) - 1);
    }
  }

  /** Stacks so far, as `Profile.askedIn` has them. */
  stacks(): Int32Array {
    return Int32Array.from(this.#stacks);
  }

  /** Rows of `stacks` in which a row's work was asked for: its own, and those of the work in whose callbacks it was, if it was in one. */
  askedIn(row: number): readonly number[] {
    return [...this.#lineOf(row)].flatMap((each) => this.#placeOf.get(each) ?? []);
  }
}
