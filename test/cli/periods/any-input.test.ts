// Whatever a file says, the report is finite, and its text fits.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toAscii } from '../../../src/cli/render/ascii.ts';
import { formatPeriods } from '../../../src/cli/render/periods-text.ts';
import { reportPeriods } from '../../../src/period/report/report.ts';
import { CPU_CLOCK, CYCLES, PAGE_FAULTS, recordingOf } from '../../period/recording.ts';

const period = fc.oneof(
  fc.constantFrom(0, 1, 2, 100, 2 ** 63),
  fc.integer({ min: 0, max: 1_000_000 }),
);
const sample = fc.record({
  step: fc.oneof(fc.constantFrom(0, 1, 1e9), fc.integer({ min: 0, max: 1_000_000 })),
  period,
  count: fc.oneof(fc.constant(Number.NaN), period),
  stream: fc.integer({ min: -1, max: 2 }),
  thread: fc.integer({ min: 0, max: 2 }),
  cpu: fc.integer({ min: -1, max: 2 }),
});
const recorded = fc.record({
  event: fc.constantFrom(
    PAGE_FAULTS,
    CYCLES,
    CPU_CLOCK,
    { ...PAGE_FAULTS, frequencyHz: 0 },
    { ...CYCLES, mode: 'period' as const, frequencyHz: null, fixedPeriod: 100 },
  ),
  drawn: fc.array(sample, { maxLength: 150 }),
  columns: fc.integer({ min: 60, max: 100 }),
  hasUnicode: fc.boolean(),
});

test('every number is finite or null, and no line is wider than the terminal', () => {
  fc.assert(
    fc.property(recorded, ({ event, drawn, columns, hasUnicode }) => {
      let timeNs = 0;
      const samples = drawn.map(({ step, ...rest }) => {
        timeNs += step;
        return { timeNs, ...rest };
      });
      const report = reportPeriods(recordingOf([event], samples), { pairs: 5 });
      expect(JSON.parse(JSON.stringify(report))).toEqual(report);
      const text = formatPeriods(report, { terminal: { columns, hasUnicode } });
      if (!hasUnicode) expect(text.map(toAscii)).toEqual(text);
      // The table of streams keeps its columns.
      const table = text.findIndex((line) => /^ +stream +tid/.test(line));
      for (const line of table < 0 ? text : text.slice(0, table)) {
        expect(line.length, line).toBeLessThanOrEqual(columns);
      }
    }),
    { numRuns: 300, seed: 7 },
  );
});
