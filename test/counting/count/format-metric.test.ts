import { expect, test } from 'vitest';
import { formatEstimate, formatMetric } from '../../../src/counting/count/format-metric.ts';
import type { MetricName } from '../../../src/counting/count/metric.ts';

function draw(name: MetricName, value: number, low: number, high: number): string {
  const shown = formatEstimate(name, { value, low, high });
  return shown === null ? 'unknown' : `${shown.number} ${shown.unit} (${shown.interval})`;
}

test('a metric has the unit of its size', () => {
  expect(formatMetric({ name: 'ipc', value: 1.234 })).toEqual({
    number: '1.23',
    unit: 'insn per cycle',
  });
  expect(formatMetric({ name: 'miss-share', value: 0.0123 })).toEqual({
    number: '1.23%',
    unit: 'missed',
  });
  expect(formatMetric({ name: 'per-second', value: 145_103 })).toEqual({
    number: '145.103',
    unit: 'K/sec',
  });
  expect(formatMetric({ name: 'ipc', value: null })).toBeNull();
});

test('an estimate has as many decimals as its interval leaves known, the interval one more', () => {
  expect(draw('ipc', 1.234, 1.2, 1.27)).toBe('1.23 insn per cycle (1.20–1.27)');
  expect(draw('ipc', 1.234, 0.9, 1.6)).toBe('1.2 insn per cycle (0.90–1.60)');
  expect(draw('miss-share', 0.1234, 0.1, 0.15)).toBe('12% missed (10.0–15.0%)');
});

test('a rate and its interval have one unit, that of the upper end', () => {
  expect(draw('per-second', 0, 0, 3500)).toBe('0 K/sec (0.0–3.5)');
  expect(draw('per-second', 361_943, 92_120, 455_558)).toBe('362 K/sec (92.1–455.6)');
});

test('an estimate that is unknown has no text', () => {
  expect(formatEstimate('ipc', { value: null, low: null, high: null })).toBeNull();
});
