import { createRequire } from 'node:module';
import type { CreateZstdDecoder } from '../../formats/perf-data/record-inflater.ts';
import { loadBinding } from '../../native/binding.ts';

/** The most that zstd has in a block. */
const BLOCK_BYTES = 128 << 10;

type Fzstd = typeof import('fzstd');

/**
 * Decodes zstd streams of anybody, in JavaScript, where a damaged one can't harm. The decoder is loaded when the
 * first compressed record is met.
 */
export const createZstdDecoder: CreateZstdDecoder = (output) => {
  const { Decompress } = createRequire(import.meta.url)('fzstd') as Fzstd;
  return new Decompress(output);
};

/** Decodes zstd several times faster, by the machine's libzstd: for streams that this process has written. */
export const createOwnZstdDecoder: CreateZstdDecoder = (output) => {
  const decoder = new (loadBinding().ZstdDecoder)();
  const block = new Uint8Array(BLOCK_BYTES);
  return {
    push(piece) {
      decoder.push(piece);
      for (let count = block.length; count === block.length; ) {
        count = decoder.next(block);
        if (count > 0) output(block.subarray(0, count));
      }
    },
  };
};
