import type { ByteSource } from '../../base/byte-source.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { readU64 } from '../../base/u64.ts';
import { ELFCLASS32, ELFCLASS64, ELFDATA2LSB, ELFDATA2MSB } from './constants.ts';

/** The ELF header, with the counts as written (before the section 0 extension). */
export type ElfHeader = {
  readonly is64: boolean;
  readonly littleEndian: boolean;
  readonly type: number;
  readonly machine: number;
  readonly programHeaderOffset: number;
  readonly programHeaderSize: number;
  readonly programHeaderCount: number;
  readonly sectionHeaderOffset: number;
  readonly sectionHeaderSize: number;
  readonly sectionHeaderCount: number;
  readonly sectionNamesIndex: number;
};

const EHDR32_SIZE = 52;
const EHDR64_SIZE = 64;

/**
 * The header of an ELF file; null, with the reason counted, if it is not one.
 *
 *   struct Elf64_Ehdr {                    // offsets for 64 bits | 32 bits
 *     u8  e_ident[16];                     //  0: \x7fELF, class, data, version, ABI
 *     u16 e_type;                          // 16
 *     u16 e_machine;                       // 18
 *     u32 e_version;                       // 20
 *     uN  e_entry;                         // 24 | 24
 *     uN  e_phoff;                         // 32 | 28
 *     uN  e_shoff;                         // 40 | 32
 *     u32 e_flags;                         // 48 | 36
 *     u16 e_ehsize;                        // 52 | 40
 *     u16 e_phentsize;                     // 54 | 42
 *     u16 e_phnum;                         // 56 | 44
 *     u16 e_shentsize;                     // 58 | 46
 *     u16 e_shnum;                         // 60 | 48
 *     u16 e_shstrndx;                      // 62 | 50
 *   };
 */
export function parseElfHeader(source: ByteSource, diagnostics: Diagnostics): ElfHeader | null {
  const bytes = source.read(0, EHDR64_SIZE);
  if (bytes.length < EHDR32_SIZE || !hasElfMagic(bytes)) {
    diagnostics.count('elf-magic-missing');
    return null;
  }
  const elfClass = bytes[4];
  const data = bytes[5];
  const is64 = elfClass === ELFCLASS64;
  const littleEndian = data === ELFDATA2LSB;
  if (
    (!is64 && elfClass !== ELFCLASS32) ||
    (!littleEndian && data !== ELFDATA2MSB) ||
    (is64 && bytes.length < EHDR64_SIZE)
  ) {
    diagnostics.count('elf-header-unknown', `class ${elfClass}, data ${data}`);
    return null;
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tail = is64 ? 52 : 40;
  const offsetAt = (offset: number) =>
    is64 ? readU64(view, offset, littleEndian) : view.getUint32(offset, littleEndian);
  return {
    is64,
    littleEndian,
    type: view.getUint16(16, littleEndian),
    machine: view.getUint16(18, littleEndian),
    programHeaderOffset: offsetAt(is64 ? 32 : 28),
    sectionHeaderOffset: offsetAt(is64 ? 40 : 32),
    programHeaderSize: view.getUint16(tail + 2, littleEndian),
    programHeaderCount: view.getUint16(tail + 4, littleEndian),
    sectionHeaderSize: view.getUint16(tail + 6, littleEndian),
    sectionHeaderCount: view.getUint16(tail + 8, littleEndian),
    sectionNamesIndex: view.getUint16(tail + 10, littleEndian),
  };
}

export function hasElfMagic(bytes: Uint8Array): boolean {
  return bytes[0] === 0x7f && bytes[1] === 0x45 && bytes[2] === 0x4c && bytes[3] === 0x46;
}
