import type { PerfData } from '../../formats/perf-data/reader.ts';
import type { KernelRecord } from '../../kernel/perf-event/record.ts';
import type { SampleContext, SampleFields } from '../../kernel/perf-event/sample-fields.ts';
import type { FieldValue } from '../../kernel/tracepoint/field-value.ts';
import type { SymbolSources } from '../../options/reading.ts';
import type { SampleSelection } from '../../profile/analysis/select/filter.ts';
import type { NamedFrame } from '../../read/frame-namer.ts';

/** A record as `script` shows it. What the event did not record is undefined. */
export type DescribedRecord = {
  readonly type: string;
  readonly event: string | null;
  readonly pid?: number | undefined;
  readonly tid?: number | undefined;
  readonly comm?: string | undefined;
  readonly cpu?: number | undefined;
  readonly timeNs?: string | undefined;
  readonly id?: string | undefined;
  readonly streamId?: string | undefined;
  readonly ip?: string | undefined;
  readonly period?: number | undefined;
  readonly count?: number | null | undefined;
  readonly callchain?: readonly NamedFrame[] | undefined;
  /** A tracepoint's line, as its print fmt makes it, and its fields. */
  readonly trace?: string | undefined;
  readonly fields?: Readonly<Record<string, FieldValue>> | undefined;
  /** The registers of AMD's instruction-based sampling in words, a line each. */
  readonly ibs?: readonly string[] | undefined;
  /** The sample's other fields. */
  readonly more?: SampleFields | undefined;
  /** Decoded fields of a record that is not a sample. */
  readonly record?: KernelRecord | undefined;
};

/** A sample on the way to text. One object serves all: valid during the visit only. */
export type SampleText = {
  /** Attr index of the event, and of the group member that a line of its own is for. */
  event: number;
  name: string;
  pid: number;
  tid: number;
  comm: string;
  cpu: number;
  /** Raw nanoseconds; null where none was recorded. */
  timeNs: bigint | null;
  period: number;
  context: SampleContext;
  /** The callchain, or null for an event that records none. */
  callchain(): readonly NamedFrame[] | null;
  /** The frame at which it happened. */
  leaf(): NamedFrame;
  /** Any address of its process at that moment. */
  frame(address: number): NamedFrame;
  /** The line of a tracepoint; null for other events and without its format. */
  trace(): string | null;
};

/** The records that `describeRecords` yields, and how they are named. */
export type RecordStreamOptions = {
  /** Leave everything but samples out. */
  readonly samplesOnly?: boolean;
  /** Record types that are shown beside samples, by the kernel's name; all if left out. */
  readonly otherTypes?: ReadonlySet<string>;
  /** One event by name. */
  readonly event?: string;
  /** Records shown; made with the opened file, whose times it may refer to. */
  readonly select?: (data: PerfData) => SampleSelection;
  /** Callchains without V8's steps of running a function. */
  readonly simplifyChains?: boolean;
  /** `lines`: source lines of frames, also without inlined calls. */
  readonly symbols?: SymbolSources & { readonly lines?: boolean };
  /** Memory for a recording that unpacks to more than its size explains, in bytes. */
  readonly maxUnpacked?: number;
  /** Gets the share of the records, 0 … 1, that were visited, several times a second. */
  readonly onShare?: (share: number) => void;
};

/** Receiver of each kind of record. */
export type RecordVisits = {
  /** Every record, with all that is known of it. */
  readonly record?: (record: DescribedRecord) => void;
  /**
   * Samples in place of `record`, for text. A sample that reads its counter has what that has counted
   * as its period, as in perf; one that reads a group comes once per member that has counted anything.
   */
  readonly sampleText?: (sample: SampleText) => void;
  /** Once, before the first record. */
  readonly start?: (data: PerfData, names: readonly string[]) => void;
};

/** Counts of the records shown. */
export type RecordStreamSummary = {
  readonly data: PerfData;
  readonly samples: number;
  /** Samples that the selection left out. */
  readonly samplesLeftOut: number;
};
