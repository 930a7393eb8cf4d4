import type { ByteSource } from '../base/byte-source.ts';
import { memorySource } from '../base/byte-source.ts';
import type { Diagnostics } from '../base/diagnostics.ts';
import { readU64 } from '../base/u64.ts';
import { ELFCOMPRESS_ZLIB, ELFCOMPRESS_ZSTD, SHT_NOBITS } from './constants.ts';
import { type ElfFile, findSection } from './elf-file.ts';
import { type Section, sectionFileBytes } from './sections.ts';

/**
 * Decompresses `bytes` into `size` bytes, which the section's header states. Fewer are returned
 * where the stream ends early; it throws where the stream is damaged or longer than `size`.
 */
export type Decompress = (bytes: Uint8Array, size: number) => Uint8Array;

/** The decompressors, handed in by who has them; null: such sections stay unread. */
export type SectionDecoders = {
  readonly zlib: Decompress | null;
  readonly zstd: Decompress | null;
};

export const NO_DECODERS: SectionDecoders = { zlib: null, zstd: null };

/** A section may grow to this many times its compressed size, */
const MAX_RATIO = 64;
/** or to this many bytes, whichever is more, */
const MAX_SMALL_BYTES = 64 * 2 ** 20;
/** and never to more than this. Read as a whole, no section is larger either. */
export const MAX_SECTION_BYTES = 2 ** 31;

const CHDR32_SIZE = 12;
const CHDR64_SIZE = 24;
const ZDEBUG_HEADER_SIZE = 12;

/**
 * The contents of the section called `name` as one array, decompressed where they are compressed.
 * `.debug_info` is also found under its old compressed name, `.zdebug_info`.
 *
 * Null if there is no such section, if it has no bytes in the file (`objcopy --only-keep-debug`
 * leaves NOBITS ones), or if it is too large or damaged: these are counted. The array is cut where
 * the file ends early, which is counted too.
 */
export function sectionBytes(
  elf: ElfFile,
  name: string,
  diagnostics: Diagnostics,
  decoders: SectionDecoders = NO_DECODERS,
): Uint8Array | null {
  const source = openSection(elf, name, diagnostics, decoders);
  if (source === null) return null;
  if (source.size > MAX_SECTION_BYTES) {
    diagnostics.count('ELF section too large to be read', `${name}: ${source.size} bytes`);
    return null;
  }
  return source.read(0, source.size);
}

/**
 * The same as a source to be read by the piece: of an uncompressed section nothing is read before
 * it is asked for. The source is valid as long as the file's own.
 */
export function openSection(
  elf: ElfFile,
  name: string,
  diagnostics: Diagnostics,
  decoders: SectionDecoders = NO_DECODERS,
): ByteSource | null {
  const section = findSection(elf, name);
  if (section !== null) {
    if (section.type === SHT_NOBITS || section.size === 0) return null;
    const size = sectionFileBytes(section, elf.source);
    if (size < section.size) {
      diagnostics.count('ELF section cut off', `${name}: ${section.size} stated, ${size} there`);
    }
    if (size === 0) return null;
    if (section.isCompressed) return openCompressed(elf, section, size, diagnostics, decoders);
    return windowOf(elf.source, section.offset, size);
  }
  if (!name.startsWith('.debug_')) return null;
  const old = findSection(elf, `.z${name.slice(1)}`);
  return old === null ? null : openZdebug(elf.source, old, diagnostics, decoders);
}

/**
 *   struct Elf64_Chdr {          struct Elf32_Chdr {
 *     u32 ch_type;      //  0      u32 ch_type;      // 0
 *     u32 ch_reserved;  //  4      u32 ch_size;      // 4
 *     u64 ch_size;      //  8      u32 ch_addralign; // 8
 *     u64 ch_addralign; // 16    };
 *   };
 */
function openCompressed(
  { header, source }: ElfFile,
  section: Section,
  size: number,
  diagnostics: Diagnostics,
  decoders: SectionDecoders,
): ByteSource | null {
  const { is64, littleEndian } = header;
  const headerSize = is64 ? CHDR64_SIZE : CHDR32_SIZE;
  const head = source.read(section.offset, headerSize);
  if (head.length < headerSize || size < headerSize) {
    diagnostics.count('compressed ELF section without its header', section.name);
    return null;
  }
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const type = view.getUint32(0, littleEndian);
  const stated = is64 ? readU64(view, 8, littleEndian) : view.getUint32(4, littleEndian);
  if (type !== ELFCOMPRESS_ZLIB && type !== ELFCOMPRESS_ZSTD) {
    diagnostics.count('ELF section of unknown compression', `${section.name}: type ${type}`);
    return null;
  }
  const decoder = type === ELFCOMPRESS_ZLIB ? decoders.zlib : decoders.zstd;
  const from = section.offset + headerSize;
  return inflate(source, section.name, from, size - headerSize, stated, decoder, diagnostics);
}

/** The old form, known by its name: `ZLIB`, the size as u64 in big-endian, a zlib stream. */
function openZdebug(
  source: ByteSource,
  section: Section,
  diagnostics: Diagnostics,
  decoders: SectionDecoders,
): ByteSource | null {
  const size = sectionFileBytes(section, source);
  const head = source.read(section.offset, Math.min(size, ZDEBUG_HEADER_SIZE));
  const hasMagic = head[0] === 0x5a && head[1] === 0x4c && head[2] === 0x49 && head[3] === 0x42;
  if (head.length < ZDEBUG_HEADER_SIZE || !hasMagic) {
    diagnostics.count('compressed ELF section without its header', section.name);
    return null;
  }
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const stated = readU64(view, 4, false);
  const from = section.offset + ZDEBUG_HEADER_SIZE;
  const length = size - ZDEBUG_HEADER_SIZE;
  return inflate(source, section.name, from, length, stated, decoders.zlib, diagnostics);
}

function inflate(
  source: ByteSource,
  name: string,
  from: number,
  length: number,
  stated: number,
  decoder: Decompress | null,
  diagnostics: Diagnostics,
): ByteSource | null {
  const limit = Math.min(Math.max(MAX_SMALL_BYTES, MAX_RATIO * length), MAX_SECTION_BYTES);
  if (stated > limit) {
    const example = `${name}: ${stated} bytes out of ${length}`;
    diagnostics.count('compressed ELF section states an unlikely size, not used', example);
    return null;
  }
  if (decoder === null) {
    diagnostics.count('compressed ELF section, no decompressor at hand', name);
    return null;
  }
  try {
    const bytes = decoder(source.read(from, length), stated);
    if (bytes.length < stated) {
      const example = `${name}: ${stated} stated, ${bytes.length} there`;
      diagnostics.count('compressed ELF section cut off', example);
    }
    return bytes.length === 0 ? null : memorySource(bytes);
  } catch (error) {
    const example = `${name}: ${(error as Error).message}`;
    diagnostics.count('compressed ELF section damaged, not used', example);
    return null;
  }
}

/** `size` bytes of `source` from `start` on, as a source of their own. */
function windowOf(source: ByteSource, start: number, size: number): ByteSource {
  return {
    size,
    read(offset, length) {
      const wanted = Math.max(0, Math.min(length, size - offset));
      return source.read(start + offset, wanted);
    },
  };
}
