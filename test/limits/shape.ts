import type { Random } from '../fuzz/mutate-bytes.ts';

/** A kind of file that is larger, or becomes larger, than what it says. */
export type Shape = {
  readonly name: string;
  /** A file of about `bytes`; where that is said of what it unpacks to, it is far smaller. */
  readonly make: (random: Random, bytes: number) => Uint8Array;
  /** Files beside it, by path: `perf.data.symbols/lib/x.so`. */
  readonly beside?: (random: Random, bytes: number) => ReadonlyMap<string, Uint8Array>;
};
