import { getOrMake } from '../../base/group-by.ts';
import { chooseLevel, type ProfileLevels } from '../../code/levels/levels-of.ts';
import type { TopOptions } from '../../options/top.ts';
import type { FrameLevel } from '../../profile/frame-level.ts';
import type { Profile, Weights } from '../../profile/types.ts';
import { CallerSums } from './caller-sums.ts';
import { ShareSums, type TableSums, type TopTable, WindowSums } from './share-sums.ts';
import { type SliceTableKey, type SliceTables, tablesOfSlice } from './slice-tables.ts';
import type { TopEvent } from './top-options.ts';

type TablesSoFar = Map<SliceTableKey, ShareSums | WindowSums>;

/** The sums of one event, as far as they are shown. */
export class EventTables {
  readonly #name: string;
  readonly #event: number;
  readonly #options: TopOptions;
  /**
   * Sums by level of frames, the one that is shown first. Where none is asked for, those of both defaults are kept until V8
   * has named a function: rows of two levels must not be added up.
   */
  readonly #sums: Map<FrameLevel, TablesSoFar>;
  #callers: CallerSums | null = null;
  /** Time of the last sample of the report before, nanoseconds of the clock; NaN: there was none. */
  #lastNs = Number.NaN;

  constructor(name: string, event: number, options: TopOptions) {
    this.#name = name;
    this.#event = event;
    this.#options = options;
    const levels: FrameLevel[] = options.frames ? [options.frames] : ['all', 'javascript'];
    this.#sums = new Map(levels.map((level) => [level, new Map()]));
  }

  watchCallers(names: readonly string[] | null): void {
    this.#callers = names === null ? null : new CallerSums(names);
  }

  add(slices: readonly ProfileLevels[], nowMs: number): TopEvent {
    const { frames } = this.#options;
    let samples = 0;
    let own = 0;
    let unit: TopEvent['unit'] = 'events';
    let firstNs = this.#lastNs;
    for (const levels of slices) {
      const slice = levels.at('all');
      if (chooseLevel(slice, frames) === 'javascript') this.#sums.delete('all');
      const { all, rows } = this.#select(slice);
      const { timeNs, length } = slice.samples;
      if (length > 0) {
        // Tables that were made anew count from another start. What is rounded off is a few ns.
        const startNs = Number(slice.meta.startTime);
        if (Number.isNaN(firstNs)) firstNs = startNs + timeNs[0];
        this.#lastNs = startNs + timeNs[length - 1];
      }
      samples += all;
      own += all - rows.length;
      const weights = weigh(slice, this.#event, this.#options);
      unit = weights.unit;
      // Also where nothing was sampled: the window moves on.
      const { keys = null } = this.#options;
      // Rows of files are about native code as much as others.
      const byFile = frames ?? 'all';
      for (const [byFunction, sums] of this.#sums) {
        const tables = tablesOfSlice(levels, { byFunction, byFile }, { weights, rows, keys });
        this.#addTables(sums, tables, nowMs);
      }
      const [shown] = this.#sums.keys();
      this.#callers?.add(levels.at(shown), weights, rows);
    }
    const [sums] = this.#sums.values();
    return {
      callers: this.#callers,
      name: this.#name,
      unit,
      // Samples wait for their order, so those of an interval of ours are not all of it.
      rateHz:
        samples > 0 && this.#lastNs > firstNs ? (samples * 1e9) / (this.#lastNs - firstNs) : 0,
      ownShare: samples > 0 ? own / samples : 0,
      samples: sums.get('sym')?.samples ?? 0,
      table: tableMaker(sums),
    };
  }

  #addTables(all: TablesSoFar, tables: SliceTables, nowMs: number): void {
    const { windowMs } = this.#options;
    for (const [of, table] of Object.entries(tables) as [SliceTableKey, TableSums][]) {
      const sums = getOrMake(all, of, () =>
        windowMs === undefined ? new ShareSums() : new WindowSums(windowMs),
      );
      sums.add(table, nowMs);
    }
  }

  /** How many samples of the event there are, and which of them count. */
  #select({ samples, threads }: Profile): { all: number; rows: Int32Array } {
    const { event, thread, length } = samples;
    const isOwn = threads.map(({ pid }) => pid === process.pid);
    const rows = new Int32Array(length);
    let all = 0;
    let kept = 0;
    for (let row = 0; row < length; row++) {
      if (event[row] !== this.#event) continue;
      all++;
      if (this.#options.withSelf || !isOwn[thread[row]]) rows[kept++] = row;
    }
    return { all, rows: rows.subarray(0, kept) };
  }
}

function weigh({ samples, events }: Profile, event: number, { weight }: TopOptions): Weights {
  if (weight === 'samples') {
    return { kind: 'samples', unit: 'samples', values: new Float64Array(samples.length).fill(1) };
  }
  return {
    kind: 'period',
    unit: events[event].unit,
    values: new Float64Array(samples.periodEvents),
  };
}

/** Each table of a report is made once, as it is when it is asked for first. */
function tableMaker(sums: TablesSoFar): TopEvent['table'] {
  const made = new Map<SliceTableKey, TopTable>();
  return (of) => {
    const table = made.get(of) ?? (sums.get(of) ?? new ShareSums()).table();
    made.set(of, table);
    return table;
  };
}
