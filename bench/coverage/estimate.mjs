// The product's own way from samples to shares with intervals, by its modules.

/**
 * Takes the modules of `src/period` and `src/profile/analysis` that `modules` names; gives what
 * `judge.mjs` asks: `estimateShares(input)`.
 */
export function productOf({
  alignPeriods,
  computeWeights,
  estimateEvent,
  sumStepsByKey,
  boundsOfShare,
  boundsOfNothing,
  findInStep,
  finish,
}) {
  const estimateShares = (input, func) => {
    const aligned = finish(alignPeriods(input));
    const places = { func, stack: func, caller: func };
    const weights = computeWeights(
      'events',
      input,
      () => aligned,
      () => places,
    );
    const periods = computeWeights('period', input, () => aligned).values;
    const rows = Int32Array.from(weights.values, (_, row) => row);
    const weight = sum(weights.values);
    const lost = sum(weights.lostBefore ?? []);
    const inStep = findInStep(input, aligned.groups, 0, aligned.arrivedEvents, places);
    const estimator = finish(
      estimateEvent({
        input,
        alignment: aligned,
        weights,
        event: 0,
        rows,
        isWhole: true,
        eventsCounted: input.eventTotals[0],
        inStep: () => inStep,
        places: () => places,
      }),
    );
    const all = { weight: weight + lost, lost };
    const sums = new Map();
    const sumsOf = (keys, keyCount) => {
      if (!sums.has(keys)) sums.set(keys, finish(sumStepsByKey(estimator.steps, keys, keyCount)));
      return sums.get(keys);
    };
    return {
      effectiveSamples: estimator.effectiveSamples,
      inStep,
      shareOf(keys, keyCount, key) {
        const own = sharesOf(weights.values, keys, keyCount)[key] * (weight / all.weight);
        const bounds = keys.includes(key)
          ? boundsOfShare(estimator, all, own, sumsOf(keys, keyCount), key)
          : boundsOfNothing(estimator, all);
        return { share: own, ...bounds };
      },
      sharesByPeriod: (keys, keyCount) => sharesOf(periods, keys, keyCount),
    };
  };
  return { estimateShares };
}

function sharesOf(values, keys, keyCount) {
  const sums = new Float64Array(keyCount);
  values.forEach((value, row) => {
    sums[keys[row]] += value;
  });
  const all = sum(sums);
  return sums.map((value) => (all > 0 ? value / all : 0));
}

function sum(values) {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
