import { PERF_TYPE } from '../../base/event-type.ts';
import { formatAddress, type RawTime, toRawTime } from '../../base/u64.ts';
import { simplifyChain } from '../../code/javascript/simplify.ts';
import type { PerfData } from '../../formats/perf-data/reader.ts';
import type { EventAttr } from '../../kernel/perf-event/attr.ts';
import { PERF_SAMPLE } from '../../kernel/perf-event/constants.ts';
import { registerArchitectureOf } from '../../kernel/perf-event/register-names.ts';
import type { SampleView } from '../../kernel/perf-event/sample.ts';
import { describeSampleFields, type SampleContext } from '../../kernel/perf-event/sample-fields.ts';
import type { TracepointFormat } from '../../kernel/tracepoint/tracepoint-format.ts';
import type { TracepointFormats } from '../../kernel/tracepoint/tracepoint-formats.ts';
import { type FrameNamer, type NamedFrame, ownerByMode } from '../../read/frame-namer.ts';
import { copiesStacks } from '../../read/unwind/unwind-stacks.ts';
import type { IbsDescriber } from './ibs-events.ts';
import type { DescribedRecord, SampleText } from './types.ts';

/** The tables that describe samples. */
export type SampleDescribers = {
  readonly namer: FrameNamer;
  /** Null: the recording has no formats of tracepoints. */
  readonly formats: TracepointFormats | null;
  readonly ibs: IbsDescriber | null;
  /** Names of the events, by attr index. */
  readonly names: readonly string[];
  /** Callchains without V8's steps of running a function. */
  readonly simplifyChains: boolean;
};

/** How the user part of a sample's callchain came about. */
export type UserPart = {
  /** It was unwound from the sample's stack dump. */
  readonly isUnwound: boolean;
  /** It came in a record of its own, and is this. */
  readonly deferred: Float64Array | null;
};

/** The sample that is shown, with the names of its moment. One object serves all samples. */
export class ShownSample implements SampleText {
  event = 0;
  name = '';
  pid = -1;
  tid = -1;
  comm = '';
  cpu = -1;
  timeNs: bigint | null = null;
  period = 0;
  readonly context: SampleContext;
  readonly #sample: SampleView;
  readonly #start: RawTime;
  readonly #describers: SampleDescribers;
  #userPart: UserPart = { isUnwound: false, deferred: null };

  constructor(data: PerfData, sample: SampleView, describers: SampleDescribers) {
    this.#sample = sample;
    this.#start = data.startTime;
    this.#describers = describers;
    this.context = {
      sample,
      attr: data.attrs[0]?.attr,
      littleEndian: data.littleEndian,
      architecture: registerArchitectureOf(data.features.arch),
    };
  }

  /** `sample` has been decoded again, to a sample of the event `attrIndex`; `comm`: its thread's. */
  take(attrIndex: number, attr: EventAttr, comm: string, userPart: UserPart): void {
    const { pid, tid, cpu, timeNs, period } = this.#sample;
    this.context.attr = attr;
    this.#userPart = userPart;
    this.pid = pid;
    this.tid = tid;
    this.comm = comm;
    this.cpu = cpu;
    this.timeNs = rawTimeOf(this.#start, timeNs);
    this.countAs(attrIndex, period);
  }

  /** The event that a line of the sample stands for: its own or a member of its group. */
  countAs(event: number, period: number): void {
    this.event = event;
    this.name = this.#describers.names[event];
    this.period = period;
  }

  // Functions, not methods, since callers take them out of the object.

  readonly callchain = (): readonly NamedFrame[] | null => {
    const { attr } = this.context;
    const hasCallchain = (attr.sampleType & PERF_SAMPLE.CALLCHAIN) !== 0 || copiesStacks(attr);
    return hasCallchain ? this.#chain() : null;
  };

  readonly leaf = (): NamedFrame => {
    const { pid, ip, misc } = this.#sample;
    return this.#describers.namer.frame(pid, ip, ip, ownerByMode(misc));
  };

  readonly frame = (address: number): NamedFrame =>
    this.#describers.namer.frame(this.#sample.pid, address);

  readonly trace = (): string | null => {
    const { view, rawOffset, rawLength } = this.#sample;
    return this.#format()?.text(view, rawOffset, rawLength, this.context.littleEndian) ?? null;
  };

  /** All that is known of it. */
  describe(): DescribedRecord {
    const sample = this.#sample;
    const chain = this.#chain();
    if (chain.length === 0) chain.push(this.leaf());
    return {
      type: 'SAMPLE',
      event: this.name ?? null,
      pid: known(sample.pid),
      tid: known(sample.tid),
      comm: this.comm,
      cpu: known(sample.cpu),
      timeNs: this.timeNs?.toString(),
      id: sample.id < 0 ? undefined : String(sample.id),
      streamId: sample.streamId < 0 ? undefined : String(sample.streamId),
      ip: formatAddress(sample.ip),
      period: sample.period,
      count: sample.readCount > 0 ? sample.readValues[0] : undefined,
      callchain: chain,
      trace: this.trace() ?? undefined,
      fields: this.#traceFields(),
      ibs: this.#describers.ibs?.(this.context) ?? undefined,
      more: describeSampleFields(this.context),
    };
  }

  #chain(): NamedFrame[] {
    const { simplifyChains } = this.#describers;
    const frames = this.#wholeChain();
    return simplifyChains ? simplifyChain(frames) : frames;
  }

  #wholeChain(): NamedFrame[] {
    const { namer } = this.#describers;
    const { isUnwound, deferred } = this.#userPart;
    const frames = namer.chain(this.#sample, this.context.littleEndian, isUnwound);
    if (deferred === null) return frames;
    return frames.concat(namer.frames(deferred, deferred.length, this.#sample.pid, 'user'));
  }

  #traceFields(): DescribedRecord['fields'] {
    const { view, rawOffset, rawLength } = this.#sample;
    const { littleEndian } = this.context;
    const pairs = this.#format()?.fields(view, rawOffset, rawLength, littleEndian);
    return pairs === undefined ? undefined : Object.fromEntries(pairs);
  }

  #format(): TracepointFormat | null {
    const { attr } = this.context;
    const { view, rawOffset, rawLength } = this.#sample;
    const { formats } = this.#describers;
    if (formats === null || rawOffset < 0 || attr.type !== PERF_TYPE.TRACEPOINT) return null;
    return formats.ofSample(view, rawOffset, rawLength, Number(attr.config));
  }
}

/** Absent for −1. */
export function known(value: number): number | undefined {
  return value < 0 ? undefined : value;
}

/** Raw nanoseconds; null for NaN. */
export function rawTimeOf(start: RawTime, sinceStartNs: number): bigint | null {
  if (Number.isNaN(sinceStartNs)) return null;
  const raw = toRawTime(start, sinceStartNs);
  return raw < 0n ? 0n : raw;
}
