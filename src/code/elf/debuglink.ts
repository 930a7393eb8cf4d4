import { type ElfFile, findSection } from './elf-file.ts';

/** The file that has the symbols of a stripped one. */
export type Debuglink = {
  /** A bare file name, never a path. */
  readonly name: string;
  /** CRC-32 of the whole debug file. */
  readonly crc: number;
};

const MAX_SECTION_BYTES = 4096;

/**
 * `.gnu_debuglink`: a zero-terminated file name, padding to 4 bytes, a u32 CRC. Null if absent, or
 * if the name is not a bare file name: a crafted one must not lead elsewhere.
 */
export function readDebuglink(elf: ElfFile): Debuglink | null {
  const section = findSection(elf, '.gnu_debuglink');
  if (section === null || section.size > MAX_SECTION_BYTES || section.isCompressed) return null;
  if (section.offset >= elf.source.size) return null;
  const bytes = elf.source.read(section.offset, section.size);
  const zero = bytes.indexOf(0);
  const crcAt = Math.ceil((zero + 1) / 4) * 4;
  if (zero <= 0 || crcAt + 4 > bytes.length) return null;
  const name = new TextDecoder().decode(bytes.subarray(0, zero));
  if (name.includes('/') || name === '.' || name === '..') return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { name, crc: view.getUint32(crcAt, elf.header.littleEndian) };
}
