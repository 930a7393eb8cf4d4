import { printable } from '../base/printable.ts';

/**
 * How bad a finding is. `note`: worth knowing, figures hold. `doubt`: figures may be off by its share. `wrong`: figures
 * may be off by more than they show.
 */
export type Severity = 'note' | 'doubt' | 'wrong';

/** The severities, the worst first. */
export const SEVERITIES: readonly Severity[] = ['wrong', 'doubt', 'note'];

/** Every kind of finding and what it means, by what it is about; `docs/contract.md` lists them, `report --fail-on` takes them. */
export const FINDINGS = {
  file: {
    'recording-cut': 'the file ends early, among its records',
    'bytes-skipped': 'a part of the records could not be read',
    'parts-damaged': 'something else in the file is damaged',
    'samples-left-out':
      "samples name an event that the file does not have, or have fields that nobody here knows, or V8 sampled a thread's heap for the program itself",
    'events-mixed': 'nothing tells which event a sample belongs to',
    'samples-untimed': 'samples have no time',
    'sideband-lost': 'records of forks, execs and mappings were lost',
  },
  names: {
    'names-missing': 'a file gives no names',
    'lines-missing': 'a file gives no lines and inlined calls',
    'names-doubtful': 'a file, or the kernel, may not be the one that ran',
    'kernel-unnamed': 'code of the kernel has no names',
    'javascript-unnamed': 'code of a JIT has no names',
    'javascript-doubtful': 'code of a JIT may have wrong names',
  },
  sampling: {
    'samples-none': 'no sample of the event was taken',
    'samples-few': 'the samples tell as much as fewer than 50 of equal weight',
    'samples-lost': 'samples that were taken did not arrive',
    'samples-paused': 'the kernel paused the event',
    'samples-in-step': 'samples fall in step with the work',
    'samples-of-leader': 'the event was read by the samples of another event',
    'waits-lost': 'waits off the CPU have no end, and count for nothing',
    'wake-ups-lost':
      'waits without a recorded wake-up count the time that they were ready to run as waiting',
    'target-waited': 'the target was on a CPU for the smaller part of the time',
    'sampling-off': 'the events were disabled for a part of the recording',
    'sampling-unknown': 'the text of another tool does not say how it was sampled',
    'events-uncovered': 'events were counted that no sample stands for',
    'events-uncounted': 'no final count tells what came after the last samples',
    'events-of-tails': 'events after the last sample of a task are counted at that sample',
    'periods-unknown': 'the recording does not tell which interval a period counts',
    'weights-disagree': 'by samples or by period the profile is another one',
    'compression-slow': 'compressing the recording fell behind',
  },
  stacks: {
    'stacks-none': 'no stacks were recorded',
    'stacks-cut': 'stacks lack callers',
    'stacks-unknown': 'stacks end in code without names, so that they may be whole or not',
    'samples-unnamed': 'samples lie in functions without a name',
  },
  recorder: {
    'event-replaced': 'another event was recorded than the one asked for',
    'recorder-note': 'the recorder lowered or left out something',
  },
} as const;

/** The file and its records, the names that it gives, the samples, their stacks, or what was recorded. */
export type Subject = keyof typeof FINDINGS;
/** The code of a finding: to branch on, and for `report --fail-on`. */
export type FindingCode = { [S in Subject]: keyof (typeof FINDINGS)[S] }[Subject];

const SUBJECTS = Object.keys(FINDINGS) as Subject[];
export const FINDING_CODES = SUBJECTS.flatMap((each) => Object.keys(FINDINGS[each]));

export function subjectOf(code: FindingCode): Subject {
  return SUBJECTS.find((each) => Object.hasOwn(FINDINGS[each], code)) as Subject;
}

/** Whether commands that read a recording have printed it on standard error: faults of the file and missing names. */
export function isPrintedOnReading(code: FindingCode): boolean {
  return Object.hasOwn({ ...FINDINGS.file, ...FINDINGS.names }, code);
}

/** Something to know about a recording before its figures are believed. Names of strangers in it are printable. */
export type Finding = {
  readonly code: FindingCode;
  readonly severity: Severity;
  /** A few words, for a badge. */
  readonly label: string;
  /** One sentence, without a capital and a full stop. */
  readonly sentence: string;
  /** Share of the bytes, samples, stacks, events or time that it concerns, 0…1; null where that is not known. */
  readonly share: number | null;
  readonly place: FindingPlace;
  /** The command that helps, as it is typed; null where no command does. */
  readonly command: string | null;
};

/** The event, bytes and times that a finding is about. */
export type FindingPlace = {
  /** Row of the profile's events; null: all events. */
  readonly event: number | null;
  /** Offset in the file; null where it is not a place in the file. */
  readonly offset: number | null;
  /** Nanoseconds since the start of the recording. */
  readonly spans: readonly (readonly [fromNs: number, toNs: number])[];
};

/** The parts of a finding beside its code, severity, label and sentence. */
export type FindingDetails = Partial<FindingPlace> & {
  readonly share?: number | null;
  readonly command?: string | null;
};

export function createFinding(
  code: FindingCode,
  severity: Severity,
  label: string,
  sentence: string,
  { share = null, command = null, event = null, offset = null, spans = [] }: FindingDetails = {},
): Finding {
  const place = { event, offset, spans };
  return { code, severity, label, sentence: printable(sentence), share, place, command };
}

/** The findings about an event, those about the whole recording included. */
export function findingsOfEvent(findings: readonly Finding[], event: number): Finding[] {
  return findings.filter(({ place }) => place.event === null || place.event === event);
}

/** The findings that speak against figures of the events, those about the whole recording included. */
export function doubtsOfEvents(findings: readonly Finding[], events: readonly number[]): Finding[] {
  return findings.filter(
    ({ severity, place }) =>
      severity !== 'note' && (place.event === null || events.includes(place.event)),
  );
}

/** The judgement of an event's sampling: its worst finding in a few words, and all findings about it. */
export type Judgement = {
  /** Nothing against it, off by what a finding says, off by more than figures show. */
  readonly level: 'good' | 'fair' | 'poor';
  readonly label: string;
  readonly findings: readonly Finding[];
};

/** Judges the sampling of an event by the findings about its recording, the worst first. */
export function judgeEvent(all: readonly Finding[], event: number): Judgement {
  // An event recorded in place of another is sampled as soundly.
  const findings = findingsOfEvent(all, event).filter(({ code }) => subjectOf(code) !== 'recorder');
  const worst = worstSeverity(findings);
  if (worst === null || worst === 'note')
    return { level: 'good', label: 'sampling sound', findings };
  return { level: worst === 'wrong' ? 'poor' : 'fair', label: findings[0].label, findings };
}

/** Whether the figures on losses are all there is: no record is missing, and something counted the losses. */
export function areLossesKnown(findings: readonly Finding[]): boolean {
  return !findings.some(({ code }) => LOSSES_UNKNOWN.includes(code));
}

const LOSSES_UNKNOWN: readonly FindingCode[] = [
  'recording-cut',
  'bytes-skipped',
  'parts-damaged',
  'sampling-unknown',
];

/** The worst severity of the list; null for an empty one. */
export function worstSeverity(findings: readonly Finding[]): Severity | null {
  return SEVERITIES.find((each) => findings.some(({ severity }) => severity === each)) ?? null;
}

/** The worst first; of equal severity in the order given. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  return SEVERITIES.flatMap((each) => findings.filter(({ severity }) => severity === each));
}

/** A finding as a line: its sentence, and the command that helps. */
export function findingText({ sentence, command }: Finding): string {
  return command === null ? sentence : `${sentence} (${command})`;
}
