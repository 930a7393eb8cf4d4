import { expect, it } from 'vitest';
import { MAX_FUNCS } from '../../web/src/worker/messages/messages.ts';
import { groupOfKey, hitsWithKeys, keyOfGroup } from '../../web/src/worker/recording/frame-keys.ts';

it('the key of a tree row stays the same when there are more functions', () => {
  // The last function, the first one inlined, and the third root of 10 functions and of 12.
  const groups = [
    [9, 10, 22],
    [9, 12, 26],
  ];
  const keys = [9, MAX_FUNCS, 2 * MAX_FUNCS + 2];
  expect(groups[0].map((group) => keyOfGroup(group, 10))).toStrictEqual(keys);
  expect(groups[1].map((group) => keyOfGroup(group, 12))).toStrictEqual(keys);
  expect(keys.map((key) => groupOfKey(key, 10))).toStrictEqual(groups[0]);
  expect(keys.map((key) => groupOfKey(key, 12))).toStrictEqual(groups[1]);
});

it('the key of a function that is not there is that of no row', () => {
  expect([11, MAX_FUNCS + 11].map((key) => groupOfKey(key, 10))).not.toContain(11);
  expect(groupOfKey(11, 10)).toBeGreaterThan(2 * MAX_FUNCS);
});

it('a folded row keeps its key', () => {
  expect(keyOfGroup(-1, 10)).toBe(-1);
});

it('a match keeps its name, kind and colour when its path gets keys', () => {
  const hit = { path: [1, 12], total: 3, name: 'parse', kind: 'native', group: 5 } as const;
  expect(hitsWithKeys({ hits: [hit] }, 10).hits).toStrictEqual([
    { ...hit, path: [1, MAX_FUNCS + 2] },
  ]);
});
