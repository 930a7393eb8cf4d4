import type { Diagnostics } from '../../base/diagnostics.ts';
import { GrowableFloat64 } from '../../base/growable-columns.ts';
import { placeName } from '../../base/place-name.ts';
import { sortedOrder } from '../../base/sorted-order.ts';
import { PF_X, PT_LOAD } from '../elf/constants.ts';
import { type ElfFile, findSection } from '../elf/elf-file.ts';
import { sectionBytes } from '../elf/section-bytes.ts';
import { Fde, FrameEntries } from '../unwind/frame-entries.ts';
import type { FunctionBounds } from './elf-symbols.ts';

/** Functions of one file; the largest browsers have half of it. */
const MAX_FUNCTIONS = 2_000_000;

/**
 * The functions of a file by its frame table, `.eh_frame`, which tells where each begins and ends, and which
 * programs keep for exceptions when they are stripped. They are called by where they begin (`placeName`).
 * Null where there is no such table.
 */
export function findFrameBounds(elf: ElfFile, diagnostics: Diagnostics): FunctionBounds | null {
  const bytes = sectionBytes(elf, '.eh_frame', diagnostics);
  if (bytes === null) return null;
  const addressOf = (name: string) => findSection(elf, name)?.address ?? 0;
  const entries = new FrameEntries(
    { bytes, address: addressOf('.eh_frame') },
    true,
    { text: addressOf('.text'), data: addressOf('.got') || addressOf('.got.plt') },
    elf.header.is64 ? 8 : 4,
  );
  const isCode = codeRanges(elf);
  const starts = new GrowableFloat64();
  const ends = new GrowableFloat64();
  const fde = new Fde();
  for (let at = 0; at >= 0 && at < bytes.length && starts.length < MAX_FUNCTIONS; ) {
    at = entries.readEntry(at, fde);
    if (fde.cie === null || !isCode(fde.start)) continue;
    starts.push(fde.start);
    ends.push(fde.end);
  }
  if (starts.length === 0) return null;
  const order = sortedOrder(starts.array, starts.length);
  const start = Float64Array.from(order, (row) => starts.array[row]);
  // Entries of two functions that overlap are damage: the first ends where the next begins.
  const end = Float64Array.from(order, (row, i) =>
    i + 1 < order.length ? Math.min(ends.array[row], start[i + 1]) : ends.array[row],
  );
  return { start, end, nameOf: placesAt(start) };
}

/** A scope of its own: names stay with the table of symbols, and the frame table need not. */
function placesAt(start: Float64Array): (row: number) => string {
  return (row) => placeName(start[row]);
}

/** Whether a file address is that of code: entries of functions that the linker left out begin at 0. */
function codeRanges({ programHeaders }: ElfFile): (address: number) => boolean {
  const ranges = programHeaders.filter(
    ({ type, flags }) => type === PT_LOAD && (flags & PF_X) !== 0,
  );
  return (address) =>
    ranges.some(
      ({ address: start, memorySize }) => address >= start && address < start + memorySize,
    );
}
