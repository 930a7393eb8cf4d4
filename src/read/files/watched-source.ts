import type { ByteSource } from '../../base/byte-source.ts';

/** Hears of the share of a file, 0 … 1, that was read; it begins anew where the file is read again. */
export type OnShareRead = (share: number) => void;

/** Options of a caller for reading a file, whatever is read of it. */
export type ReadOptions = {
  /** Memory that the file may take beyond what its size explains, in bytes. */
  readonly maxUnpacked?: number | undefined;
  readonly onShare?: OnShareRead | undefined;
};

/** `source`, which reports at each reading how far into it that goes. */
export function watchReads<Source extends ByteSource>(
  source: Source,
  onShare: OnShareRead | undefined,
): Source {
  if (onShare === undefined) return source;
  return {
    ...source,
    read(offset, length) {
      onShare(Math.min(1, offset / source.size));
      return source.read(offset, length);
    },
  };
}
