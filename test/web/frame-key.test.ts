import { expect, it } from 'vitest';
import {
  funcOf,
  groupOfKey,
  isInlined,
  keyOf,
  keyOfGroup,
} from '../../web/src/worker/messages/frame-key.ts';
import { hitsWithKeys } from '../../web/src/worker/recording/with-keys.ts';

it('a key names a function, whether it was inlined or not', () => {
  for (const func of [0, 7, 400_000_000]) {
    expect([false, true].map((isInline) => funcOf(keyOf(func, isInline)))).toEqual([func, func]);
    expect([false, true].map((isInline) => isInlined(keyOf(func, isInline)))).toEqual([
      false,
      true,
    ]);
  }
});

it('the keys of roots and of folded rows name no function', () => {
  // The keys of three functions: the last one inlined, then the first root, a later one, and a folded row.
  const keys = [5, 6, 12, -1].map((group) => keyOfGroup(group, 3));
  expect(keys.map(funcOf)).toEqual([2, -1, -1, -1]);
  expect(keys.map(isInlined)).toEqual([true, false, false, false]);
});

it('the key of a tree row stays the same when there are more functions', () => {
  // The last function, the first one inlined, and the third root of 10 functions and of 12.
  const groups = [
    [9, 10, 22],
    [9, 12, 26],
  ];
  const keys = groups[0].map((group) => keyOfGroup(group, 10));
  expect(keys.slice(0, 2)).toStrictEqual([keyOf(9, false), keyOf(0, true)]);
  expect(groups[1].map((group) => keyOfGroup(group, 12))).toStrictEqual(keys);
  expect(keys.map((key) => groupOfKey(key, 10))).toStrictEqual(groups[0]);
  expect(keys.map((key) => groupOfKey(key, 12))).toStrictEqual(groups[1]);
});

it('the key of a function that is not there is that of no row', () => {
  expect([keyOf(11, false), keyOf(11, true)].map((key) => groupOfKey(key, 10))).not.toContain(11);
  expect(groupOfKey(11, 10)).toBe(Number.MAX_SAFE_INTEGER);
});

it('a folded row keeps its key', () => {
  expect(keyOfGroup(-1, 10)).toBe(-1);
});

it('a match keeps its name, kind and colour when its path gets keys', () => {
  const hit = { path: [1, 12], total: 3, name: 'parse', kind: 'native', group: 5 } as const;
  expect(hitsWithKeys({ hits: [hit] }, 10).hits).toStrictEqual([
    { ...hit, path: [1, keyOf(2, true)] },
  ]);
});
