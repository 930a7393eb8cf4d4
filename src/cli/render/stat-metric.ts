import type { Metric, MetricName } from '../../counting/count/metric.ts';

type Shown = { readonly number: string; readonly unit: string };

/** How each metric is written; shares are 0…1 until here. */
const FORMATS: Readonly<Record<MetricName, (value: number) => Shown>> = {
  'cpus-utilised': (value) => ({ number: value.toFixed(3), unit: 'CPUs utilised' }),
  'per-second': perSecond,
  ghz: (value) => ({ number: value.toFixed(3), unit: 'GHz' }),
  ipc: (value) => ({ number: value.toFixed(2), unit: 'insn per cycle' }),
  'stall-lower-bound': (value) => ({ number: percent(value), unit: 'of cycles stalled, at least' }),
  'stalled-share': (value) => ({ number: percent(value), unit: 'of cycles stalled' }),
  'miss-share': (value) => ({ number: percent(value), unit: 'missed' }),
  mpki: (value) => ({ number: value.toFixed(2), unit: 'per 1000 insn' }),
  watts: (value) => ({ number: value.toFixed(2), unit: 'W' }),
  'topdown-retiring': (value) => ({ number: percent(value), unit: 'of slots retiring' }),
  'topdown-bad-speculation': (value) => ({
    number: percent(value),
    unit: 'of slots bad speculation',
  }),
  'topdown-frontend-bound': (value) => ({
    number: percent(value),
    unit: 'of slots frontend-bound',
  }),
  'topdown-backend-bound': (value) => ({ number: percent(value), unit: 'of slots backend-bound' }),
};

/** Number and unit as a person reads them; null where it is unknown. */
export function formatMetric({ name, value }: Metric): Shown | null {
  return value === null ? null : FORMATS[name](value);
}

/**
 * All metrics of a row: `1.23 insn per cycle, compute-bound`. A lower bound of 0 carries no
 * information: the average hides every stall behind other cycles.
 */
export function describeMetrics(metrics: readonly Metric[]): string {
  return metrics
    .flatMap((metric) => {
      if (metric.name === 'stall-lower-bound' && metric.value === 0) return [];
      const shown = formatMetric(metric);
      if (shown === null)
        return metric.name === 'ipc' ? [`insn per cycle unknown: ${metric.reason}`] : [];
      const hint = metric.name === 'ipc' && metric.hint !== null ? ` (${metric.hint})` : '';
      return [`${shown.number} ${shown.unit}${hint}`];
    })
    .join(', ');
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)}%`;
}

function perSecond(value: number): Shown {
  for (const [factor, unit] of [
    [1e9, 'G/sec'],
    [1e6, 'M/sec'],
    [1e3, 'K/sec'],
  ] as const) {
    if (value >= factor) return { number: (value / factor).toFixed(3), unit };
  }
  return { number: value.toFixed(3), unit: '/sec' };
}
