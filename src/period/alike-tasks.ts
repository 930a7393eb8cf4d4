// Hot: once per sample of the first of each task.

/**
 * Many tasks that do the same, children of one program say, and are sampled at the same events each:
 *
 *     child 1   │start─●────work──●───────●──end│      work begins and ends at the same place of an
 *     child 2   │start─●────work──●───────●──end│      interval in each of them
 *
 * `share` of all events came before their first samples. Functions change at the same samples as if in `repeats`
 * tasks errors at these borders were the same, and in the others had nothing to do with each other; 0 where they
 * change anywhere.
 */
export type AlikeTasks = {
  readonly kind: 'tasks';
  readonly tasks: number;
  readonly share: number;
  readonly repeats: number;
};

/**
 * `streams`: each task's samples of an event. `place`: where a sample lies; null where periods move, so that
 * tasks are not sampled at the same events.
 */
export function findAlikeTasks(
  streams: readonly Int32Array[],
  arrived: Float64Array,
  place: ArrayLike<number> | null,
): AlikeTasks | null {
  if (streams.length < LEAST_TASKS) return null;
  const share = shareOfHeads(streams, arrived);
  const found = place === null ? 0 : Math.round(streams.length * coherenceOf(streams, place));
  const repeats = found < LEAST_TOGETHER ? 0 : found;
  if (share < LEAST_HEADS && repeats === 0) return null;
  return { kind: 'tasks', tasks: streams.length, share, repeats };
}

/** Many tasks of few samples each. */
const LEAST_TASKS = 20;
const LEAST_HEADS = 0.05;
/** Samples of a task that are looked at. */
const MOST_SAMPLES = 256;

/** Fewer tasks that go together are of no account, and may seem to by chance. */
const LEAST_TOGETHER = 4;

/**
 * The part of the tasks that changes as if all were one: 1 where they go from one function to the next at the same
 * samples, so that the first, second, … samples of all tasks are in one function each. 0 where borders lie
 * anywhere in an interval, so that about half a sample at each is in the other function, and where samples
 * have nothing to do with each other. Between the two, errors go together by the square of what is left; each
 * border has its own.
 */
function coherenceOf(streams: readonly Int32Array[], place: ArrayLike<number>): number {
  let changes = 0;
  let together = 0;
  let othersBefore = 0;
  for (let k = 0; k < MOST_SAMPLES; k++) {
    const reaching = streams.filter((rows) => rows.length > k);
    if (reaching.length < LEAST_TASKS) break;
    const counts = new Map<number, number>();
    let changing = 0;
    for (const rows of reaching) {
      const own = place[rows[k]];
      counts.set(own, (counts.get(own) ?? 0) + 1);
      if (k > 0 && own !== place[rows[k - 1]]) changing++;
    }
    const others = reaching.length - Math.max(...counts.values());
    const coherence = changing > 0 ? Math.max(0, 1 - (othersBefore + others) / changing) : 0;
    changes += changing;
    together += changing * coherence ** 2;
    othersBefore = others;
  }
  return changes < LEAST_TASKS ? 0 : together / changes;
}

/** The part of all events that came before the first samples of their tasks. */
function shareOfHeads(streams: readonly Int32Array[], arrived: Float64Array): number {
  let all = 0;
  let heads = 0;
  for (const rows of streams) {
    heads += arrived[rows[0]];
    for (const row of rows) all += arrived[row];
  }
  return heads / all;
}

/**
 * Marks in `isUnclaimed` the samples at whose intervals no sample of any of the tasks shows where a border is. They are
 * behind a border that all tasks have at the same samples: nearly all are in one function at their k-th sample, and
 * nearly none of these still is at the next one.
 *
 *     child 1   │─────────●start│──────────●work          period 37: the start has 37 events at least, and
 *     child 2   │─────────●start│──────────●work          fewer than 74 in each child
 *
 * The same is said of the tasks' first samples where a good part of all events came before them.
 */
export function markUnclaimed(
  streams: readonly Int32Array[],
  arrived: Float64Array,
  place: ArrayLike<number>,
  isUnclaimed: Uint8Array,
): void {
  for (let k = 0; k < MOST_SAMPLES; k++) {
    const reaching = streams.filter((rows) => rows.length > k + 1);
    if (reaching.length < LEAST_TASKS) break;
    const own = commonestAt(reaching, k, place);
    const alike = reaching.filter((rows) => place[rows[k]] === own);
    const leaving = alike.filter((rows) => place[rows[k + 1]] !== own);
    if (alike.length < LEAST_ALIKE * reaching.length) continue;
    if (leaving.length < LEAST_LEAVING * alike.length) continue;
    for (const rows of leaving) isUnclaimed[rows[k + 1]] = 1;
  }
  if (streams.length < LEAST_TASKS || shareOfHeads(streams, arrived) < MUCH_OF_HEADS) return;
  for (const rows of streams) {
    // A first sample has a half less already where a border that all have is behind it.
    if (rows.length < 2 || isUnclaimed[rows[1]] === 0) isUnclaimed[rows[0]] = 1;
  }
}

/** The share of events before first samples above which functions without samples may have most of these. */
const MUCH_OF_HEADS = 0.25;
/** The least share of tasks with a border in common that are in one function before it, … */
const LEAST_ALIKE = 0.8;
/** … and so many of these in another one behind it. */
const LEAST_LEAVING = 0.95;

function commonestAt(streams: readonly Int32Array[], k: number, place: ArrayLike<number>): number {
  const counts = new Map<number, number>();
  let commonest = 0;
  let most = 0;
  for (const rows of streams) {
    const own = place[rows[k]];
    const count = (counts.get(own) ?? 0) + 1;
    counts.set(own, count);
    if (count > most) {
      most = count;
      commonest = own;
    }
  }
  return commonest;
}
