import { lostSamplesOf } from '../../base/lost-samples.ts';
import {
  formatAmount,
  formatBytes,
  formatCount,
  formatNanos,
  formatShare,
} from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import { hasNamedScripts } from '../../code/javascript/frame-class.ts';
import { areLossesKnown } from '../../findings/finding.ts';
import { weightTitle } from '../../formats/export/weight-title.ts';
import type { FlatReport } from '../../profile/analysis/flat-report.ts';
import { isRestricting, type SampleSelection } from '../../profile/analysis/select/filter.ts';
import { isCpuTime, quantityName } from '../../profile/cpu-time.ts';
import type { FrameLevel } from '../../profile/frame-level.ts';
import { recordedLength, sampledPartText } from '../../profile/sampled-time.ts';
import type { EventIndex, Profile, ProfileEvent, Weights } from '../../profile/types.ts';
import { HEAP_EVENT, LIVE_EVENT, SYSCALL_EVENT } from '../../profile/wait-event.ts';
import type { AnalysedProfile } from './analysed-profile.ts';
import { findingsOf } from './findings-of.ts';

// The words in which reports and pictures begin: what was recorded, what was counted, which frames are shown.

/** `node app.js: 3.72 s`: the program, or with `isWhole` its recorder's command, and how long; empty where neither is known. */
export function programLine(profile: Profile, isWhole: boolean): string {
  const { commandLine } = profile.meta;
  const recorded = recordedLength(profile);
  const length =
    sampledPartText(recorded) ?? (recorded === null ? null : formatNanos(recorded.recordedNs));
  const shown = isWhole ? commandLine : programOf(commandLine);
  const words = shown.map((word) => printable(word)).join(' ');
  return [...(words === '' ? [] : [words]), ...(length === null ? [] : [length])].join(': ');
}

/** Options of a recorder whose command bounds the recording, and is not what is recorded. */
const OTHER_TARGET = /^(-[A-Za-z]*[aptuC]|--(pid|tid|uid|user|all-cpus|cpu)\b)/;

/** `perf-ts app.js`, `perf record ./app`: no option of the recorder stands before the program. */
const BARE_WORDS = /^(?:run|record)$/;

/** The program in the command line of its recorder, which is behind `--` or the first word; the whole line where something else was recorded. */
function programOf(commandLine: readonly string[]): readonly string[] {
  const end = commandLine.indexOf('--');
  if (end < 0) {
    const words = commandLine.slice(BARE_WORDS.test(commandLine[1] ?? '') ? 2 : 1);
    return /^[^-\d]/.test(words[0] ?? '') ? words : commandLine;
  }
  const isOther = commandLine.slice(0, end).some((word) => OTHER_TARGET.test(word));
  return isOther ? commandLine : commandLine.slice(end + 1);
}

/** `cpu-clock: 6 109 samples, 1.53 s of CPU time, none lost`. */
export function eventLine(
  opened: AnalysedProfile,
  event: EventIndex,
  report: Pick<FlatReport, 'samples' | 'weight'>,
  weights: Weights,
  select: SampleSelection,
): string {
  const { profile } = opened;
  const { name } = profile.events[event];
  const lost = lostSamplesOf(profile.losses, event);
  // Which part of the losses would have been selected, nobody knows.
  const share = isRestricting(select)
    ? ' in the whole recording'
    : ` (${formatShare(lost / (lost + report.samples))})`;
  return [
    `${printable(name)}: ${formatCount(report.samples)} ${report.samples === 1 ? 'sample' : 'samples'}`,
    ...(weights.kind === 'samples'
      ? []
      : [
          name === HEAP_EVENT || name === LIVE_EVENT
            ? `${formatBytes(report.weight)} in use`
            : weightText(report.weight, weights, profile.events[event]),
        ]),
    ...(lost > 0
      ? [`lost ${formatCount(lost)}${share}`]
      : areLossesKnown(findingsOf(opened))
        ? ['none lost']
        : []),
  ].join(', ');
}

/** `1.53 s of CPU time`, `3.00 s off the CPU`, `23 056 events`; other weights by their titles. */
function weightText(weight: number, weights: Weights, event: ProfileEvent): string {
  const { kind, unit, areOfText, areWaits } = weights;
  const isNanos = unit === 'nanoseconds';
  const isTitled = kind === 'wall' ? !isNanos : kind !== 'events';
  if (areOfText || isTitled) return `${formatCount(weight)} ${weightTitle(weights)}`;
  if (!isNanos) return formatAmount(weight, unit);
  if (event.name === SYSCALL_EVENT) return `${formatNanos(weight)} in system calls`;
  if (areWaits) return `${formatNanos(weight)} off the CPU`;
  return `${formatNanos(weight)}${isCpuTime(event) ? ` of ${quantityName(event, weights)}` : ''}`;
}

/** The level of frames that is shown; native programs have an `own` that leaves out other things. */
export function shownFrames({ facts, profile }: AnalysedProfile): FrameLevel | 'own-native' {
  return facts.frames === 'own' && !hasNamedScripts(profile) ? 'own-native' : facts.frames;
}

/** The frames that each level leaves out; null where it has all. */
export const FOLDED: Readonly<Record<ReturnType<typeof shownFrames>, string | null>> = {
  all: null,
  main: 'from main and thread functions on: what starts them is left out',
  javascript: 'JavaScript; native code is folded into (kinds)',
  own: 'own functions only: dependencies, Node and native code are folded',
  'own-native': 'own functions only: libraries and the kernel are folded into (kinds)',
};
