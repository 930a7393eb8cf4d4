import { lostSamplesOfAll } from '../base/lost-samples.ts';
import { toRawTime } from '../base/u64.ts';
import { type DescribedDiagnostic, describeDiagnostics } from '../findings/diagnostic-text.ts';
import { type Finding, sortFindings } from '../findings/finding.ts';
import { judgeRun } from '../findings/judge-run.ts';
import { type PerfData, walkRecords } from '../formats/perf-data/reader.ts';
import type { RecordVisitor } from '../formats/perf-data/record-visitor.ts';
import { PERF_RECORD, recordTypeName, sampleTypeNames } from '../kernel/perf-event/constants.ts';
import { UNKNOWN_EVENT } from '../kernel/perf-event/event-lookup.ts';
import { decodeRecord } from '../kernel/perf-event/record.ts';
import { readRecordTime } from '../kernel/perf-event/record-time.ts';
import type { RecordView } from '../kernel/perf-event/record-view.ts';
import { decodeSample, SampleView } from '../kernel/perf-event/sample.ts';
import { checkArguments } from '../options/arguments.ts';
import { checkOptions } from '../options/check.ts';
import { READ_INFO, type ReadInfoOptions } from '../options/info.ts';
import { isHeapEvent } from '../profile/wait-event.ts';
import { cutOffset, findingsOfData } from './facts/data-findings.ts';
import {
  eventName,
  isAuxiliaryEvent,
  isSideband,
  samplingMode,
} from './facts/event-description.ts';
import { EventFacts, flagNames, readFormatNames, type SampledFacts } from './facts/event-facts.ts';
import { readProvenance, totalsOf } from './facts/provenance.ts';
import { countHeapSamples } from './heap-samples.ts';
import { LossCounter } from './logs/loss-counter.ts';
import { withRecording } from './open-recording.ts';
import { Selector } from './selector.ts';

/** The document of `perf-ts info --json`, without its `schema`; keys are those of docs/contract.md. */
export type RecordingInfo = {
  readonly endian: 'little' | 'big';
  readonly pipe: boolean;
  readonly compressed: boolean;
  readonly arch: string | null;
  readonly kernel: string | null;
  readonly hostname: string | null;
  readonly cpus: number | null;
  readonly cmdline: readonly string[];
  readonly events: readonly {
    readonly name: string;
    readonly type: number;
    readonly config: string;
    readonly mode: 'frequency' | 'period' | 'count';
    readonly freqHz: number | null;
    readonly period: number | null;
    readonly sampleType: readonly string[];
    readonly readFormat: readonly string[];
    /** Single bits of the attr that are set, by the kernel's names. */
    readonly flags: readonly string[];
    /** Largest skid asked for: 0 arbitrary … 3 none. */
    readonly precise: number;
    /** Instances that the kernel opened: one per CPU, per thread, or both. */
    readonly instances: number;
    readonly sampled: SampledFacts;
    /** Null: which of V8's samples of its heap are selected is not counted. */
    readonly samples: number | null;
    readonly sideband: boolean;
    /** Final value of the event's counters over all instances; null if it was not stored. */
    readonly counted: number | null;
  }[];
  readonly records: Readonly<Record<string, number>>;
  readonly loss: {
    /** Sums over the events that have samples, as the next two are. */
    readonly lostRecords: number;
    readonly lostSamples: number;
    /** Σ over events of the larger of the two, which count the same losses. */
    readonly best: number;
    /** Records of forks, execs and mappings. */
    readonly lostSideband: number;
  };
  readonly throttle: number;
  readonly truncatedAt: number | null;
  readonly skippedBytes: number;
  /**
   * The number of samples that a selection takes, and of how many. `samples` and `sampled` of the
   * events and the times below are theirs, the rest is the whole recording's.
   */
  readonly selected?: { readonly samples: number; readonly of: number };
  readonly firstSampleTimeNs: string | null;
  readonly lastSampleTimeNs: string | null;
  readonly features: readonly string[];
  /** The feature sections, beyond the keys above. */
  readonly header: RecordingHeader;
  readonly notes: readonly string[];
  /** Broken or missing parts. */
  readonly diagnostics: readonly DescribedDiagnostic[];
  /** Findings on what that means for who reads the recording, and on what was lost; the worst first. */
  readonly findings: readonly Finding[];
};

/**
 * Counts the records of a file without building a profile. Throws `UsageError` for options that are none, and
 * `FailedError` if samples are to be selected by what they don't have.
 *
 * @example
 * ```ts
 * import { type ReadInfoOptions, readInfo } from 'perf-ts';
 *
 * const options: ReadInfoOptions = { time: '0%-50%' };
 * const { cmdline, events } = readInfo('perf.data', options);
 * console.log(cmdline.join(' '), events.map(({ name }) => name));
 * ```
 */
export function readInfo(path: string, options: ReadInfoOptions = {}): RecordingInfo {
  checkArguments({ path });
  checkOptions(READ_INFO, options, 'readInfo');
  const describe = (data: PerfData) => describeRecording(data, Selector.open(data, options));
  return withRecording(path, describe, options);
}

/** Counts of the records of a recording. */
class RecordCounts implements RecordVisitor {
  /** Records by type. */
  readonly ofType = new Map<number, number>();
  /** Selected samples by event. */
  readonly samples: Float64Array;
  readonly losses: LossCounter;
  readonly facts: EventFacts;
  /** Times of the first and last selected sample, in nanoseconds since the start. */
  firstNs = Number.POSITIVE_INFINITY;
  lastNs = Number.NEGATIVE_INFINITY;
  readonly #data: PerfData;
  readonly #selector: Selector;
  readonly #sample: SampleView;

  constructor(data: PerfData, selector: Selector) {
    this.#data = data;
    this.#selector = selector;
    this.#sample = new SampleView(data.startTime);
    this.samples = new Float64Array(data.attrs.length);
    this.losses = new LossCounter(data);
    this.facts = new EventFacts(data);
  }

  record(record: RecordView): void {
    const { type } = record;
    this.ofType.set(type, (this.ofType.get(type) ?? 0) + 1);
    if (type !== PERF_RECORD.SAMPLE && !isLoss(type)) return;
    const attrIndex = this.#data.lookup.attrIndexOf(record);
    if (attrIndex === UNKNOWN_EVENT) return;
    if (type === PERF_RECORD.SAMPLE) this.#countSample(record, attrIndex);
    else this.losses.note(decodeRecord(record, this.#data.attrs[attrIndex].info), attrIndex);
  }

  #countSample(record: RecordView, attrIndex: number): void {
    if (!this.#selector.sample(record, attrIndex)) return;
    const { info } = this.#data.attrs[attrIndex];
    this.samples[attrIndex]++;
    if (decodeSample(record, info, this.#sample)) this.facts.note(attrIndex, this.#sample);
    const timeNs = readRecordTime(record, info, this.#data.startTime);
    if (Number.isNaN(timeNs)) return;
    this.firstNs = Math.min(this.firstNs, timeNs);
    this.lastNs = Math.max(this.lastNs, timeNs);
  }
}

function describeRecording(data: PerfData, selector: Selector): RecordingInfo {
  const { features } = data;
  const counts = new RecordCounts(data, selector);
  walkRecords(data, counts);
  const { ofType, samples, firstNs, lastNs } = counts;
  const provenance = readProvenance(data);
  const loss = describeLoss(data, counts.losses);
  const throttles = ofType.get(PERF_RECORD.THROTTLE) ?? 0;
  const samplesInAll = ofType.get(PERF_RECORD.SAMPLE) ?? 0;
  return {
    endian: data.littleEndian ? 'little' : 'big',
    pipe: data.pipe,
    compressed: features.compression !== null || data.compressedRecords > 0,
    arch: features.arch,
    kernel: features.osRelease,
    hostname: features.hostname,
    cpus: features.cpusOnline,
    cmdline: features.commandLine ?? [],
    events: describeEvents(
      data,
      counts,
      selector.isActive ? null : countHeapSamples(data),
      totalsOf(provenance, data.attrs.map(eventName)),
    ),
    records: Object.fromEntries(
      [...ofType]
        .sort(([a], [b]) => a - b)
        .map(([type, count]) => [recordTypeName(type), count] as const),
    ),
    loss,
    throttle: throttles,
    truncatedAt: cutOffset(data),
    skippedBytes: data.skippedBytes,
    ...(selector.isActive && {
      selected: { samples: sumOf(samples), of: samplesInAll },
    }),
    firstSampleTimeNs: Number.isFinite(firstNs) ? rawTime(data, firstNs) : null,
    lastSampleTimeNs: Number.isFinite(lastNs) ? rawTime(data, lastNs) : null,
    features: data.sections.names,
    header: describeHeader(data),
    notes: provenance?.notes ?? [],
    diagnostics: describeDiagnostics(data.diagnostics),
    findings: sortFindings([
      ...findingsOfData(data, loss.lostSideband),
      ...judgeRun({ samples: samplesInAll, lost: loss.best, lostSideband: 0, throttles }),
    ]),
  };
}

function describeEvents(
  { attrs }: PerfData,
  { samples, facts }: RecordCounts,
  heapSamples: number | null,
  totals: readonly (number | null)[],
): RecordingInfo['events'] {
  return attrs.map((event, index) => {
    const { attr } = event;
    // The kernel takes no samples of it, and counts nothing.
    const isOfHeap = isHeapEvent({ name: eventName(event) });
    const isCount = samplingMode(attr) === 'count';
    const isFrequency = attr.flags.freq;
    return {
      name: eventName(event),
      type: attr.type,
      config: `0x${attr.config.toString(16)}`,
      mode: isCount ? 'count' : isFrequency ? 'frequency' : 'period',
      freqHz: isFrequency ? attr.samplePeriod : null,
      period: isFrequency || isCount || isOfHeap ? null : attr.samplePeriod,
      sampleType: sampleTypeNames(attr.sampleType),
      readFormat: readFormatNames(attr),
      flags: flagNames(attr),
      precise: attr.flags.preciseIp,
      instances: event.ids.length,
      sampled: facts.of(index),
      samples: isOfHeap ? heapSamples : samples[index],
      sideband: isAuxiliaryEvent(event),
      counted: isOfHeap ? null : (totals[index] ?? null),
    };
  });
}

function describeLoss({ attrs }: PerfData, losses: LossCounter): RecordingInfo['loss'] {
  const ofSamples = (column: Float64Array) =>
    column.filter((_, index) => !isSideband(attrs[index].attr));
  const sampled = attrs.filter(({ attr }) => !isSideband(attr)).length;
  const lost = {
    lostRecords: sumOf(ofSamples(losses.lostRecords)),
    lostSamples: sumOf(ofSamples(losses.lostSamples)),
  };
  return {
    ...lost,
    best: lostSamplesOfAll(lost, sampled),
    lostSideband: losses.lostSideband,
  };
}

function sumOf(column: Float64Array): number {
  return column.reduce((total, value) => total + value, 0);
}

function isLoss(type: number): boolean {
  return type === PERF_RECORD.LOST || type === PERF_RECORD.LOST_SAMPLES;
}

function rawTime(data: PerfData, sinceStartNs: number): string {
  return toRawTime(data.startTime, sinceStartNs).toString();
}

/**
 * The facts about the machine and the recording in the header's feature sections, for JSON: numbers
 * that may have all 64 bits are strings. A section that the file does not have is absent.
 */
type RecordingHeader = Readonly<Record<string, unknown>>;

/** Features that `info` has keys of its own for, by older rules. */
const ELSEWHERE = new Set(['hostname', 'osRelease', 'arch', 'commandLine', 'eventDescriptions']);

function describeHeader({ features }: PerfData): RecordingHeader {
  const header: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(features)) {
    if (value === null || ELSEWHERE.has(name)) continue;
    header[name] = forJson(value);
  }
  return header;
}

/** Bigints as decimal strings, however deep they lie. */
function forJson(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return value.map(forJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, forJson(inner)]));
}
