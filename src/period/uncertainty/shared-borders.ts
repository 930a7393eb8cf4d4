import type { StepList } from './step-parts.ts';

// Hot: once per sample of the first of each task.

/**
 * Borders that many tasks have in the same interval of their own events, where the kernel moves the period. Each
 * task begins with the same period, or with its parent's, and all of them adapt alike:
 *
 *     child 1   │s s s────s──────┃──●w──────────────┃──│      samples at events 1, 2, 3, 9, 59, 272 of
 *     child 2   │s s s────s──────┃──●w─────────────┃───│      nearly all children
 *     child 3   │s s s────s────────┃●w────────────┃────│
 *
 * An interval's half is right on average only for borders that lie anywhere in it. These all lie in a part of it, so
 * that the errors of all tasks go one way: n intervals of w events with one border each have a variance of (n·w)²/12,
 * not of n·w²/12.
 *
 * Steps of one group have the group's squared sum of intervals together, divided among them. A group has the intervals at
 * one place of their tasks. Functions that are entered in it as often as they are left show no common border: tasks
 * are then at different places of their work.
 */
export function addSharedBorders(
  streams: readonly Int32Array[],
  arrived: Float64Array,
  place: ArrayLike<number>,
  list: StepList,
): void {
  if (streams.length < LEAST_TASKS) return;
  for (const group of groupsOf(changesOf(streams, arrived, place))) addGroup(group, list);
}

/** Number of tasks below which borders count each by itself. */
const LEAST_TASKS = 20;
/** Samples of a task that are looked at. */
const MOST_SAMPLES = 256;
/**
 * Intervals are at one place where their middles are no further apart than this part of the shorter one: up to
 * there the errors at a border that lies in both are correlated.
 */
const SAME_PLACE = (Math.sqrt(3) - 1) / 2;
/** Standard deviations by which a function is entered more often than left: chance makes more in one group of 400. */
const LEAST_DEVIATIONS = 3;

/** A step from one function to another: rows of its samples, events between them and where in its task they are. */
type Change = {
  readonly from: number;
  readonly to: number;
  readonly left: number;
  readonly entered: number;
  readonly interval: number;
  readonly middle: number;
};

function changesOf(
  streams: readonly Int32Array[],
  arrived: Float64Array,
  place: ArrayLike<number>,
): Change[] {
  const changes: Change[] = [];
  for (const rows of streams) {
    let counted = arrived[rows[0]];
    for (let k = 1; k < rows.length && k < MOST_SAMPLES; k++) {
      const from = rows[k - 1];
      const to = rows[k];
      const interval = arrived[to];
      const middle = counted + interval / 2;
      counted += interval;
      const left = place[from];
      const entered = place[to];
      if (left !== entered) changes.push({ from, to, left, entered, interval, middle });
    }
  }
  return changes.sort((a, b) => a.middle - b.middle);
}

function* groupsOf(changes: readonly Change[]): Generator<readonly Change[]> {
  let first = 0;
  for (let i = 1; i <= changes.length; i++) {
    if (i < changes.length && areAtOnePlace(changes[first], changes[i])) continue;
    yield changes.slice(first, i);
    first = i;
  }
}

function areAtOnePlace(a: Change, b: Change): boolean {
  return b.middle - a.middle <= SAME_PLACE * Math.min(a.interval, b.interval);
}

/** Adds the steps of a group's borders that tasks have in common. */
function addGroup(group: readonly Change[], list: StepList): void {
  const flows = new Map<number, { entered: number; all: number }>();
  const flowOf = (func: number) => {
    const known = flows.get(func) ?? { entered: 0, all: 0 };
    flows.set(func, known);
    return known;
  };
  const pairs = new Map<string, { steps: Change[]; sum: number }>();
  for (const change of group) {
    const { left, entered, interval } = change;
    const inwards = flowOf(entered);
    const outwards = flowOf(left);
    inwards.entered++;
    inwards.all++;
    outwards.entered--;
    outwards.all++;
    const key = left < entered ? `${left} ${entered}` : `${entered} ${left}`;
    const pair = pairs.get(key) ?? { steps: [], sum: 0 };
    pairs.set(key, pair);
    pair.steps.push(change);
    pair.sum += left < entered ? interval : -interval;
  }
  for (const { steps, sum } of pairs.values()) {
    const [{ left, entered }] = steps;
    const common = Math.max(commonPart(flowOf(left)), commonPart(flowOf(entered)));
    if (common === 0) continue;
    const amount = (sum * common) ** 2 / steps.length;
    for (const { from, to } of steps) list.add(from, to, amount);
  }
}

/** The part of the tasks that goes one way. */
function commonPart({ entered, all }: { readonly entered: number; readonly all: number }): number {
  const net = Math.abs(entered);
  return net > LEAST_DEVIATIONS * Math.sqrt(all) ? net / all : 0;
}
