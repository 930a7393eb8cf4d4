import type { Metric, MetricName } from './metric.ts';

/** A number and its unit as a person reads them: `1.23`, `insn per cycle`. */
export type ShownMetric = { readonly number: string; readonly unit: string };

/** Notation of a metric: so many of it are one of `unit`. */
type Scale = { readonly factor: number; readonly decimals: number; readonly unit: string };

/** Shares are 0…1 until here. */
const SHARE = { factor: 100, decimals: 2 } as const;

const SCALES: Readonly<Record<Exclude<MetricName, 'per-second'>, Scale>> = {
  'cpus-utilised': { factor: 1, decimals: 3, unit: 'CPUs utilised' },
  ghz: { factor: 1, decimals: 3, unit: 'GHz' },
  ipc: { factor: 1, decimals: 2, unit: 'insn per cycle' },
  'stall-lower-bound': { ...SHARE, unit: 'of cycles stalled, at least' },
  'stalled-share': { ...SHARE, unit: 'of cycles stalled' },
  'miss-share': { ...SHARE, unit: 'missed' },
  mpki: { factor: 1, decimals: 2, unit: 'per 1000 insn' },
  watts: { factor: 1, decimals: 2, unit: 'W' },
  'topdown-retiring': { ...SHARE, unit: 'of slots retiring' },
  'topdown-bad-speculation': { ...SHARE, unit: 'of slots bad speculation' },
  'topdown-frontend-bound': { ...SHARE, unit: 'of slots frontend-bound' },
  'topdown-backend-bound': { ...SHARE, unit: 'of slots backend-bound' },
};

function scaleOf(name: MetricName, value: number): Scale {
  if (name !== 'per-second') return SCALES[name];
  if (value >= 1e9) return { factor: 1e-9, decimals: 3, unit: 'G/sec' };
  if (value >= 1e6) return { factor: 1e-6, decimals: 3, unit: 'M/sec' };
  if (value >= 1e3) return { factor: 1e-3, decimals: 3, unit: 'K/sec' };
  return { factor: 1, decimals: 3, unit: '/sec' };
}

/** Number and unit as a person reads them; null where it is unknown. */
export function formatMetric({ name, value }: Pick<Metric, 'name' | 'value'>): ShownMetric | null {
  if (value === null) return null;
  const scale = scaleOf(name, value);
  return { number: numberOf(value, scale), unit: scale.unit };
}

/** A metric with its interval: `1.23`, `insn per cycle`, `1.19–1.27`. */
export type ShownEstimate = ShownMetric & { readonly interval: string };

/**
 * The text of a metric that was estimated, with as many decimals as its interval leaves known, and one more in the
 * interval; null where it is unknown.
 */
export function formatEstimate(
  name: MetricName,
  {
    value,
    low,
    high,
  }: {
    readonly value: number | null;
    readonly low: number | null;
    readonly high: number | null;
  },
): ShownEstimate | null {
  if (value === null || low === null || high === null) return null;
  const scale = scaleOf(name, high);
  const { factor, decimals, unit } = scale;
  const half = ((high - low) / 2) * factor;
  const known =
    half > 0 ? Math.min(decimals, Math.max(0, -Math.floor(Math.log10(half)))) : decimals;
  const ends = { ...scale, decimals: Math.min(decimals, known + 1) };
  const from = (low * factor).toFixed(ends.decimals);
  return {
    number: numberOf(value, { ...scale, decimals: known }),
    unit,
    interval: `${from}–${numberOf(high, ends)}`,
  };
}

/** The unit of a metric where it is the same for all values; for a rate, what its units have in common. */
export function metricUnit(name: MetricName): string {
  return name === 'per-second' ? 'per second' : SCALES[name].unit;
}

/** Heading of the column of a metric of `event`: `insn per cycle`, `cache-misses per 1000 insn`. */
export function metricTitle(name: MetricName, event: string): string {
  // One event alone has instructions per cycle; misses and rates are those of many.
  return name === 'ipc' ? metricUnit(name) : `${event} ${metricUnit(name)}`;
}

function numberOf(value: number, { factor, decimals }: Scale): string {
  return `${(value * factor).toFixed(decimals)}${factor === SHARE.factor ? '%' : ''}`;
}
