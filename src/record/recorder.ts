import type { FailedError } from '../base/errors.ts';
import { systemErrorReason } from '../base/system-error.ts';
import { type ConcurrentCount, ConcurrentCounters } from '../counting/stat/concurrent-counters.ts';
import { CLOCK_IDS } from '../kernel/perf-event/clock-ids.ts';
import { loadBinding } from '../native/binding.ts';
import type { NativeBinding, NativeSampler, SamplerEvent, SamplerTotals } from '../native/types.ts';
import { asWriteFailure, checkWritable } from '../system/files/output-file.ts';
import { isStream, openStreamOnceRead, plainOutput } from '../system/files/stream-place.ts';
import { explainExecFailure } from '../system/launch/exec-failure.ts';
import { hasExeced } from '../system/launch/exec-state.ts';
import { callAfter, callEvery, type LongTimer } from '../system/time/long-timer.ts';
import { findBegunWaits } from './begun-waits.ts';
import { dropsCopies } from './call-graph.ts';
import { Control, type ControlActions, parseControl } from './control.ts';
import { describeExisting } from './existing-state.ts';
import type { FeatureContext } from './feature-data.ts';
import { type JitAttachments, takeJitAttachments } from './jit-maps/jit-attachments.ts';
import { MapWatch } from './jit-maps/map-watch.ts';
import { OutputSwitch } from './output-switch.ts';
import {
  explainNativeError,
  type PreparedRecording,
  prepareRecording,
} from './prepare-recording.ts';
import type { RecordOptions } from './record-options.ts';
import { RecordingFile } from './recording-file.ts';
import { RecordingStream } from './recording-stream.ts';
import { unwindCopies } from './unwind-copies.ts';

type RecordingEnded = Extract<SamplerEvent, { kind: 'recording-ended' }>;

/** How the command ended: its exit status, or the signal it died of. */
export type CommandExit = { readonly status: number; readonly signal: number };

/** A finished recording. */
export type Recording = {
  /** Path of the perf.data file, `-` for standard output. */
  readonly path: string;
  readonly fileBytes: number;
  /** What the file had when the recording ended: more than `fileBytes` if stacks were unwound since. */
  readonly recordedBytes: number;
  readonly totals: SamplerTotals;
  /** Names of the events as opened, fallbacks included. */
  readonly events: readonly string[];
  readonly notices: readonly string[];
  readonly endReason: 'stopped' | 'target-exited' | 'write-error' | 'size-limit';
  /** errno of the failed write, 0 otherwise. */
  readonly writeErrno: number;
  readonly ringPages: number;
  /** With `stat`: what was counted beside the samples; null without. */
  readonly counted: readonly ConcurrentCount[] | null;
};

/** A recording that runs. */
export type RunningRecording = {
  /** Pid of the command, −1 without one. */
  readonly childPid: number;
  /** Settles when sampling has ended and the file is complete; the command may still run. */
  readonly finished: Promise<Recording>;
  /** Settles when the command has ended; null at once where there is none. */
  readonly exited: Promise<CommandExit | null>;
  /** Ends the sampling; the command runs on. Idempotent. */
  stop(): void;
  /** Takes samples from now on. */
  enable(): void;
  /** Takes no samples until `enable`. */
  disable(): void;
  /** With `overwrite`: what the rings hold goes into the file. */
  snapshot(): void;
  /** With `switchOutput`: what was recorded so far becomes a file of its own. */
  switchOutput(): void;
  /** Sends a signal to the command; false if it is gone. */
  kill(signal: number): boolean;
  /** Counts so far. */
  totals(): SamplerTotals;
};

/**
 * Opens the events, writes the file's head, and lets the target run. From here on the drain thread
 * writes the file by itself; JavaScript comes back in when the recording has ended, to add the
 * feature sections.
 */
export async function startRecording(
  options: RecordOptions,
  binding: NativeBinding = loadBinding(),
): Promise<RunningRecording> {
  const output = plainOutput(options.output ?? 'perf.data');
  const stream = isStream(output) ? await openStreamOnceRead(output, options.signal) : null;
  if (stream === null) checkWritable(output);
  let session: PreparedRecording;
  let beside: ConcurrentCounters | null;
  try {
    session = prepareRecording({ ...options, output }, binding);
    beside = options.stat ? countBeside(options, session, binding) : null;
  } catch (error) {
    stream?.close();
    throw error;
  }
  const { sampler, notices } = session;
  const say = (notice: string): void => {
    notices.push(notice);
    options.onNotice?.(notice);
  };
  // Of a part of the recording: what is counted beside it has one value, at the end of all.
  const partContext: FeatureContext = {
    opened: sampler.opened,
    clock: options.clock ?? 'monotonic',
    notices,
    say,
    settings: session.settings,
    readClockPair: (clockId) => binding.readClockPair(clockId),
    ...(options.overwrite && { countsBegin: 'dropped' as const }),
  };
  let hasFailedToCount = false;
  /** No recording ends for what was to be counted beside it. */
  const finishCounting = (): readonly ConcurrentCount[] | null => {
    if (beside === null || hasFailedToCount) return null;
    try {
      return beside.finish();
    } catch (error) {
      hasFailedToCount = true;
      say(`--stat: what was counted cannot be read: ${systemErrorReason(error)}`);
      return null;
    }
  };
  const context: FeatureContext = {
    ...partContext,
    ...(beside !== null && { countedBeside: () => finishCounting() ?? [] }),
  };
  let opened: RecordingFile | RecordingStream | null = null;
  try {
    opened =
      stream !== null
        ? RecordingStream.create(stream, session.plan, sampler.opened, context)
        : RecordingFile.create(output, session.plan, sampler.opened, session.owner);
    sayOwner(opened, output, say);
    opened.append(describeExisting(session.target, sampler.opened, session.plan, say));
  } catch (error) {
    opened?.discard();
    beside?.finish();
    sampler.close();
    throw asWriteFailure(output, error);
  }
  let file = opened;

  const startedMs = Date.now();
  const maps = watchMaps(session, context);
  const takeJit = (finish: boolean): JitAttachments =>
    takeJitAttachments(maps, finish, say, {
      recordingId: session.recordingId,
      commandUid: commandUidOf(session) ?? null,
      startedMs,
    });

  let onFinished: (recording: Recording) => void;
  let onFailed: (error: unknown) => void;
  const finished = new Promise<Recording>((resolve, reject) => {
    onFinished = resolve;
    onFailed = reject;
  });
  let onExited: (exit: CommandExit | null) => void;
  const exited = new Promise<CommandExit | null>((resolve) => {
    onExited = resolve;
  });
  if (sampler.opened.childPid < 0) onExited!(null);

  const marksRounds = !options.overwrite;
  const switching =
    options.switchOutput === undefined || !(file instanceof RecordingFile)
      ? null
      : new OutputSwitch(file, {
          path: output,
          plan: session.plan,
          owner: session.owner,
          sampler,
          features: partContext,
          marksRounds,
          attachments: () => takeJit(false).attachments,
          describe: () => describeExisting(session.target, sampler.opened, session.plan, say, true),
          maxFiles: options.switchMaxFiles ?? 0,
          onFile: (path) => options.onNotice?.(`recorded so far is in ${path}`),
          say,
        });
  let control: Control | null = null;
  const timers: LongTimer[] = [];
  let execFailure: FailedError | null = null;
  let hasEnded = false;
  // An exec can take longer than the recording: then the file is complete, and without the command.
  const sayLateFailure = ({ message, hints }: FailedError): void => {
    for (const line of [message, ...hints]) options.onNotice?.(line);
  };
  const onEvent = (event: SamplerEvent): void => {
    if (event.kind === 'child-exited') {
      onExited({ status: event.status, signal: event.signal });
    } else if (event.kind === 'exec-failed') {
      const { target } = session;
      const command = 'command' in target ? target.command : null;
      execFailure = explainExecFailure(command, event.step, event.code);
      if (hasEnded) sayLateFailure(execFailure);
      onExited(hasEnded ? { status: execFailure.exitStatus, signal: 0 } : null);
    } else if (event.kind === 'file-switched') {
      switching?.switched(event);
    } else if (event.kind === 'recording-ended') {
      hasEnded = true;
      for (const timer of timers) timer.cancel();
      control?.close();
      complete(event)
        .finally(() => {
          maps.stop();
          file.close();
        })
        .then(onFinished, onFailed);
    }
  };
  const complete = async (event: RecordingEnded): Promise<Recording> => {
    // Now, and not after the file is complete: on a whole system other things go on.
    const counted = finishCounting();
    if (switching !== null) file = switching.last();
    if (execFailure !== null) {
      maps.stop();
      file.discard();
      throw execFailure;
    }
    if (file instanceof RecordingFile) file.file.keep(say);
    if (event.tasksLeft && session.target.kind === 'command') {
      const ended = formatMs(Date.now() - startedMs);
      say(
        `the command ended after ${ended}; processes that it started run on, and are not ` +
          'recorded any more: -p or -a records them',
      );
    }
    const jit = takeJit(true);
    if (switching?.hasSwitched && counted !== null) {
      say('--stat: what was counted is of all files of this recording together');
    }
    const recordedBytes = file.finish(
      // The counters' last values are of samples that are not in this file.
      switching?.hasSwitched || options.overwrite ? { ...event, finals: [] } : event,
      switching?.featuresOf(context) ?? context,
      jit.attachments,
    );
    const path = placeOf(file, output, say);
    const isKept = event.reason === 'write-error' || !dropsCopies(options.callGraph);
    const fileBytes =
      isKept || path === null || !(file instanceof RecordingFile)
        ? recordedBytes
        : await unwindCopies(file.file, recordedBytes, say);
    // perf, reading the other end of a pipe, looks for the maps themselves.
    if (stream === null && event.reason !== 'write-error') {
      const removeLeft = (): void => {
        if (session.causesMaps) maps.removeMaps(jit.startedPids);
        jit.remove();
      };
      removeLeft();
      // Files that the command goes on using are removed when it has ended.
      void exited.then(removeLeft);
    }
    return {
      path: path ?? output,
      fileBytes,
      recordedBytes,
      totals: event.totals,
      events: session.plan.events.map((planned) => planned.name),
      notices: session.notices,
      endReason: event.reason,
      writeErrno: event.errno,
      ringPages: sampler.opened.ringPages,
      counted,
    };
  };

  const running: RunningRecording & ControlActions = {
    childPid: sampler.opened.childPid,
    finished,
    exited,
    stop: () => sampler.stop(),
    enable: () => {
      // Asked for by a timer or from outside, while the recording goes on.
      try {
        sampler.enable();
        beside?.enable();
      } catch (error) {
        say(`not all events could be enabled: ${(error as Error).message}`);
      }
    },
    disable: () => {
      sampler.disable();
      beside?.disable();
    },
    snapshot: () => (switching === null ? sampler.snapshot() : switching.begin()),
    switchOutput: () => switching?.begin(),
    events: () => session.plan.events.map(({ name }) => name),
    kill: (signal) => sampler.kill(signal),
    totals: () => sampler.totals(),
  };
  try {
    // Before anything runs: its places may not be there.
    const places = options.control === undefined ? null : parseControl(options.control);
    if (places !== null)
      control = new Control(places, running, (notice) => options.onNotice?.(notice));
    maps.start();
    if (!isDelayed(options)) beside?.start();
    const clockId = CLOCK_IDS[context.clock];
    const begun = findBegunWaits(session, options, () => binding.readClockPair(clockId).clockNs);
    if (begun !== null) {
      file.appendSamples(begun.records);
      say(begun.notice);
    }
    sampler.startFile({ ...file.sink(), maxBytes: options.maxBytes ?? 0, marksRounds }, onEvent);
  } catch (error) {
    maps.stop();
    beside?.finish();
    sampler.close();
    file.discard();
    throw explainNativeError(error, session);
  }
  const first = file;
  const keepOnceBegun = (): void => {
    if (first instanceof RecordingStream) return;
    if (sampler.opened.childPid < 0 || hasExeced(sampler.opened.childPid)) first.file.keep(say);
    else timers.push(callAfter(LOOK_MS, keepOnceBegun));
  };
  keepOnceBegun();
  if (switching !== null) timers.push(...watchOutput(options, sampler, switching));
  if (options.delayMs !== undefined) {
    timers.push(callAfter(options.delayMs, () => running.enable()));
  }
  if (options.durationMs !== undefined) {
    timers.push(callAfter(options.durationMs + (options.delayMs ?? 0), () => sampler.stop()));
  }
  options.signal?.addEventListener('abort', () => sampler.stop(), { once: true });
  if (options.signal?.aborted) sampler.stop();

  void Promise.allSettled([finished, exited]).then(() => sampler.close());
  return running;
}

/**
 * Where the finished recording is. Another recording to the same path that began meanwhile has moved it,
 * which is said; null where nothing is left of it, and for a stream its name.
 */
function placeOf(
  file: RecordingFile | RecordingStream,
  output: string,
  say: (notice: string) => void,
): string | null {
  if (!(file instanceof RecordingFile)) return output;
  const place = file.file.place();
  if (place === null)
    say(`this recording is gone: others have replaced ${output} and ${output}.old`);
  else if (place !== output)
    say(`another recording has taken ${output} since: this one is ${place}`);
  return place;
}

/** Under sudo the file belongs to who called it; not every file system has owners. */
function sayOwner(
  file: RecordingFile | RecordingStream,
  output: string,
  say: (notice: string) => void,
): void {
  const problem = file instanceof RecordingFile ? file.file.ownerProblem : null;
  if (problem !== null)
    say(`${output} stays root's: it can't be given to another user (${problem})`);
}

function formatMs(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** How often the size of the output is looked at, and whether the command has begun. */
const LOOK_MS = 100;

/** Begins new files by size or time. */
function watchOutput(
  { switchOutput }: RecordOptions,
  sampler: NativeSampler,
  switching: OutputSwitch,
): LongTimer[] {
  if (typeof switchOutput !== 'object') return [];
  if ('ms' in switchOutput) return [callEvery(switchOutput.ms, () => switching.begin())];
  let before = 0;
  const look = callEvery(LOOK_MS, () => {
    const { bytes } = sampler.totals();
    if (bytes - before < switchOutput.bytes) return;
    before = bytes;
    switching.begin();
  });
  return [look];
}

function commandUidOf({ target }: PreparedRecording): number | undefined {
  return 'command' in target ? target.command?.user?.uid : undefined;
}

function isDelayed({ delayMs, startDisabled }: RecordOptions): boolean {
  return delayMs !== undefined || startDisabled === true;
}

/** Counters on the same target, while its command is still held. */
function countBeside(
  options: RecordOptions,
  { plan, target, sampler }: PreparedRecording,
  binding: NativeBinding,
): ConcurrentCounters {
  try {
    return new ConcurrentCounters(
      {
        sampled: plan.events,
        target,
        opened: sampler.opened,
        cpus: options.cpus,
        cgroup: options.cgroup,
        inherit: options.inherit !== false,
        delayed: isDelayed(options),
        say: (notice) => options.onNotice?.(notice),
      },
      binding,
    );
  } catch (error) {
    sampler.close();
    throw error;
  }
}

function watchMaps(session: PreparedRecording, context: FeatureContext): MapWatch {
  const { target, sampler } = session;
  const commandUid = commandUidOf(session);
  return new MapWatch({
    target,
    childPid: sampler.opened.childPid,
    readClock: () => context.readClockPair(CLOCK_IDS[context.clock]),
    ...(commandUid !== undefined && { commandUid }),
  });
}
