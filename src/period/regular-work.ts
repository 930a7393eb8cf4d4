// Hot: some hundred times per sample of a part of the samples.

/** The functions of a stream's first samples, or their stacks, one after the other. */
export type FuncSequence = {
  readonly states: Int32Array;
  /** Chance that two samples drawn at random differ. */
  readonly byChance: number;
};

/**
 * Work that is nearly the same each time: functions are alike `every` samples apart, although they are as good as drawn at some shorter
 * lag. No cycle of samples lasts, as an output shifts it, or each time takes a little more or less.
 *
 *     steps of 905 events at two samples a step, an output after each twelfth
 *     samples    33330100010010101010101003330100010000101010101000033330000210000101010101003333…
 *                └── 25 ──────────────────┘
 *
 * - `differing`: samples `every` apart that differ, for each change of functions. Drawn samples have 1. Borders of the same work are
 *   not equally likely anywhere in their intervals: the period follows the rates of the functions, and so comes to the same places of the work
 *   again. All visits to a function are then wrong one way, and errors don't cancel. 1 with a fixed period.
 * - `times`: neighbours may be alike because samples move through a part of the work slowly. Where each time is the same, what differs
 *   from one stretch of samples to the next is the samples' own: it is so many times what drawn samples have. 0 where it is not looked at.
 */
export type RegularWork = {
  readonly kind: 'regular';
  readonly every: number;
  readonly differing: number;
  readonly times: number;
};

/** Among fewer samples some lag is alike by chance. */
const LEAST_SAMPLES = 128;
/** Longest lag in samples, and how often the work is to come again among them. */
const LONGEST = 512;
const LEAST_TURNS = 5;
/** Parts of the samples that drawn ones would have differ: as good as drawn, alike, and alike at twice the lag as well. */
const AS_DRAWN = 0.9;
const ALIKE = 0.74;
const ALIKE_AGAIN = 0.82;
/**
 * Two functions that take turns at nearly every sample are alike at a short lag, whatever their lengths are. The work is the same where they still
 * are at twice the lag, or where functions tell this part of how the period moves: it then does so in the same way each time.
 */
const SHORT = 5;
const ALIKE_AGAIN_OF_SHORT = 0.65;
const EXPLAINED_BY_MOVES = 0.6;
/** A longer lag is another one of the same work, unless it has fewer that differ by this factor. */
const CLEARLY_FEWER = 0.8;
/** Samples that differ for each change, where borders are the same, and where only functions are. */
const SAME_BORDERS = 0.7;
const SAME_FUNCTIONS = 1.05;
/** Bounds of `times` that matter: intervals allow for less anyway, and more is due to work that changes slowly. */
const LEAST_TIMES = 1.2;
const MOST_TIMES = 3;
/** Stretches of samples that are compared, and the part of them that a function has at least to be compared by. */
const STRETCHES = 64;
const LEAST_PART = 1 / 32;

/** Null where nothing of it is to be seen. `intervals`: events before each sample; null with a fixed period, of which only `times` counts. */
export function findRegularWork(
  { states, byChance }: FuncSequence,
  intervals: Float64Array | null,
): RegularWork | null {
  const { length } = states;
  if (length < LEAST_SAMPLES) return null;
  const changes = differingShare(states, 1);
  const longest = Math.min(LONGEST, Math.floor(length / LEAST_TURNS));
  let lag = 1;
  while (lag <= longest && differingShare(states, lag) < AS_DRAWN * byChance) lag++;
  let every = 0;
  let fewest = 0;
  let bound = Math.min(ALIKE * byChance, SAME_FUNCTIONS * changes);
  for (; lag <= longest; lag++) {
    const most = bound * (length - lag);
    const count = differing(states, lag, most);
    if (count > most) continue;
    every = lag;
    fewest = count / (length - lag);
    bound = CLEARLY_FEWER * fewest;
  }
  if (every === 0) return null;
  const again = differingShare(states, 2 * every) / byChance;
  const isAlikeAgain = every >= SHORT || again <= ALIKE_AGAIN_OF_SHORT;
  if (!isAlikeAgain && !(explainedByMoves(states, intervals) >= EXPLAINED_BY_MOVES)) return null;
  const stretch = Math.max(every, Math.floor(length / STRETCHES));
  const times = again <= ALIKE_AGAIN ? variancesOf(states, stretch) : 0;
  const perChange = intervals === null ? 1 : fewest / changes;
  if (perChange > SAME_BORDERS && times < LEAST_TIMES) return null;
  return { kind: 'regular', every, differing: perChange, times };
}

/** Samples whose state differs from that `lag` samples later; no more than just above `limit` are counted. */
export function differing(states: Int32Array, lag: number, limit: number): number {
  let count = 0;
  for (let k = lag; k < states.length && count <= limit; k++) {
    if (states[k] !== states[k - lag]) count++;
  }
  return count;
}

export function differingShare(states: Int32Array, lag: number): number {
  return differing(states, lag, states.length) / (states.length - lag);
}

/**
 * The part of the variance between one interval and the next that functions tell: those of three samples, of which the last one is
 * two samples before, as the period follows late. Of work that is any it is what the rates of functions tell, less than a half; 0 with a fixed period.
 */
function explainedByMoves(states: Int32Array, intervals: Float64Array | null): number {
  if (intervals === null) return 0;
  const numbers = new Map<number, number>();
  const own = states.map((state) => {
    if (!numbers.has(state)) numbers.set(state, numbers.size);
    return numbers.get(state) as number;
  });
  const groups = new Map<number, { count: number; sum: number; squares: number }>();
  for (let k = 2; k + 2 < states.length; k++) {
    const key = (own[k - 2] * numbers.size + own[k - 1]) * numbers.size + own[k];
    const group = groups.get(key) ?? { count: 0, sum: 0, squares: 0 };
    groups.set(key, group);
    const move = intervals[k + 2] - intervals[k + 1];
    group.count++;
    group.sum += move;
    group.squares += move * move;
  }
  let explained = 0;
  let all = 0;
  for (const { count, sum, squares } of groups.values()) {
    // The part that a mean of so few tells by chance is taken off.
    explained += (sum * sum - squares) / count;
    all += squares;
  }
  return all > 0 ? explained / all : 0;
}

/** The variance of stretches of `size` as a multiple of that of drawn samples, by the function that has the most. */
function variancesOf(states: Int32Array, size: number): number {
  const stretches = Math.floor(states.length / size);
  const tally = new Map<number, number>();
  for (const state of states) tally.set(state, (tally.get(state) ?? 0) + 1);
  let most = 0;
  for (const [state, count] of tally) {
    const part = count / states.length;
    if (part < LEAST_PART) continue;
    let squares = 0;
    for (let stretch = 0; stretch < stretches; stretch++) {
      let hits = 0;
      for (let k = stretch * size; k < (stretch + 1) * size; k++) if (states[k] === state) hits++;
      squares += (hits - size * part) ** 2;
    }
    most = Math.max(most, squares / (stretches * size * part * (1 - part)));
  }
  return Math.min(MOST_TIMES, most);
}
