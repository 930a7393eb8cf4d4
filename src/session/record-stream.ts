import { NONE } from '../base/brand.ts';
import { formatAddress, isKernelAddress, toRawTime } from '../base/u64.ts';
import type { PerfData } from '../perf-data/reader.ts';
import { firstUserEntry, isContextMarker, lookupAddressAt } from '../perf-event/callchain.ts';
import { PERF_RECORD, recordTypeName } from '../perf-event/constants.ts';
import { UNKNOWN_EVENT } from '../perf-event/event-lookup.ts';
import { decodeRecord, type KernelRecord } from '../perf-event/record.ts';
import { decodeSample, SampleView } from '../perf-event/sample.ts';
import { decodeTrailer, TrailerView } from '../perf-event/trailer.ts';
import type { DsoIndex } from '../profile/types.ts';
import type { Symbolizer } from '../symbols/symbolizer.ts';
import { applyToProcesses } from './apply-side-band.ts';
import { eventName } from './event-description.ts';
import { createSymbolizer } from './open-profile.ts';
import { withRecording } from './open-recording.ts';
import { visitInTimeOrder } from './ordered-records.ts';
import { Pipeline } from './pipeline.ts';

/** One entry of a callchain with its name, leaf first. */
export type NamedFrame = {
  readonly ip: string;
  readonly symbol: string | null;
  /** Bytes from the symbol's start; null without a symbol. */
  readonly offset: number | null;
  readonly dso: string | null;
  readonly inlined: boolean;
};

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
  /** Decoded fields of a record that is not a sample. */
  readonly record?: KernelRecord | undefined;
};

export type RecordStreamOptions = {
  /** Leave everything but samples out. */
  readonly samplesOnly?: boolean;
};

/** Calls `visit` with every record of the file in time order. Returns the opened file. */
export function describeRecords(
  path: string,
  options: RecordStreamOptions,
  visit: (record: DescribedRecord) => void,
): PerfData {
  return withRecording(path, (data) => {
    new RecordDescriber(data, options, visit).run();
    return data;
  });
}

class RecordDescriber {
  readonly #data: PerfData;
  readonly #options: RecordStreamOptions;
  readonly #visit: (record: DescribedRecord) => void;
  readonly #pipeline: Pipeline;
  readonly #symbolizer: Symbolizer;
  readonly #names: readonly string[];
  /** Paths of the DSOs met so far. */
  #paths: readonly string[] = [];
  readonly #sample: SampleView;
  readonly #trailer: TrailerView;

  constructor(
    data: PerfData,
    options: RecordStreamOptions,
    visit: (record: DescribedRecord) => void,
  ) {
    this.#data = data;
    this.#options = options;
    this.#visit = visit;
    this.#pipeline = new Pipeline(data);
    this.#symbolizer = createSymbolizer(this.#pipeline);
    this.#names = data.attrs.map(eventName);
    this.#sample = new SampleView(data.startTime);
    this.#trailer = new TrailerView(data.startTime);
  }

  run(): void {
    visitInTimeOrder(this.#data, {
      record: (view, offset, size, type, misc) => {
        const attrIndex = this.#data.lookup.attrIndexOf(view, offset, size, type);
        if (attrIndex === UNKNOWN_EVENT) return;
        if (type === PERF_RECORD.SAMPLE) this.#describeSample(view, offset, size, attrIndex);
        else this.#describeOther(view, offset, size, type, misc, attrIndex);
      },
    });
  }

  #describeSample(view: DataView, offset: number, size: number, attrIndex: number): void {
    const { info } = this.#data.attrs[attrIndex]!;
    const sample = this.#sample;
    if (!decodeSample(view, offset, offset + size, info, sample)) return;
    const { processes, builder } = this.#pipeline;
    const thread = processes.threadAt(sample.pid, sample.tid);
    const comm = builder.strings.get(processes.commOf(thread));
    const chain: NamedFrame[] = [];
    const userEntries = firstUserEntry(sample.callchain, sample.callchainLength);
    for (let i = 0; i < sample.callchainLength; i++) {
      const address = sample.callchain[i] as number;
      if (isContextMarker(address)) continue;
      const lookup = lookupAddressAt(sample.callchain, i);
      const isStray = i >= userEntries && isKernelAddress(lookup);
      chain.push(isStray ? unnamed(address) : this.#nameFrame(sample.pid, address, lookup));
    }
    if (chain.length === 0) chain.push(this.#nameFrame(sample.pid, sample.ip, sample.ip));
    this.#visit({
      type: 'SAMPLE',
      event: this.#names[attrIndex] ?? null,
      pid: known(sample.pid),
      tid: known(sample.tid),
      comm,
      cpu: known(sample.cpu),
      timeNs: this.#time(sample.timeNs),
      id: sample.id < 0 ? undefined : String(sample.id),
      streamId: sample.streamId < 0 ? undefined : String(sample.streamId),
      ip: formatAddress(sample.ip),
      period: sample.period,
      count: sample.readCount > 0 ? (sample.readValues[0] as number) : undefined,
      callchain: chain,
    });
  }

  #nameFrame(pid: number, address: number, lookup: number): NamedFrame {
    const { processes } = this.#pipeline;
    const mapping = processes.findMapping(pid, lookup);
    const ip = formatAddress(address);
    if (mapping === NONE) return unnamed(address);
    const dso = processes.mappings.dso(mapping);
    const inDso = processes.mappings.addressInDso(mapping, lookup);
    const resolved = this.#symbolizer.resolve(dso, inDso);
    return {
      ip,
      symbol: resolved?.name ?? null,
      offset: resolved === null ? null : inDso - resolved.symbolStart + (address - lookup),
      dso: this.#pathOf(dso),
      inlined: false,
    };
  }

  #pathOf(dso: DsoIndex): string {
    if (dso >= this.#paths.length) {
      this.#paths = this.#pipeline.processes.dsos.finish().map(({ path }) => path);
    }
    return this.#paths[dso] as string;
  }

  #describeOther(
    view: DataView,
    offset: number,
    size: number,
    type: number,
    misc: number,
    attrIndex: number,
  ): void {
    const { info } = this.#data.attrs[attrIndex]!;
    const record = decodeRecord(view, offset, size, type, misc, info);
    const { processes, builder } = this.#pipeline;
    applyToProcesses(processes, record, misc);
    if (this.#options.samplesOnly) return;
    const trailer = this.#trailer;
    const hasTrailer = record.kind !== 'user' && decodeTrailer(view, offset, size, info, trailer);
    const own = 'pid' in record ? record : null;
    const pid = own?.pid ?? (hasTrailer ? known(trailer.pid) : undefined);
    const tid = own?.tid ?? (hasTrailer ? known(trailer.tid) : undefined);
    const comm =
      record.kind === 'comm'
        ? record.comm
        : pid !== undefined && tid !== undefined && pid >= 0
          ? builder.strings.get(processes.commOf(processes.threadAt(pid, tid)))
          : undefined;
    this.#visit({
      type: recordTypeName(type),
      event: hasTrailer ? (this.#names[attrIndex] ?? null) : null,
      pid,
      tid,
      comm,
      cpu: hasTrailer ? known(trailer.cpu) : undefined,
      timeNs: hasTrailer ? this.#time(trailer.timeNs) : undefined,
      record,
    });
  }

  #time(sinceStartNs: number): string | undefined {
    if (Number.isNaN(sinceStartNs)) return undefined;
    const raw = toRawTime(this.#data.startTime, sinceStartNs);
    return raw < 0n ? '0' : raw.toString();
  }
}

/** A frame outside every mapping. */
function unnamed(address: number): NamedFrame {
  const ip = formatAddress(address);
  return { ip, symbol: null, offset: null, dso: null, inlined: false };
}

function known(value: number): number | undefined {
  return value < 0 ? undefined : value;
}
