import type { RingFacts } from '../base/lost-samples.ts';
import { formatBytes, formatCount, formatTenth } from '../base/numbers.ts';
import { createFinding, type Finding, sortFindings } from './finding.ts';
import { judgeSideband, NAMELESS_SHARE } from './judge-file.ts';
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
  /** Absent where they are not known. */
  readonly rings?: RingFacts;
  readonly targetHz?: number | null;
  /** Whether samples have stacks; absent where that is not to be judged. */
  readonly hasStacks?: boolean;
  /** Whether kernel code was left out of every event: waits, which are recorded in the kernel, may need rights then. */
  readonly isUserOnly?: boolean;
  /** Share of the time that threads of the target were on a CPU, above 1 for several; null where waits are recorded too. */
  readonly onCpuShare?: number | null;
  /** Share of the weight that lies in code of a JIT without a name; null where there is none of a JIT. */
  readonly unnamedJitShare?: number | null;
  /** Mean number of CPUs of the machine that had nothing to run; null where it is not known. */
  readonly idleCpus?: number | null;
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
  rings,
  targetHz = null,
  hasStacks = true,
  isUserOnly = false,
  onCpuShare = null,
  idleCpus = null,
  unnamedJitShare = null,
}: RunEvidence): Finding[] {
  return sortFindings(
    [
      judgeSkippedData(skippedBytes),
      judgeSideband(lostSideband, rings),
      judgeSlowCompression(compression),
      judgeLost(lost, lost + samples, targetHz, rings),
      judgeThrottles(throttles, targetHz),
      samples > 0 && !hasStacks ? NO_STACKS : null,
      judgeWaits(onCpuShare, idleCpus, isUserOnly),
      judgeUnnamedJit(unnamedJitShare),
    ].filter((finding) => finding !== null),
  );
}

const NO_STACKS = createFinding(
  'stacks-none',
  'note',
  'no stacks',
  'no call stacks were recorded',
  {
    command: 'perf-ts record --call-graph auto -- COMMAND',
  },
);

/**
 * A thread that is ready to run gets an idle CPU: it waited for something else as long as one was idle. Where none was
 * for most of the rest of the time, nobody can tell whether it waited or was ready to run.
 */
function judgeWaits(
  onCpuShare: number | null,
  idleCpus: number | null,
  isUserOnly: boolean,
): Finding | null {
  if (onCpuShare === null || onCpuShare >= WAITED_SHARE) return null;
  const share = 1 - onCpuShare;
  const text = onCpuShare < 0.01 ? 'less than 1%' : `${Math.round(onCpuShare * 100)}%`;
  const isContended = idleCpus !== null && idleCpus < share / 2;
  const [label, why] = isContended
    ? ['CPUs busy', 'it waited, or other programs kept the CPUs busy']
    : ['waited', 'what it waited for is in no sample'];
  const sentence = `on a CPU for ${text} of the time: ${why}${isUserOnly ? '; as root, this shows it' : ''}`;
  return createFinding('target-waited', 'note', label, sentence, {
    share,
    command: 'perf-ts record --off-cpu -- COMMAND',
  });
}

function judgeUnnamedJit(share: number | null): Finding | null {
  if (share === null || share < NAMELESS_SHARE) return null;
  const sentence =
    `${formatTenth(share)} of the weight is in code without a name that a JIT made as it ran: Node names it where the ` +
    'program imports perf-ts/register';
  return createFinding('javascript-unnamed', 'note', 'names missing', sentence, { share });
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
