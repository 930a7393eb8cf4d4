import type { ByteSource } from '../../base/byte-source.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { toHex } from '../../base/hex.ts';
import { NT_GNU_BUILD_ID, PT_NOTE, SHT_NOTE } from './constants.ts';
import type { ElfFile } from './elf-file.ts';

/** Notes are a few hundred bytes; core files aside, nothing has more worth reading. */
const MAX_NOTE_BYTES = 64 * 1024;
/** SHA-1 is 20 bytes, the longest id in use 32. */
const MAX_BUILD_ID_BYTES = 64;

/**
 * The build ID as lower-case hex, from the note segments, or the note sections where there are no
 * segments (debug files, modules). Null if there is none.
 */
export function readBuildId(elf: ElfFile, diagnostics: Diagnostics): string | null {
  for (const segment of elf.programHeaders) {
    if (segment.type !== PT_NOTE) continue;
    const bytes = readNotes(elf.source, segment.offset, segment.fileSize);
    const id = findBuildId(bytes, elf.header.littleEndian, segment.alignment, diagnostics);
    if (id !== null) return id;
  }
  for (const section of elf.sections) {
    if (section.type !== SHT_NOTE) continue;
    const bytes = readNotes(elf.source, section.offset, section.size);
    const id = findBuildId(bytes, elf.header.littleEndian, section.alignment, diagnostics);
    if (id !== null) return id;
  }
  return null;
}

function readNotes(source: ByteSource, offset: number, size: number): Uint8Array {
  if (offset >= source.size) return new Uint8Array(0);
  return source.read(offset, Math.min(size, MAX_NOTE_BYTES));
}

/**
 * Looks through a note block, as also found in `/sys/kernel/notes`.
 *
 *   struct Elf_Nhdr {
 *     u32 n_namesz;      // with the zero: "GNU" is 4
 *     u32 n_descsz;
 *     u32 n_type;
 *     char name[];       // padded to 4 bytes, to 8 in segments aligned to 8
 *     u8 desc[];         // padded alike
 *   };
 */
export function findBuildId(
  bytes: Uint8Array,
  littleEndian: boolean,
  alignment: number,
  diagnostics: Diagnostics,
): string | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const align = alignment === 8 ? 8 : 4;
  let at = 0;
  while (at + 12 <= view.byteLength) {
    const nameSize = view.getUint32(at, littleEndian);
    const descSize = view.getUint32(at + 4, littleEndian);
    const type = view.getUint32(at + 8, littleEndian);
    const name = at + 12;
    const desc = at + roundUp(12 + nameSize, align);
    if (desc + descSize > view.byteLength) {
      diagnostics.count('elf-note-too-long', `${descSize} bytes`);
      return null;
    }
    if (type === NT_GNU_BUILD_ID && nameSize === 4 && isGnu(bytes, name)) {
      if (descSize === 0 || descSize > MAX_BUILD_ID_BYTES) {
        diagnostics.count('elf-build-id-unlikely', `${descSize} bytes`);
        return null;
      }
      return toHex(bytes.subarray(desc, desc + descSize));
    }
    at = desc + roundUp(descSize, align);
  }
  return null;
}

function isGnu(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0x47 && bytes[at + 1] === 0x4e && bytes[at + 2] === 0x55 && !bytes[at + 3];
}

function roundUp(value: number, align: number): number {
  return Math.ceil(value / align) * align;
}
