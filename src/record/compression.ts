import { FailedError, UsageError } from '../base/errors.ts';
import { compressionSection, type FeatureSection } from '../formats/perf-data/feature-encoders.ts';
import { encodeHeaderFeature } from '../formats/perf-data/pipe-writer.ts';
import type { NativeBinding, SamplerTotals } from '../native/types.ts';

/** zstd's levels: the fastest, which is perf's default too, to the one that compresses most. */
export const FASTEST_LEVEL = 1;
const MAX_LEVEL = 22;

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
  if (!Number.isInteger(level) || level < FASTEST_LEVEL || level > MAX_LEVEL) {
    throw new UsageError(
      `-z ${level}: expected a level from ${FASTEST_LEVEL} (fast) to ${MAX_LEVEL}`,
    );
  }
  const problem = zstdProblem();
  if (problem === '') return;
  throw new FailedError(`-z compresses with libzstd, which cannot be used: ${problem}`, [
    'install it: sudo apt-get install libzstd1 (Fedora: libzstd), or leave -z out',
  ]);
}

/** The header's section about compressed records; `totals` of the finished recording. */
export function describeCompression(level: number, totals: SamplerTotals): FeatureSection {
  const { bytes, writtenBytes } = totals;
  const ratio = writtenBytes > 0 ? Math.max(1, Math.round(bytes / writtenBytes)) : 1;
  return compressionSection({ level, ratio, mmapLength: INFLATED_BYTES });
}

/**
 * The same as a record ahead of the compressed ones: a pipe has no header, and a file's sections are
 * written last, so that without it perf reads nothing of a recorder that was killed.
 */
export function announceCompression(level: number): Uint8Array {
  const section = compressionSection({ level, ratio: 1, mmapLength: INFLATED_BYTES });
  return encodeHeaderFeature(section) ?? new Uint8Array(0);
}
