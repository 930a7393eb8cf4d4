import { NONE } from '../../base/brand.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { readAddress } from '../../base/u64.ts';
import { EM_386, EM_AARCH64, EM_ARM, EM_X86_64, SHT_REL, SHT_RELA } from './constants.ts';
import { type ElfFile, findSection } from './elf-file.ts';
import { type ElfSection, sectionFileBytes } from './sections.ts';
import { stringSectionOf } from './symbol-strings.ts';

/** One stub through which a call to another DSO goes. */
export type PltEntry = {
  /** Address as in the file. */
  readonly start: number;
  readonly end: number;
  /**
   * Mangled name of the function called, empty if the stub has none (an IFUNC); null for the
   * table's own header, through which lazy binding enters the dynamic linker.
   */
  readonly target: string | null;
  /** File address of the function that chooses the target (IFUNC), −1 if none is known. */
  readonly resolver: number;
};

/** The slot is filled with what the function at the addend returns. */
const R_X86_64_IRELATIVE = 37;
const MAX_PLT_ENTRIES = 1_000_000;

/**
 * The procedure linkage table has no symbols of its own; they follow from the order of its
 * relocations. The layouts known, as GNU ld and lld write them:
 *
 *   x86   .plt       header, then one entry per relocation in `.rel(a).plt`; with `.plt.sec`
 *         .plt.sec   (IBT) callers enter here instead, no header
 *         .plt.got   one entry per GOT slot that `.rel(a).dyn` fills; read from the code
 *   arm64 .plt       32-byte header, 16-byte entries;  arm: 20 and 12
 *
 * x86 linkers don't keep IFUNC relocations in entry order, but the GOT slots are: sort by
 * `r_offset`. With `wanted`, nothing is read of a file in whose tables none of these addresses is.
 */
export function readPlt(
  elf: ElfFile,
  diagnostics: Diagnostics,
  wanted: Float64Array | null = null,
): PltEntry[] {
  if (wanted !== null && !wanted.some((address) => isInPlt(elf, address))) return [];
  const plt = findSection(elf, '.plt');
  if (plt === null) return readPltGot(elf, diagnostics);
  const isX86 = elf.header.machine === EM_X86_64 || elf.header.machine === EM_386;
  const secondary = isX86 ? findSection(elf, '.plt.sec') : null;
  const relocations = readRelocations(
    elf,
    findSection(elf, '.rela.plt') ?? findSection(elf, '.rel.plt'),
    diagnostics,
  );
  if (isX86) relocations.sort((a, b) => a.offset - b.offset);

  const table = secondary ?? plt;
  const sizes = entrySizes(elf.header.machine, table);
  if (sizes === null) return [];
  // As many relocations as entries: no lazy binding, so no header either.
  const hasHeader = secondary === null && relocations.length * sizes.entry !== plt.size;
  const entries: PltEntry[] = [];
  if (secondary !== null) {
    entries.push({ start: plt.address, end: plt.address + plt.size, target: null, resolver: NONE });
  } else if (hasHeader) {
    entries.push({
      start: plt.address,
      end: plt.address + sizes.header,
      target: null,
      resolver: NONE,
    });
  }
  let start = table.address + (hasHeader ? sizes.header : 0);
  const end = table.address + table.size;
  for (const { name, resolver } of relocations) {
    if (start + sizes.entry > end) break;
    entries.push({ start, end: start + sizes.entry, target: name, resolver });
    start += sizes.entry;
  }
  return entries.concat(isX86 ? readPltGot(elf, diagnostics) : []);
}

function isInPlt(elf: ElfFile, at: number): boolean {
  return ['.plt', '.plt.sec', '.plt.got'].some((name) => {
    const section = findSection(elf, name);
    return section !== null && at >= section.address && at < section.address + section.size;
  });
}

function entrySizes(machine: number, table: ElfSection): { header: number; entry: number } | null {
  switch (machine) {
    case EM_AARCH64:
      return { header: 32, entry: 16 };
    case EM_ARM:
      return { header: 20, entry: 12 };
    case EM_386:
    case EM_X86_64: {
      const stated = table.entrySize;
      const entry = stated === 8 || stated === 16 ? stated : table.alignment === 8 ? 8 : 16;
      return { header: entry, entry };
    }
    default:
      return null;
  }
}

/**
 * `.plt.got` on x86-64: each entry jumps through a GOT slot, `[endbr64] [bnd] jmp *disp(%rip)`,
 * and the relocation of that slot in `.rela.dyn` names the function.
 */
function readPltGot(elf: ElfFile, diagnostics: Diagnostics): PltEntry[] {
  const section = findSection(elf, '.plt.got');
  if (section === null || elf.header.machine !== EM_X86_64) return [];
  const entrySize = section.entrySize === 16 ? 16 : 8;
  const length = Math.min(sectionFileBytes(section, elf.source), MAX_PLT_ENTRIES * entrySize);
  const bytes = elf.source.read(section.offset, length);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const stubOfSlot = new Map<number, number>();
  for (let at = 0; at + entrySize <= bytes.length; at += entrySize) {
    const displacementAt = findJump(bytes, at, at + entrySize);
    if (displacementAt < 0) continue;
    const next = section.address + displacementAt + 4;
    stubOfSlot.set(next + view.getInt32(displacementAt, true), section.address + at);
  }
  const dynamic = findSection(elf, '.rela.dyn');
  const entries: PltEntry[] = [];
  for (const { offset, name } of readRelocations(elf, dynamic, diagnostics, stubOfSlot)) {
    const start = stubOfSlot.get(offset) as number;
    if (name !== '') entries.push({ start, end: start + entrySize, target: name, resolver: NONE });
  }
  return entries;
}

/** Offset of the displacement of `ff 25 disp32`, −1 if the entry does not look like a stub. */
function findJump(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  const isEndbr64 = bytes[at] === 0xf3 && bytes[at + 1] === 0x0f && bytes[at + 2] === 0x1e;
  if (isEndbr64) at += 4;
  if (bytes[at] === 0xf2) at++;
  return bytes[at] === 0xff && bytes[at + 1] === 0x25 && at + 6 <= end ? at + 2 : -1;
}

type Relocation = {
  /** Address of the GOT slot. */
  readonly offset: number;
  readonly name: string;
  /** The addend of an IRELATIVE relocation, −1 for others. */
  readonly resolver: number;
};

/**
 *   struct Elf64_Rela {      struct Elf32_Rel(a) {
 *     u64 r_offset;  //  0     u32 r_offset;  // 0
 *     u64 r_info;    //  8     u32 r_info;    // 4: symbol << 8 | type
 *     s64 r_addend;  // 16     s32 r_addend;  // 8, Rela only
 *   };  // r_info: symbol << 32 | type
 */
function readRelocations(
  elf: ElfFile,
  section: ElfSection | null,
  diagnostics: Diagnostics,
  wantedSlots: ReadonlyMap<number, number> | null = null,
): Relocation[] {
  if (section === null || (section.type !== SHT_RELA && section.type !== SHT_REL)) return [];
  const { is64, littleEndian } = elf.header;
  const word = is64 ? 8 : 4;
  const stride = word * (section.type === SHT_RELA ? 3 : 2);
  // The IFUNCs of a static program need no symbols; GNU ld 2.44 links no table of them.
  const symbols = section.link === 0 ? null : elf.sections[section.link];
  if (symbols === undefined) return [];
  const strings = symbols === null ? null : stringSectionOf(elf, symbols, diagnostics);
  const symbolStride = is64 ? 24 : 16;
  const symbolBytes =
    symbols === null
      ? new Uint8Array(0)
      : elf.source.read(
          symbols.offset,
          Math.min(sectionFileBytes(symbols, elf.source), MAX_PLT_ENTRIES * symbolStride),
        );
  const symbolView = new DataView(
    symbolBytes.buffer,
    symbolBytes.byteOffset,
    symbolBytes.byteLength,
  );
  const bytes = elf.source.read(
    section.offset,
    Math.min(sectionFileBytes(section, elf.source), MAX_PLT_ENTRIES * stride),
  );
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const relocations: Relocation[] = [];
  for (let at = 0; at + stride <= bytes.length; at += stride) {
    const symbol = is64
      ? view.getUint32(at + (littleEndian ? 12 : 8), littleEndian)
      : view.getUint32(at + 4, littleEndian) >>> 8;
    // Most of `.rela.dyn` only moves addresses, and a slot without a symbol has no name.
    if (wantedSlots !== null && symbol === 0) continue;
    const offset = is64 ? readAddress(view, at, littleEndian) : view.getUint32(at, littleEndian);
    if (wantedSlots !== null && !wantedSlots.has(offset)) continue;
    const nameAt = symbol * symbolStride;
    const known = symbol > 0 && nameAt + 4 <= symbolView.byteLength;
    const name = known ? (strings?.at(symbolView.getUint32(nameAt, littleEndian)) ?? '') : '';
    const isIfunc =
      section.type === SHT_RELA &&
      elf.header.machine === EM_X86_64 &&
      is64 &&
      view.getUint32(at + 8, littleEndian) === R_X86_64_IRELATIVE;
    const resolver = isIfunc ? readAddress(view, at + 16, littleEndian) : NONE;
    relocations.push({ offset, name, resolver });
  }
  return relocations;
}
