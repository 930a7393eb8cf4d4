import type { Diagnostics } from '../../base/diagnostics.ts';
import { GrowableFloat64 } from '../../base/growable-columns.ts';
import { placeName } from '../../base/place-name.ts';
import { sortedOrder, valuesAt } from '../../base/sorted-order.ts';
import { PF_X, PT_LOAD } from '../elf/constants.ts';
import { type ElfFile, findSection } from '../elf/elf-file.ts';
import { sectionBytes } from '../elf/section-bytes.ts';
import type { ElfSection } from '../elf/sections.ts';
import { EhFrameHdr } from '../unwind/eh-frame-hdr.ts';
import { Fde, FrameEntries } from '../unwind/frame-entries.ts';
import type { FunctionBounds } from './elf-symbols.ts';

/** Functions of one file; the largest browsers have half of it. */
const MAX_FUNCTIONS = 2_000_000;
/** Bytes of one entry; a program of a function has some hundred. */
const MAX_ENTRY_BYTES = 1 << 16;

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
  const isCode = codeRanges(elf);
  const starts = new GrowableFloat64();
  const ends = new GrowableFloat64();
  for (const { cie, start, end } of readFdes(elf, diagnostics, wanted)) {
    if (cie === null || !isCode(start)) continue;
    starts.push(start);
    ends.push(end);
    if (starts.length === MAX_FUNCTIONS) break;
  }
  if (starts.length === 0) return null;
  const order = sortedOrder(starts.array, starts.length);
  const start = valuesAt(starts.array, order);
  const end = valuesAt(ends.array, order);
  // Entries of two functions that overlap are damage: the first ends where the next begins.
  for (let i = 0; i + 1 < end.length; i++) end[i] = Math.min(end[i], start[i + 1]);
  return { start, end, nameOf: placesAt(start) };
}

/** The entries that are wanted, in an object that is filled again and again. */
function* readFdes(
  elf: ElfFile,
  diagnostics: Diagnostics,
  wanted: Float64Array | null,
): Generator<Fde> {
  const fde = new Fde();
  const header = wanted === null ? null : readHeader(elf, diagnostics);
  const section = findSection(elf, '.eh_frame');
  if (wanted !== null && header !== null && section !== null) {
    for (const at of entriesOf(wanted, header, section.address)) {
      if (readEntryAt(elf, section, at, fde)) yield fde;
    }
    return;
  }
  const bytes = sectionBytes(elf, '.eh_frame', diagnostics);
  if (bytes === null) return;
  const entries = entriesIn(elf, bytes, section?.address ?? 0);
  for (let at = 0; at >= 0 && at < bytes.length; yield fde) at = entries.readEntry(at, fde);
}

function entriesIn(elf: ElfFile, bytes: Uint8Array, address: number): FrameEntries {
  const addressOf = (name: string) => findSection(elf, name)?.address ?? 0;
  const bases = { text: addressOf('.text'), data: addressOf('.got') || addressOf('.got.plt') };
  return new FrameEntries({ bytes, address }, true, bases, elf.header.is64 ? 8 : 4);
}

/**
 * Reads the entry at `offset` and the one that it shares, and nothing of the table beside them: their bytes one after
 * the other are a table whose second entry is at the address of the one that is asked for.
 */
function readEntryAt(elf: ElfFile, section: ElfSection, offset: number, fde: Fde): boolean {
  const read = (at: number): Uint8Array | null => {
    if (at < 0 || at + 8 > section.size) return null;
    const length = u32At(elf.source.read(section.offset + at, 4), 0) + 4;
    if (length < 8 || length > MAX_ENTRY_BYTES) return null;
    return elf.source.read(section.offset + at, length);
  };
  const entry = read(offset);
  const shared = entry && read(offset + 4 - u32At(entry, 4));
  if (entry === null || shared === null) return false;
  const bytes = new Uint8Array(shared.length + entry.length);
  bytes.set(shared);
  bytes.set(entry, shared.length);
  new DataView(bytes.buffer).setUint32(shared.length + 4, shared.length + 4, true);
  const entries = entriesIn(elf, bytes, section.address + offset - shared.length);
  return entries.readEntry(shared.length, fde) >= 0;
}

function u32At(bytes: Uint8Array, at: number): number {
  if (at + 4 > bytes.length) return 0;
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(at, true);
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
