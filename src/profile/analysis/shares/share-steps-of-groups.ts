import { NONE } from '../../../base/brand.ts';
import type { Slices } from '../../../base/slices.ts';
import {
  emptyStepSums,
  type GroupedTree,
  type SampleSteps,
  type StepColumns,
  type StepSums,
  sumKinds,
} from './share-steps.ts';

/** Groups that are looked at together: one bit each. */
const AT_ONCE = 32;

/**
 * Collects the steps of each of `groups`, as `sumStepsByGroup` does for all of them: entry i is of
 * `groups[i]`. For a few groups of many, and in slices.
 *
 *     row     group   bits of its path, groups [work, leaf]
 *     main    main    00
 *     └ work  work    01          a step between samples in `leaf` and `idle` changes 11 ^ 00,
 *       └ leaf leaf   11          so it enters or leaves both groups
 *     idle    idle    00
 */
export function* sumStepsOfGroups(
  steps: SampleSteps,
  rowOfSample: Int32Array,
  tree: GroupedTree,
  groupCount: number,
  groups: Int32Array,
): Slices<StepSums> {
  const sums = emptyStepSums(groups.length);
  const bitOfGroup = new Int32Array(groupCount);
  const bitsOfRow = new Int32Array(tree.prefix.length);
  for (let start = 0; start < groups.length; start += AT_ONCE) {
    const end = Math.min(groups.length, start + AT_ONCE);
    for (let i = start; i < end; i++) bitOfGroup[groups[i]] = 1 << (i - start);
    markPaths(tree, bitOfGroup, bitsOfRow);
    for (let i = start; i < end; i++) bitOfGroup[groups[i]] = 0;
    yield;
    yield* sumKinds(steps, sums, (columns, first, last, into, entered) =>
      addDifferences(columns, first, last, rowOfSample, bitsOfRow, start, into, entered),
    );
    addOwn(steps.ends, rowOfSample, bitsOfRow, start, sums.ends);
    addOwn(steps.last, rowOfSample, bitsOfRow, start, sums.last);
    addOwn(steps.shift, rowOfSample, bitsOfRow, start, sums.shift);
  }
  return sums;
}

// Hot: once per row.
function markPaths(
  { prefix, group }: GroupedTree,
  bitOfGroup: Int32Array,
  bitsOfRow: Int32Array,
): void {
  for (let row = 0; row < prefix.length; row++) {
    const above = prefix[row];
    const own = group[row];
    const bits = above === NONE ? 0 : bitsOfRow[above];
    bitsOfRow[row] = own === NONE ? bits : bits | bitOfGroup[own];
  }
}

// Hot: once per step.
function addDifferences(
  { from, to, amount }: StepColumns,
  first: number,
  end: number,
  rowOfSample: Int32Array,
  bitsOfRow: Int32Array,
  start: number,
  sums: Float64Array,
  entered: Float64Array | null,
): void {
  for (let i = first; i < end; i++) {
    const a = rowOfSample[from[i]];
    const b = rowOfSample[to[i]];
    if (a === b) continue;
    const before = a === NONE ? 0 : bitsOfRow[a];
    const after = b === NONE ? 0 : bitsOfRow[b];
    let changed = before ^ after;
    if (changed === 0) continue;
    const value = amount[i];
    const weight = entered === null ? 0 : Math.sqrt(2 * value);
    while (changed !== 0) {
      const bit = changed & -changed;
      const at = start + 31 - Math.clz32(bit);
      sums[at] = sums[at] + value;
      if (entered !== null) {
        entered[at] = entered[at] + ((after & bit) === 0 ? -weight : weight);
      }
      changed ^= bit;
    }
  }
}

function addOwn(
  ends: StepColumns,
  rowOfSample: Int32Array,
  bitsOfRow: Int32Array,
  start: number,
  sums: Float64Array,
): void {
  for (let i = 0; i < ends.length; i++) {
    const row = rowOfSample[ends.to[i]];
    let bits = row === NONE ? 0 : bitsOfRow[row];
    while (bits !== 0) {
      const bit = bits & -bits;
      const at = start + 31 - Math.clz32(bit);
      sums[at] = sums[at] + ends.amount[i];
      bits ^= bit;
    }
  }
}
