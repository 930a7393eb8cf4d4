import type { ByteSource } from '../../base/byte-source.ts';

/** Hears of the share of a file, 0 … 1, that was read; it begins anew where the file is read again. */
export type OnShareRead = (share: number) => void;

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
