import { lostSamplesText, type RingFacts } from '../base/lost-samples.ts';
import { formatCount, formatNanos, formatShare, formatTenth } from '../base/numbers.ts';
import type { Completeness } from '../profile/analysis/stacks/completeness.ts';
import { lengthOfRanges, type TimeRange } from '../profile/time-range.ts';
import { createFinding, type Finding, type Severity } from './finding.ts';
import { enlargeRings } from './judge-file.ts';

/** Facts about the sampling of a recording, beside those of each event. */
export type SamplingEvidence = {
  readonly events: readonly EventEvidence[];
  /** The text of another tool. */
  readonly isText: boolean;
  /** Absent where the recording does not tell. */
  readonly rings?: RingFacts | undefined;
  readonly notes: readonly string[];
  readonly completeness: Completeness | null;
  /** Share of the samples in native code whose JavaScript is not known as no stacks were recorded, 0…1. */
  readonly withoutJavaScript: number;
  /** The place in which most of the cut stacks end, and what helps; null where none is cut. */
  readonly mostCut: MostCut | null;
  /** Share of the samples whose innermost function has no name, 0…1. */
  readonly unnamedShare: number;
  /** The file in which more than half of these lie; null where none has so many. */
  readonly unnamedFile: string | null;
  /** Stretches in which the events were disabled, within the recording's `lengthNs`. */
  readonly off: readonly TimeRange[];
  readonly lengthNs: number;
};

/** Facts about the sampling of one event. Counts of events are whole numbers, or nanoseconds. */
export type EventEvidence = {
  readonly name: string;
  readonly samples: number;
  /** The first event of its group, whose samples read this one; null: it has samples of its own. */
  readonly readBy: string | null;
  readonly lost: Part;
  /** The number of samples of equal weight that tell as much; null where each occurrence is a sample. */
  readonly effective: number | null;
  /** Events that no sample stands for. */
  readonly uncovered: Part;
  /** Why no sample stands for them, as the end of a sentence. */
  readonly uncoveredBecause: string;
  /** Half of what the last interval of each counter would have been, where no final count tells; 0 of all where one does. */
  readonly uncounted: Part & { readonly counters: number };
  /** Events after the last samples of tasks, which are counted at these. */
  readonly tails: Part;
  readonly pauses: readonly TimeRange[];
  /** The rate asked; null where a period was. */
  readonly targetHz: number | null;
  readonly inStep: (Doubt & { readonly areIntervalsSure: boolean }) | null;
  /** Shares that may be those of neighbouring functions. */
  readonly doubtfulWeights: Doubt | null;
  /** The share of the profile that stands elsewhere by samples or by period. */
  readonly disagreement: Doubt | null;
};

/** A number of samples or events, and the number of which it is a part. */
export type Part = { readonly part: number; readonly of: number };
export type MostCut = {
  /** The name of a DSO, or words for where there is none. */
  readonly place: string;
  readonly reason: string;
  readonly samples: number;
  readonly advice: Advice | null;
};

/** The remedy: a command, or in words where no command has it. */
export type Advice = { readonly text: string | null; readonly command: string | null };
/** Something that speaks against shares of an event, and the share of its weight that it concerns. */
export type Doubt = {
  readonly sentence: string;
  readonly share: number | null;
  readonly command: string | null;
};

/** The share of the samples that are lost. Less than this is within what chance does to any share. */
const LOST_DOUBT = 0.005;
/** The number of samples that the smaller functions of a profile have. */
const LOST_WRONG = 0.1;
/** Share of the stacks that lack callers, or may lack some: totals of the callers are too small by as much. */
const STACKS_NOTE = 0.01;
const STACKS_DOUBT = 0.1;
/** The same of stacks whose callers nobody can know of. */
const CALLERS_UNKNOWN_DOUBT = 0.05;
/** Totals, trees and callers stand for less than half of the samples. */
const STACKS_WRONG = 0.5;
const UNNAMED_NOTE = 0.05;
/** More samples have no name than have one. */
const UNNAMED_DOUBT = 0.5;
/** Share of the counted events that no sample stands for. */
const UNCOVERED_NOTE = 0.01;
const UNCOVERED_DOUBT = 0.1;
const OFF_NOTE = 0.01;
/** Share of the time for which the kernel paused an event. */
const PAUSED_DOUBT = 0.01;
/** Fewer samples of equal weight: a share of one half is uncertain by 14 points and more. */
const FEW_SAMPLES = 50;
/** Pauses that a finding lists. */
const MAX_SPANS = 100;

/** Findings about the sampling and the stacks, in no order of severity. */
export function judgeSampling(evidence: SamplingEvidence): Finding[] {
  return [
    ...evidence.events.flatMap((event, row) => judgeEvent(evidence, event, row)),
    judgeNoStacks(evidence),
    judgeCutStacks(evidence),
    judgeUnknownStacks(evidence),
    judgeUnnamed(evidence),
    judgeOff(evidence),
    judgeText(evidence),
    ...evidence.notes.map((note) => judgeNote(note, evidence.events)),
  ].filter((finding) => finding !== null);
}

function judgeEvent(
  { isText, lengthNs, rings }: SamplingEvidence,
  evidence: EventEvidence,
  event: number,
): (Finding | null)[] {
  const { samples, readBy, lost, uncovered, tails, inStep, doubtfulWeights, disagreement } =
    evidence;
  if (readBy !== null) {
    return [doubtOf(doubtfulWeights, 'samples-of-leader', 'without own samples', event)];
  }
  if (samples === 0) {
    return [createFinding('samples-none', 'wrong', 'no samples', NO_SAMPLE, { event })];
  }
  return [
    isText ? null : judgeNumber(evidence, event),
    judgeLost(lost.part, lost.of, evidence.targetHz, rings, event),
    judgeUncovered(uncovered, evidence.uncoveredBecause, event),
    isText ? null : judgeUncounted(evidence.uncounted, event),
    judgeTails(tails, event),
    judgePauses(evidence, lengthNs, event),
    doubtOf(
      inStep,
      'samples-in-step',
      'in step',
      event,
      // Samples may all be at some places of a loop, of a clock or of alike tasks.
      inStep?.areIntervalsSure === false ? 'wrong' : 'doubt',
    ),
    doubtOf(doubtfulWeights, 'periods-unknown', 'periods uncertain', event),
    isText ? null : doubtOf(disagreement, 'weights-disagree', 'weights disagree', event),
  ];
}

const NO_SAMPLE = 'no sample of this event was taken';

function doubtOf(
  doubt: Doubt | null,
  code: Finding['code'],
  label: string,
  event: number,
  severity: Severity = 'doubt',
): Finding | null {
  if (doubt === null) return null;
  const { sentence, share, command } = doubt;
  return createFinding(code, severity, label, sentence, { event, share, command });
}

function judgeNumber({ samples, effective }: EventEvidence, event: number): Finding | null {
  if (effective === null || effective >= FEW_SAMPLES) return null;
  const all = `${formatCount(samples)} ${samples === 1 ? 'sample' : 'samples'}`;
  const worth =
    Math.round(effective) < samples
      ? `tell as much as ${formatCount(effective)} of equal weight`
      : samples === 1
        ? 'tells little'
        : 'are few';
  const sentence = `${all} ${worth}: a longer recording has more`;
  return createFinding('samples-few', 'wrong', 'few samples', sentence, { event });
}

/** `taken`: the lost ones included; `event`: null for all events together. */
export function judgeLost(
  lost: number,
  taken: number,
  targetHz: number | null,
  rings?: RingFacts,
  event: number | null = null,
): Finding | null {
  if (lost === 0) return null;
  const share = lost / taken;
  const severity = share < LOST_DOUBT ? 'note' : share < LOST_WRONG ? 'doubt' : 'wrong';
  const sentence = `${lostSamplesText(lost, taken)}: larger rings or a lower rate (-F) lose less`;
  return createFinding('samples-lost', severity, `${formatTenth(share)} lost`, sentence, {
    event,
    share,
    command: enlargeRings(rings) ?? (targetHz === null ? null : atHalfOf(targetHz)),
  });
}

function judgeUncovered({ part, of }: Part, because: string, event: number): Finding | null {
  const share = part / of;
  if (!(share >= UNCOVERED_NOTE)) return null;
  return createFinding(
    'events-uncovered',
    share < UNCOVERED_DOUBT ? 'note' : 'doubt',
    `${formatTenth(share)} of events unseen`,
    `${formatCount(part)} of ${formatCount(of)} events (${formatShare(share)}) ${because}: they are in no row`,
    { share, event, command: 'perf-ts periods' },
  );
}

function judgeUncounted(
  { part, of, counters }: EventEvidence['uncounted'],
  event: number,
): Finding | null {
  const share = part / of;
  if (!(share >= UNCOVERED_NOTE)) return null;
  const whose =
    counters === 1
      ? 'last sample of a counter'
      : `last samples of ${formatCount(counters)} counters`;
  const sentence =
    `the recording has no final counts: nobody knows what came after the ${whose}, some ` +
    `${formatShare(share)} of the events if each ended halfway to its next sample; it is in no row`;
  return createFinding(
    'events-uncounted',
    share < UNCOVERED_DOUBT ? 'note' : 'doubt',
    'end not counted',
    sentence,
    { share, event, command: 'perf-ts record -- COMMAND' },
  );
}

function judgeTails({ part, of }: Part, event: number): Finding | null {
  const share = part / of;
  if (!(share >= UNCOVERED_NOTE)) return null;
  const sentence =
    `${formatCount(part)} of ${formatCount(of)} events (${formatShare(share)}) came after the last samples of their ` +
    'tasks: they are counted at these, and the intervals allow for it';
  return createFinding('events-of-tails', 'note', 'events behind samples', sentence, {
    share,
    event,
  });
}

function judgePauses(
  { pauses, targetHz }: EventEvidence,
  lengthNs: number,
  event: number,
): Finding | null {
  if (pauses.length === 0) return null;
  const share = Math.min(1, lengthOfRanges(pauses) / lengthNs);
  const sentence = `${pausedText(pauses.length)}, for ${formatNanos(lengthOfRanges(pauses))} in all: these stretches are missing`;
  return createFinding(
    'samples-paused',
    share < PAUSED_DOUBT ? 'note' : 'doubt',
    'paused by the kernel',
    sentence,
    {
      share,
      event,
      spans: spansOf(pauses.slice(0, MAX_SPANS)),
      command: targetHz === null ? null : atHalfOf(targetHz),
    },
  );
}

export function pausedText(times: number): string {
  return `the kernel paused the event ${times === 1 ? 'once' : `${formatCount(times)} times`}`;
}

export function atHalfOf(hz: number): string {
  return `perf-ts record -F ${Math.max(1, Math.floor(hz / 2))} -- COMMAND`;
}

/** A doubt at most: what is in a row was sampled there. */
function judgeNoStacks({ withoutJavaScript: share }: SamplingEvidence): Finding | null {
  if (share < STACKS_NOTE) return null;
  const sentence =
    `no stacks were recorded: ${formatTenth(share)} of the samples are in native code, of V8, Node or libraries, ` +
    'and nobody can tell which function of JavaScript it ran for';
  const severity = share < CALLERS_UNKNOWN_DOUBT ? 'note' : 'doubt';
  const command = 'perf-ts record -g -- COMMAND';
  return createFinding('stacks-none', severity, 'no stacks', sentence, { share, command });
}

function judgeCutStacks({ completeness, mostCut }: SamplingEvidence): Finding | null {
  if (completeness === null || completeness.samples === 0) return null;
  const { samples, complete, unknown } = completeness;
  const share = (samples - complete - unknown) / samples;
  if (share < STACKS_NOTE) return null;
  const text = formatTenth(share);
  const sentence = `${text} of the stacks lack callers${mostCut === null ? '' : cutText(mostCut, samples)}`;
  const severity = share < STACKS_DOUBT ? 'note' : share < STACKS_WRONG ? 'doubt' : 'wrong';
  return createFinding('stacks-cut', severity, `${text} of stacks cut`, sentence, {
    share,
    command: mostCut?.advice?.command ?? null,
  });
}

function cutText({ place, reason, samples, advice }: MostCut, of: number): string {
  const remedy = advice === null || advice.text === null ? '' : `; ${advice.text}`;
  return `: ${formatTenth(samples / of)} end in ${place}, as ${reason}${remedy}`;
}

function judgeUnknownStacks({ completeness }: SamplingEvidence): Finding | null {
  if (completeness === null || completeness.samples === 0) return null;
  const share = completeness.unknown / completeness.samples;
  if (share < CALLERS_UNKNOWN_DOUBT) return null;
  const severity = share < STACKS_WRONG ? 'doubt' : 'wrong';
  const text = formatTenth(share);
  const sentence = `${text} of the stacks end in code without names, so that nobody can tell whether callers are missing`;
  const label = `${text} of stacks unknown`;
  return createFinding('stacks-unknown', severity, label, sentence, {
    share,
    command: 'perf-ts report -v',
  });
}

function judgeUnnamed({ unnamedShare: share, unnamedFile }: SamplingEvidence): Finding | null {
  if (share < UNNAMED_NOTE) return null;
  const text = formatTenth(share);
  const severity = share < UNNAMED_DOUBT ? 'note' : 'doubt';
  const where = unnamedFile === null ? '' : `, most of them in ${unnamedFile}`;
  const sentence = `${text} of the samples lie in functions without a name${where}`;
  return createFinding('samples-unnamed', severity, `${text} unnamed`, sentence, {
    share,
    command: 'perf-ts report -v',
  });
}

/** Whoever recorded asked for it, and shares of time leave it out: a note. */
function judgeOff({ off, lengthNs }: SamplingEvidence): Finding | null {
  const share = lengthOfRanges(off) / lengthNs;
  if (!(share >= OFF_NOTE)) return null;
  const stretches = off.length === 1 ? '' : `, in ${formatCount(off.length)} stretches`;
  const sentence = `nothing was sampled in ${formatNanos(lengthOfRanges(off))} of ${formatNanos(lengthNs)}${stretches}: the events were disabled`;
  return createFinding('sampling-off', 'note', `off for ${formatTenth(share)}`, sentence, {
    share,
    spans: spansOf(off),
  });
}

function judgeText({ isText }: SamplingEvidence): Finding | null {
  if (!isText) return null;
  const sentence = 'the text of another tool does not say how it was sampled, and what was lost';
  return createFinding('sampling-unknown', 'doubt', 'sampling unknown', sentence);
}

function judgeNote(note: string, events: readonly EventEvidence[]): Finding {
  return events.some(({ name }) => replacedBy(name, [note]) !== null)
    ? createFinding('event-replaced', 'note', 'other event', note)
    : createFinding('recorder-note', 'note', 'note of the recorder', note);
}

/** The recorder says in a note what it recorded in place of what: `cycles: … recording X instead`. */
export function replacedBy(name: string, notes: readonly string[]): string | null {
  for (const note of notes) {
    const match = /^(\S+): .*recording (\S+?),? (?:.* )?instead\b/.exec(note);
    if (match !== null && match[2] === name) return match[1];
  }
  return null;
}

function spansOf(ranges: readonly TimeRange[]): [fromNs: number, toNs: number][] {
  return ranges.map(({ fromNs, toNs }) => [fromNs, toNs]);
}
