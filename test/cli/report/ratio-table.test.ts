import { expect, test } from 'vitest';
import { ratioLines } from '../../../src/cli/report/ratio-table.ts';
import type { RatioEstimate } from '../../../src/profile/analysis/shares/group-ratios.ts';
import type { Profile } from '../../../src/profile/types.ts';
import type { RecordedRatio } from '../../../src/read/outputs/function-ratios.ts';

const EVENTS = ['cycles', 'instructions', 'cache-misses'].map((name) => ({ name }));
const PROFILE = { events: EVENTS } as unknown as Pick<Profile, 'events'>;
const RATIOS = [
  { name: 'ipc', part: 1, whole: 0, ofAll: 0.5 },
  { name: 'mpki', part: 2, whole: 1, ofAll: 4 },
] as unknown as readonly RecordedRatio[];
const estimate = (value: number) =>
  ({ value, low: value - 0.1, high: value + 0.1, reason: null }) as unknown as RatioEstimate;

const linesOf = (ratios: readonly RecordedRatio[], symbol: string) =>
  ratioLines(PROFILE, ratios, ['symbol'], {
    rows: [{ names: [symbol], share: 0.5, estimates: ratios.map((_, i) => estimate(i + 1)) }],
    rest: [],
  }).table;

test('ratios that fit into 80 columns share one table', () => {
  const header = linesOf(RATIOS.slice(0, 1), 'chase').filter((line) => /95% interval/.test(line));
  expect(header).toEqual(['cycles  insn per cycle  95% interval  symbol']);
});

test('ratios that are wider than 80 columns together have a table each, of the same rows', () => {
  const lines = linesOf(RATIOS, 'read_the_next_block');
  const headers = lines.filter((line) => /95% interval/.test(line));
  expect(headers).toHaveLength(2);
  expect(headers[1]).toMatch(/^cycles +cache-misses per 1000 insn +95% interval +symbol$/);
  expect(lines.filter((line) => line.includes('read_the_next_block'))).toHaveLength(2);
  expect(lines.every((line) => line.length <= 80)).toBe(true);
});
