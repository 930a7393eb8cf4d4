import type { ByteSource } from '../../base/byte-source.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { readAddress, readU64 } from '../../base/u64.ts';
import { PN_XNUM } from './constants.ts';
import type { ElfHeader } from './header.ts';

/** One segment. */
export type ProgramHeader = {
  readonly type: number;
  readonly flags: number;
  /** Bytes in the file. */
  readonly offset: number;
  /** Address as written in the file, signed form. */
  readonly address: number;
  readonly fileSize: number;
  readonly memorySize: number;
  readonly alignment: number;
};

const PHDR32_SIZE = 32;
const PHDR64_SIZE = 56;

/**
 * The program headers; empty if there are none or they lie outside the file. `extendedCount` is
 * section 0's `sh_info`, used where `e_phnum` is PN_XNUM.
 *
 *   struct Elf64_Phdr {      struct Elf32_Phdr {
 *     u32 p_type;    //  0     u32 p_type;    //  0
 *     u32 p_flags;   //  4     u32 p_offset;  //  4
 *     u64 p_offset;  //  8     u32 p_vaddr;   //  8
 *     u64 p_vaddr;   // 16     u32 p_paddr;   // 12
 *     u64 p_paddr;   // 24     u32 p_filesz;  // 16
 *     u64 p_filesz;  // 32     u32 p_memsz;   // 20
 *     u64 p_memsz;   // 40     u32 p_flags;   // 24
 *     u64 p_align;   // 48     u32 p_align;   // 28
 *   };                       };
 */
export function parseProgramHeaders(
  source: ByteSource,
  header: ElfHeader,
  extendedCount: number,
  diagnostics: Diagnostics,
): ProgramHeader[] {
  const { programHeaderOffset: start, programHeaderSize: stride, is64, littleEndian } = header;
  const size = is64 ? PHDR64_SIZE : PHDR32_SIZE;
  const stated = header.programHeaderCount === PN_XNUM ? extendedCount : header.programHeaderCount;
  if (start === 0 || stated === 0) return [];
  if (stride < size || stride > 4 * size || start >= source.size) {
    diagnostics.count('elf-program-headers-outside');
    return [];
  }
  const fits = Math.floor((source.size - start) / stride);
  const count = Math.min(stated, fits, PN_XNUM);
  if (count < stated) {
    diagnostics.count('elf-program-headers-cut', `${stated} stated, ${count} read`);
  }
  const bytes = source.read(start, count * stride);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headers: ProgramHeader[] = [];
  for (let at = 0; at + size <= view.byteLength; at += stride) {
    const u32 = (offset: number) => view.getUint32(at + offset, littleEndian);
    const u64 = (offset: number) => readU64(view, at + offset, littleEndian);
    headers.push(
      is64
        ? {
            type: u32(0),
            flags: u32(4),
            offset: u64(8),
            address: readAddress(view, at + 16, littleEndian),
            fileSize: u64(32),
            memorySize: u64(40),
            alignment: u64(48),
          }
        : {
            type: u32(0),
            flags: u32(24),
            offset: u32(4),
            address: u32(8),
            fileSize: u32(16),
            memorySize: u32(20),
            alignment: u32(28),
          },
    );
  }
  return headers;
}
