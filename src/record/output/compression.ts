import { FailedError } from '../../base/errors.ts';
import { words } from '../../base/words.ts';
import {
  compressionSection,
  type FeatureSection,
} from '../../formats/perf-data/feature-encoders.ts';
import { encodeHeaderFeature } from '../../formats/perf-data/pipe-writer.ts';
import type { NativeBinding, SamplerTotals } from '../../native/types.ts';
import { RECORD } from '../../options/record.ts';

/**
 * Room that readers make for what comes out of a COMPRESSED record: more than the drain thread's
 * side puts into one (`ZstdCompressor::kMaxPiece`).
 */
const INFLATED_BYTES = 1 << 16;

/** Throws before anything is opened: a recording that was to be small does not begin as a large one. */
export function checkCompression(
  level: number | undefined,
  { zstdProblem }: Pick<NativeBinding, 'zstdProblem'>,
): void {
  if (level === undefined) return;
  const problem = zstdProblem();
  if (problem === '') return;
  throw new FailedError(
    words`${RECORD.compressionLevel} compresses with libzstd, which cannot be used: ${problem}`,
    [
      words`install it as root: apt-get install libzstd1 (Fedora: libzstd), or leave ${RECORD.compressionLevel} out`,
    ],
  );
}

/** The header's section about compressed records; `totals` of the finished recording. */
export function describeCompression(level: number, totals: SamplerTotals): FeatureSection {
  const { bytes, writtenBytes } = totals;
  const ratio = writtenBytes > 0 ? Math.max(1, Math.round(bytes / writtenBytes)) : 1;
  return compressionSection({ level, ratio, mmapLength: INFLATED_BYTES });
}

/**
 * The description as a record ahead of the compressed ones: a pipe has no header, and a file's sections are
 * written last, so that without it perf reads nothing of a recorder that was killed.
 */
export function announceCompression(level: number): Uint8Array {
  const section = compressionSection({ level, ratio: 1, mmapLength: INFLATED_BYTES });
  return encodeHeaderFeature(section) ?? new Uint8Array(0);
}
