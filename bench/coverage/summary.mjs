// What the trials of a scenario say together.

/** A function of less than this share of the truth is left out, as in `bench/accuracy`. */
const SMALLEST = 0.01;

export function summarize(trials) {
  const self = count();
  const total = count();
  const byFunction = new Map();
  for (const { rows } of trials) {
    for (const row of rows) {
      if (row.truth < SMALLEST) continue;
      const group = row.name === 'total' ? total : self;
      group.all++;
      if (row.truth < row.low) group.low++;
      else if (row.truth > row.high) group.high++;
      else group.held++;
      const own = byFunction.get(row.name) ?? { errors: [], periods: [], halves: [] };
      own.errors.push(row.share - row.truth);
      own.periods.push(row.period - row.truth);
      own.halves.push((row.high - row.low) / 2);
      byFunction.set(row.name, own);
    }
  }
  const functions = [...byFunction].map(([name, { errors, periods, halves }]) => {
    const half = median(halves);
    return {
      name,
      bias: mean(errors),
      spread: deviation(errors),
      rms: Math.sqrt(mean(errors.map((e) => e * e))),
      periodBias: mean(periods),
      periodRms: Math.sqrt(mean(periods.map((e) => e * e))),
      half,
      ratio: half / (1.96 * Math.sqrt(mean(errors.map((e) => e * e)))),
    };
  });
  return {
    trials: trials.length,
    samples: median(trials.map(({ samples }) => samples)),
    effective: median(trials.map(({ effective }) => effective ?? 0)),
    flagged: trials.filter(({ inStep }) => inStep !== null).length / trials.length,
    self,
    total,
    functions,
  };
}

const count = () => ({ all: 0, held: 0, low: 0, high: 0 });

export function tableOf(summaries) {
  return summaries
    .map(({ title, samples, effective, flagged, self, total, functions }) => {
      const points = (value) => (100 * value).toFixed(2).padStart(6);
      const worstBias = functions.reduce((a, b) => (Math.abs(b.bias) > Math.abs(a.bias) ? b : a));
      const worse = functions.filter((f) => f.rms > f.periodRms * 1.05 + 1e-5).length;
      const ratios = functions.map((f) => f.ratio).sort((a, b) => a - b);
      return [
        title.padEnd(44),
        `n ${String(samples).padStart(6)} ess ${String(Math.round(effective)).padStart(6)}`,
        `self ${percent(self)} total ${percent(total)}`,
        `(< ${self.low} > ${self.high})`.padEnd(14),
        `bias ${points(worstBias.bias)} (perf ${points(worstBias.periodBias)}) sd ${points(worstBias.spread)} half ${points(median(functions.map((f) => f.half)))}`,
        `width/oracle ${ratios[0]?.toFixed(2)}–${ratios.at(-1)?.toFixed(2)}`,
        flagged > 0 ? `flagged ${(100 * flagged).toFixed(0)}%` : '',
        worse > 0 ? `worse than period: ${worse}` : '',
      ].join('  ');
    })
    .join('\n');
}

const percent = ({ held, all }) =>
  all === 0 ? '     –' : `${((100 * held) / all).toFixed(1).padStart(5)}%`;

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function deviation(values) {
  const middle = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
}
