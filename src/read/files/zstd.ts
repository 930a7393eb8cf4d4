import { createRequire } from 'node:module';
import type { CreateZstdDecoder } from '../../formats/perf-data/record-inflater.ts';

type Fzstd = typeof import('fzstd');

/** Decodes zstd streams. The decoder is loaded when the first compressed record is met. */
export const createZstdDecoder: CreateZstdDecoder = (output) => {
  const { Decompress } = createRequire(import.meta.url)('fzstd') as Fzstd;
  return new Decompress(output);
};
