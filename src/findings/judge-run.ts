import { formatBytes, formatCount } from '../base/numbers.ts';
import { createFinding, type Finding, sortFindings } from './finding.ts';
import { judgeSideband, LARGER_RINGS } from './judge-file.ts';
import { atHalfOf, judgeLost, pausedText } from './judge-sampling.ts';

/** Findings of the counts of a sampler, at its end or so far: nothing has been read back. */
export type RunEvidence = {
  readonly samples: number;
  readonly lost: number;
  readonly lostSideband: number;
  readonly throttles: number;
  /** Bytes of ring data that made no sense. */
  readonly skippedBytes?: number;
  /** The level of -z, null without, and how often rings were full since compressing fell behind. */
  readonly compression?: { readonly level: number | null; readonly heldRounds: number };
  /** Pages of each ring; absent where they are not known. */
  readonly ringPages?: number;
  readonly targetHz?: number | null;
};

/** The findings about a sampler that runs or has just ended, the worst first. */
export function judgeRun({
  samples,
  lost,
  lostSideband,
  throttles,
  skippedBytes = 0,
  compression,
  ringPages,
  targetHz = null,
}: RunEvidence): Finding[] {
  const command =
    ringPages === undefined ? LARGER_RINGS : `perf-ts record -m ${4 * ringPages} -- COMMAND`;
  return sortFindings(
    [
      judgeSkippedData(skippedBytes),
      judgeSideband(lostSideband),
      judgeSlowCompression(compression),
      judgeLost(lost, lost + samples, { command }),
      judgeThrottles(throttles, targetHz),
    ].filter((finding) => finding !== null),
  );
}

function judgeSkippedData(bytes: number): Finding | null {
  if (bytes === 0) return null;
  const sentence = `${formatBytes(bytes)} of ring data made no sense and were given up`;
  return createFinding('bytes-skipped', 'doubt', 'data given up', sentence);
}

function judgeSlowCompression(compression: RunEvidence['compression']): Finding | null {
  if (compression === undefined || compression.heldRounds === 0) return null;
  const { level, heldRounds } = compression;
  const sentence =
    `compressing (-z ${level}) fell behind ${formatCount(heldRounds)} times, so that rings were full: a lower ` +
    'level, or none, loses less';
  return createFinding('compression-slow', 'note', 'compressing fell behind', sentence);
}

function judgeThrottles(times: number, targetHz: number | null): Finding | null {
  if (times === 0) return null;
  return createFinding('samples-paused', 'doubt', 'paused by the kernel', pausedText(times), {
    command: targetHz === null ? null : atHalfOf(targetHz),
  });
}
