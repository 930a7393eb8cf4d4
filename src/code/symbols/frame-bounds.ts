import type { Diagnostics } from '../../base/diagnostics.ts';
import { GrowableFloat64 } from '../../base/growable-columns.ts';
import { placeName } from '../../base/place-name.ts';
import { sortedOrder, valuesAt } from '../../base/sorted-order.ts';
import { PF_X, PT_LOAD } from '../elf/constants.ts';
import { type ElfFile, findSection } from '../elf/elf-file.ts';
import { sectionBytes } from '../elf/section-bytes.ts';
import { EhFrameHdr } from '../unwind/eh-frame-hdr.ts';
import { Fde, FrameEntries } from '../unwind/frame-entries.ts';
import type { FunctionBounds } from './elf-symbols.ts';

/** Functions of one file; the largest browsers have half of it. */
const MAX_FUNCTIONS = 2_000_000;

/**
 * The functions of a file by its frame table, `.eh_frame`, which tells where each begins and ends, and which
 * programs keep for exceptions when they are stripped. They are called by where they begin (`placeName`).
 * Null where there is no such table. With `wanted`, of functions that no address among these is in most are left out.
 */
export function findFrameBounds(
  elf: ElfFile,
  diagnostics: Diagnostics,
  wanted: Float64Array | null = null,
): FunctionBounds | null {
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
  const read = (offset: number): number => {
    const next = entries.readEntry(offset, fde);
    if (fde.cie !== null && isCode(fde.start)) {
      starts.push(fde.start);
      ends.push(fde.end);
    }
    return next;
  };
  const header = wanted === null ? null : readHeader(elf, diagnostics);
  if (wanted !== null && header !== null) {
    for (const at of entriesOf(wanted, header, addressOf('.eh_frame'))) read(at);
  } else {
    for (let at = 0; at >= 0 && at < bytes.length && starts.length < MAX_FUNCTIONS; ) at = read(at);
  }
  if (starts.length === 0) return null;
  const order = sortedOrder(starts.array, starts.length);
  const start = valuesAt(starts.array, order);
  const end = valuesAt(ends.array, order);
  // Entries of two functions that overlap are damage: the first ends where the next begins.
  for (let i = 0; i + 1 < end.length; i++) end[i] = Math.min(end[i], start[i + 1]);
  return { start, end, nameOf: placesAt(start) };
}

function readHeader(elf: ElfFile, diagnostics: Diagnostics): EhFrameHdr | null {
  const bytes = sectionBytes(elf, '.eh_frame_hdr', diagnostics);
  const address = findSection(elf, '.eh_frame_hdr')?.address ?? 0;
  return bytes && EhFrameHdr.parse({ bytes, address });
}

/** Offsets in the frame table of the last function before each address, whose end is where a symbol without a size ends. */
function entriesOf(wanted: Float64Array, header: EhFrameHdr, tableAddress: number): Set<number> {
  const offsets = new Set<number>();
  for (const address of wanted) {
    const entry = header.find(address);
    if (!Number.isNaN(entry)) offsets.add(entry - tableAddress);
  }
  return offsets;
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
