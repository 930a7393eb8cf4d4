// Sums up the trials of a scenario.

/** A function of less than this share of the truth is left out, as in `bench/accuracy`. */
const SMALLEST = 0.01;
const Z = 1.96;

export function summarize(trials) {
  const self = count();
  const total = count();
  const byFunction = new Map();
  let heldOrFlagged = 0;
  for (const { rows, inStep } of trials) {
    let areAllHeld = true;
    for (const row of rows) {
      if (row.truth < SMALLEST) continue;
      const group = row.name === 'total' ? total : self;
      const side = row.truth < row.low ? 'low' : row.truth > row.high ? 'high' : 'held';
      group.all++;
      group[side]++;
      areAllHeld &&= side === 'held';
      const own = byFunction.get(row.name) ?? { errors: [], periods: [], halves: [] };
      own.errors.push(row.share - row.truth);
      own.periods.push(row.period - row.truth);
      own.halves.push((row.high - row.low) / 2);
      byFunction.set(row.name, own);
    }
    if (areAllHeld || inStep !== null) heldOrFlagged++;
  }
  const functions = [...byFunction].map(([name, { errors, periods, halves }]) => {
    const half = median(halves);
    const rms = Math.sqrt(mean(errors.map((error) => error * error)));
    return {
      name,
      bias: mean(errors),
      rms,
      periodBias: mean(periods),
      periodRms: Math.sqrt(mean(periods.map((error) => error * error))),
      half,
      /** Against the interval of somebody who knows how errors are spread. */
      width: half / (Z * rms),
    };
  });
  return {
    trials: trials.length,
    samples: median(trials.map(({ samples }) => samples)),
    effective: median(trials.map(({ effective }) => effective ?? 0)),
    flagged: trials.filter(({ inStep }) => inStep !== null).length / trials.length,
    heldOrFlagged: heldOrFlagged / trials.length,
    self,
    total,
    functions,
  };
}

const count = () => ({ all: 0, held: 0, low: 0, high: 0 });

/** The function whose shares are off the most on average. */
const worstOf = ({ functions }) =>
  functions.reduce((a, b) => (Math.abs(b.bias) > Math.abs(a.bias) ? b : a));

/** Functions whose shares are further off than by perf's weights, by more than chance makes. */
const worseThanPeriod = ({ functions }) =>
  functions.filter(({ rms, periodRms }) => rms > 1.1 * periodRms + 1e-4).length;

/** The same by more than a quarter of what the interval allows for: readers are misled by it. */
const muchWorseThanPeriod = ({ functions }) =>
  functions.filter(({ rms, periodRms, half }) => rms - periodRms > 0.25 * half + 1e-4).length;

export function lineOf(summary) {
  const { title, samples, self, total, functions, flagged } = summary;
  const worst = worstOf(summary);
  const widths = functions.map(({ width }) => width);
  return [
    title.padEnd(46),
    `samples ${String(samples).padStart(6)}`,
    `self ${percent(self)} total ${percent(total)}`,
    `(below ${self.low}, above ${self.high})`.padEnd(22),
    `bias ${points(worst.bias)} of ±${points(worst.half)}, by period ${points(worst.periodBias)}`,
    `width ${Math.min(...widths).toFixed(2)}–${Math.max(...widths).toFixed(2)}`,
    flagged > 0 ? `told ${(100 * flagged).toFixed(0)} %` : '',
    muchWorseThanPeriod(summary) > 0
      ? 'MUCH worse than by period'
      : worseThanPeriod(summary) > 0
        ? 'worse than by period'
        : '',
  ].join('  ');
}

export function markdownOf(summaries) {
  const rows = summaries.map((summary) => {
    const { title, samples, self, total, functions, flagged } = summary;
    const worst = worstOf(summary);
    return [
      title,
      samples,
      percent(self).trim(),
      percent(total).trim(),
      `${points(worst.bias).trim()} of ±${points(worst.half).trim()}`,
      points(worst.periodBias).trim(),
      median(functions.map(({ width }) => width)).toFixed(2),
      flagged > 0 ? `${(100 * flagged).toFixed(0)} %` : '',
    ];
  });
  const head = [
    'process, sampling',
    'samples',
    'self held',
    'total held',
    'largest bias, points',
    "by perf's weights",
    'width',
    'told',
  ];
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** Over all scenarios. */
export function overall(summaries) {
  const share = ({ self }) => self.held / self.all;
  const free = summaries.filter(({ isInStep }) => !isInStep);
  const inStep = summaries.filter(({ isInStep }) => isInStep);
  const held = free.map(share).sort((a, b) => a - b);
  const widths = summaries.flatMap(({ functions }) => functions.map(({ width }) => width));
  const finite = widths.filter((width) => Number.isFinite(width) && width < 1000);
  const biases = summaries.flatMap(({ functions }) =>
    functions.map(({ bias, half }) => (half > 0 ? Math.abs(bias) / half : 0)),
  );
  return [
    `self held, ${free.length} scenarios not in step: worst ${(100 * held[0]).toFixed(1)} %, median ${(100 * median(held)).toFixed(1)} %`,
    `in step, held or told: ${inStep.map((s) => `${(100 * s.heldOrFlagged).toFixed(0)} %`).join(', ')}`,
    `width, median ${median(finite).toFixed(2)}; bias above 0.2 of the half width: ${biases.filter((bias) => bias > 0.2).length} of ${biases.length} functions`,
    `worse than by period: ${titlesOf(summaries.filter((s) => worseThanPeriod(s) > 0))}`,
    `… by more than a quarter of the half width: ${titlesOf(summaries.filter((s) => muchWorseThanPeriod(s) > 0))}`,
  ].join('\n');
}

const titlesOf = (summaries) => summaries.map(({ title }) => title).join('; ') || 'none';

const points = (value) => (100 * value).toFixed(2).padStart(6);
const percent = ({ held, all }) =>
  all === 0 ? '    –' : `${((100 * held) / all).toFixed(1).padStart(5)} %`;

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
