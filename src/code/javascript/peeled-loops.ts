// Hot: once per entry of the code that Maglev made.

import { NONE } from '../../base/brand.ts';
import type { ScriptEntries } from '../jit/position-log.ts';

/** Entries of one position that are too few for a loop: several instructions are made for one bytecode. */
const FEWEST_ENTRIES = 8;
/** Bound of the work of one comparison, in pairs of entries. */
const MOST_PAIRS = 4_000_000;
/** The part of the bytes of a loop's own function that has to have a counterpart. */
const FEWEST_ALIKE = 0.75;
/** Pieces as long as their counterparts in a row that is alike whatever else is in the loop. */
const FEWEST_IN_ROW = 4;

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
 * they are not alike, the loop has the positions of rows of pieces that are, and no others.
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
  while (begin > 0 && entries.position[rows[begin - 1]] > stale) begin--;
  if (begin === first) return;
  const [turn, loop, behind] = [rows[begin], rows[first], rows[end - 1] + 1];
  const pieces = piecesOf(entries, turn, behind, entries.inlining[rows[first]]);
  const alike = align(pieces, loop - turn);
  let bytes = 0;
  let bytesAlike = 0;
  for (let i = loop; i < behind; i++) {
    if (pieces.inlined[i - turn] !== NONE) continue;
    bytes += pieces.length[i - turn];
    if (alike !== null && alike[i - loop] !== NONE) bytesAlike += pieces.length[i - turn];
  }
  const isMended = alike !== null && bytesAlike >= FEWEST_ALIKE * bytes;
  if (alike !== null && !isMended) keepRows(alike, pieces, loop - turn);
  const lastAlike = isMended ? alike.findLastIndex((piece) => piece !== NONE) : NONE;
  let last = stale;
  for (let i = loop; i < behind; i++) {
    if (pieces.inlined[i - turn] !== NONE) continue;
    const counterpart = alike?.[i - loop] ?? NONE;
    if (counterpart !== NONE) last = position[turn + counterpart];
    else if (!isMended) last = NONE;
    // The pieces that are alike lie between the jump to the loop and the one back.
    else if (i - loop > lastAlike) last = stale;
    position[i] = last;
  }
}

/**
 * Takes away the counterparts that are not in a row with at least `FEWEST_IN_ROW` pieces that are as long as theirs; of the
 * others only those between these stay, and one in front and one behind. The last piece of the turn has moves for the loop
 * in it, and is like what follows the counterpart of the one in front of it, whatever their lengths.
 */
function keepRows(alike: Int32Array, { length: lengths }: Pieces, border: number): void {
  for (let first = 0, end = 0; first < alike.length; first = end + 1) {
    const same: number[] = [];
    for (end = first; end < alike.length && alike[end] !== NONE; end++) {
      if (lengths[border + end] === lengths[alike[end]]) same.push(end);
    }
    const isRow = same.length >= FEWEST_IN_ROW;
    alike.fill(NONE, first, isRow ? Math.max(first, same[0] - 1) : end);
    if (!isRow) continue;
    alike.fill(NONE, Math.min(end, same[same.length - 1] + 2), end);
    if (alike[end - 1] === border - 2 && end < alike.length) alike[end++] = border - 1;
  }
}

/** Pieces of code between entries. */
type Pieces = {
  /** Bytes up to the next entry. */
  readonly length: Float64Array;
  /** Position in an inlined function, which is right in the loop, too; NONE: the piece is of the loop's own function. */
  readonly inlined: Int32Array;
};

function piecesOf(
  { offset, position, inlining }: ScriptEntries,
  first: number,
  end: number,
  level: number,
): Pieces {
  const pieces = { length: new Float64Array(end - first), inlined: new Int32Array(end - first) };
  for (let i = first; i < end; i++) {
    pieces.length[i - first] = i + 1 < offset.length ? offset[i + 1] - offset[i] : 0;
    pieces.inlined[i - first] = inlining[i] === level ? NONE : position[i];
  }
  return pieces;
}

/**
 * Finds for each piece behind `border` the one in front of it that it is like, both in order, so that as many bytes as
 * possible have a counterpart; NONE without. Null where there are too many.
 */
function align({ length: lengths, inlined }: Pieces, border: number): Int32Array | null {
  const count = lengths.length - border;
  const width = border + 1;
  if (count * border > MOST_PAIRS) return null;
  // Bytes alike of the pieces up to here, in both.
  const best = new Float64Array((count + 1) * width);
  for (let i = 1; i <= count; i++) {
    const piece = border + i - 1;
    for (let j = 1; j <= border; j++) {
      const at = i * width + j;
      const without = Math.max(best[at - width], best[at - 1]);
      const pair =
        inlined[piece] === inlined[j - 1]
          ? best[at - width - 1] + likeness(lengths[piece], lengths[j - 1], inlined[piece] !== NONE)
          : 0;
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

/**
 * Pieces without bytes are alike as well; other registers change a length by few. Those of one place in an inlined
 * function are alike whatever their length.
 */
function likeness(one: number, other: number, isPlaceKnown: boolean): number {
  if (one === other) return one + 1;
  return isPlaceKnown || Math.abs(one - other) <= 4 ? Math.min(one, other) / 2 : 0;
}
