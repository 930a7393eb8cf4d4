import { NONE } from '../base/brand.ts';
import type { Diagnostics } from '../base/diagnostics.ts';
import { GrowableFloat64 } from '../base/growable-columns.ts';
import { toRawTime } from '../base/u64.ts';
import type { JitCode } from '../code/jit/jit-code.ts';
import { ProcessTable } from '../code/process/process-table.ts';
import type { PerfData } from '../formats/perf-data/reader.ts';
import { PERF_RECORD } from '../kernel/perf-event/constants.ts';
import { readCookie } from '../kernel/perf-event/deferred-callchain.ts';
import { UNKNOWN_EVENT } from '../kernel/perf-event/event-lookup.ts';
import { newerFields } from '../kernel/perf-event/parse-info.ts';
import { decodeRecord } from '../kernel/perf-event/record.ts';
import type { RecordView } from '../kernel/perf-event/record-view.ts';
import { decodeSample, SampleView } from '../kernel/perf-event/sample.ts';
import { decodeTrailer, TrailerView } from '../kernel/perf-event/trailer.ts';
import type { LossGap, StreamFinal } from '../period/types.ts';
import { ProfileBuilder } from '../profile/profile-builder.ts';
import type {
  EventIndex,
  EventLoss,
  ProfileStream,
  SampleTable,
  ThreadIndex,
} from '../profile/types.ts';
import { applyToProcesses } from './apply-side-band.ts';
import { DeferredStacks } from './deferred-stacks.ts';
import { isAuxiliaryEvent } from './facts/event-description.ts';
import {
  checkEventCount,
  limitProcesses,
  mostFramesOf,
  tooManyFrames,
} from './files/most-unpacked.ts';
import { FinalLog } from './logs/final-log.ts';
import { GroupReads, leaderInstance } from './logs/group-reads.ts';
import { IdStreams } from './logs/id-streams.ts';
import { LossCounter, mayLoseSideband } from './logs/loss-counter.ts';
import { OffCpuLog } from './logs/off-cpu-log.ts';
import { putInTimeOrder } from './logs/sample-order.ts';
import { StreamRepair } from './logs/stream-repair.ts';
import { SwitchLog } from './logs/switch-log.ts';
import { ThrottleLog } from './logs/throttle-log.ts';
import { visitInTimeOrder } from './ordered-records.ts';
import { type ChainMemory, newChainMemory, StackInterner } from './stack-interner.ts';
import { LbrStacks } from './unwind/lbr-stacks.ts';
import type { StackRoots } from './unwind/stack-roots.ts';
import { copiesStacks, NOT_UNWOUND, type StackUnwinder } from './unwind/unwind-stacks.ts';

/** Reasons in diagnostics. What these samples stood for is in no figure. */
export const SAMPLE_OF_NO_EVENT = 'samples left out: they name an event that the header does not';
const RECORD_OF_NO_EVENT = 'a record names an event that the header does not';

/**
 * The middle of perf-ts: records in time order in, interned stacks and samples out.
 *
 *   walk ─▶ order ─▶ SAMPLE ─▶ decode ─▶ find mapping per frame ─▶ extend stack ─▶ sample row
 *                └─▶ side-band ─▶ process table (who was where from now on)
 *
 * Nothing is named here: frames are (DSO, address), and only those that occurred are looked up
 * afterwards, once each.
 */
export class Pipeline {
  readonly data: PerfData;
  readonly builder = new ProfileBuilder();
  readonly processes: ProcessTable;
  readonly throttles = new ThrottleLog();
  readonly switches = new SwitchLog();
  readonly offCpu: OffCpuLog;
  readonly diagnostics: Diagnostics;
  /** Unwinds copied user stacks; null: callchains stay as the kernel recorded them. */
  unwinder: StackUnwinder | null = null;
  readonly #stacks: StackInterner;
  readonly #lbr: LbrStacks;
  readonly streams: ProfileStream[] = [];
  /** Per sample, parallel to the sample table: TOTAL_TIME_RUNNING of READ, NaN if not read. */
  readonly runningNs = new GrowableFloat64();
  /** LOST records of the sampled events' rings, in time order. */
  readonly lossGaps: LossGap[] = [];
  /** When tasks were forked, by tid. */
  readonly forkNs = new Map<number, number>();
  /** Time of the last READ record: the recorder writes the final values when it ends. */
  lastReadNs = Number.NEGATIVE_INFINITY;
  readonly #losses: LossCounter;
  readonly #finals = new FinalLog();
  readonly #streamRepair = new StreamRepair();
  readonly #sampledEvents: number;
  /** Attr index -> row of the profile's events, −1 for side-band events. */
  readonly #attrToEvent: Int32Array;
  readonly #attrIsRead: Uint8Array;
  /** The event whose samples weigh what their threads waited; −1 without one. */
  readonly #offCpuAttr: number;
  /** The event that says when they had what they waited for; −1 without one. */
  readonly #wakeUpAttr: number;
  readonly #attrCopiesStacks: Uint8Array;
  readonly #sample: SampleView;
  readonly #trailer: TrailerView;
  readonly #streamIndex = new Map<number, number>();
  readonly #idStreams: IdStreams;
  readonly #groupReads = new GroupReads();
  readonly #deferred: DeferredStacks;
  /** By CPU + 1; slot 0 for samples that do not say. */
  #memories: CpuMemory[] = [];

  constructor(data: PerfData) {
    this.data = data;
    this.diagnostics = data.diagnostics;
    this.processes = new ProcessTable(this.builder.strings);
    for (const { filename, buildId } of data.features.buildIds ?? []) {
      this.processes.dsos.setBuildId(filename, buildId);
    }
    this.#sample = new SampleView(data.startTime);
    this.#trailer = new TrailerView(data.startTime);
    this.#losses = new LossCounter(data);
    this.#lbr = new LbrStacks(data);
    this.#stacks = new StackInterner(this.builder, this.processes, data.attrs);
    const joined = newChainMemory();
    this.#deferred = new DeferredStacks((callchain, pid) => {
      joined.length = 0;
      return this.#stacks.internCallchain(callchain, callchain.length, pid, joined);
    }, data.diagnostics);
    let events = 0;
    this.#attrToEvent = Int32Array.from(data.attrs, (event) =>
      isAuxiliaryEvent(event) ? NONE : events++,
    );
    this.#idStreams = new IdStreams(data.attrs, (id, attrIndex) =>
      this.#addStream(id, this.#attrToEvent[attrIndex]),
    );
    const offCpu = OffCpuLog.find(data);
    this.offCpu = offCpu.log;
    this.#offCpuAttr = offCpu.attrIndex;
    this.#wakeUpAttr = offCpu.wakeUpIndex;
    this.#sampledEvents = data.attrs.filter(
      (event) => !isAuxiliaryEvent(event) && event.attr.samplePeriod > 0,
    ).length;
    this.#attrIsRead = Uint8Array.from(data.attrs, (event) =>
      event.info.readFormat !== 0 ? 1 : 0,
    );
    this.#attrCopiesStacks = Uint8Array.from(data.attrs, ({ attr }) =>
      copiesStacks(attr) ? 1 : 0,
    );
  }

  /** What JITs said about their code; null: it all counts as one. */
  get jit(): JitCode | null {
    return this.#stacks.jit;
  }

  set jit(jit: JitCode | null) {
    this.#stacks.jit = jit;
  }

  get roots(): StackRoots {
    return this.#stacks.roots;
  }

  /** Reads every record of a file. Throws `PerfDataError` where they come to more than it explains. */
  run(): void {
    const fileBytes = this.data.source.size;
    checkEventCount(this.data.attrs.length);
    limitProcesses(this.processes, fileBytes);
    const mostFrames = mostFramesOf(fileBytes);
    visitInTimeOrder(this.data, {
      record: (record) => {
        this.read(record);
        if (this.builder.frameCount > mostFrames) throw tooManyFrames(mostFrames);
      },
    });
    this.#deferred.finish();
  }

  /** The next record in time order, for those who have no file: `run` does this with each. */
  read(record: RecordView): void {
    const { type } = record;
    const attrIndex = this.data.lookup.attrIndexOf(record);
    if (attrIndex === UNKNOWN_EVENT) {
      this.diagnostics.count(type === PERF_RECORD.SAMPLE ? SAMPLE_OF_NO_EVENT : RECORD_OF_NO_EVENT);
      return;
    }
    if (type === PERF_RECORD.SAMPLE) this.#addSample(record, attrIndex);
    else this.#applyRecord(record, attrIndex);
  }

  /**
   * What stands beside the samples is forgotten, because the builder has handed them out; `stack` is
   * their column, which gets the stacks that are whole by now.
   */
  forgetSamples(stack: Int32Array): void {
    this.#deferred.giveOut(stack);
    this.#streamRepair.forget();
    this.runningNs.length = 0;
    this.lossGaps.length = 0;
  }

  /** What did not arrive, per event of the profile. */
  losses(): EventLoss[] {
    const losses: EventLoss[] = [];
    for (let attr = 0; attr < this.#attrToEvent.length; attr++) {
      const event = this.#attrToEvent[attr];
      if (event === NONE) continue;
      losses.push({
        event: event as EventIndex,
        lostRecords: this.#losses.lostRecords[attr],
        lostSamples: this.#losses.lostSamples[attr],
      });
    }
    return losses;
  }

  /** Side-band records that did not arrive. */
  get lostSideband(): number {
    return this.#losses.lostSideband;
  }

  /** Losses that can't be told apart, in a sentence each. */
  lossNotes(): string[] {
    const { attrs } = this.data;
    return this.losses().flatMap((loss) => {
      const attrIndex = this.#attrToEvent.indexOf(loss.event);
      const lost = Math.max(loss.lostRecords, loss.lostSamples);
      const { attr, name } = attrs[attrIndex];
      if (lost === 0 || !mayLoseSideband(attr)) return [];
      return [
        `${name}: forks, execs and mappings may be among the ${lost} lost records, ` +
          'since this recorder keeps them with the samples',
      ];
    });
  }

  /**
   * Puts samples that the kernel has put into the wrong stream into theirs, whole stacks into
   * samples whose user part came in a later record, and samples that came late into time order.
   */
  completeSamples(samples: SampleTable): void {
    this.#deferred.fill(samples.stack);
    this.#streamRepair.apply(samples, (id, tid) => this.#finals.isOpenedOn(id, tid));
    this.#orderSamples(samples);
  }

  #orderSamples({ length, timeNs, ...columns }: SampleTable): void {
    const runningNs = this.runningNs.array.subarray(0, length);
    const others = [...Object.values(columns), runningNs];
    const { newRow, late, withoutTime } = putInTimeOrder({ timeNs, others });
    if (newRow !== null) {
      this.offCpu.moveRows(newRow);
      this.diagnostics.count('samples came later than their place in the file promised', '', late);
    }
    if (withoutTime > 0 && withoutTime < length) {
      const effect = 'they count as taken with the sample before';
      this.diagnostics.count('samples without a time', effect, withoutTime);
    }
  }

  /** Final values of the event instances. Streams of which no sample arrived get a row. */
  finals(): StreamFinal[] {
    const streamOf = (streamId: number, event: number, hasCounted: boolean) =>
      hasCounted || this.#streamIndex.has(streamId) ? this.#streamOf(streamId, event) : NONE;
    return this.#finals.finish(streamOf, this.#losses.lostSideband === 0);
  }

  /** Per event of the profile: what its counters had counted in all, null where it was not read. */
  totals(): (number | null)[] {
    return this.#finals.totals(this.#attrToEvent.filter((event) => event !== NONE).length);
  }

  // Hot: once per sample.
  #addSample(record: RecordView, attrIndex: number): void {
    const event = this.#attrToEvent[attrIndex];
    if (attrIndex === this.#wakeUpAttr) this.#addWakeUp(record, attrIndex);
    if (event === NONE) return;
    const { info } = this.data.attrs[attrIndex];
    const sample = this.#sample;
    if (!decodeSample(record, info, sample)) {
      this.#countUnreadable(attrIndex);
      return;
    }
    const isWait = attrIndex === this.#offCpuAttr;
    const waitState = isWait ? this.offCpu.stateOf(sample) : null;
    if (isWait && waitState === null) return;
    if (this.jit?.advance(sample.timeNs)) this.#forgetStacks();
    const last = this.#memoryOf(sample.cpu);
    if (sample.tid !== last.tid || sample.pid !== last.pid || last.thread === NONE) {
      last.pid = sample.pid;
      last.tid = sample.tid;
      last.thread = this.processes.threadAt(sample.pid, sample.tid);
      last.comm = this.processes.commOf(last.thread);
      last.chain.length = 0;
    }
    if (sample.streamId !== last.streamId || sample.id !== last.id) {
      last.streamId = sample.streamId;
      last.id = sample.id;
      last.isForeign = this.#isForeign(sample.id);
      last.stream = last.isForeign ? NONE : this.#streamOf(sample.streamId, event);
    }
    // Without a stream id the event's own id tells instances apart.
    if (sample.streamId < 0 && !last.isForeign) {
      last.stream = this.#idStreams.streamOf(attrIndex, sample.id, last.thread);
    }
    let stop = NOT_UNWOUND;
    if (this.#attrCopiesStacks[attrIndex] === 1 && this.unwinder !== null) {
      stop = this.unwinder.complete(sample, attrIndex);
    } else if (info.hasLbrCallchain) {
      stop = this.#lbr.complete(sample);
    }
    const stack = this.#stacks.stackOf(sample, attrIndex, stop, last.chain);
    const { inherit } = this.data.attrs[attrIndex].attr.flags;
    const isMisled = sample.timeNs === last.lostNs && sample.streamId === sample.id && inherit;
    if (last.isForeign) this.#streamRepair.noteForeign(this.runningNs.length, !inherit);
    else if (isMisled) this.#streamRepair.note(this.runningNs.length, sample.id, sample.tid);
    const isRead = this.#attrIsRead[attrIndex] === 1 && sample.readCount > 0;
    const row = this.builder.addSample(
      stack,
      last.thread,
      last.comm,
      event,
      last.stream,
      sample.cpu,
      sample.timeNs,
      sample.period,
      isRead ? sample.readValues[0] : Number.NaN,
    );
    this.runningNs.push(isRead ? sample.timeRunning : Number.NaN);
    if (waitState !== null) this.offCpu.note(row, waitState, sample, last);
    // Without knowing the instance, what its members have counted is left to its next sample.
    if (sample.readCount > 1 && !isMisled && !last.isForeign)
      this.#addGroupMembers(sample, last, stack, inherit);
    if (info.mayDeferCallchain && sample.deferredCookieOffset >= 0) {
      this.#noteDeferred(sample, row);
    }
  }

  /** The thread that waits is runnable from now on: a row of its own, whose stack is that of the wait. */
  #addWakeUp(record: RecordView, attrIndex: number): void {
    const sample = this.#sample;
    if (!decodeSample(record, this.data.attrs[attrIndex].info, sample)) {
      this.#countUnreadable(attrIndex);
      return;
    }
    const wait = this.offCpu.waitOfWoken(sample);
    if (wait === null) return;
    const row = this.builder.addSample(
      NONE,
      wait.thread,
      wait.comm,
      this.#attrToEvent[this.#offCpuAttr],
      wait.stream,
      sample.cpu,
      sample.timeNs,
      0,
      Number.NaN,
    );
    this.runningNs.push(Number.NaN);
    this.offCpu.noteWakeUp(row, wait, sample, this.processes);
  }

  /** The rows from `row` on have the stack of the kernel part of `sample`. */
  #noteDeferred(sample: SampleView, row: number): void {
    const { view, pid, tid, callchain, callchainLength, deferredCookieOffset } = sample;
    const rows = this.builder.sampleCount - row;
    const kernelPart = callchain.slice(0, callchainLength);
    const cookie = readCookie(view, deferredCookieOffset, this.data.littleEndian);
    this.#deferred.add({ pid, tid, row, rows, kernelPart }, cookie);
  }

  #countUnreadable(attrIndex: number): void {
    const newer = newerFields(this.data.attrs[attrIndex].attr);
    if (newer === null) this.diagnostics.count('a sample is shorter than its fields');
    else this.diagnostics.count('a sample has fields that are newer than this program', newer);
  }

  /** A row for every other counter of the group that has counted anything, with the same stack. */
  #addGroupMembers(sample: SampleView, last: CpuMemory, stack: number, isInherited: boolean): void {
    const leader = leaderInstance(sample, isInherited);
    // Below an instance that was opened, the member's id is its own; else it is its parent's.
    const isOpened = sample.streamId < 0 ? !isInherited : sample.streamId === sample.id;
    for (let member = 1; member < sample.readCount; member++) {
      const id = sample.readIds[member];
      const attrIndex = this.data.lookup.find(id);
      const event = attrIndex === UNKNOWN_EVENT ? NONE : this.#attrToEvent[attrIndex];
      if (event === NONE || id === sample.id) continue;
      const value = sample.readValues[member];
      const instance = this.#groupReads.instanceOf(leader, id);
      const elapsed = instance.elapsed(value);
      if (elapsed <= 0) continue;
      if (instance.stream === NONE) {
        instance.stream = isOpened ? this.#streamOf(id, event) : this.#addStream(id, event);
      }
      this.builder.addSample(
        stack,
        last.thread,
        last.comm,
        event,
        instance.stream,
        sample.cpu,
        sample.timeNs,
        elapsed,
        value,
      );
      this.runningNs.push(sample.timeRunning);
    }
  }

  /** Whether no event of the recording has this id (see `EventLookup`). */
  #isForeign(id: number): boolean {
    const { lookup } = this.data;
    return lookup.kind === 'per-id' && id > 0 && lookup.find(id) === UNKNOWN_EVENT;
  }

  #memoryOf(cpu: number): CpuMemory {
    const slot = cpu + 1;
    let memory = this.#memories[slot];
    if (memory === undefined) {
      memory = newMemory();
      this.#memories[slot] = memory;
    }
    return memory;
  }

  /** After other code came to some address: equal callchains are other stacks from now on. */
  #forgetStacks(): void {
    for (const memory of this.#memories) if (memory !== undefined) memory.chain.length = 0;
  }

  #streamOf(streamId: number, event: number): number {
    if (streamId < 0) return NONE;
    let index = this.#streamIndex.get(streamId);
    if (index === undefined) {
      index = this.#addStream(streamId, event);
      this.#streamIndex.set(streamId, index);
    }
    return index;
  }

  #addStream(streamId: number, event: number): number {
    this.streams.push({ streamId: String(streamId), event: event as EventIndex });
    return this.streams.length - 1;
  }

  #applyRecord(view: RecordView, attrIndex: number): void {
    const { info } = this.data.attrs[attrIndex];
    const record = decodeRecord(view, info);
    if (applyToProcesses(this.processes, record, view.misc)) this.#memories = [];
    this.#losses.note(record, attrIndex);
    switch (record.kind) {
      case 'lost': {
        const event = this.#attrToEvent[attrIndex];
        if (event === NONE) break;
        decodeTrailer(view, info, this.#trailer);
        const { cpu, timeNs } = this.#trailer;
        this.#memoryOf(cpu).lostNs = timeNs;
        // A ring is shared by the events of its CPU, and the one that wrote the record is not
        // always the one that had lost samples.
        const isOnlyOne = this.#sampledEvents === 1;
        this.lossGaps.push({ event: isOnlyOne ? event : NONE, cpu, timeNs, samples: record.lost });
        break;
      }
      case 'read': {
        const event = this.#attrToEvent[attrIndex];
        if (event === NONE) break;
        decodeTrailer(view, info, this.#trailer);
        this.lastReadNs = Math.max(this.lastReadNs, this.#trailer.timeNs);
        // Like a sample's (see StreamRepair), its stream id is wrong after a LOST record.
        if (this.#memoryOf(this.#trailer.cpu).lostNs === this.#trailer.timeNs) break;
        this.#finals.note(record, event, this.data.attrs[attrIndex].attr, this.#trailer);
        break;
      }
      case 'fork': {
        decodeTrailer(view, info, this.#trailer);
        // Time 0 stands for what was there before.
        const { timeNs } = this.#trailer;
        const isPast = timeNs < 0 && toRawTime(this.data.startTime, timeNs) === 0n;
        if (isPast) break;
        this.#finals.noteFork(record);
        this.forkNs.set(record.tid, timeNs);
        break;
      }
      case 'throttle':
      case 'unthrottle': {
        decodeTrailer(view, info, this.#trailer);
        const event = this.#attrToEvent[attrIndex];
        const stream = this.#streamOf(record.streamId, event);
        this.throttles.note(record.kind, event, stream, this.#trailer.timeNs);
        break;
      }
      case 'switch':
      case 'switchCpuWide':
        decodeTrailer(view, info, this.#trailer);
        this.switches.note(record, this.#trailer);
        if (!record.isOut) this.offCpu.noteIn(this.#trailer.tid);
        break;
      case 'callchainDeferred':
        decodeTrailer(view, info, this.#trailer);
        this.#deferred.apply(this.#trailer.tid, record.cookie, record.callchain);
        break;
      case 'malformed':
        this.diagnostics.count('a record is shorter than its fields', `type ${record.type}`);
        break;
      default:
        break;
    }
  }
}

/** What the last sample of a CPU was, since the next one is mostly much the same. */
type CpuMemory = {
  pid: number;
  tid: number;
  thread: ThreadIndex;
  comm: number;
  streamId: number;
  id: number;
  stream: number;
  /** Stream and id are those of another recorder's event. */
  isForeign: boolean;
  readonly chain: ChainMemory;
  /** Time of the last LOST record. */
  lostNs: number;
};

/** No pid, tid or stream id that a sample could have; −1 is "not recorded". */
const NOBODY = -2;

function newMemory(): CpuMemory {
  return {
    pid: NOBODY,
    tid: NOBODY,
    thread: NONE as ThreadIndex,
    comm: 0,
    streamId: NOBODY,
    id: NOBODY,
    stream: NONE,
    isForeign: false,
    chain: newChainMemory(),
    lostNs: Number.NaN,
  };
}
