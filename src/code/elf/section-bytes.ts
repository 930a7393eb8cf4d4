import type { ByteSource } from '../../base/byte-source.ts';
import { memorySource } from '../../base/byte-source.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { isSystemError } from '../../base/system-error.ts';
import { readU64 } from '../../base/u64.ts';
import { ELFCOMPRESS_ZLIB, ELFCOMPRESS_ZSTD, SHT_NOBITS } from './constants.ts';
import { type ElfFile, findSection } from './elf-file.ts';
import { InflatedSection, type Scratch } from './inflated-section.ts';
import { type ElfSection, sectionFileBytes } from './sections.ts';

/**
 * Decompresses `bytes` into `size` bytes, which the section's header states. Fewer are returned
 * where the stream ends early; it throws where the stream is damaged or longer than `size`.
 */
export type Decompress = (bytes: Uint8Array, size: number) => Uint8Array;

/** The decompressors, handed in by who has them; null: such sections stay unread. */
export type SectionDecoders = {
  readonly zlib: Decompress | null;
  readonly zstd: Decompress | null;
  /**
   * A scratch file of at least `size` bytes, for what a stream of `packedSize` becomes; null if there is
   * no room. Absent: memory is used.
   */
  readonly scratch?: (size: number, packedSize: number) => Scratch | null;
};

/** A section's bytes. `close` gives back what was taken to have them. */
export type SectionSource = ByteSource & { close?(): void };

export const NO_DECODERS: SectionDecoders = { zlib: null, zstd: null };

/** A section may grow to this many times its compressed size, */
const MAX_RATIO = 64;
/** or to this many bytes, whichever is more, */
const MAX_SMALL_BYTES = 64 * 2 ** 20;
/** and never to more than this. Read as a whole, no section is larger either. */
const MAX_SECTION_BYTES = 2 ** 31;

/** Sections larger than this are inflated by the piece where they are read by the piece. */
export const MAX_INFLATED_WHOLE_BYTES = 24 * 2 ** 20;

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
  const source = open(elf, name, { diagnostics, decoders, isWhole: true });
  if (source === null) return null;
  if (source.size > MAX_SECTION_BYTES) {
    diagnostics.count('elf-section-too-large', `${name}: ${source.size} bytes`);
    return null;
  }
  return source.read(0, source.size);
}

/**
 * The contents as a source to be read by the piece: of an uncompressed section nothing is read before
 * it is asked for, and a large one compressed by zlib is inflated as far as it is asked for, into a scratch
 * file. The source is valid as long as the file's own; whoever is done with it closes it.
 */
export function openSection(
  elf: ElfFile,
  name: string,
  diagnostics: Diagnostics,
  decoders: SectionDecoders = NO_DECODERS,
): SectionSource | null {
  return open(elf, name, { diagnostics, decoders, isWhole: false });
}

type Reading = {
  readonly diagnostics: Diagnostics;
  readonly decoders: SectionDecoders;
  /** All of the section will be read. */
  readonly isWhole: boolean;
};

function open(elf: ElfFile, name: string, reading: Reading): SectionSource | null {
  const { diagnostics } = reading;
  const section = findSection(elf, name);
  if (section !== null) {
    if (section.type === SHT_NOBITS || section.size === 0) return null;
    const size = sectionFileBytes(section, elf.source);
    if (size < section.size) {
      diagnostics.count('elf-section-cut', `${name}: ${section.size} stated, ${size} there`);
    }
    if (size === 0) return null;
    if (section.isCompressed) return openCompressed(elf, section, size, reading);
    return windowOf(elf.source, section.offset, size);
  }
  if (!name.startsWith('.debug_')) return null;
  const old = findSection(elf, `.z${name.slice(1)}`);
  return old === null ? null : openZdebug(elf.source, old, reading);
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
  section: ElfSection,
  size: number,
  reading: Reading,
): SectionSource | null {
  const { diagnostics } = reading;
  const { is64, littleEndian } = header;
  const headerSize = is64 ? CHDR64_SIZE : CHDR32_SIZE;
  const head = source.read(section.offset, headerSize);
  if (head.length < headerSize || size < headerSize) {
    diagnostics.count('elf-compression-header-missing', section.name);
    return null;
  }
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const type = view.getUint32(0, littleEndian);
  const stated = is64 ? readU64(view, 8, littleEndian) : view.getUint32(4, littleEndian);
  if (type !== ELFCOMPRESS_ZLIB && type !== ELFCOMPRESS_ZSTD) {
    diagnostics.count('elf-compression-unknown', `${section.name}: type ${type}`);
    return null;
  }
  const stream = windowOf(source, section.offset + headerSize, size - headerSize);
  return inflate(stream, section.name, stated, type, reading);
}

/** The old form, known by its name: `ZLIB`, the size as u64 in big-endian, a zlib stream. */
function openZdebug(
  source: ByteSource,
  section: ElfSection,
  reading: Reading,
): SectionSource | null {
  const { diagnostics } = reading;
  const size = sectionFileBytes(section, source);
  const head = source.read(section.offset, Math.min(size, ZDEBUG_HEADER_SIZE));
  const hasMagic = head[0] === 0x5a && head[1] === 0x4c && head[2] === 0x49 && head[3] === 0x42;
  if (head.length < ZDEBUG_HEADER_SIZE || !hasMagic) {
    diagnostics.count('elf-compression-header-missing', section.name);
    return null;
  }
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const stated = readU64(view, 4, false);
  const from = section.offset + ZDEBUG_HEADER_SIZE;
  const stream = windowOf(source, from, size - ZDEBUG_HEADER_SIZE);
  return inflate(stream, section.name, stated, ELFCOMPRESS_ZLIB, reading);
}

function inflate(
  stream: ByteSource,
  name: string,
  stated: number,
  type: number,
  reading: Reading,
): SectionSource | null {
  const { diagnostics, decoders } = reading;
  const limit = Math.min(Math.max(MAX_SMALL_BYTES, MAX_RATIO * stream.size), MAX_SECTION_BYTES);
  if (stated > limit) {
    const example = `${name}: ${stated} bytes out of ${stream.size}`;
    diagnostics.count('elf-compressed-size-unlikely', example);
    return null;
  }
  const decoder = type === ELFCOMPRESS_ZLIB ? decoders.zlib : decoders.zstd;
  if (decoder === null) {
    diagnostics.count('elf-compressed-without-decoder', name);
    return null;
  }
  try {
    const inflateWhole = () => decoder(stream.read(0, stream.size), stated);
    const isLarge = type === ELFCOMPRESS_ZLIB && stated > MAX_INFLATED_WHOLE_BYTES;
    const scratch =
      isLarge && !reading.isWhole ? (decoders.scratch?.(stated, stream.size) ?? null) : null;
    if (scratch !== null) {
      return new InflatedSection({
        stream,
        size: stated,
        scratch,
        inflateWhole: () => {
          try {
            return inflateWhole();
          } catch {
            return null;
          }
        },
        onDamage: (at, reason) =>
          diagnostics.count('elf-compressed-section-cut', `${name} at ${at}: ${reason}`),
      });
    }
    const bytes = inflateWhole();
    if (bytes.length < stated) {
      const example = `${name}: ${stated} stated, ${bytes.length} there`;
      diagnostics.count('elf-compressed-section-cut', example);
    }
    return bytes.length === 0 ? null : memorySource(bytes);
  } catch (error) {
    // The file can't be read, as it can't where sections are not compressed: that is no damage of it.
    if (isSystemError(error)) throw error;
    const example = `${name}: ${(error as Error).message}`;
    diagnostics.count('elf-compressed-section-damaged', example);
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
