import { constants } from 'node:os';
import { Deferred } from '../base/deferred.ts';
import { AbortError, errorText, type FailedError } from '../base/errors.ts';
import { systemErrorReason } from '../base/system-error.ts';
import { type Text, words } from '../base/words.ts';
import type { ConcurrentCount } from '../counting/stat/concurrent-counters.ts';
import { CLOCK_IDS } from '../kernel/perf-event/clock-ids.ts';
import { loadBinding } from '../native/binding.ts';
import type { NativeBinding, NativeSampler, SamplerEvent, SamplerTotals } from '../native/types.ts';
import { RECORD, type RecordOptions, type RecordSettings } from '../options/record.ts';
import { IdleMeter } from '../system/kernel/idle-time.ts';
import { onlineCpus } from '../system/kernel/online-cpus.ts';
import { explainExecFailure } from '../system/launch/start-failure.ts';
import { endCommand, hasExeced } from '../system/launch/started-command.ts';
import { callAfter, callEvery, type LongTimer } from '../system/time/long-timer.ts';
import type { CodeEventSink } from './code-events/code-event-sink.ts';
import { Control, type ControlActions, parseControl } from './control.ts';
import { findBegunWaits } from './existing/begun-waits.ts';
import { changedCpusText } from './existing/changed-cpus.ts';
import { describeExisting } from './existing/existing-state.ts';
import { JitCapture } from './jit-capture.ts';
import type { JitAttachments } from './jit-maps/jit-attachments.ts';
import { openCodeSink } from './open-code-sink.ts';
import { OutputSwitch } from './output/output-switch.ts';
import { RecordingFile } from './output/recording-file.ts';
import { isLeafCopy, recordsStacks } from './plan/call-graph.ts';
import { checkRecordOptions, isDelayed } from './plan/check-options.ts';
import { giveNotice } from './plan/notices.ts';
import { explainNativeError } from './prepare-recording.ts';
import type { CommandExit, Recording, RecordingWork, RunningRecording } from './recording.ts';
import { frequencyOf, type RecordingEnded, timesOfEnd, totalsOfEnd } from './recording-facts.ts';
import { type OpenedRecording, openRecordingParts } from './recording-parts.ts';

type ExecFailed = Extract<SamplerEvent, { kind: 'exec-failed' }>;

/**
 * Opens the events, writes the file's head, and lets the target run. From here on the drain thread
 * writes the file by itself; JavaScript comes back in when the recording has ended, to add the
 * feature sections.
 *
 * @example
 * ```ts
 * import { setTimeout } from 'node:timers/promises';
 * import { type RecordDefaults, startRecording, type UserOptions } from 'perf-ts';
 *
 * const user: UserOptions = { asRoot: true }; // under sudo: not as the user who called it
 * const defaults: RecordDefaults = { ...user, freq: 997, output: 'part.data' };
 * const running = await startRecording({ ...defaults, command: ['node', 'app.js'] });
 * await setTimeout(300);
 * running.stop();
 * console.log((await running.finished).fileBytes, await running.exited);
 * ```
 */
export async function startRecording(
  options: RecordOptions,
  binding: NativeBinding = loadBinding(),
): Promise<RunningRecording> {
  checkRecordOptions(options);
  return await beginRecording(options, binding);
}

/** `startRecording` with any options. `giveUp`: ends the wait for the reader of a pipe. */
export async function beginRecording(
  options: RecordSettings,
  binding: NativeBinding = loadBinding(),
  giveUp: AbortSignal | undefined = options.signal,
): Promise<RunningRecording> {
  const { signal } = options;
  if (signal?.aborted) throw new AbortError(signal);
  const opened = await openRecordingParts(options, binding, giveUp).catch((error: unknown) => {
    throw signal?.aborted ? new AbortError(signal) : error;
  });
  const recorder = new Recorder(opened, options, await openCodeSink(opened, binding, options));
  await recorder.attach(giveUp);
  recorder.start();
  const running: RunningRecording = {
    childPid: recorder.childPid,
    finished: recorder.finished,
    exited: recorder.exited,
    stop: () => recorder.stop(),
    enable: () => recorder.enable(),
    disable: () => recorder.disable(),
    snapshot: () => recorder.snapshot(),
    switchOutput: () => recorder.switchOutput(),
    kill: (number) => recorder.kill(number),
    get work() {
      return recorder.work;
    },
    get isSampling() {
      return recorder.isSampling;
    },
    totals: () => recorder.totals(),
    [Symbol.asyncDispose]: () => recorder.dispose(),
  };
  recorders.set(running, recorder);
  return running;
}

const recorders = new WeakMap<RunningRecording, Recorder>();

/** The appendix that a recording would end with now, as `JitCapture` has it. */
export function appendixSoFar(running: RunningRecording): Uint8Array {
  return recorders.get(running)?.appendixSoFar() ?? new Uint8Array();
}

/** How often the size of the output is looked at, and whether the command has begun. */
const LOOK_MS = 100;
/** Time until files are tried again whose file system did not answer. */
const HOLD_AGAIN_MS = 50;
/** Bytes of announced code and of perf maps, unpacked: a large build has some ten million. */
const MOST_CODE_FOR_LEAVES = 64 << 20;

/**
 * A recording on its way from open events to a complete file. The methods stand in the order in which
 * they are called:
 *
 *     opened     events, counters and the head of the output are there; a command is held
 *       │ attach, start
 *     running    the drain thread writes round after round; here requests are passed on
 *       │ 'recording-ended': nothing is sampled any more
 *     ended      the feature sections and what names the code are added
 *       │
 *     complete   the output is closed; a command may still run until 'child-exited'
 */
class Recorder implements ControlActions {
  readonly childPid: number;
  readonly #options: RecordSettings;
  readonly #opened: OpenedRecording;
  readonly #sampler: NativeSampler;
  readonly #startedMs = Date.now();
  readonly #idleMeter = new IdleMeter();
  readonly #jit: JitCapture;
  #work: RecordingWork | null = null;
  /** Null without `switchOutput`, and where the output is not a file. */
  readonly #switching: OutputSwitch | null;
  readonly #timers: LongTimer[] = [];
  readonly #finished = new Deferred<Recording>();
  readonly #exited = new Deferred<CommandExit | null>();
  #state: 'opened' | 'running' | 'ended' | 'complete' = 'opened';
  #control: Control | null = null;
  #isAborted = false;
  /** Programs wait for their file systems. */
  #isHoldingAgain = false;
  #execFailure: FailedError | null = null;

  constructor(opened: OpenedRecording, options: RecordSettings, code: CodeEventSink | null) {
    this.#opened = opened;
    this.#options = options;
    this.#sampler = opened.session.sampler;
    this.childPid = this.#sampler.opened.childPid;
    this.#jit = new JitCapture(opened, options, code, this.#startedMs);
    this.#switching = this.#prepareSwitch();
    if (this.childPid < 0) this.#exited.settle(null);
  }

  get finished(): Promise<Recording> {
    return this.#finished.promise;
  }

  get exited(): Promise<CommandExit | null> {
    return this.#exited.promise;
  }

  #prepareSwitch(): OutputSwitch | null {
    const { session, output, path, features } = this.#opened;
    const { plan, owner, sampler, target } = session;
    const { switchOutput, switchMaxFiles } = this.#options;
    if (switchOutput === undefined || !(output instanceof RecordingFile)) return null;
    return new OutputSwitch(output, {
      path,
      plan,
      owner,
      sampler,
      features,
      marksRounds: this.#marksRounds,
      catchUp: () => this.#jit.catchUp(),
      attachments: () => this.#jit.take(false).attachments,
      describe: () => describeExisting(target, sampler.opened, plan, features.notify, true),
      maxFiles: switchMaxFiles ?? 0,
      onFile: (file) => giveNotice(this.#options, `recorded so far is in ${file}`),
      notify: features.notify,
    });
  }

  /** Asks running Node processes for their code before anything is sampled. `giveUp` ends the wait. Never rejects. */
  async attach(giveUp: AbortSignal | undefined): Promise<void> {
    await this.#jit.attach((pid) => {
      this.#work = pid === null ? null : { kind: 'attach', pid };
    }, giveUp);
  }

  /** Lets the target run. Throws where that fails: then nothing has run, and no file is left. */
  start(): void {
    const { control, signal } = this.#options;
    const { session, counters, output, features } = this.#opened;
    try {
      if (signal?.aborted) throw new AbortError(signal);
      // First of all: its places may not be there.
      if (control !== undefined) this.#control = this.#openControl(control);
      this.#jit.start();
      if (!isDelayed(this.#options)) {
        features.sampled.begin();
        counters?.start();
      }
      this.#appendBegunWaits();
      this.#sampler.startFile(
        {
          ...output.sink(),
          maxBytes: this.#options.maxBytes ?? 0,
          marksRounds: this.#marksRounds,
        },
        (event) => this.#onEvent(event),
      );
    } catch (error) {
      this.#abandon();
      throw explainNativeError(error, session);
    }
    this.#state = 'running';
    this.#keepOutputOnceBegun();
    this.#startTimers();
    signal?.addEventListener('abort', this.#abort);
    // Until then the sampler reports how the command ends.
    void Promise.allSettled([this.finished, this.exited]).then(() => {
      signal?.removeEventListener('abort', this.#abort);
      // The kernel takes 15 to 40 ms to close a tracepoint: whoever waits for the file gets it before.
      setImmediate(() => this.#sampler.close());
    });
  }

  #openControl(control: string): Control {
    return Control.open(parseControl(control), this, (notice) => giveNotice(this.#options, notice));
  }

  /** Waits of threads that sleep as the recording begins. */
  #appendBegunWaits(): void {
    const { session, output, features } = this.#opened;
    const { plan, target, sampler } = session;
    const readClockNs = () => features.readClockPair(CLOCK_IDS[features.clock]).clockNs;
    const begun = findBegunWaits(plan, target, sampler.opened, this.#options, readClockNs);
    if (begun === null) return;
    output.appendSamples(begun.records);
    features.notify(begun.notice);
  }

  /** Undoes the opening: a held command never runs, the previous file is back. */
  #abandon(): void {
    this.#control?.close();
    this.#jit.close();
    this.#finishCounting();
    this.#sampler.close();
    this.#opened.output.discard();
  }

  /** Until the command has begun, the previous file comes back if it can't. */
  #keepOutputOnceBegun(): void {
    const { output, features } = this.#opened;
    const hasBegun = (): boolean => this.childPid < 0 || hasExeced(this.childPid);
    if (hasBegun()) {
      output.keep(features.notify);
      return;
    }
    const look = callEvery(LOOK_MS, () => {
      if (!hasBegun()) return;
      look.cancel();
      output.keep(features.notify);
    });
    this.#timers.push(look);
  }

  #startTimers(): void {
    const { switchOutput, delayMs, durationMs } = this.#options;
    const { output, features } = this.#opened;
    if (output instanceof RecordingFile) this.#meetMappings(output.describedMappings(features));
    if (typeof switchOutput === 'object') this.#switchEvery(switchOutput);
    if (delayMs !== undefined) this.#timers.push(callAfter(delayMs, () => this.enable()));
    if (durationMs !== undefined) {
      this.#timers.push(callAfter(durationMs + (delayMs ?? 0), () => this.stop()));
    }
  }

  /** Begins a new file after so many bytes, or so much time. */
  #switchEvery(limit: { readonly bytes: number } | { readonly ms: number }): void {
    if ('ms' in limit) {
      this.#timers.push(callEvery(limit.ms, () => this.switchOutput()));
      return;
    }
    let before = 0;
    const look = callEvery(LOOK_MS, () => {
      const { writtenBytes } = this.totals();
      if (writtenBytes - before < limit.bytes) return;
      before = writtenBytes;
      this.switchOutput();
    });
    this.#timers.push(look);
  }

  // Requests, of the caller and of `--control`, while it runs.

  enable(): void {
    this.#opened.features.sampled.begin();
    try {
      this.#sampler.enable();
      this.#opened.counters?.enable();
    } catch (error) {
      // Requested by a timer or from outside: the recording goes on.
      this.#notify(`not all events could be enabled: ${(error as Error).message}`);
    }
  }

  disable(): void {
    this.#sampler.disable();
    this.#opened.counters?.disable();
    this.#opened.features.sampled.end();
  }

  snapshot(): void {
    if (this.#switching === null) this.#sampler.snapshot();
    else this.#switching.begin();
  }

  switchOutput(): void {
    this.#switching?.begin();
  }

  appendixSoFar(): Uint8Array {
    return this.#jit.appendixSoFar();
  }

  stop(): void {
    this.#sampler.stop();
  }

  kill(signal: number): boolean {
    return this.#sampler.kill(signal);
  }

  async dispose(): Promise<void> {
    this.stop();
    await Promise.allSettled([endCommand(this), this.finished]);
  }

  readonly #abort = (): void => {
    this.#isAborted = this.#state === 'running';
    this.kill(constants.signals.SIGTERM);
    this.stop();
  };

  get work(): RecordingWork | null {
    return this.#work;
  }

  get isSampling(): boolean {
    return this.#state === 'running';
  }

  totals(): SamplerTotals {
    return this.#sampler.totals();
  }

  events(): readonly string[] {
    return this.#opened.session.plan.events.map(({ name }) => name);
  }

  // Reports of the drain thread.

  #onEvent(event: SamplerEvent): void {
    switch (event.kind) {
      case 'snapshot-written':
        this.#opened.features.sampled.addSnapshot(event.isWhole);
        break;
      case 'file-switched':
        this.#switching?.switched(event);
        break;
      case 'code-mapped':
        this.#meetMappings(event);
        break;
      case 'exec-failed':
        this.#onExecFailed(event);
        break;
      case 'recording-ended':
        this.#onEnded(event);
        break;
      case 'child-exited':
        this.#exited.settle({ status: event.status, signal: event.signal });
        break;
    }
  }

  /** Opens programs as they are mapped: a file that is gone before can't be. */
  #meetMappings(mapped: Parameters<JitCapture['meet']>[0]): void {
    const { output, features } = this.#opened;
    this.#jit.meet(mapped);
    if (!(output instanceof RecordingFile) || this.#switching !== null) return;
    const isWaiting = output.holdPrograms(mapped.records, features);
    if (!isWaiting || this.#isHoldingAgain) return;
    this.#isHoldingAgain = true;
    const again = callEvery(HOLD_AGAIN_MS, () => {
      this.#isHoldingAgain = output.holdPrograms(new Uint8Array(), features);
      if (!this.#isHoldingAgain) again.cancel();
    });
    this.#timers.push(again);
  }

  #onExecFailed({ step, code }: ExecFailed): void {
    const { target } = this.#opened.session;
    const command = 'command' in target ? target.command : null;
    const failure = explainExecFailure(command, step, code);
    if (this.#state === 'running') {
      this.#execFailure = failure;
      this.#exited.settle(null);
      return;
    }
    // An exec can take longer than the recording: then the file is complete, and without the command.
    const { message, hints } = errorText(failure);
    for (const line of [message, ...hints]) giveNotice(this.#options, line);
    this.#exited.settle({ status: failure.exitStatus, signal: 0 });
  }

  #onEnded(ended: RecordingEnded): void {
    this.#state = 'ended';
    this.#opened.features.sampled.end();
    for (const timer of this.#timers) timer.cancel();
    this.#control?.close();
    const complete = this.#complete(ended);
    const { signal } = this.#options;
    this.#finished.settle(
      signal !== undefined && this.#isAborted
        ? complete.then(() => Promise.reject(new AbortError(signal)))
        : complete,
    );
  }

  /**
   * Adds what is only known at the end, and closes the output. The output can be read with its features before
   * anything is asked of the recorded programs: what names their code comes behind that, and whatever becomes of it
   * the recording is complete.
   */
  async #complete(ended: RecordingEnded): Promise<Recording> {
    const { session, path } = this.#opened;
    // First of all: on a whole system events go on meanwhile.
    const counted = this.#finishCounting();
    const output = this.#switching?.last() ?? this.#opened.output;
    try {
      if (this.#execFailure !== null) {
        output.discard();
        throw this.#execFailure;
      }
      output.keep(this.#notify);
      this.#reportTasksLeft(ended);
      this.#reportChangedCpus();
      const end = this.#endOf(ended, counted);
      output.finish(end.event, end.features);
      await this.#switching?.completed;
      const jit = await this.#jit.end(output, ended.dataEnd);
      this.#work = null;
      const recordedBytes = output.addNames(end.event, end.features, jit.attachments);
      const written =
        output instanceof RecordingFile
          ? await this.#settleFile(output, recordedBytes, ended, jit)
          : { path, fileBytes: recordedBytes, isOutputGone: false };
      return {
        ...written,
        lostFiles: this.#switching?.lostFiles ?? 0,
        recordedBytes,
        totals: totalsOfEnd(ended, output),
        compressionLevel: this.#options.compressionLevel ?? null,
        events: this.events(),
        ...timesOfEnd(ended, this.#opened, this.#idleMeter),
        hasStacks: recordsStacks(session.plan.events),
        isUserOnly: session.plan.events.every(({ attr }) => attr.flags.excludeKernel),
        notices: session.notices,
        endReason: ended.reason,
        writeErrno: ended.errno,
        rings: this.#opened.features.rings,
        frequencyHz: frequencyOf(session.plan.events[0]),
        counted,
      };
    } finally {
      this.#state = 'complete';
      this.#jit.close();
      output.close();
    }
  }

  /** The counts alongside the samples; no recording fails because of them. */
  #finishCounting(): readonly ConcurrentCount[] | null {
    try {
      return this.#opened.counters?.finish() ?? null;
    } catch (error) {
      this.#notify(
        words`${RECORD.stat}: what was counted cannot be read: ${systemErrorReason(error)}`,
      );
      return null;
    }
  }

  #reportTasksLeft({ tasksLeft }: RecordingEnded): void {
    if (!tasksLeft || this.#opened.session.target.kind !== 'command') return;
    const ended = formatMs(Date.now() - this.#startedMs);
    this.#notify(
      `the command ended after ${ended}; processes that it started run on, and are not ` +
        'recorded any more: -p or -a records them',
    );
  }

  #reportChangedCpus(): void {
    // Events of threads alone are on any CPU.
    if (this.#options.perThread) return;
    const { plan, online } = this.#opened.session;
    try {
      for (const text of changedCpusText(plan.cpus, online, onlineCpus())) this.#notify(text);
    } catch (error) {
      this.#notify(`whether other CPUs are online now is not known: ${systemErrorReason(error)}`);
    }
  }

  /** The end as the output that is written last tells it. */
  #endOf(ended: RecordingEnded, counted: readonly ConcurrentCount[] | null) {
    const { stat, overwrite } = this.#options;
    const hasSwitched = this.#switching?.hasSwitched === true;
    if (hasSwitched && counted !== null) {
      this.#notify(
        words`${RECORD.stat}: what was counted is of all files of this recording together`,
      );
    }
    // Only the last file has the counts: they have one value, at the end of all files.
    const features = {
      ...this.#opened.features,
      ...(stat && { countedBeside: counted ?? [] }),
    };
    return {
      // Final values of the events are of samples that are not in this file, too.
      event: hasSwitched || overwrite ? { ...ended, finals: [] } : ended,
      features: this.#switching?.featuresOf(features) ?? features,
    };
  }

  /**
   * Whether copied stacks are unwound now. Whoever reads the file does it where the copies are small, and a program has
   * announced so much code that to read it all would keep its user waiting.
   */
  #dropsCopies({ attachments }: JitAttachments): boolean {
    const { callGraph, dropsCopies } = this.#opened.session.stacks;
    const codeBytes = attachments.reduce((sum, { unpackedSize }) => sum + unpackedSize, 0);
    return dropsCopies && !(isLeafCopy(callGraph) && codeBytes > MOST_CODE_FOR_LEAVES);
  }

  async #unwindCopies(file: RecordingFile, recordedBytes: number): Promise<number> {
    try {
      // Loaded here: the unwinder is a third of the program, and many recordings copy no stacks.
      const { unwindCopies } = await import('./output/unwind-copies.ts');
      return await unwindCopies(file.file, (share) => {
        this.#work = { kind: 'unwind', share };
      });
    } catch (error) {
      this.#notify(`the copies of stacks stay in ${file.file.path}: ${systemErrorReason(error)}`);
      return recordedBytes;
    } finally {
      this.#work = null;
    }
  }

  /** Unwinds stack dumps in the finished file, and removes files of JITs that it has stored. */
  async #settleFile(
    file: RecordingFile,
    recordedBytes: number,
    { reason }: RecordingEnded,
    jit: JitAttachments,
  ): Promise<Pick<Recording, 'path' | 'fileBytes' | 'isOutputGone'>> {
    const { path } = this.#opened;
    const place = file.findPlace(path, this.#notify);
    let fileBytes = recordedBytes;
    if (reason !== 'write-error') {
      if (place !== null && this.#dropsCopies(jit)) {
        fileBytes = await this.#unwindCopies(file, recordedBytes);
      }
      const removeStored = (): void => this.#jit.removeStored(jit);
      removeStored();
      // Files that the command goes on using are removed when it has ended.
      void this.exited.then(removeStored);
    }
    if (place === null) return { path, fileBytes: 0, isOutputGone: true };
    return { path: place, fileBytes, isOutputGone: false };
  }

  get #notify(): (notice: Text) => void {
    return this.#opened.features.notify;
  }

  /** Whether rounds are marked: with `overwrite` later rounds may hold older records. */
  get #marksRounds(): boolean {
    return !this.#options.overwrite;
  }
}

function formatMs(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}
