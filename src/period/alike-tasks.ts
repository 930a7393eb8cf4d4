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
  let all = 0;
  let heads = 0;
  for (const rows of streams) {
    heads += arrived[rows[0]];
    for (const row of rows) all += arrived[row];
  }
  const share = heads / all;
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
 * Which part of the tasks changes as if all were one: 1 where they go from one function to the next at the same
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
