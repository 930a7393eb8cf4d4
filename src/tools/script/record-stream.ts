import { PERF_TYPE } from '../../base/event-type.ts';
import { formatAddress, toRawTime } from '../../base/u64.ts';
import { simplifyChain } from '../../code/javascript/simplify-chain.ts';
import type { PerfData } from '../../formats/perf-data/reader.ts';
import { PERF_RECORD, PERF_SAMPLE, recordTypeName } from '../../kernel/perf-event/constants.ts';
import { readCookie } from '../../kernel/perf-event/deferred-callchain.ts';
import { UNKNOWN_EVENT } from '../../kernel/perf-event/event-lookup.ts';
import { joinLbrCallchain } from '../../kernel/perf-event/lbr-callchain.ts';
import { decodeRecord, type KernelRecord } from '../../kernel/perf-event/record.ts';
import { RecordView } from '../../kernel/perf-event/record-view.ts';
import { registerArchitectureOf } from '../../kernel/perf-event/register-names.ts';
import { decodeSample, SampleView } from '../../kernel/perf-event/sample.ts';
import {
  describeSampleFields,
  type SampleContext,
  type SampleFields,
} from '../../kernel/perf-event/sample-fields.ts';
import { decodeTrailer, TrailerView } from '../../kernel/perf-event/trailer.ts';
import type { FieldValue } from '../../kernel/tracepoint/field-value.ts';
import type { TracepointFormats } from '../../kernel/tracepoint/tracepoint-formats.ts';
import type { SampleSelection } from '../../profile/analysis/filter.ts';
import { applyToProcesses } from '../../read/apply-side-band.ts';
import { eventName } from '../../read/facts/event-description.ts';
import { withArchive } from '../../read/files/find-archive.ts';
import { limitProcesses } from '../../read/files/most-unpacked.ts';
import type { SymbolSources } from '../../read/files/symbol-files.ts';
import { FrameNamer, type NamedFrame, ownerByMode } from '../../read/frame-namer.ts';
import { openJitCode } from '../../read/jit/jit-files.ts';
import { GroupReads, leaderInstance } from '../../read/logs/group-reads.ts';
import { createSymbolizer } from '../../read/name-frames.ts';
import { openFrameLines } from '../../read/open-lines.ts';
import { withRecording } from '../../read/open-recording.ts';
import { visitInTimeOrder } from '../../read/ordered-records.ts';
import { Pipeline } from '../../read/pipeline.ts';
import { openUnwinder } from '../../read/unwind/open-unwinder.ts';
import { copiesStacks } from '../../read/unwind/unwind-stacks.ts';
import { DeferredSamples, type HeldSample, type SampleLine } from './deferred-samples.ts';
import { type IbsDescriber, readIbsEvents } from './ibs-events.ts';
import { RecordFilter } from './record-filter.ts';
import { readTracepointFormats } from './tracepoints.ts';

export type { NamedFrame } from '../../read/frame-namer.ts';

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
  /** What a tracepoint says: the line that its print fmt makes, and its fields. */
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
  /** Where it happened. */
  leaf(): NamedFrame;
  /** Any address of its process at that moment. */
  frame(address: number): NamedFrame;
  /** The line of a tracepoint; null for other events and without its format. */
  trace(): string | null;
};

/** Which records `describeRecords` yields, and how they are named. */
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
};

/** What is told of each kind of record. */
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

/** What was shown. */
export type RecordStreamSummary = {
  readonly data: PerfData;
  readonly samples: number;
  /** Samples that the selection left out. */
  readonly samplesLeftOut: number;
};

/**
 * Calls `visit` with every record of the file in time order; samples whose callchain comes in two
 * parts come when the second does. Returns the opened file.
 */
export function describeRecords(
  path: string,
  options: RecordStreamOptions,
  visit: (record: DescribedRecord) => void,
): PerfData {
  return visitRecords(path, options, { record: visit }).data;
}

/** The same, by kind of record. */
export function visitRecords(
  path: string,
  options: RecordStreamOptions,
  visits: RecordVisits,
): RecordStreamSummary {
  return withRecording(path, (data) => {
    const symbols = withArchive(path, options.symbols ?? {});
    const describer = new RecordDescriber(data, path, { ...options, symbols }, visits);
    describer.run();
    const { samples, samplesLeftOut } = describer;
    return { data, samples, samplesLeftOut };
  });
}

class RecordDescriber {
  samples = 0;
  samplesLeftOut = 0;
  readonly #data: PerfData;
  readonly #options: RecordStreamOptions;
  readonly #visits: RecordVisits;
  readonly #pipeline: Pipeline;
  readonly #namer: FrameNamer;
  readonly #names: readonly string[];
  readonly #formats: TracepointFormats | null;
  readonly #ibs: IbsDescriber | null;
  readonly #filter: RecordFilter;
  readonly #groupReads = new GroupReads();
  readonly #sample: SampleView;
  readonly #trailer: TrailerView;
  /** A held sample. */
  readonly #record = new RecordView();
  readonly #context: SampleContext;
  readonly #deferred: DeferredSamples;
  /** The user part of the sample's callchain where a record of its own had it. */
  #userPart: Float64Array | null = null;
  /** Whether the user part of the sample's callchain comes from its copied stack. */
  #isUnwound = false;
  readonly #text: SampleText;

  constructor(data: PerfData, path: string, options: RecordStreamOptions, visits: RecordVisits) {
    this.#data = data;
    this.#options = options;
    this.#visits = visits;
    this.#pipeline = new Pipeline(data);
    const { processes, diagnostics } = this.#pipeline;
    const jitFiles = { ...options.symbols, data, processes, diagnostics, path };
    this.#pipeline.jit = openJitCode(jitFiles);
    this.#pipeline.unwinder = openUnwinder(this.#pipeline, options.symbols ?? {});
    const symbolizer = createSymbolizer(this.#pipeline, path, options.symbols);
    this.#namer = new FrameNamer(
      this.#pipeline,
      symbolizer,
      openFrameLines(this.#pipeline, options.symbols ?? {}),
    );
    this.#names = data.attrs.map(eventName);
    this.#formats = readTracepointFormats(this.#pipeline, this.#namer);
    this.#ibs = readIbsEvents(data);
    this.#filter = new RecordFilter(options.select?.(data) ?? {}, options.event, this.#names);
    this.#sample = new SampleView(data.startTime);
    this.#trailer = new TrailerView(data.startTime);
    this.#context = {
      sample: this.#sample,
      attr: data.attrs[0]?.attr,
      littleEndian: data.littleEndian,
      architecture: registerArchitectureOf(data.features.arch),
    };
    this.#deferred = new DeferredSamples(
      (sample, userPart) => this.#describeHeld(sample, userPart),
      data.diagnostics,
    );
    this.#text = {
      event: 0,
      name: '',
      pid: -1,
      tid: -1,
      comm: '',
      cpu: -1,
      timeNs: null,
      period: 0,
      context: this.#context,
      callchain: () => this.#callchain(),
      leaf: () => this.#leaf(),
      frame: (address) => this.#namer.frame(this.#sample.pid, address),
      trace: () => this.#trace(),
    };
  }

  run(): void {
    limitProcesses(this.#pipeline.processes, this.#data.source.size);
    this.#visits.start?.(this.#data, this.#names);
    visitInTimeOrder(this.#data, {
      record: (record) => {
        const attrIndex = this.#data.lookup.attrIndexOf(record);
        if (attrIndex === UNKNOWN_EVENT) return;
        if (record.type === PERF_RECORD.SAMPLE) this.#describeSample(record, attrIndex);
        else this.#describeOther(record, attrIndex);
      },
    });
    this.#deferred.finish();
    this.#pipeline.unwinder?.close();
    this.#formats?.countFallbacks();
    this.#namer.close();
  }

  #describeSample(record: RecordView, attrIndex: number): void {
    const { info } = this.#data.attrs[attrIndex];
    const sample = this.#sample;
    if (!decodeSample(record, info, sample)) {
      this.#data.diagnostics.count('a sample is shorter than its fields');
      return;
    }
    this.samples++;
    this.#pipeline.jit?.advance(sample.timeNs);
    const { unwinder } = this.#pipeline;
    this.#isUnwound = false;
    if (unwinder !== null && copiesStacks(this.#data.attrs[attrIndex].attr)) {
      unwinder.complete(sample, attrIndex);
      this.#isUnwound = unwinder.hasChanged;
    } else if (info.hasLbrCallchain) {
      joinLbrCallchain(sample, this.#data.littleEndian, 'entry');
    }
    const { processes, builder } = this.#pipeline;
    const comm = builder.strings.get(processes.commOf(processes.threadAt(sample.pid, sample.tid)));
    const lines = this.#linesOf(attrIndex);
    if (info.mayDeferCallchain && sample.deferredCookieOffset >= 0) {
      const cookie = readCookie(sample.view, sample.deferredCookieOffset, this.#data.littleEndian);
      const alone = new DataView(record.bytes().slice().buffer);
      const { tid } = sample;
      this.#deferred.add({ view: alone, attrIndex, tid, comm, lines }, cookie);
      return;
    }
    this.#tellSample(attrIndex, comm, lines);
  }

  #describeHeld(held: HeldSample, userPart: Float64Array | null): void {
    const { view, attrIndex, comm, lines } = held;
    const { info } = this.#data.attrs[attrIndex];
    this.#record.moveTo(view, 0, info.littleEndian);
    if (!decodeSample(this.#record, info, this.#sample)) return;
    this.#userPart = userPart;
    this.#isUnwound = false;
    this.#tellSample(attrIndex, comm, lines);
    this.#userPart = null;
  }

  /** The sample that was decoded last. */
  #tellSample(attrIndex: number, comm: string, lines: readonly SampleLine[] | null): void {
    const sample = this.#sample;
    this.#context.attr = this.#data.attrs[attrIndex].attr;
    const isShown =
      this.#filter.admitsSample(sample, comm, attrIndex) &&
      this.#filter.admitsLeaf(() => this.#leaf());
    if (!isShown) this.samplesLeftOut++;
    if (this.#visits.sampleText !== undefined) {
      if (isShown) this.#tellText(comm, attrIndex, lines);
    } else if (isShown) {
      this.#visits.record?.(this.#describe(comm, attrIndex));
    }
  }

  #describe(comm: string, attrIndex: number): DescribedRecord {
    const sample = this.#sample;
    const chain = this.#chain();
    if (chain.length === 0) chain.push(this.#leaf());
    const fields = this.#traceFields();
    return {
      type: 'SAMPLE',
      event: this.#names[attrIndex] ?? null,
      pid: known(sample.pid),
      tid: known(sample.tid),
      comm,
      cpu: known(sample.cpu),
      timeNs: this.#time(sample.timeNs)?.toString(),
      id: sample.id < 0 ? undefined : String(sample.id),
      streamId: sample.streamId < 0 ? undefined : String(sample.streamId),
      ip: formatAddress(sample.ip),
      period: sample.period,
      count: sample.readCount > 0 ? sample.readValues[0] : undefined,
      callchain: chain,
      trace: this.#trace() ?? undefined,
      fields,
      ibs: this.#ibs?.(this.#context) ?? undefined,
      more: describeSampleFields(this.#context),
    };
  }

  /**
   * What the counters have counted that the sample reads: a line for each member of a group. Null: it
   * reads none, and has one line with the period that it reports. To be asked for every sample, shown or not, in the order of time.
   */
  #linesOf(attrIndex: number): SampleLine[] | null {
    const sample = this.#sample;
    if (this.#visits.sampleText === undefined || sample.readCount === 0) return null;
    if (sample.readCount === 1) {
      const period = this.#elapsed(sample.id, sample.readValues[0]);
      return period < 0 ? null : [{ event: attrIndex, period }];
    }
    const lines: SampleLine[] = [];
    for (let member = 0; member < sample.readCount; member++) {
      const id = sample.readIds[member];
      const event = this.#data.lookup.find(id);
      const period = this.#elapsed(id, sample.readValues[member]);
      if (event !== UNKNOWN_EVENT && period > 0) lines.push({ event, period });
    }
    return lines;
  }

  #elapsed(id: number, value: number): number {
    const { inherit } = this.#context.attr.flags;
    const leader = leaderInstance(this.#sample, inherit);
    return this.#groupReads.instanceOf(leader, id).elapsed(value);
  }

  #tellText(comm: string, attrIndex: number, lines: readonly SampleLine[] | null): void {
    const sample = this.#sample;
    const text = this.#text;
    text.pid = sample.pid;
    text.tid = sample.tid;
    text.comm = comm;
    text.cpu = sample.cpu;
    text.timeNs = this.#time(sample.timeNs);
    if (lines === null) this.#tell(attrIndex, sample.period);
    else for (const { event, period } of lines) this.#tell(event, period);
  }

  #tell(event: number, period: number): void {
    this.#text.event = event;
    this.#text.name = this.#names[event];
    this.#text.period = period;
    this.#visits.sampleText?.(this.#text);
  }

  #leaf(): NamedFrame {
    const { pid, ip, misc } = this.#sample;
    return this.#namer.frame(pid, ip, ip, ownerByMode(misc));
  }

  #chain(): NamedFrame[] {
    const frames = this.#wholeChain();
    return this.#options.simplifyChains ? simplifyChain(frames) : frames;
  }

  #wholeChain(): NamedFrame[] {
    const { littleEndian } = this.#context;
    const frames = this.#namer.chain(this.#sample, littleEndian, this.#isUnwound);
    const userPart = this.#userPart;
    if (userPart === null) return frames;
    const { pid } = this.#sample;
    return frames.concat(this.#namer.frames(userPart, userPart.length, pid, 'user'));
  }

  #callchain(): readonly NamedFrame[] | null {
    const { attr } = this.#context;
    const hasCallchain = (attr.sampleType & PERF_SAMPLE.CALLCHAIN) !== 0 || copiesStacks(attr);
    return hasCallchain ? this.#chain() : null;
  }

  #trace(): string | null {
    const { littleEndian } = this.#context;
    const { view, rawOffset, rawLength } = this.#sample;
    return this.#format()?.text(view, rawOffset, rawLength, littleEndian) ?? null;
  }

  #traceFields(): Record<string, FieldValue> | undefined {
    const { littleEndian } = this.#context;
    const { view, rawOffset, rawLength } = this.#sample;
    const pairs = this.#format()?.fields(view, rawOffset, rawLength, littleEndian);
    return pairs === undefined ? undefined : Object.fromEntries(pairs);
  }

  #describeOther(view: RecordView, attrIndex: number): void {
    const { info } = this.#data.attrs[attrIndex];
    const record = decodeRecord(view, info);
    const { processes, builder } = this.#pipeline;
    applyToProcesses(processes, record, view.misc);
    const trailer = this.#trailer;
    const hasTrailer = record.kind !== 'user' && decodeTrailer(view, info, trailer);
    if (record.kind === 'callchainDeferred') {
      this.#deferred.apply(trailer.tid, record.cookie, record.callchain);
    }
    const name = recordTypeName(view.type);
    const { samplesOnly, otherTypes } = this.#options;
    if (samplesOnly || otherTypes?.has(name) === false) return;
    const own = 'pid' in record ? record : null;
    const pid = own?.pid ?? (hasTrailer ? known(trailer.pid) : undefined);
    const tid = own?.tid ?? (hasTrailer ? known(trailer.tid) : undefined);
    const comm =
      record.kind === 'comm'
        ? record.comm
        : pid !== undefined && tid !== undefined && pid >= 0
          ? builder.strings.get(processes.commOf(processes.threadAt(pid, tid)))
          : undefined;
    const cpu = hasTrailer ? known(trailer.cpu) : undefined;
    const timeNs = hasTrailer ? trailer.timeNs : Number.NaN;
    if (!this.#filter.admitsOther({ pid, tid, comm, cpu, timeNs })) return;
    this.#visits.record?.({
      type: name,
      event: hasTrailer ? (this.#names[attrIndex] ?? null) : null,
      pid,
      tid,
      comm,
      cpu,
      timeNs: this.#time(timeNs)?.toString(),
      callchain: this.#laterCallchain(record, pid),
      record,
    });
  }

  /** The user part of a callchain, which comes after its samples. */
  #laterCallchain(record: KernelRecord, pid = -1): NamedFrame[] | undefined {
    if (record.kind !== 'callchainDeferred') return undefined;
    return this.#namer.frames(record.callchain, record.callchain.length, pid, 'user');
  }

  #format() {
    const { attr } = this.#context;
    const { view, rawOffset, rawLength } = this.#sample;
    if (this.#formats === null || rawOffset < 0 || attr.type !== PERF_TYPE.TRACEPOINT) return null;
    return this.#formats.ofSample(view, rawOffset, rawLength, Number(attr.config));
  }

  #time(sinceStartNs: number): bigint | null {
    if (Number.isNaN(sinceStartNs)) return null;
    const raw = toRawTime(this.#data.startTime, sinceStartNs);
    return raw < 0n ? 0n : raw;
  }
}

function known(value: number): number | undefined {
  return value < 0 ? undefined : value;
}
