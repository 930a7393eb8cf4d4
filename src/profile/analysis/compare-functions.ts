import { SLICE_ITEMS, type Slices } from '../../base/slices.ts';
import {
  type Bounds,
  type Change,
  changeOf,
  type Judged,
  markCertain,
  type Quantity,
} from './change.ts';
import { DIFF_MEASURES, type DiffMeasure } from './diff-measure.ts';
import type { ShareInterval } from './shares/share-steps.ts';

/** A function as comparisons name it. */
export type ComparedFunction = {
  /** The same in all recordings (`matchFunctions`). */
  readonly id: number;
  readonly name: string;
  readonly dso: string;
  /** Source file of a function of JavaScript; empty where it is not known. */
  readonly path: string;
};

/** A function's part of one recording. */
export type SharedRow = ComparedFunction & {
  /** Self, 0…1. */
  readonly share: number;
  /** 95 %; null where the model gives none. */
  readonly interval: ShareInterval | null;
};

/** The self shares of one recording, and what they are shares of. */
export type ComparedRun = {
  /** One for each function. */
  readonly rows: readonly SharedRow[];
  /** The interval of a share of 0, for functions that only others have. */
  readonly nothing: ShareInterval | null;
  /** The weight of everything, and what it is: nanoseconds of a clock, events of a counter. */
  readonly total: Quantity;
  readonly unit: string;
  /** Seconds that were recorded; null where the recording has no times. */
  readonly seconds: number | null;
};

/**
 * The change of one quantity in each measure; null: `absolute` where the recordings weigh in other units,
 * `second` there and where one has no times.
 */
export type Changes = {
  readonly absolute: Change | null;
  readonly second: Change | null;
  readonly share: Change;
};

/** A function's change of self. */
export type FunctionChange = Changes & ComparedFunction;

export type ComparedFunctions = {
  /** Rows in no order. */
  readonly rows: readonly FunctionChange[];
  /** The change of everything. */
  readonly total: Omit<Changes, 'share'>;
};

/**
 * The part of itself by which a weight has to change between two single recordings to be marked. Runs of
 * one program differ by a few per cent, and how far these do, two recordings can't tell. Intervals are
 * without it. Several recordings a side show how far, and need no such bound.
 */
const LEAST_CHANGE = 0.05;

/** The functions of the recordings `here` against those `there`: one or several a side. */
export function* compareFunctions(
  here: readonly ComparedRun[],
  there: readonly ComparedRun[],
): Slices<ComparedFunctions> {
  const mine = here.map((run) => new RunById(run));
  yield;
  const theirs = there.map((run) => new RunById(run));
  yield;
  const named = new Map<number, SharedRow>();
  for (const { byId } of [...mine, ...theirs]) {
    for (const row of byId.values()) if (!named.has(row.id)) named.set(row.id, row);
    yield;
  }
  const ids = [...named.keys()];
  const least = here.length === 1 && there.length === 1 ? LEAST_CHANGE : 0;
  const measures = measuresOf([...here, ...there]);
  const changesIn = function* (measure: DiffMeasure): Slices<Change[] | null> {
    if (!measures.includes(measure)) return null;
    const judged: Judged[] = [];
    for (const id of ids) {
      const ofRun = (run: RunById): Quantity => run.measure(id, measure);
      judged.push(changeOf(mine.map(ofRun), theirs.map(ofRun)));
      if (judged.length % SLICE_ITEMS === 0) yield;
    }
    return measure === 'share' ? markCertain(judged.map(withinOne)) : markCertain(judged, least);
  };
  const totalIn = (measure: 'absolute' | 'second'): Change | null => {
    if (!measures.includes(measure)) return null;
    const ofRun = (run: RunById): Quantity => run.total(measure);
    return markCertain([changeOf(mine.map(ofRun), theirs.map(ofRun))], least)[0];
  };
  const absolute = yield* changesIn('absolute');
  const second = yield* changesIn('second');
  const share = (yield* changesIn('share')) as Change[];
  yield;
  const rows = [...named.values()].map(({ id, name, dso, path }, row): FunctionChange => {
    const changes = { absolute: absolute?.[row] ?? null, second: second?.[row] ?? null };
    return { id, name, dso, path, ...changes, share: share[row] };
  });
  return { rows, total: { absolute: totalIn('absolute'), second: totalIn('second') } };
}

/** Measures in which these recordings can be compared: rates need times, weights one unit. */
export function measuresOf(runs: readonly Pick<ComparedRun, 'unit' | 'seconds'>[]): DiffMeasure[] {
  if (runs.some(({ unit }) => unit !== runs[0].unit)) return ['share'];
  const haveTimes = runs.every(({ seconds }) => seconds !== null && seconds > 0);
  return haveTimes ? [...DIFF_MEASURES] : ['absolute', 'share'];
}

/** Orders by the size of the change in this measure, whatever its sign. */
export function sortChanges<
  Measure extends DiffMeasure,
  Row extends Pick<FunctionChange, 'name' | 'dso' | Measure>,
>(rows: readonly Row[], measure: Measure): Row[] {
  const size = (row: Row): number => Math.abs(row[measure]?.delta ?? 0);
  const text = ({ name, dso }: Row): string => `${name}\0${dso}`;
  return [...rows].sort((a, b) => size(b) - size(a) || (text(a) < text(b) ? -1 : 1));
}

/** The quantities of one recording, by the ids of its functions. */
class RunById {
  readonly byId: ReadonlyMap<number, SharedRow>;
  readonly #run: ComparedRun;

  constructor(run: ComparedRun) {
    this.#run = run;
    this.byId = new Map(run.rows.map((row) => [row.id, row]));
  }

  measure(id: number, measure: DiffMeasure): Quantity {
    const { nothing } = this.#run;
    const row = this.byId.get(id);
    const share: Quantity = {
      value: row?.share ?? 0,
      interval: row === undefined ? nothing : row.interval,
    };
    if (measure === 'share') return share;
    return this.#per(partOf(this.#run.total, share), measure);
  }

  total(measure: 'absolute' | 'second'): Quantity {
    return this.#per(this.#run.total, measure);
  }

  #per({ value, interval }: Quantity, measure: 'absolute' | 'second'): Quantity {
    const per = measure === 'second' ? (this.#run.seconds ?? 1) : 1;
    return {
      value: value / per,
      interval: interval && { low: interval.low / per, high: interval.high / per },
    };
  }
}

/** A share of a total that is itself known between bounds: errors are added in squares. */
function partOf(total: Quantity, share: Quantity): Quantity {
  const value = total.value * share.value;
  if (total.interval === null || share.interval === null) return { value, interval: null };
  const ofShare = total.value;
  const ofTotal = share.value;
  const down = Math.hypot(
    ofShare * (share.value - share.interval.low),
    ofTotal * (total.value - total.interval.low),
  );
  const up = Math.hypot(
    ofShare * (share.interval.high - share.value),
    ofTotal * (total.interval.high - total.value),
  );
  return { value, interval: { low: Math.max(0, value - down), high: value + up } };
}

function withinOne(change: Judged): Judged {
  const { interval } = change;
  return { ...change, interval: interval && clipped(interval) };
}

function clipped({ low, high }: Bounds): Bounds {
  return { low: Math.max(-1, low), high: Math.min(1, high) };
}
