import { expect, test } from 'vitest';
import { type MappedRange, RangeFinder } from '../../../src/formats/export/mapped-range.ts';

const KERNEL = 0;
const LIBRARY = 1;

test('a mapped range ends at the first unmapped byte', () => {
  const text: MappedRange = { dso: LIBRARY, start: 0x7f00_1000, end: 0x7f00_3000, first: 0x1000 };
  const finder = new RangeFinder([text]);
  const addresses = [0xfff, 0x1000, 0x2fff, 0x3000];
  expect(addresses.map((address) => finder.find(LIBRARY, address))).toEqual([
    null,
    text,
    text,
    null,
  ]);
  expect(finder.find(KERNEL, 0x1000)).toBeNull();
});

test('the same part of a file that was mapped again is the first mapping', () => {
  const first: MappedRange = { dso: LIBRARY, start: 0x7f00_1000, end: 0x7f00_3000, first: 0x1000 };
  const again: MappedRange = { ...first, start: 0x7e00_1000, end: 0x7e00_3000 };
  const data: MappedRange = { dso: LIBRARY, start: 0x7f00_8000, end: 0x7f00_9000, first: 0x5000 };
  const finder = new RangeFinder([first, again, data]);
  expect([0x1500, 0x5000, 0x1500].map((address) => finder.find(LIBRARY, address))).toEqual([
    first,
    data,
    first,
  ]);
});

test('the smallest of nested absolute ranges is found', () => {
  const half: MappedRange = { dso: KERNEL, start: -(2 ** 47), end: 0, first: -(2 ** 47) };
  const text: MappedRange = {
    dso: KERNEL,
    start: -0x7f00_0000,
    end: -0x7e00_0000,
    first: -0x7f00_0000,
  };
  for (const ranges of [
    [half, text],
    [text, half],
  ]) {
    const finder = new RangeFinder(ranges);
    const asked = [-0x7eff_0000, -4096, -0x7eff_0000, -(2 ** 47)];
    expect(asked.map((address) => finder.find(KERNEL, address))).toEqual([text, half, text, half]);
  }
});
