import { lostSamplesText } from '../../base/lost-samples.ts';
import { formatCount, formatShare } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import { type Finding, type FindingCode, findingText, subjectOf } from '../../findings/finding.ts';
import type { FrameLevel } from '../../profile/frame-level.ts';
import type { SamplingMode, WeightKind, Weights } from '../../profile/types.ts';

/** The sources of an event's weights. */
export type WeightSource =
  /** Each sample counts 1. */
  | 'samples'
  /** The counter's values, or its running time, as read with each sample. */
  | 'counts'
  /** Periods, each given to the interval that it measures by the rule found out. */
  | 'realigned-periods'
  /** Periods as the samples report them. */
  | 'reported-periods'
  /** The period asked for, or a clock's timer: all samples alike. */
  | 'fixed-period'
  /** Values with some samples of the event, periods with the others. */
  | 'counts-and-periods'
  /** Times between context switches: the weights of off-CPU samples. */
  | 'waits'
  /** Times between begin and end of system calls, and the bytes that these moved. */
  | 'system-calls'
  /** Bytes of the pages that page faults added to processes. */
  | 'new-pages'
  /** Bytes that V8's samples of its heap stand for. */
  | 'heap-samples';

/** The source of the weights of one event, and the losses that they leave out. */
export type EventProvenance = {
  /** The event's name as opened, modifiers included. */
  readonly event: string;
  /** The event asked for, where this one was recorded in its place; null otherwise. */
  readonly insteadOf: string | null;
  readonly mode: SamplingMode;
  /** The rate asked for; null outside frequency mode. */
  readonly frequencyHz: number | null;
  readonly fixedPeriod: number | null;
  /** The unit of a weight. */
  readonly unit: Weights['unit'];
  readonly weightsFrom: WeightSource;
  /** The weights rest on a period rule that was guessed or is unknown. */
  readonly isGuess: boolean;
  /** Which interval a period measures; null for an event that is sampled with another. */
  readonly rule: {
    readonly rule: 'next' | 'elapsed' | 'unknown';
    readonly from: 'counts' | 'probe' | 'table' | 'fit';
    /** 0…1. */
    readonly confidence: number;
  } | null;
  readonly samples: number;
  readonly lostSamples: number;
  /** Share of the samples taken that arrived, 0…1; null if none was taken. */
  readonly coverage: number | null;
  /** Σ of the weights. */
  readonly weighed: number;
  /** The counter's final value; null where it was not read. */
  readonly counted: number | null;
  /** The above in sentences, what matters most first. */
  readonly sentences: readonly string[];
};

/** The origin of an export's numbers: the same object in every format. */
export type ExportProvenance = {
  readonly schema: 'perf-ts/provenance@1';
  /** Which frames of programs of JavaScript are shown; absent: all. */
  readonly frames?: FrameLevel;
  /** Program that wrote the export. */
  readonly exporter: string;
  /** Program that made the recording; null if the file does not name it. */
  readonly recorder: string | null;
  readonly kernel: string | null;
  readonly arch: string | null;
  readonly weight: WeightKind;
  /** Offset at which the recording ends early; null if it is whole. */
  readonly truncatedAt: number | null;
  /** Records of forks, execs and mappings that were lost. */
  readonly lostSideband: number;
  /** The recorder's substitutions, lowered limits and omissions, one sentence each. */
  readonly notes: readonly string[];
  /** Everything to know about the recording before the numbers are believed, the worst first. */
  readonly findings: readonly Finding[];
  readonly events: readonly EventProvenance[];
};

/** The provenance with every foreign name and note made printable. */
export function printableProvenance(provenance: ExportProvenance): ExportProvenance {
  const replace = (_key: string, value: unknown) =>
    typeof value === 'string' ? printable(value) : value;
  return JSON.parse(JSON.stringify(provenance, replace)) as ExportProvenance;
}

/** The doubts, for formats that have room for notes: the recorder's own notes and the losses of an event stand beside. */
export function doubtNotes(
  provenance: ExportProvenance | undefined,
  { isPrinted = () => false }: { readonly isPrinted?: (code: FindingCode) => boolean } = {},
): string[] {
  return (provenance?.findings ?? [])
    .filter(
      ({ code, severity }) =>
        severity !== 'note' &&
        code !== 'samples-lost' &&
        subjectOf(code) !== 'recorder' &&
        !isPrinted(code),
    )
    .map(findingText);
}

/** The sentences for one event, from its figures. */
export function explainProvenance(
  event: Omit<EventProvenance, 'sentences'>,
  weight: WeightKind,
): readonly string[] {
  const sentences: string[] = [];
  if (event.insteadOf !== null) {
    sentences.push(
      `${printable(event.event)} was recorded instead of ${printable(event.insteadOf)}`,
    );
  }
  sentences.push(explainSource(event, weight));
  if (
    weight === 'wall' &&
    !['waits', 'system-calls', 'new-pages', 'heap-samples'].includes(event.weightsFrom)
  ) {
    sentences.push('each is divided by the number of recorded threads that ran at that moment');
  }
  if (event.lostSamples > 0) {
    sentences.push(lostSamplesText(event.lostSamples, event.lostSamples + event.samples));
  }
  if (weight === 'events' && event.counted !== null && event.counted > 0) {
    const share = formatShare(event.weighed / event.counted);
    const counted = formatCount(event.counted);
    sentences.push(`the weights are ${share} of the ${counted} ${event.unit} counted in all`);
  }
  return sentences;
}

function explainSource(
  { weightsFrom, rule }: Omit<EventProvenance, 'sentences'>,
  weight: WeightKind,
) {
  switch (weightsFrom) {
    case 'samples':
      return 'each sample weighs 1, whatever its period was';
    case 'counts':
      return weight === 'time'
        ? "weights are the event's running time, read with each sample"
        : 'weights were counted: the counter was read with each sample';
    case 'counts-and-periods':
      return 'weights were counted where the counter was read, else taken from periods';
    case 'fixed-period':
      return 'weights are the fixed period: nothing adapted';
    case 'waits':
      return 'weights are how long threads waited, from one context switch to the next';
    case 'system-calls':
      return 'weights are what each system call took, or the bytes that it moved';
    case 'new-pages':
      return 'weights are the bytes of the pages that each page fault added to its process';
    case 'heap-samples':
      return "weights are the bytes that each of V8's samples of its heap stands for";
    case 'realigned-periods':
      return `weights are periods of the interval ${
        rule?.rule === 'next' ? 'after' : 'before'
      } the sample that reports them${explainEvidence(rule)}`;
    case 'reported-periods':
      return weight === 'period'
        ? 'weights are the periods as reported, which may belong to the next interval'
        : 'weights are the periods as reported: a guess, as which interval they measure is not known';
  }
}

function explainEvidence(rule: EventProvenance['rule']): string {
  switch (rule?.from) {
    case 'counts':
      return ', as counts show';
    case 'probe':
      return ', as was measured before the recording';
    case 'table':
      return ', as is known of this kind of event';
    default:
      return `: a guess by periods and times, confidence ${(rule?.confidence ?? 0).toFixed(2)}`;
  }
}
