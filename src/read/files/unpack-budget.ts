import { explainedSize, type MostUnpacked } from '../../base/explained-size.ts';
import type { Scratch } from '../../code/elf/inflated-section.ts';
import type { Decompress, SectionDecoders } from '../../code/elf/section-bytes.ts';
import { STRICT } from '../../options/reading.ts';
import { sectionDecoders } from './section-decoders.ts';
import { inflateXz } from './xz.ts';

/** `.gnu_debugdata` of all files together; whatever their own size is. Each symbol takes 60 bytes more. */
const MOST_MINI_DEBUG_BYTES = 128 * 2 ** 20;
/** Compressed sections of all files together. */
const MOST_SECTION_BYTES = 256 * 2 ** 20;
/** Beyond that to so many times their size; symbols and DWARF come to four or five. */
const BYTES_FOR_EACH = 20;

/** Memory that a scratch file takes while it is open (`code/elf/inflated-section.ts`). */
const SCRATCH_BYTES = 2 ** 20;

const EXHAUSTED = `compressed parts of the files unpack to more than their size explains: ${STRICT.maxUnpacked.inBoth} allows more`;

/**
 * Bounds what the files that name a recording may unpack to, all of them together. Each section has a limit of
 * its own (`code/elf/section-bytes.ts`), but an archive beside a recording may hold thousands of files.
 */
export class UnpackBudget {
  readonly #least: number;
  readonly #most: MostUnpacked;
  #packed = 0;
  #unpacked = 0;

  /** `least`: bytes that are unpacked whatever the compressed size is, unless `most` is set. */
  constructor(least: number, most: MostUnpacked) {
    this.#least = least;
    this.#most = most;
  }

  /** `decompress`, which throws where there is no room for what it unpacks to. */
  bound(decompress: Decompress): Decompress {
    return (bytes, size) => {
      this.#packed += bytes.length;
      const room = Math.min(size, this.#room());
      if (room === 0 && size > 0) throw new Error(EXHAUSTED);
      try {
        const unpacked = decompress(bytes, room);
        this.#unpacked += unpacked.length;
        return unpacked;
      } catch (error) {
        // So much may have been unpacked to find that it is damaged or longer.
        this.#unpacked += room;
        throw room === size ? error : new Error(EXHAUSTED, { cause: error });
      }
    };
  }

  /** `open`, whose files take no more than there is room for. */
  boundScratch(
    open: NonNullable<SectionDecoders['scratch']>,
  ): NonNullable<SectionDecoders['scratch']> {
    return (size, packed) => {
      this.#packed += packed;
      if (this.#room() < SCRATCH_BYTES) return null;
      this.#unpacked += SCRATCH_BYTES;
      const scratch = open(size, packed);
      return scratch === null ? null : this.#boundFile(scratch);
    };
  }

  #boundFile(scratch: Scratch): Scratch {
    return {
      write: (offset, bytes) => {
        if (bytes.length > this.#room()) return false;
        this.#unpacked += bytes.length;
        return scratch.write(offset, bytes);
      },
      read: (offset, length) => scratch.read(offset, length),
      close: () => scratch.close(),
    };
  }

  #room(): number {
    const most = explainedSize(this.#most, this.#least, this.#packed * BYTES_FOR_EACH);
    return Math.max(0, most - this.#unpacked);
  }
}

/** `inflateXz` for the files of one recording. */
export function boundedXz(most: MostUnpacked): Decompress {
  return new UnpackBudget(MOST_MINI_DEBUG_BYTES, most).bound(inflateXz);
}

/** `sectionDecoders` for the files of one recording. */
export function boundedDecoders(most: MostUnpacked): SectionDecoders {
  const { zlib, zstd, scratch } = sectionDecoders;
  const budget = new UnpackBudget(MOST_SECTION_BYTES, most);
  return {
    zlib: zlib && budget.bound(zlib),
    zstd: zstd && budget.bound(zstd),
    ...(scratch !== undefined && { scratch: budget.boundScratch(scratch) }),
  };
}
