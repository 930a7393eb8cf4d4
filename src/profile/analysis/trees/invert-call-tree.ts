import { NONE } from '../../../base/brand.ts';
import { GrowableFloat64, GrowableInt32 } from '../../../base/growable-columns.ts';
import { PairInterner } from '../../../base/pair-interner.ts';
import { eachSlice, type Slices } from '../../../base/slices.ts';
import type { CallTree } from './call-tree.ts';

/**
 * The tree of callers: its roots are the functions in which weight was spent, the children of a
 * row are those who called it on the way to there.
 *
 *   call tree              inverted
 *   main   self 0          leaf  total 6, self 0        a row's self is the weight whose path
 *   └ work self 4          └ work  total 6, self 0      ends there, at the outermost frame
 *     └ leaf self 6          └ main  total 6, self 6
 *                          work  total 4, self 0
 *                          └ main  total 4, self 4
 *
 * `tree` must have no root rows of its own. Rows lighter than `minWeight` get no callers, so a
 * small `minWeight` bounds the size: their weight stays in their own `self`.
 *
 * Built level by level: all innermost functions, then all their callers, and so on; so parents
 * come before children, and each level is one loop over the paths that are still climbing.
 *
 * `rowToInverted`, if given, is as long as `tree` and gets for each of its rows that has samples
 * of its own the row where their path ends.
 */
export function* invertCallTree(
  tree: CallTree,
  minWeight = 0,
  rowToInverted?: Int32Array,
): Slices<CallTree> {
  const rows = new PairInterner();
  const total = new GrowableFloat64();
  const self = new GrowableFloat64();
  const selfSamples = new GrowableInt32();

  // Paths still climbing: where each started, where it is now, its row of the level below.
  const start = new Int32Array(tree.length);
  const position = new Int32Array(tree.length);
  const inverted = new Int32Array(tree.length).fill(NONE);
  let climbing = 0;
  for (let row = 0; row < tree.length; row++) {
    if (tree.root[row] !== NONE) {
      throw new RangeError(`row ${row} is a root row; invert a tree made without roots`);
    }
    if (tree.selfSamples[row] === 0 && tree.self[row] === 0) continue;
    start[climbing] = row;
    position[climbing] = row;
    climbing++;
  }

  while (climbing > 0) {
    // Hot: once per path and level.
    yield* eachSlice(climbing, (first, end) => {
      for (let path = first; path < end; path++) {
        const group = tree.group[position[path]];
        const row = rows.intern(inverted[path], group);
        if (row === total.length) {
          total.push(0);
          self.push(0);
          selfSamples.push(0);
        }
        total.array[row] = total.array[row] + tree.self[start[path]];
        inverted[path] = row;
      }
    });
    // Only now are the level's totals known.
    let kept = 0;
    for (let path = 0; path < climbing; path++) {
      const from = start[path];
      const row = inverted[path];
      const caller = tree.prefix[position[path]];
      if (caller === NONE || total.array[row] < minWeight) {
        self.array[row] = self.array[row] + tree.self[from];
        selfSamples.array[row] = selfSamples.array[row] + tree.selfSamples[from];
        if (rowToInverted !== undefined) rowToInverted[from] = row;
        continue;
      }
      start[kept] = from;
      position[kept] = caller;
      inverted[kept] = row;
      kept++;
    }
    climbing = kept;
  }

  return {
    length: rows.length,
    prefix: rows.first.finish(),
    group: rows.second.finish(),
    root: new Int32Array(rows.length).fill(NONE),
    self: self.finish(),
    total: total.finish(),
    selfSamples: selfSamples.finish(),
    weight: tree.weight,
    lost: tree.lost,
    samples: tree.samples,
    withoutStack: tree.withoutStack,
  };
}
