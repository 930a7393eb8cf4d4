import { NONE } from '../base/brand.ts';
import type { Diagnostics } from '../base/diagnostics.ts';
import { joinFloats } from '../base/join-bytes.ts';
import { lostSamplesOf } from '../base/lost-samples.ts';
import { toRawTime } from '../base/u64.ts';
import type { JitCode } from '../code/jit/jit-code.ts';
import type { ProcessTable } from '../code/process/process-table.ts';
import type { PerfData } from '../formats/perf-data/reader.ts';
import { PERF_RECORD } from '../kernel/perf-event/constants.ts';
import type { HeldSample } from '../kernel/perf-event/deferred-callchain.ts';
import { UNKNOWN_EVENT } from '../kernel/perf-event/event-lookup.ts';
import { decodeRecord } from '../kernel/perf-event/record.ts';
import type { RecordView } from '../kernel/perf-event/record-view.ts';
import type { SampleView } from '../kernel/perf-event/sample.ts';
import { decodeTrailer, TrailerView } from '../kernel/perf-event/trailer.ts';
import type { LossGap, StreamFinal } from '../period/types.ts';
import { ProfileBuilder } from '../profile/profile-builder.ts';
import type {
  EventIndex,
  EventLoss,
  ProfileStream,
  SampleIndex,
  SampleTable,
} from '../profile/types.ts';
import { isHeapEvent, isMeasuredEvent } from '../profile/wait-event.ts';
import { applyToProcesses } from './apply-side-band.ts';
import { CpuMemories, type CpuMemory } from './cpu-memory.ts';
import { isAuxiliaryEvent } from './facts/event-description.ts';
import { limitProcesses, mostFramesOf, tooManyFrames } from './files/reading-limits.ts';
import type { AskedWork } from './jit/asked-work.ts';
import type { AskedIn } from './jit/pool-work.ts';
import { FinalLog } from './logs/final-log.ts';
import { IdStreams } from './logs/id-streams.ts';
import { LoopWaitLog } from './logs/loop-wait-log.ts';
import { LossCounter, mayLoseSideband } from './logs/loss-counter.ts';
import { OffCpuLog } from './logs/off-cpu-log.ts';
import { RunningThreads } from './logs/running-threads.ts';
import { SampleNumbers } from './logs/sample-numbers.ts';
import { putInTimeOrder } from './logs/sample-order.ts';
import { StreamRepair } from './logs/stream-repair.ts';
import { StreamRows } from './logs/stream-rows.ts';
import { SwitchLog } from './logs/switch-log.ts';
import { SyscallLog } from './logs/syscall-log.ts';
import { ThrottleLog } from './logs/throttle-log.ts';
import { visitInTimeOrder } from './ordered-records.ts';
import { newProcesses } from './recorded-machine.ts';
import { SampleCompletion } from './sample-completion.ts';
import { newChainMemory, StackInterner } from './stack-interner.ts';
import type { StackRoots } from './unwind/stack-roots.ts';
import type { StackUnwinder } from './unwind/unwind-stacks.ts';

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
  readonly loopWaits: LoopWaitLog;
  readonly syscalls: SyscallLog;
  readonly diagnostics: Diagnostics;
  /** Work whose askers are known; null: none is. */
  askedWork: AskedWork | null = null;
  readonly #stacks: StackInterner;
  readonly #completion: SampleCompletion<PartialSample>;
  /** TOTAL_TIME_RUNNING of READ, per sample. */
  readonly runningTimes = new SampleNumbers();
  /** Recorded threads that ran when a sample was taken; no numbers in recordings without switches. */
  readonly threadsRunning = new SampleNumbers();
  readonly #running: RunningThreads | null;
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
  #heapSamples = 0;
  /** Attr index -> row of the profile's events, −1 for side-band events. */
  readonly #attrToEvent: Int32Array;
  readonly #attrIsRead: Uint8Array;
  /** Samples of these weigh what each was measured to be, whoever else ran. */
  readonly #attrIsMeasured: Uint8Array;
  /** The event whose samples weigh what their threads waited; −1 without one. */
  readonly #offCpuAttr: number;
  /** The event that says when they had what they waited for; −1 without one. */
  readonly #wakeUpAttr: number;
  readonly #trailer: TrailerView;
  readonly #streamRows = new StreamRows();
  readonly #idStreams: IdStreams;
  /** No callchain is the one before a callchain that comes in two parts. */
  readonly #noMemory = newChainMemory();
  readonly #memories = new CpuMemories();

  /** A pipeline before the first record. */
  static open(data: PerfData): Pipeline {
    return new Pipeline(data, OffCpuLog.find(data));
  }

  /** `open` makes one. */
  constructor(data: PerfData, offCpu: ReturnType<typeof OffCpuLog.find>) {
    this.data = data;
    this.diagnostics = data.diagnostics;
    this.processes = newProcesses(data, this.builder.strings);
    this.#completion = new SampleCompletion(data, {
      innermost: 'ip',
      settle: (sample, userPart) => this.#settleSample(sample, userPart),
    });
    this.#trailer = new TrailerView(data.startTime);
    this.#losses = new LossCounter(data);
    this.#stacks = new StackInterner(this.builder, this.processes, data.attrs);
    let events = 0;
    this.#attrToEvent = Int32Array.from(data.attrs, (event) =>
      isAuxiliaryEvent(event) ? NONE : events++,
    );
    this.#idStreams = new IdStreams(data.attrs, (id, attrIndex) =>
      this.#streamRows.add(id, this.#attrToEvent[attrIndex]),
    );
    this.offCpu = offCpu.log;
    this.loopWaits = new LoopWaitLog(data);
    this.syscalls = new SyscallLog(data);
    this.#offCpuAttr = offCpu.attrIndex;
    this.#attrIsMeasured = Uint8Array.from(data.attrs, (event) => (isMeasuredEvent(event) ? 1 : 0));
    if (this.#attrIsMeasured.includes(1)) this.builder.samples.keepWidePeriods();
    this.#wakeUpAttr = offCpu.wakeUpIndex;
    const hasSwitches = data.attrs.some(({ attr }) => attr.flags.contextSwitch);
    this.#running = hasSwitches ? new RunningThreads() : null;
    this.#sampledEvents = data.attrs.filter(
      (event) => !isAuxiliaryEvent(event) && !isHeapEvent(event) && event.attr.samplePeriod > 0,
    ).length;
    this.#attrIsRead = Uint8Array.from(data.attrs, (event) =>
      event.info.readFormat !== 0 ? 1 : 0,
    );
  }

  /** The code that JITs reported; null: it all counts as one. */
  get jit(): JitCode | null {
    return this.#completion.jit;
  }

  set jit(jit: JitCode | null) {
    this.#completion.jit = jit;
    this.#stacks.jit = jit;
  }

  /** Unwinds stack dumps; null: callchains stay as the kernel recorded them. */
  get unwinder(): StackUnwinder | null {
    return this.#completion.unwinder;
  }

  set unwinder(unwinder: StackUnwinder | null) {
    this.#completion.unwinder = unwinder;
  }

  get streams(): readonly ProfileStream[] {
    return this.#streamRows.streams;
  }

  get roots(): StackRoots {
    return this.#stacks.roots;
  }

  /**
   * Reads every record of a file. Throws `PerfDataError` where they come to more than it explains.
   * `onShare` gets the share of them that was read, as `visitInTimeOrder` has it.
   */
  run(onShare?: (share: number) => void): void {
    limitProcesses(this.processes, this.data);
    const mostFrames = mostFramesOf(this.data);
    let latest: RecordView | null = null;
    this.builder.samples.estimate = (rows) => this.#expectedRows(rows, latest);
    const visitor = {
      record: (record: RecordView) => {
        latest = record;
        this.read(record);
        if (this.builder.frames.length > mostFrames) throw tooManyFrames(mostFrames);
      },
    };
    visitInTimeOrder(this.data, visitor, undefined, onShare);
    this.#completion.settleAll();
  }

  /** The number of samples in the whole file, if `rows` of them lie before the end of the record `latest`. */
  #expectedRows(rows: number, latest: RecordView | null): number {
    const { dataOffset, dataSize, threadFiles } = this.data;
    const bytes = latest === null ? 0 : latest.fileOffset + latest.size - dataOffset;
    // The files of a directory are read one after the other, in the order of their times.
    if (bytes <= 0 || threadFiles.length > 0) return 2 * rows;
    return ROOM_TO_SPARE * rows * (dataSize / bytes);
  }

  /** The next record in time order, for those who have no file: `run` does this with each. */
  read(record: RecordView): void {
    const { type } = record;
    const attrIndex = this.data.lookup.attrIndexOf(record);
    if (attrIndex === UNKNOWN_EVENT) {
      this.diagnostics.count(
        type === PERF_RECORD.SAMPLE ? 'sample-of-no-event' : 'record-of-no-event',
      );
      return;
    }
    if (type === PERF_RECORD.SAMPLE) this.#addSample(record, attrIndex);
    else this.#applyRecord(record, attrIndex);
  }

  /** Forgets what stands beside the samples, because the builder has handed them out. */
  forgetSamples(): void {
    this.#completion.settleAll();
    this.#streamRepair.forget();
    this.runningTimes.clear();
    this.threadsRunning.clear();
    this.lossGaps.length = 0;
  }

  /**
   * Forgets processes that are gone, and what was noted about single threads, for those who watch
   * without an end. Only right after `forgetSamples`, with `processes.keepsEnded` false.
   */
  forgetEnded(): void {
    this.processes.forgetEnded();
    this.#memories.forget();
    this.forkNs.clear();
    this.#finals.forgetForks();
    this.throttles.forget();
  }

  /** Forgets the rows of the stack table, for those who take small slices. Only right after `forgetEnded`. */
  forgetStacks(): void {
    this.builder.stacks.clear();
    this.roots.forgetRows();
  }

  /** Counts of what did not arrive, per event of the profile. */
  losses(): EventLoss[] {
    const { lostRecords, lostSamples } = this.#losses;
    const lossOf = (event: number, attr: number): EventLoss => ({
      event: event as EventIndex,
      lostRecords: lostRecords[attr],
      lostSamples: lostSamples[attr],
    });
    return [...this.#attrToEvent].map(lossOf).filter(({ event }) => event !== NONE);
  }

  /** Side-band records that did not arrive. */
  get lostSideband(): number {
    return this.#losses.lostSideband;
  }

  /** Losses that can't be told apart, in a sentence each. */
  lossNotes(): string[] {
    const { attrs } = this.data;
    const losses = this.losses();
    return losses.flatMap(({ event }) => {
      const attrIndex = this.#attrToEvent.indexOf(event);
      const lost = lostSamplesOf(losses, event);
      const { attr, name } = attrs[attrIndex];
      if (lost === 0 || !mayLoseSideband(attr)) return [];
      return [
        `${name}: forks, execs and mappings may be among the ${lost} lost records, ` +
          'since this recorder keeps them with the samples',
      ];
    });
  }

  /**
   * Puts samples that the kernel has put into the wrong stream into theirs, and samples that came late
   * into time order.
   */
  completeSamples(samples: SampleTable): void {
    this.#streamRepair.apply(samples, (id, tid) => this.#finals.isOpenedOn(id, tid));
    this.#orderSamples(samples);
  }

  /** A sample that V8 took of the heap of a thread, behind those of the records. */
  addHeapSample(pid: number, tid: number, timeNs: number, bytes: number, stack: number): void {
    this.#heapSamples++;
    const thread = this.processes.threadAt(pid, tid);
    const comm = this.processes.commOf(thread);
    const event = this.#attrToEvent[this.data.attrs.findIndex(isHeapEvent)];
    const { samples } = this.builder;
    samples.add(stack, thread, comm, event, NONE, NONE, timeNs, bytes, Number.NaN);
  }

  #orderSamples({ length, timeNs, ...columns }: SampleTable): void {
    const runningNs = this.runningTimes.finish(length);
    const threads = this.threadsRunning.finish(length);
    const others = [...Object.values(columns), runningNs, threads].filter((it) => it !== null);
    const recorded = length - this.#heapSamples;
    const { newRow, late, withoutTime } = putInTimeOrder({ timeNs, others, recorded });
    if (newRow !== null) {
      this.offCpu.moveRows(newRow);
      this.syscalls.moveRows(newRow);
      if (late > 0) this.diagnostics.count('sample-late', '', late);
    }
    if (withoutTime > 0 && withoutTime < length) {
      const effect = 'they count as taken with the sample before';
      this.diagnostics.count('sample-without-time', effect, withoutTime);
    }
  }

  /** Final values of the event instances. Streams of which no sample arrived get a row. */
  finals(): StreamFinal[] {
    const streamOf = (streamId: number, event: number, hasCounted: boolean) =>
      hasCounted || this.#streamRows.has(streamId) ? this.#streamRows.of(streamId, event) : NONE;
    return this.#finals.finish(streamOf, this.#losses.lostSideband === 0);
  }

  /** Per event of the profile: what its counters had counted in all, null where it was not read. */
  totals(): (number | null)[] {
    return this.#finals.totals(this.#attrToEvent.filter((event) => event !== NONE).length);
  }

  // Hot: once per sample.
  #addSample(record: RecordView, attrIndex: number): void {
    if (this.loopWaits.isOf(attrIndex)) {
      if (this.#completion.decode(record, attrIndex)) {
        this.loopWaits.note(this.#completion.sample, attrIndex);
      }
      return;
    }
    if (attrIndex === this.#wakeUpAttr) {
      this.#addWakeUp(record, attrIndex);
      return;
    }
    if (attrIndex === this.syscalls.endAttr) {
      this.#endSyscall(record, attrIndex);
      return;
    }
    const event = this.#attrToEvent[attrIndex];
    const completion = this.#completion;
    if (event === NONE || !completion.decode(record, attrIndex)) return;
    const { sample } = completion;
    const isWait = attrIndex === this.#offCpuAttr;
    const waitState = isWait ? this.offCpu.stateOf(sample) : NO_WAIT;
    if (waitState === null) return;

    const last = this.#memories.of(sample.cpu);
    this.#findTask(sample, last);
    if (sample.cgroup >= 0) this.processes.noteCgroup(sample.pid, sample.cgroup);
    this.#findStream(sample, last, attrIndex);
    this.askedWork?.moveTo(sample.timeNs, this.#internCalls);
    const stop = completion.complete(attrIndex);
    if (completion.hasNewCode) this.#memories.forgetChains();
    const stack = this.#stacks.stackOf(sample, attrIndex, stop, last.chain);

    const hasStream = this.#hasItsStream(sample, last, attrIndex);
    const isRead = this.#attrIsRead[attrIndex] === 1 && sample.readCount > 0;
    const count = isRead ? sample.readValues[0] : Number.NaN;
    const row = this.#addRow(sample, last, event, last.stream, stack, sample.period, count);
    if (isRead) this.runningTimes.note(row, sample.timeRunning);
    if (this.#attrIsMeasured[attrIndex] === 0) this.#noteRunning(row, sample);
    if (isWait) this.offCpu.note(row, waitState, sample, last);
    if (attrIndex === this.syscalls.beginAttr) this.syscalls.begin(row, sample);
    // Without knowing the instance, what its members have counted is left to its next sample.
    if (sample.readCount > 1 && hasStream) this.#addGroupMembers(sample, last, attrIndex, stack);
    if (completion.isDeferred) this.#holdRows(sample, row);
  }

  /** A row of where and when `sample` was, in the thread of `task`; `count` NaN where none was read. */
  #addRow(
    { cpu, timeNs }: SampleView,
    { thread, comm }: { readonly thread: number; readonly comm: number },
    event: number,
    stream: number,
    stack: number,
    period: number,
    count: number,
  ): SampleIndex {
    const { samples } = this.builder;
    return samples.add(stack, thread, comm, event, stream, cpu, timeNs, period, count);
  }

  #findTask(sample: SampleView, last: CpuMemory): void {
    const { pid, tid } = sample;
    if (tid === last.tid && pid === last.pid && last.thread !== NONE) return;
    last.pid = pid;
    last.tid = tid;
    last.thread = this.processes.threadAt(pid, tid);
    last.comm = this.processes.commOf(last.thread);
    last.chain.length = 0;
  }

  #findStream(sample: SampleView, last: CpuMemory, attrIndex: number): void {
    const { streamId, id } = sample;
    if (streamId !== last.streamId || id !== last.id || attrIndex !== last.attrIndex) {
      last.attrIndex = attrIndex;
      last.streamId = streamId;
      last.id = id;
      last.isForeign = this.#isForeign(id);
      last.stream = last.isForeign
        ? NONE
        : this.#streamRows.of(streamId, this.#attrToEvent[attrIndex]);
    }
    // Without a stream id the event's own id tells instances apart.
    if (streamId < 0 && !last.isForeign) {
      last.stream = this.#idStreams.streamOf(attrIndex, id, last.thread);
    }
  }

  /** Whether no event of the recording has this id (see `EventLookup`). */
  #isForeign(id: number): boolean {
    const { lookup } = this.data;
    return lookup.kind === 'per-id' && id > 0 && lookup.find(id) === UNKNOWN_EVENT;
  }

  /** Whether the sample's stream is that of its instance; if not, its row is noted for repair. */
  #hasItsStream(sample: SampleView, last: CpuMemory, attrIndex: number): boolean {
    const followsLoss = sample.timeNs === last.lostNs;
    if (!last.isForeign && !followsLoss) return true;
    const { inherit } = this.data.attrs[attrIndex].attr.flags;
    const row = this.builder.samples.length;
    if (last.isForeign) {
      this.#streamRepair.noteForeign(row, !inherit);
      return false;
    }
    if (!inherit || sample.streamId !== sample.id) return true;
    this.#streamRepair.note(row, sample.id, sample.tid);
    return false;
  }

  /** A row for every other counter of the group that has counted anything, with the same stack. */
  #addGroupMembers(sample: SampleView, last: CpuMemory, attrIndex: number, stack: number): void {
    const { inherit } = this.data.attrs[attrIndex].attr.flags;
    // Below an instance that was opened, the member's id is its own; else it is its parent's.
    const isOpened = sample.streamId < 0 ? !inherit : sample.streamId === sample.id;
    for (let member = 1; member < sample.readCount; member++) {
      const id = sample.readIds[member];
      const memberAttr = this.data.lookup.find(id);
      const event = memberAttr === UNKNOWN_EVENT ? NONE : this.#attrToEvent[memberAttr];
      if (event === NONE || id === sample.id) continue;
      const instance = this.#completion.readMember(attrIndex, member, id);
      if (instance.elapsed <= 0) continue;
      if (instance.stream === NONE) {
        const rows = this.#streamRows;
        instance.stream = isOpened ? rows.of(id, event) : rows.add(id, event);
      }
      const count = sample.readValues[member];
      const { stream, elapsed } = instance;
      const row = this.#addRow(sample, last, event, stream, stack, elapsed, count);
      this.runningTimes.note(row, sample.timeRunning);
      this.#noteRunning(row, sample);
    }
  }

  #noteRunning(row: number, { tid, cpu }: SampleView): void {
    if (this.#running !== null) this.threadsRunning.note(row, this.#running.countAt(tid, cpu));
  }

  /** The thread that waits is runnable from now on: a row of its own, whose stack is that of the wait. */
  #addWakeUp(record: RecordView, attrIndex: number): void {
    if (!this.#completion.decode(record, attrIndex)) return;
    const { sample } = this.#completion;
    const wait = this.offCpu.waitOfWoken(sample);
    if (wait === null) return;
    const event = this.#attrToEvent[this.#offCpuAttr];
    const row = this.#addRow(sample, wait, event, wait.stream, NONE, 0, Number.NaN);
    this.offCpu.noteWakeUp(row, wait, sample, this.processes);
  }

  /** A system call has ended: a row for the bytes that it moved, if any, with the stack of its begin. */
  #endSyscall(record: RecordView, attrIndex: number): void {
    if (!this.#completion.decode(record, attrIndex)) return;
    const { sample } = this.#completion;
    const ended = this.syscalls.end(sample);
    if (ended === null || ended.bytes === 0) return;
    const last = this.#memories.of(sample.cpu);
    this.#findTask(sample, last);
    this.#findStream(sample, last, attrIndex);
    const event = this.#attrToEvent[attrIndex];
    const row = this.#addRow(sample, last, event, last.stream, NONE, ended.bytes, Number.NaN);
    this.syscalls.noteBytes(row, ended.call);
  }

  readonly #internCalls = ({ pid, timeNs, addresses }: AskedIn): number => {
    if (this.jit?.advance(timeNs)) this.#memories.forgetChains();
    this.#noMemory.length = 0;
    return this.#stacks.internCallchain(addresses, addresses.length, pid, this.#noMemory);
  };

  /** The rows from `row` on have the stack of the kernel part of `sample`, until the user part comes. */
  #holdRows(sample: SampleView, row: number): void {
    const { pid, tid, callchain, callchainLength } = sample;
    const rows = this.builder.samples.length - row;
    const kernelPart = callchain.slice(0, callchainLength);
    const { byteLength } = kernelPart;
    this.#completion.hold({ pid, tid, row, rows, kernelPart, byteLength });
  }

  #settleSample(held: PartialSample, userPart: Float64Array | null): void {
    if (userPart === null) return;
    const callchain = joinFloats(held.kernelPart, userPart);
    this.#noMemory.length = 0;
    const { length } = callchain;
    const stack = this.#stacks.internCallchain(callchain, length, held.pid, this.#noMemory);
    for (let i = 0; i < held.rows; i++) this.builder.samples.setStack(held.row + i, stack);
  }

  #applyRecord(record: RecordView, attrIndex: number): void {
    const { info } = this.data.attrs[attrIndex];
    const decoded = decodeRecord(record, info);
    const { processes, diagnostics } = this;
    if (applyToProcesses(processes, decoded, record.misc, diagnostics)) this.#memories.forget();
    this.#losses.note(decoded, attrIndex);
    switch (decoded.kind) {
      case 'lost': {
        const event = this.#attrToEvent[attrIndex];
        if (event === NONE) break;
        decodeTrailer(record, info, this.#trailer);
        const { cpu, timeNs } = this.#trailer;
        this.#memories.of(cpu).lostNs = timeNs;
        // A ring is shared by the events of its CPU, and the one that wrote the record is not
        // always the one that had lost samples.
        const isOnlyOne = this.#sampledEvents === 1;
        this.lossGaps.push({ event: isOnlyOne ? event : NONE, cpu, timeNs, samples: decoded.lost });
        break;
      }
      case 'read': {
        const event = this.#attrToEvent[attrIndex];
        if (event === NONE) break;
        decodeTrailer(record, info, this.#trailer);
        // Not so where the record has no time.
        if (this.#trailer.timeNs > this.lastReadNs) this.lastReadNs = this.#trailer.timeNs;
        // Like a sample's (see StreamRepair), its stream id is wrong after a LOST record.
        if (this.#memories.of(this.#trailer.cpu).lostNs === this.#trailer.timeNs) break;
        this.#finals.note(decoded, event, this.data.attrs[attrIndex].attr, this.#trailer);
        break;
      }
      case 'fork': {
        decodeTrailer(record, info, this.#trailer);
        // Time 0 stands for what was there before.
        const { timeNs } = this.#trailer;
        const isPast = timeNs < 0 && toRawTime(this.data.startTime, timeNs) === 0n;
        if (isPast) break;
        this.#finals.noteFork(decoded);
        this.forkNs.set(decoded.tid, timeNs);
        break;
      }
      case 'throttle':
      case 'unthrottle': {
        decodeTrailer(record, info, this.#trailer);
        const event = this.#attrToEvent[attrIndex];
        const stream = this.#streamRows.of(decoded.streamId, event);
        this.throttles.note(decoded.kind, event, stream, this.#trailer.timeNs);
        break;
      }
      case 'switch':
      case 'switchCpuWide':
        decodeTrailer(record, info, this.#trailer);
        this.switches.note(decoded, this.#trailer);
        if (decoded.isOut) this.#running?.noteOff(this.#trailer.tid);
        else {
          this.offCpu.noteIn(this.#trailer.tid);
          this.#running?.noteOn(this.#trailer.tid, this.#trailer.cpu);
        }
        break;
      case 'exit':
        this.#running?.noteOff(decoded.tid);
        decodeTrailer(record, info, this.#trailer);
        this.syscalls.endThread(decoded.tid, this.#trailer.timeNs);
        break;
      case 'callchainDeferred':
        decodeTrailer(record, info, this.#trailer);
        this.#completion.settle(this.#trailer.tid, decoded);
        break;
      case 'malformed':
        this.diagnostics.count('record-too-short', `type ${decoded.type}`);
        break;
      default:
        break;
    }
  }
}

/** Rings are not drained evenly, and memory that is not written to costs nothing. */
const ROOM_TO_SPARE = 1.25;

/** The state of a sample that is no wait. */
const NO_WAIT = 0;

/** A sample of which only the kernel part of the callchain is known. */
type PartialSample = HeldSample & {
  readonly pid: number;
  /** Its row in the sample table, and the number of rows with its stack: those of a group follow. */
  readonly row: number;
  readonly rows: number;
  /** The kernel part without the marker and the cookie. */
  readonly kernelPart: Float64Array;
};
