import { lateModules } from '../../base/late-modules.ts';
import type { Attachment, WrittenAttachment } from '../../formats/perf-data/appendix.ts';

const FASTEST = 1;
/** Bytes that are deflated at the end of a recording, half a second's: what a hostile program makes larger is stored as it is. */
const MOST_BYTES = 64 << 20;

/** Makes attachments of one recording, deflated as long as that takes a moment in all. */
export class AttachmentPacking {
  #room: number;

  /** `mostBytes`: those that are deflated; 0 where nobody keeps the attachments. */
  constructor(mostBytes = MOST_BYTES) {
    this.#room = mostBytes;
  }

  pack(name: string, bytes: Uint8Array): Attachment {
    const unpackedSize = bytes.length;
    if (unpackedSize > this.#room) return { name, packing: 'none', unpackedSize, bytes };
    this.#room -= unpackedSize;
    const packed = lateModules.zlib.deflateSync(bytes, { level: FASTEST });
    return { name, packing: 'deflate', unpackedSize, bytes: packed };
  }

  /** An attachment of pieces, which are not copied where they are not deflated. */
  packPieces(name: string, pieces: readonly Uint8Array[]): WrittenAttachment {
    const unpackedSize = pieces.reduce((sum, { length }) => sum + length, 0);
    if (unpackedSize <= this.#room) return this.pack(name, Buffer.concat(pieces));
    return { name, packing: 'none', unpackedSize, bytes: pieces };
  }
}
