import type { Diagnostics } from '../../base/diagnostics.ts';
import { lateModules } from '../../base/late-modules.ts';
import { type Attachment, readAppendix } from '../../formats/perf-data/appendix.ts';
import type { PerfData } from '../../formats/perf-data/reader.ts';
import { STRICT } from '../../options/reading.ts';

/** All attachments together unpack to so much, whatever their own size is. */
const MOST_BYTES = 64 * 2 ** 20;
/** Beyond that to so many times their size; the text of maps and notes comes to five or ten. */
const BYTES_FOR_EACH = 40;

/** The attachments of a recording, unpacked as they are asked for, and not without bounds. */
export class StoredFiles {
  readonly #data: PerfData;
  readonly #diagnostics: Diagnostics;
  #files: Map<string, Attachment> | null = null;
  #packed = 0;
  #unpacked = 0;

  constructor(data: PerfData, diagnostics: Diagnostics) {
    this.#data = data;
    this.#diagnostics = diagnostics;
  }

  has(name: string): boolean {
    return this.#all().has(name);
  }

  /** The file, at most `most` bytes of it, whole or not at all; null, with the reason counted, if not. */
  read(name: string, most: number): Uint8Array | null {
    const file = this.#all().get(name);
    if (file === undefined) return null;
    if (file.packing === 'none') return file.bytes.subarray(0, most);
    this.#packed += file.bytes.length;
    const all = this.#data.mostUnpacked ?? Math.max(MOST_BYTES, this.#packed * BYTES_FOR_EACH);
    const room = Math.min(most, file.unpackedSize, Math.max(0, all - this.#unpacked));
    try {
      const bytes = lateModules.zlib.inflateSync(file.bytes, {
        maxOutputLength: Math.max(1, room),
      });
      this.#unpacked += bytes.length;
      return bytes;
    } catch (error) {
      const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
      if (isTooLarge) this.#unpacked += room;
      if (isTooLarge && room < Math.min(most, file.unpackedSize)) {
        const why = `${file.bytes.length} bytes: ${STRICT.maxUnpacked.inBoth} allows more`;
        this.#diagnostics.count('stored-file-too-large', `${name}, ${why}`);
      } else {
        this.#diagnostics.count('stored-file-damaged', `${name}: ${String(error)}`);
      }
      return null;
    }
  }

  #all(): Map<string, Attachment> {
    this.#files ??= new Map(readAppendix(this.#data).map((file) => [file.name, file]));
    return this.#files;
  }
}
