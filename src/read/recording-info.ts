import { toRawTime } from '../base/u64.ts';
import { type PerfData, walkRecords } from '../formats/perf-data/reader.ts';
import { PERF_RECORD, recordTypeName, sampleTypeNames } from '../kernel/perf-event/constants.ts';
import { UNKNOWN_EVENT } from '../kernel/perf-event/event-lookup.ts';
import { decodeRecord } from '../kernel/perf-event/record.ts';
import { readRecordTime } from '../kernel/perf-event/record-time.ts';
import { decodeSample, SampleView } from '../kernel/perf-event/sample.ts';
import { cutOffset } from './facts/cut-offset.ts';
import {
  eventName,
  isAuxiliaryEvent,
  isSideband,
  samplingMode,
} from './facts/event-description.ts';
import { EventFacts, flagNames, readFormatNames, type SampledFacts } from './facts/event-facts.ts';
import { readProvenance, totalsOf } from './facts/provenance.ts';
import { describeHeader, type RecordingHeader } from './facts/recording-header.ts';
import { LossCounter } from './logs/loss-counter.ts';
import { withRecording } from './open-recording.ts';
import type { RecordSelection } from './selection.ts';
import { Selector } from './selection.ts';

/** The document of `perf-ts info --json`; keys are those of docs/contract.md. */
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
    readonly samples: number;
    readonly sideband: boolean;
    /** Final value of the event's counters over all instances; null if it was not stored. */
    readonly counted: number | null;
  }[];
  readonly records: Readonly<Record<string, number>>;
  readonly loss: {
    /** Of the events that have samples, as the next two. */
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
   * Where a part of the samples was asked for, how many they are and of how many. `samples` and
   * `sampled` of the events and the times below are theirs, the rest is the whole recording's.
   */
  readonly selected?: { readonly samples: number; readonly of: number };
  readonly firstSampleTimeNs: string | null;
  readonly lastSampleTimeNs: string | null;
  readonly features: readonly string[];
  /** What the feature sections say, beyond the keys above. */
  readonly header: RecordingHeader;
  readonly notes: readonly string[];
  readonly diagnostics: readonly { readonly reason: string; readonly count: number }[];
};

/**
 * Counts the records of a file without building a profile. Throws `FailedError` if samples are to
 * be selected by what they don't have.
 */
export function readInfo(path: string, select: RecordSelection = {}): RecordingInfo {
  return withRecording(path, (data) => describeRecording(data, Selector.open(data, select)));
}

function describeRecording(data: PerfData, selector: Selector): RecordingInfo {
  const { attrs, features } = data;
  const totals = totalsOf(readProvenance(data), attrs.map(eventName));
  const counts = new Map<number, number>();
  const samples = new Float64Array(attrs.length);
  const losses = new LossCounter(data);
  const facts = new EventFacts(data);
  const sample = new SampleView(data.startTime);
  let firstNs = Number.POSITIVE_INFINITY;
  let lastNs = Number.NEGATIVE_INFINITY;
  walkRecords(data, {
    record(record) {
      const { type } = record;
      counts.set(type, (counts.get(type) ?? 0) + 1);
      if (type !== PERF_RECORD.SAMPLE && !isLoss(type)) return;
      const attrIndex = data.lookup.attrIndexOf(record);
      if (attrIndex === UNKNOWN_EVENT) return;
      const { info } = attrs[attrIndex];
      if (type === PERF_RECORD.SAMPLE) {
        if (!selector.sample(record, attrIndex)) return;
        samples[attrIndex] = samples[attrIndex] + 1;
        if (decodeSample(record, info, sample)) facts.note(attrIndex, sample);
        const timeNs = readRecordTime(record, info, data.startTime);
        if (Number.isNaN(timeNs)) return;
        firstNs = Math.min(firstNs, timeNs);
        lastNs = Math.max(lastNs, timeNs);
        return;
      }
      losses.note(decodeRecord(record, info), attrIndex);
    },
  });
  const ofSamples = (column: Float64Array) =>
    column.filter((_, index) => !isSideband(attrs[index].attr));
  const lostRecords = ofSamples(losses.lostRecords);
  const lostSamples = ofSamples(losses.lostSamples);
  const sum = (column: Float64Array) => column.reduce((total, value) => total + value, 0);
  return {
    endian: data.littleEndian ? 'little' : 'big',
    pipe: data.pipe,
    compressed: features.compression !== null || data.compressedRecords > 0,
    arch: features.arch,
    kernel: features.osRelease,
    hostname: features.hostname,
    cpus: features.cpusOnline,
    cmdline: features.commandLine ?? [],
    events: attrs.map((event, index) => {
      const mode = samplingMode(event.attr);
      return {
        name: eventName(event),
        type: event.attr.type,
        config: `0x${event.attr.config.toString(16)}`,
        mode:
          mode === 'count' ? 'count' : event.attr.flags.freq ? 'frequency' : ('period' as const),
        freqHz: event.attr.flags.freq ? event.attr.samplePeriod : null,
        period: event.attr.flags.freq || mode === 'count' ? null : event.attr.samplePeriod,
        sampleType: sampleTypeNames(event.attr.sampleType),
        readFormat: readFormatNames(event.attr),
        flags: flagNames(event.attr),
        precise: event.attr.flags.preciseIp,
        instances: event.ids.length,
        sampled: facts.of(index),
        samples: samples[index],
        sideband: isAuxiliaryEvent(event),
        counted: totals[index] ?? null,
      };
    }),
    records: Object.fromEntries(
      [...counts]
        .sort(([a], [b]) => a - b)
        .map(([type, count]) => [recordTypeName(type), count] as const),
    ),
    loss: {
      lostRecords: sum(lostRecords),
      lostSamples: sum(lostSamples),
      best: lostRecords.reduce(
        (total, value, index) => total + Math.max(value, lostSamples[index]),
        0,
      ),
      lostSideband: losses.lostSideband,
    },
    throttle: counts.get(PERF_RECORD.THROTTLE) ?? 0,
    truncatedAt: cutOffset(data),
    skippedBytes: data.skippedBytes,
    ...(selector.isActive && {
      selected: { samples: sum(samples), of: counts.get(PERF_RECORD.SAMPLE) ?? 0 },
    }),
    firstSampleTimeNs: Number.isFinite(firstNs) ? rawTime(data, firstNs) : null,
    lastSampleTimeNs: Number.isFinite(lastNs) ? rawTime(data, lastNs) : null,
    features: data.sections.names,
    header: describeHeader(data),
    notes: readProvenance(data)?.notes ?? [],
    diagnostics: data.diagnostics.entries().map(({ reason, count }) => ({ reason, count })),
  };
}

function isLoss(type: number): boolean {
  return type === PERF_RECORD.LOST || type === PERF_RECORD.LOST_SAMPLES;
}

function rawTime(data: PerfData, sinceStartNs: number): string {
  return toRawTime(data.startTime, sinceStartNs).toString();
}
