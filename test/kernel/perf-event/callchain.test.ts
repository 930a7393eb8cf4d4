import { expect, test } from 'vitest';
import { firstUserEntry, isContextMarker } from '../../../src/kernel/perf-event/callchain.ts';
import { PERF_CONTEXT } from '../../../src/kernel/perf-event/constants.ts';

test('context markers differ from kernel and user addresses', () => {
  for (const marker of Object.values(PERF_CONTEXT)) expect(isContextMarker(marker)).toBe(true);
  expect(isContextMarker(-4096)).toBe(false);
  expect(isContextMarker(-2130706432)).toBe(false);
  expect(isContextMarker(0)).toBe(false);
  expect(isContextMarker(0x401136)).toBe(false);
});

test('user entries begin behind their marker', () => {
  const { KERNEL, USER } = PERF_CONTEXT;
  const mixed = Float64Array.of(KERNEL, -2130706432, -2130706400, USER, 0x401136, 0x401200);
  expect(firstUserEntry(mixed, 6)).toBe(4);
  expect(firstUserEntry(Float64Array.of(USER, 0x401136), 2)).toBe(1);
  expect(firstUserEntry(Float64Array.of(KERNEL, -2130706432), 2)).toBe(2);
});
