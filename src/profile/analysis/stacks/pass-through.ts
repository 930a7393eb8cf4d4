import { NONE } from '../../../base/brand.ts';
import { isKindOfCode } from '../../frame-level.ts';
import { categoryRow } from '../../func-table.ts';
import type { FuncCategory, Profile } from '../../types.ts';
import { computeChildLists, sumSubtrees } from '../trees/call-tree.ts';

/** The part of what a function is on the stack for that it may spend itself, and still only pass calls on. */
const MOST_SELF = 0.05;
/** Code that nobody looks for: what passes through it is looked for below. */
const OF_OTHERS: readonly FuncCategory[] = [
  'dependency',
  'node internal',
  'standard library',
  'libc',
  'V8',
];

/**
 * The functions of others that only call: packages, the runtime and standard libraries, with hardly any samples of
 * their own. By FuncIndex, 1: it is one. Each sample counts alike; recursion counts once.
 *
 *     next → handle → dispatch → app.get('/score') → score      next, handle and dispatch pass it on
 *
 * The layers of a framework are inlined differently from stack to stack; without them stacks to one handler are one.
 */
export function flagPassing({ funcs, frames, stacks, samples, strings }: Profile): Uint8Array {
  const { length, prefix, frame } = stacks;
  const own = new Float64Array(length);
  for (let i = 0; i < samples.length; i++) if (samples.stack[i] !== NONE) own[samples.stack[i]]++;
  const through = sumSubtrees(prefix, own);
  const self = new Float64Array(funcs.length);
  const total = new Float64Array(funcs.length);
  for (let row = 0; row < length; row++) self[frames.func[frame[row]]] += own[row];
  forEachOutermost(
    stacks,
    (row) => frames.func[frame[row]],
    funcs.length,
    (row, func) => {
      total[func] += through[row];
    },
  );
  const isOfOthers = new Set(OF_OTHERS.map(categoryRow));
  return Uint8Array.from(total, (of, func) => {
    const isKind = isKindOfCode(strings[funcs.name[func]], funcs.dso[func]);
    const isOther = isOfOthers.has(funcs.category[func]) && !isKind;
    return isOther && of > 0 && self[func] <= MOST_SELF * of ? 1 : 0;
  });
}

/** Calls `visit` with the rows above which their function is not: a walk of the tree that keeps what is open. */
function forEachOutermost(
  { prefix }: Profile['stacks'],
  funcOf: (row: number) => number,
  funcCount: number,
  visit: (row: number, func: number) => void,
): void {
  const { firstRoot, firstChild, nextSibling } = computeChildLists(prefix);
  const open = new Int32Array(funcCount);
  let row = firstRoot;
  while (row !== NONE) {
    const func = funcOf(row);
    if (open[func]++ === 0) visit(row, func);
    if (firstChild[row] !== NONE) {
      row = firstChild[row];
      continue;
    }
    open[func]--;
    while (row !== NONE && nextSibling[row] === NONE) {
      row = prefix[row];
      if (row !== NONE) open[funcOf(row)]--;
    }
    if (row !== NONE) row = nextSibling[row];
  }
}
