// A recording against its truth: shares per counted function by each weight, how far off they are,
// and whether the interval that perf-ts states holds the truth.

export const WEIGHTS = ['samples', 'period', 'events'];

/** Functions with less than this share of the truth are left out. */
export const SMALLEST_SHARE = 0.01;

/**
 * Index into `names` of the function that each sample lies in, −1 where it is in none of them:
 * start-up, libc, and the accounts that the program keeps.
 */
export function functionOfSamples(profile, names) {
  const { strings, funcs, frames, stacks, samples } = profile;
  const functionOfFunc = new Int32Array(funcs.length);
  for (let i = 0; i < funcs.length; i++) functionOfFunc[i] = names.indexOf(strings[funcs.name[i]]);
  // The counted functions never call each other, so a stack is in one of them at most.
  const functionOfStack = new Int32Array(stacks.length);
  for (let i = 0; i < stacks.length; i++) {
    const own = functionOfFunc[frames.func[stacks.frame[i]]];
    const prefix = stacks.prefix[i];
    functionOfStack[i] = own >= 0 || prefix < 0 ? own : functionOfStack[prefix];
  }
  const functionOfSample = new Int32Array(samples.length).fill(-1);
  for (let i = 0; i < samples.length; i++) {
    if (samples.stack[i] >= 0) functionOfSample[i] = functionOfStack[samples.stack[i]];
  }
  return functionOfSample;
}

/** max(share / true share, its inverse); Infinity for a function that was not seen at all. */
export function errorFactor(share, trueShare) {
  return share > 0 ? Math.max(share / trueShare, trueShare / share) : Number.POSITIVE_INFINITY;
}

/** Shares that sum to 1 over the counted functions. */
export function sharesOf(sums) {
  const total = sums.reduce((sum, value) => sum + value, 0);
  return sums.map((value) => value / total);
}

/** Sum and effective sample size (Σw)²/Σw² of each function's samples, and of all of them. */
function sumByFunction(values, functionOfSample, names) {
  const sums = new Array(names.length).fill(0);
  const squares = new Array(names.length).fill(0);
  for (let i = 0; i < values.length; i++) {
    const key = functionOfSample[i];
    if (key < 0) continue;
    sums[key] += values[i];
    squares[key] += values[i] * values[i];
  }
  const ess = sums.map((sum, key) => (squares[key] > 0 ? (sum * sum) / squares[key] : 0));
  const sum = sums.reduce((a, b) => a + b, 0);
  const square = squares.reduce((a, b) => a + b, 0);
  return { sums, ess, totalEss: square > 0 ? (sum * sum) / square : 0 };
}

/**
 * The rows of one recording, one for each function with at least `SMALLEST_SHARE`:
 * `{ name, trueShare, shares: { samples, period, events }, factors, ess, functionEss, interval }`.
 * `build` is what `loadBuild` gives, `data` the path of the recording.
 */
export async function measure(build, data, truth) {
  const opened = await build.open(data);
  const names = Object.keys(truth.events);
  const trueShares = sharesOf(Object.values(truth.events));
  const functionOfSample = functionOfSamples(opened.profile, names);
  const byWeight = {};
  for (const weight of WEIGHTS) {
    const { values } = opened.weights(weight);
    byWeight[weight] = sumByFunction(values, functionOfSample, names);
  }
  const shares = Object.fromEntries(WEIGHTS.map((w) => [w, sharesOf(byWeight[w].sums)]));
  const intervals = intervalsOf(opened, build.report(opened), names);
  const { ess: functionEss, totalEss, sums } = byWeight.events;
  const made = Object.values(truth.events).reduce((a, b) => a + b, 0);
  const rows = names.map((name, i) => ({
    name,
    trueShare: trueShares[i],
    shares: Object.fromEntries(WEIGHTS.map((w) => [w, shares[w][i]])),
    factors: Object.fromEntries(WEIGHTS.map((w) => [w, errorFactor(shares[w][i], trueShares[i])])),
    ess: totalEss,
    functionEss: functionEss[i],
    interval: intervals[i],
  }));
  return {
    samples: opened.profile.samples.length,
    ess: totalEss,
    /** Σ events weights inside the counted functions / events made there. */
    sumRatio: sums.reduce((a, b) => a + b, 0) / made,
    rows: rows.filter((row) => row.trueShare >= SMALLEST_SHARE),
  };
}

/**
 * The 95 % interval of each function's share of the counted functions, null where the build states
 * none. The report's shares are of all samples, so they are scaled by the counted functions' part.
 * With call stacks the counted function is not the innermost: its total is meant.
 */
function intervalsOf(opened, { bySymbol }, names) {
  const byName = new Map(bySymbol.map((row) => [opened.nameOf(row.func), row]));
  const rows = names.map((name) => byName.get(name));
  const counted = rows.reduce((sum, row) => sum + (row?.totalShare ?? 0), 0);
  return rows.map((row) => {
    // A function without a sample has no row: what is said of it is nothing.
    if (row?.totalInterval === undefined) return null;
    return [row.totalInterval.low / counted, row.totalInterval.high / counted];
  });
}
