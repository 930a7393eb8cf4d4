import fc from 'fast-check';
import { expect, test } from 'vitest';
import { finish } from '../../../../src/base/slices.ts';
import {
  type SampleSteps,
  sumStepsByGroup,
  sumStepsByKey,
  sumStepsByTreeRow,
  sumStepsOfNeighbours,
} from '../../../../src/profile/analysis/shares/share-steps.ts';
import { sumStepsOfGroups } from '../../../../src/profile/analysis/shares/share-steps-of-groups.ts';

const GROUPS = 4;

const drawnEnd = fc
  .tuple(fc.nat(7), fc.integer({ min: 1, max: 50 }))
  .map(([sample, amount]) => [sample, sample, amount] as const);

const drawnShift = fc
  .tuple(fc.nat(7), fc.integer({ min: -50, max: 50 }))
  .map(([sample, amount]) => [sample, sample, amount] as const);

/** A tree (parents before children), samples in it, and steps between them. */
const drawnTree = fc
  .array(fc.record({ above: fc.nat(), group: fc.nat(GROUPS - 1) }), { minLength: 1, maxLength: 12 })
  .chain((rows) => {
    const prefix = Int32Array.from(rows, ({ above }, row) => (above % (row + 1)) - 1);
    const group = Int32Array.from(rows, (row) => row.group);
    const sample = fc.integer({ min: -1, max: rows.length - 1 });
    const pair = fc.tuple(fc.nat(7), fc.nat(7), fc.integer({ min: 1, max: 50 }));
    return fc.record({
      tree: fc.constant({ prefix, group }),
      rowOfSample: fc
        .array(sample, { minLength: 8, maxLength: 8 })
        .map((found) => Int32Array.from(found)),
      near: fc.array(pair, { maxLength: 10 }),
      far: fc.array(pair, { maxLength: 10 }),
      ends: fc.array(drawnEnd, { maxLength: 4 }),
      last: fc.array(drawnEnd, { maxLength: 3 }),
      lone: fc.array(pair, { maxLength: 4 }),
      shift: fc.array(drawnShift, { maxLength: 4 }),
    });
  });

type Pair = readonly [from: number, to: number, amount: number];

const columns = (pairs: readonly Pair[]) => ({
  length: pairs.length,
  from: Int32Array.from(pairs, ([from]) => from),
  to: Int32Array.from(pairs, ([, to]) => to),
  amount: Float64Array.from(pairs, ([, , amount]) => amount),
});

type DrawnSteps = Record<'near' | 'far' | 'ends' | 'last' | 'lone' | 'shift', readonly Pair[]>;

/** The same in two parts, as the steps of several streams are. */
const inParts = (pairs: readonly Pair[]) => [columns(pairs.slice(0, 3)), columns(pairs.slice(3))];

const toSteps = ({ near, far, ends, last, lone, shift }: DrawnSteps): SampleSteps => ({
  near: inParts(near),
  far: inParts(far),
  ends: columns(ends),
  last: columns(last),
  lone: columns(lone),
  shift: columns(shift),
});

/** The definition, category by category: a step counts where one end is in and the other is not. */
function byDefinition(steps: DrawnSteps, isIn: (sample: number) => boolean) {
  const sum = (pairs: readonly Pair[]) =>
    pairs.reduce((all, [from, to, amount]) => all + (isIn(from) === isIn(to) ? 0 : amount), 0);
  const own = (pairs: readonly Pair[]) =>
    pairs.reduce((all, [, to, amount]) => all + (isIn(to) ? amount : 0), 0);
  return {
    near: sum(steps.near),
    far: sum(steps.far),
    entered: steps.near.reduce(
      (all, [from, to, amount]) =>
        all + (Number(isIn(to)) - Number(isIn(from))) * Math.sqrt(2 * amount),
      0,
    ),
    ends: own(steps.ends),
    last: own(steps.last),
    lone: sum(steps.lone),
    shift: own(steps.shift),
  };
}

type Found = Readonly<Record<keyof ReturnType<typeof byDefinition>, Float64Array>>;

function expectEqual(found: Found, category: number, wanted: ReturnType<typeof byDefinition>) {
  for (const [name, value] of Object.entries(wanted)) {
    expect(found[name as keyof Found][category], name).toBeCloseTo(value, 9);
  }
}

function path(prefix: Int32Array, row: number): number[] {
  const rows: number[] = [];
  for (let at = row; at >= 0; at = prefix[at]) rows.push(at);
  return rows;
}

test('share steps by key: those that enter or leave it', () => {
  fc.assert(
    fc.property(drawnTree, ({ tree, rowOfSample, ...steps }) => {
      const found = finish(sumStepsByKey(toSteps(steps), rowOfSample, tree.prefix.length));
      for (let row = 0; row < tree.prefix.length; row++) {
        expectEqual(
          found,
          row,
          byDefinition(steps, (sample) => rowOfSample[sample] === row),
        );
      }
    }),
  );
});

test('share steps by tree row: a sample is in every row above its own', () => {
  fc.assert(
    fc.property(drawnTree, ({ tree, rowOfSample, ...steps }) => {
      const found = finish(sumStepsByTreeRow(toSteps(steps), rowOfSample, tree.prefix));
      for (let row = 0; row < tree.prefix.length; row++) {
        const isIn = (sample: number) => path(tree.prefix, rowOfSample[sample]).includes(row);
        expectEqual(found, row, byDefinition(steps, isIn));
      }
    }),
  );
});

test('share steps by group: a sample is once in every group on its path', () => {
  fc.assert(
    fc.property(drawnTree, ({ tree, rowOfSample, ...steps }) => {
      const found = sumStepsByGroup(toSteps(steps), rowOfSample, tree, GROUPS);
      for (let group = 0; group < GROUPS; group++) {
        const isIn = (sample: number) =>
          path(tree.prefix, rowOfSample[sample]).some((row) => tree.group[row] === group);
        expectEqual(found, group, byDefinition(steps, isIn));
      }
    }),
  );
});

test('share steps of a few groups equal those of all groups', () => {
  fc.assert(
    fc.property(
      drawnTree,
      fc.integer({ min: 1, max: 40 }),
      fc.infiniteStream(fc.nat()),
      ({ tree, rowOfSample, ...steps }, groupCount, picks) => {
        const group = tree.group.map((own, row) => (own + row * 7) % groupCount);
        const spread = { prefix: tree.prefix, group };
        const all = sumStepsByGroup(toSteps(steps), rowOfSample, spread, groupCount);
        const start = picks.next().value as number;
        // More than 32 need a second pass.
        const wanted = Int32Array.from({ length: groupCount }, (_, i) => (start + i) % groupCount);
        const found = finish(
          sumStepsOfGroups(toSteps(steps), rowOfSample, spread, groupCount, wanted),
        );
        for (const [at, own] of wanted.entries()) {
          for (const name of ['near', 'far', 'entered', 'ends', 'last'] as const) {
            expect(found[name][at], name).toBe(all[name][own]);
          }
        }
      },
    ),
  );
});

test('share steps of a difference: a step between the two counts fourfold', () => {
  const rowOfSample = Int32Array.of(0, 1, 2);
  const steps = toSteps({
    near: [
      [0, 1, 2],
      [1, 2, 8],
      [2, 2, 50],
    ],
    far: [[0, 2, 3]],
    ends: [],
    last: [[2, 2, 7]],
    lone: [[0, 1, 5]],
    shift: [
      [0, 0, -3],
      [2, 2, 3],
    ],
  });
  expect(sumStepsOfNeighbours(steps, rowOfSample, 3)).toEqual([
    { near: 4 * 2 + 8, far: 3, entered: -2 * 2 + 4, lone: 4 * 5, lastA: 0, lastB: 0, shift: -3 },
    { near: 2 + 4 * 8, far: 3, entered: 2 - 2 * 4, lone: 5, lastA: 0, lastB: 7, shift: -3 },
  ]);
});
