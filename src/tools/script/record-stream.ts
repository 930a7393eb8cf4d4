import { StringTable } from '../../base/string-table.ts';
import { FEATURE } from '../../formats/perf-data/features.ts';
import type { PerfData } from '../../formats/perf-data/reader.ts';
import { PERF_RECORD, recordTypeName } from '../../kernel/perf-event/constants.ts';
import type { HeldSample } from '../../kernel/perf-event/deferred-callchain.ts';
import { UNKNOWN_EVENT } from '../../kernel/perf-event/event-lookup.ts';
import { decodeRecord, type KernelRecord } from '../../kernel/perf-event/record.ts';
import { RecordView } from '../../kernel/perf-event/record-view.ts';
import { decodeTrailer, TrailerView } from '../../kernel/perf-event/trailer.ts';
import { TracepointFormats } from '../../kernel/tracepoint/tracepoint-formats.ts';
import { checkArguments, RECORD_STREAM } from '../../options/arguments.ts';
import { checkOptions } from '../../options/check.ts';
import { applyToProcesses } from '../../read/apply-side-band.ts';
import { eventName } from '../../read/facts/event-description.ts';
import { withArchive } from '../../read/files/find-archive.ts';
import { limitProcesses } from '../../read/files/reading-limits.ts';
import { FrameNamer, type NamedFrame } from '../../read/frame-namer.ts';
import { openJitCode } from '../../read/jit/jit-files.ts';
import { createSymbolizer } from '../../read/name-frames.ts';
import { openFrameLines } from '../../read/open-lines.ts';
import { withRecording } from '../../read/open-recording.ts';
import { visitInTimeOrder } from '../../read/ordered-records.ts';
import { newProcesses, type RecordedMachine } from '../../read/recorded-machine.ts';
import { SampleCompletion } from '../../read/sample-completion.ts';
import { openUnwinder } from '../../read/unwind/open-unwinder.ts';
import { readIbsEvents } from './ibs-events.ts';
import { RecordFilter } from './record-filter.ts';
import {
  known,
  rawTimeOf,
  type SampleDescribers,
  ShownSample,
  type UserPart,
} from './shown-sample.ts';
import type {
  DescribedRecord,
  RecordStreamOptions,
  RecordStreamSummary,
  RecordVisits,
} from './types.ts';

/** Bytes of samples that are held for their callchain; beyond them all are shown as they are. */
const MOST_HELD_BYTES = 64 << 20;

/**
 * Calls `visit` with every record of the file in time order; samples whose callchain comes in two
 * parts come when the second does. Returns the opened file.
 *
 * @example
 * ```ts
 * import { describeRecords, type RecordStreamOptions } from 'perf-ts';
 *
 * const options: RecordStreamOptions = { samplesOnly: true };
 * describeRecords('perf.data', options, ({ timeNs, comm, ip }) => console.log(timeNs, comm, ip));
 * ```
 */
export function describeRecords(
  path: string,
  options: RecordStreamOptions,
  visit: (record: DescribedRecord) => void,
): PerfData {
  checkArguments({ path, visit });
  checkOptions(RECORD_STREAM, options, 'describeRecords');
  return visitRecords(path, options, { record: visit }).data;
}

/** Calls the visit of its kind with every record of the file in time order. */
export function visitRecords(
  path: string,
  options: RecordStreamOptions,
  visits: RecordVisits,
): RecordStreamSummary {
  return withRecording(
    path,
    (data) => {
      const stream = RecordStream.open(data, path, options, visits);
      try {
        stream.run();
      } finally {
        stream.close();
      }
      const { samples, samplesLeftOut } = stream;
      return { data, samples, samplesLeftOut };
    },
    { maxUnpacked: options.maxUnpacked },
  );
}

/** A counter that a sample reads, and what it has counted since the sample before. */
type CounterLine = { readonly event: number; readonly period: number };

/** Facts about a sample that are known when it is taken, and not from its record alone. */
type Taken = {
  readonly attrIndex: number;
  /** The name of its thread. */
  readonly comm: string;
  /** Null: it reads no counters, and has one line with the period that it reports. */
  readonly lines: readonly CounterLine[] | null;
};

/** A sample that waits for the user part of its callchain: the record alone, as its bytes may go. */
type WaitingSample = HeldSample & Taken & { readonly bytes: Uint8Array<ArrayBuffer> };

/** The records of one recording on their way to who shows them. */
class RecordStream {
  samples = 0;
  samplesLeftOut = 0;
  readonly #machine: RecordedMachine;
  readonly #strings: StringTable;
  readonly #options: RecordStreamOptions;
  readonly #visits: RecordVisits;
  readonly #describers: SampleDescribers;
  readonly #filter: RecordFilter;
  readonly #completion: SampleCompletion<WaitingSample>;
  readonly #shown: ShownSample;
  readonly #trailer: TrailerView;

  static open(
    data: PerfData,
    path: string,
    options: RecordStreamOptions,
    visits: RecordVisits,
  ): RecordStream {
    const sources = withArchive(path, options.symbols ?? {});
    const strings = new StringTable();
    const processes = newProcesses(data, strings);
    limitProcesses(processes, data);
    const { diagnostics } = data;
    const jit = openJitCode({ ...sources, data, processes, diagnostics, path });
    const machine = { data, processes, jit, diagnostics };
    const symbolizer = createSymbolizer(machine, path, sources);
    const namer = new FrameNamer(machine, symbolizer, openFrameLines(machine, sources));
    const stream = new RecordStream(machine, strings, options, visits, {
      namer,
      formats: readTracepointFormats(data, namer),
      ibs: readIbsEvents(data),
      names: data.attrs.map(eventName),
      simplifyChains: options.simplifyChains === true,
    });
    stream.#completion.unwinder = openUnwinder(machine, sources);
    return stream;
  }

  constructor(
    machine: RecordedMachine,
    strings: StringTable,
    options: RecordStreamOptions,
    visits: RecordVisits,
    describers: SampleDescribers,
  ) {
    const { data } = machine;
    this.#machine = machine;
    this.#strings = strings;
    this.#options = options;
    this.#visits = visits;
    this.#describers = describers;
    this.#filter = new RecordFilter(
      data,
      options.select?.(data) ?? {},
      options.event,
      describers.names,
    );
    this.#completion = new SampleCompletion(data, {
      innermost: 'entry',
      settle: (sample, userPart) => this.#showHeld(sample, userPart),
      mostHeldBytes: MOST_HELD_BYTES,
    });
    this.#completion.jit = machine.jit;
    this.#shown = new ShownSample(data, this.#completion.sample, describers);
    this.#trailer = new TrailerView(data.startTime);
  }

  run(): void {
    const { data } = this.#machine;
    this.#visits.start?.(data, this.#describers.names);
    const visitor = {
      record: (record: RecordView) => {
        const attrIndex = data.lookup.attrIndexOf(record);
        if (attrIndex === UNKNOWN_EVENT) return;
        if (record.type === PERF_RECORD.SAMPLE) this.#visitSample(record, attrIndex);
        else this.#visitOther(record, attrIndex);
      },
    };
    visitInTimeOrder(data, visitor, undefined, this.#options.onShare);
    this.#completion.settleAll();
    this.#describers.formats?.countFallbacks();
  }

  close(): void {
    this.#completion.unwinder?.close();
    this.#describers.namer.close();
  }

  #visitSample(record: RecordView, attrIndex: number): void {
    const completion = this.#completion;
    if (!completion.decode(record, attrIndex)) return;
    this.samples++;
    completion.complete(attrIndex);
    const { pid, tid } = completion.sample;
    const taken = { attrIndex, comm: this.#commOf(pid, tid), lines: this.#linesOf(attrIndex) };
    if (completion.isDeferred) {
      const bytes = record.bytes().slice();
      completion.hold({ ...taken, tid, bytes, byteLength: bytes.length });
    } else {
      this.#show(taken, { isUnwound: completion.isUnwound, deferred: null });
    }
  }

  #showHeld(held: WaitingSample, deferred: Float64Array | null): void {
    const { littleEndian } = this.#machine.data;
    const record = new RecordView().moveTo(new DataView(held.bytes.buffer), 0, littleEndian);
    if (!this.#completion.decode(record, held.attrIndex)) return;
    this.#show(held, { isUnwound: false, deferred });
  }

  /** Shows the sample that was decoded last, if it is selected. */
  #show({ attrIndex, comm, lines }: Taken, userPart: UserPart): void {
    const shown = this.#shown;
    const { record, sampleText } = this.#visits;
    shown.take(attrIndex, this.#machine.data.attrs[attrIndex].attr, comm, userPart);
    const isSelected =
      this.#filter.admitsSample(this.#completion.sample, comm, attrIndex) &&
      this.#filter.admitsLeaf(shown.leaf);
    if (!isSelected) {
      this.samplesLeftOut++;
    } else if (sampleText === undefined) {
      record?.(shown.describe());
    } else if (lines === null) {
      sampleText(shown);
    } else {
      for (const { event, period } of lines) {
        shown.countAs(event, period);
        sampleText(shown);
      }
    }
  }

  /**
   * The counters that the sample reads, those of a group that have counted anything. To be asked for
   * every sample, shown or not, in the order of time.
   */
  #linesOf(attrIndex: number): CounterLine[] | null {
    const { sample } = this.#completion;
    if (this.#visits.sampleText === undefined || sample.readCount === 0) return null;
    if (sample.readCount === 1) {
      const { elapsed } = this.#completion.readMember(attrIndex, 0, sample.id);
      return elapsed < 0 ? null : [{ event: attrIndex, period: elapsed }];
    }
    const lines: CounterLine[] = [];
    for (let member = 0; member < sample.readCount; member++) {
      const id = sample.readIds[member];
      const event = this.#machine.data.lookup.find(id);
      const { elapsed } = this.#completion.readMember(attrIndex, member, id);
      if (event !== UNKNOWN_EVENT && elapsed > 0) lines.push({ event, period: elapsed });
    }
    return lines;
  }

  #visitOther(record: RecordView, attrIndex: number): void {
    const { data, processes } = this.#machine;
    const { info } = data.attrs[attrIndex];
    const decoded = decodeRecord(record, info);
    applyToProcesses(processes, decoded, record.misc, data.diagnostics);
    const trailer = this.#trailer;
    const hasTrailer = decoded.kind !== 'user' && decodeTrailer(record, info, trailer);
    if (decoded.kind === 'callchainDeferred') this.#completion.settle(trailer.tid, decoded);
    const type = recordTypeName(record.type);
    const { samplesOnly, otherTypes } = this.#options;
    if (samplesOnly || otherTypes?.has(type) === false) return;
    const { pid, tid } = taskOf(decoded, hasTrailer ? trailer : null);
    const isKnownTask = pid !== undefined && tid !== undefined && pid >= 0;
    const taskComm = isKnownTask ? this.#commOf(pid, tid) : undefined;
    const comm = decoded.kind === 'comm' ? decoded.comm : taskComm;
    const cpu = hasTrailer ? known(trailer.cpu) : undefined;
    const timeNs = hasTrailer ? trailer.timeNs : Number.NaN;
    if (!this.#filter.admitsOther({ pid, tid, comm, cpu, timeNs })) return;
    this.#visits.record?.({
      type,
      event: hasTrailer ? (this.#describers.names[attrIndex] ?? null) : null,
      pid,
      tid,
      comm,
      cpu,
      timeNs: rawTimeOf(data.startTime, timeNs)?.toString(),
      callchain: this.#laterCallchain(decoded, pid),
      record: decoded,
    });
  }

  /** The user part of a callchain, which comes after its samples. */
  #laterCallchain(record: KernelRecord, pid = -1): NamedFrame[] | undefined {
    if (record.kind !== 'callchainDeferred') return undefined;
    const { callchain } = record;
    return this.#describers.namer.frames(callchain, callchain.length, pid, 'user');
  }

  #commOf(pid: number, tid: number): string {
    const { processes } = this.#machine;
    return this.#strings.get(processes.commOf(processes.threadAt(pid, tid)));
  }
}

/** Whom a record is about: by its own fields, else by its trailer. */
function taskOf(
  record: KernelRecord,
  trailer: TrailerView | null,
): { readonly pid: number | undefined; readonly tid: number | undefined } {
  if ('pid' in record) return record;
  if (trailer === null) return { pid: undefined, tid: undefined };
  return { pid: known(trailer.pid), tid: known(trailer.tid) };
}

/** Any process: the kernel's addresses mean the same in all of them. */
const SWAPPER = 0;

/** The formats of the recording's tracepoints; null where it has none. */
function readTracepointFormats(data: PerfData, namer: FrameNamer): TracepointFormats | null {
  const section = data.sections.bytes(FEATURE.TRACING_DATA);
  if (section === null) return null;
  return TracepointFormats.parse(section, {
    diagnostics: data.diagnostics,
    symbolOf: (address) => {
      const { symbol, offset } = namer.frame(SWAPPER, address);
      return symbol === null ? null : { name: symbol, offset: offset ?? 0 };
    },
  });
}
