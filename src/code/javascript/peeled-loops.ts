// Hot: once per entry of the code that Maglev made.

import { NONE } from '../../base/brand.ts';
import type { ScriptEntries } from '../jit/position-log.ts';

/** Entries of one position that are too few for a loop: several instructions are made for one bytecode. */
const FEWEST_ENTRIES = 8;
/** Bound of the work of one comparison, in pairs of entries. */
const MOST_PAIRS = 4_000_000;
/** The part of a loop's bytes that has to have a counterpart. */
const FEWEST_ALIKE = 0.75;

/**
 * Positions in Maglev's code, with those of peeled loops mended. Maglev makes the first turn of a loop as code of its
 * own, ahead of the loop, and does not take its list of positions back to the loop's begin for the second time: all of
 * the loop has the position that came last, that of the loop itself (V8 12 to 14, `MaglevGraphBuilder::PeelLoop`).
 *
 *     first turn   +120 48   +130 64   +161 71   +178 54   +190 30
 *     loop         +201 30   +211 30   +242 30   +259 30   +271 30
 *     mended       +201 48   +211 64   +242 71   +259 54   +271 30
 *
 * Both are made of the same bytecodes in the same order, so that the pieces between entries are as long. What the first
 * turn has checked the loop leaves out: both are aligned by the lengths of their pieces, as sequences of letters are. Where
 * they are not alike, the loop has no positions.
 */
export function mendPeeledLoops(entries: ScriptEntries): ScriptEntries {
  const position = entries.position.slice();
  for (const level of new Set(entries.inlining)) {
    const rows: number[] = [];
    for (let i = 0; i < position.length; i++) if (entries.inlining[i] === level) rows.push(i);
    for (let first = 0; first < rows.length; ) {
      const end = endOfRun(entries, rows, first);
      if (first > 0 && end - first >= FEWEST_ENTRIES) mend(entries, rows, first, end, position);
      first = end;
    }
  }
  return { ...entries, position };
}

function endOfRun({ position }: ScriptEntries, rows: readonly number[], first: number): number {
  let end = first + 1;
  while (end < rows.length && position[rows[end]] === position[rows[first]]) end++;
  return end;
}

/** Mends the entries `first` to `end` of `rows`, all of one position, by those in front. */
function mend(
  entries: ScriptEntries,
  rows: readonly number[],
  first: number,
  end: number,
  position: Int32Array,
): void {
  const stale = entries.position[rows[first]];
  // The loop's position lies in front of those of its body.
  let begin = first;
  while (begin > 0 && position[rows[begin - 1]] > stale) begin--;
  if (begin === first) return;
  const lengths = lengthsOf(entries, rows, begin, end);
  const alike = align(lengths, first - begin);
  let bytes = 0;
  let bytesAlike = 0;
  for (let i = first; i < end; i++) {
    bytes += lengths[i - begin];
    if (alike !== null && alike[i - first] !== NONE) bytesAlike += lengths[i - begin];
  }
  const isMended = alike !== null && bytesAlike >= FEWEST_ALIKE * bytes;
  const lastAlike = isMended ? alike.findLastIndex((piece) => piece !== NONE) : NONE;
  let last = stale;
  for (let i = first; i < end; i++) {
    const counterpart = isMended ? alike[i - first] : NONE;
    if (counterpart !== NONE) last = entries.position[rows[begin + counterpart]];
    // The pieces that are alike lie between the jump to the loop and the one back.
    else if (i - first > lastAlike) last = stale;
    position[rows[i]] = isMended ? last : NONE;
  }
}

/** Bytes up to the next entry, whoever's it is. */
function lengthsOf(
  { offset }: ScriptEntries,
  rows: readonly number[],
  begin: number,
  end: number,
): Float64Array {
  const lengths = new Float64Array(end - begin);
  for (let i = begin; i < end; i++) {
    const next = rows[i] + 1;
    lengths[i - begin] = next < offset.length ? offset[next] - offset[rows[i]] : 0;
  }
  return lengths;
}

/**
 * Finds for each piece behind `border` the one in front of it that it is like, both in order, so that as many bytes as
 * possible have a counterpart; NONE without. Null where there are too many.
 */
function align(lengths: Float64Array, border: number): Int32Array | null {
  const count = lengths.length - border;
  const width = border + 1;
  if (count * border > MOST_PAIRS) return null;
  // Bytes alike of the pieces up to here, in both.
  const best = new Float64Array((count + 1) * width);
  for (let i = 1; i <= count; i++) {
    const length = lengths[border + i - 1];
    for (let j = 1; j <= border; j++) {
      const at = i * width + j;
      const without = Math.max(best[at - width], best[at - 1]);
      const pair = best[at - width - 1] + likeness(length, lengths[j - 1]);
      best[at] = Math.max(without, pair);
    }
  }
  const found = new Int32Array(count).fill(NONE);
  for (let i = count, j = border; i > 0 && j > 0; ) {
    const at = i * width + j;
    if (best[at] === best[at - 1]) j--;
    else if (best[at] === best[at - width]) i--;
    else found[--i] = --j;
  }
  return found;
}

/** Pieces without bytes are alike as well; other registers change a length by few. */
function likeness(one: number, other: number): number {
  if (one === other) return one + 1;
  return Math.abs(one - other) <= 4 ? Math.min(one, other) / 2 : 0;
}
