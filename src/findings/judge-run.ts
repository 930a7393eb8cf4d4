import { formatBytes, formatCount, formatShare } from '../base/numbers.ts';
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
  /** Whether samples have stacks; absent where that is not to be judged. */
  readonly hasStacks?: boolean;
  /** Share of the time that threads of the target were on a CPU, above 1 for several; null where waits are recorded too. */
  readonly onCpuShare?: number | null;
};

/** The share of the time on a CPU below which most of it is in no sample. */
const WAITED_SHARE = 0.5;

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
  hasStacks = true,
  onCpuShare = null,
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
      samples > 0 && !hasStacks ? NO_STACKS : null,
      judgeWaits(onCpuShare),
    ].filter((finding) => finding !== null),
  );
}

const NO_STACKS = createFinding(
  'stacks-none',
  'note',
  'no stacks',
  'no call stacks were recorded',
  {
    command: 'perf-ts record -g -- COMMAND',
  },
);

function judgeWaits(onCpuShare: number | null): Finding | null {
  if (onCpuShare === null || onCpuShare >= WAITED_SHARE) return null;
  const sentence = `on a CPU for ${formatShare(onCpuShare)} of the time: what it waited for is in no sample`;
  return createFinding('target-waited', 'note', 'waited', sentence, {
    share: 1 - onCpuShare,
    command: 'perf-ts record --off-cpu -- COMMAND',
  });
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
