import { formatMetric } from '../../counting/count/format-metric.ts';
import type { Metric } from '../../counting/count/metric.ts';

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
