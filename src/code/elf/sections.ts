import type { ByteSource } from '../../base/byte-source.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { readAddress, readU64 } from '../../base/u64.ts';
import { SHF_COMPRESSED, SHN_XINDEX, SHT_NOBITS } from './constants.ts';
import type { ElfHeader } from './header.ts';
import { StringSection } from './string-section.ts';

/** One section header. Offsets and sizes are bytes in the file. */
export type ElfSection = {
  readonly name: string;
  readonly type: number;
  /** SHF_* bits; bits above 32 are not kept. */
  readonly flags: number;
  /** Address as written in the file, signed form. */
  readonly address: number;
  readonly offset: number;
  readonly size: number;
  readonly link: number;
  readonly info: number;
  readonly alignment: number;
  readonly entrySize: number;
  /** The bytes start with a compression header (`Elf64_Chdr`) and are not the section's own. */
  readonly isCompressed: boolean;
};

const SHDR32_SIZE = 40;
const SHDR64_SIZE = 64;
/** More than any linker writes; a file that claims more is read up to here. */
const MAX_SECTIONS = 200_000;

/**
 * The section headers, at index 0 the reserved one; empty if there are none or they make no sense.
 *
 *   struct Elf64_Shdr {    // offsets for 64 bits | 32 bits
 *     u32 sh_name;         //  0 |  0
 *     u32 sh_type;         //  4 |  4
 *     uN  sh_flags;        //  8 |  8
 *     uN  sh_addr;         // 16 | 12
 *     uN  sh_offset;       // 24 | 16
 *     uN  sh_size;         // 32 | 20
 *     u32 sh_link;         // 40 | 24
 *     u32 sh_info;         // 44 | 28
 *     uN  sh_addralign;    // 48 | 32
 *     uN  sh_entsize;      // 56 | 36
 *   };
 */
export function parseSections(
  source: ByteSource,
  header: ElfHeader,
  diagnostics: Diagnostics,
): ElfSection[] {
  const { sectionHeaderOffset: start, littleEndian, is64 } = header;
  const size = is64 ? SHDR64_SIZE : SHDR32_SIZE;
  if (start === 0) return [];
  if (
    !isPlausible(header.sectionHeaderSize, size) ||
    start + header.sectionHeaderSize > source.size
  ) {
    diagnostics.count('elf-section-headers-outside');
    return [];
  }
  const stride = header.sectionHeaderSize;
  const first = viewOf(source.read(start, size));
  if (first.byteLength < size) {
    diagnostics.count('elf-section-headers-outside');
    return [];
  }
  const zero = parseSection(first, 0, is64, littleEndian);
  // More than 0xff00 sections: e_shnum is 0 and section 0 holds the count (gABI, "sh_size").
  const stated = header.sectionHeaderCount === 0 ? zero.size : header.sectionHeaderCount;
  const fits = Math.floor((source.size - start) / stride);
  const count = Math.min(stated, fits, MAX_SECTIONS);
  if (count < stated) {
    diagnostics.count('elf-section-headers-cut', `${stated} stated, ${count} read`);
  }
  const view = viewOf(source.read(start, count * stride));
  const readable = Math.min(count, Math.floor(view.byteLength / stride));
  const raw: RawSection[] = [];
  for (let i = 0; i < readable; i++) raw.push(parseSection(view, i * stride, is64, littleEndian));

  const namesIndex = header.sectionNamesIndex === SHN_XINDEX ? zero.link : header.sectionNamesIndex;
  const names = new StringSection(source, raw[namesIndex] ?? null, diagnostics);
  return raw.map((section) => ({
    ...section,
    name: names.at(section.nameOffset),
    isCompressed: (section.flags & SHF_COMPRESSED) !== 0,
  }));
}

/** Headers may grow in a later version of the format; a stride far off is damage. */
function isPlausible(stride: number, size: number): boolean {
  return stride >= size && stride <= 4 * size;
}

type RawSection = Omit<ElfSection, 'name' | 'isCompressed'> & { readonly nameOffset: number };

function parseSection(view: DataView, at: number, is64: boolean, little: boolean): RawSection {
  const u32 = (offset: number) => view.getUint32(at + offset, little);
  if (!is64) {
    return {
      nameOffset: u32(0),
      type: u32(4),
      flags: u32(8),
      address: u32(12),
      offset: u32(16),
      size: u32(20),
      link: u32(24),
      info: u32(28),
      alignment: u32(32),
      entrySize: u32(36),
    };
  }
  return {
    nameOffset: u32(0),
    type: u32(4),
    flags: u32(little ? 8 : 12),
    address: readAddress(view, at + 16, little),
    offset: readU64(view, at + 24, little),
    size: readU64(view, at + 32, little),
    link: u32(40),
    info: u32(44),
    alignment: readU64(view, at + 48, little),
    entrySize: readU64(view, at + 56, little),
  };
}

/** Bytes of `section` that the file really holds: 0 for NOBITS, cut at the file's end. */
export function sectionFileBytes(
  section: Pick<ElfSection, 'type' | 'offset' | 'size'>,
  source: ByteSource,
): number {
  if (section.type === SHT_NOBITS) return 0;
  return Math.max(0, Math.min(section.size, source.size - section.offset));
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
