import { createRequire } from 'node:module';
import { lateModules } from '../../base/late-modules.ts';
import type { SectionDecoders } from '../../code/elf/section-bytes.ts';
import { ZstdGuard } from '../../formats/perf-data/zstd-guard.ts';
import { openScratchFile } from '../../system/files/scratch-file.ts';

type Fzstd = typeof import('fzstd');

const PIECE = 64 * 1024;
/** The smallest chunk that node:zlib takes. */
const MIN_CHUNK_BYTES = 64;

/** Decompressors for ELF sections: zlib of Node, zstd by a package that is loaded when needed. */
export const sectionDecoders: SectionDecoders = {
  zlib: (bytes, size) =>
    lateModules.zlib.inflateSync(bytes, {
      // A longer stream is refused when it gets there, not when it is whole.
      maxOutputLength: Math.max(size, 1),
      // In one piece: pieces would be joined at the end, by a second copy. A byte more than that,
      // or zlib would ask for another piece to find that there is nothing left.
      chunkSize: Math.max(size + 1, MIN_CHUNK_BYTES),
      // A stream that ends early gives what it has.
      finishFlush: lateModules.zlib.constants.Z_SYNC_FLUSH,
    }),
  zstd: inflateZstd,
  scratch: openScratchFile,
};

function inflateZstd(bytes: Uint8Array, size: number): Uint8Array {
  const { Decompress } = createRequire(import.meta.url)('fzstd') as Fzstd;
  new ZstdGuard().check(bytes);
  const output = new Uint8Array(size);
  let length = 0;
  const stream = new Decompress((part) => {
    if (length + part.length > size) throw new Error(`more than ${size} bytes`);
    output.set(part, length);
    length += part.length;
  });
  // In pieces, so that a stream that is longer than stated ends at the first piece too much.
  for (let at = 0; at < bytes.length; at += PIECE) {
    stream.push(bytes.subarray(at, at + PIECE), at + PIECE >= bytes.length);
  }
  return output.subarray(0, length);
}
