import { getSystemErrorName } from 'node:util';
import { FailedError, UsageError } from '../base/errors.ts';
import { loadBinding } from '../native/binding.ts';
import type {
  NativeBinding,
  NativeError,
  NativeSampler,
  SamplerEvent,
  SamplerOptions,
  SamplerTarget,
  SamplerTotals,
} from '../native/types.ts';
import { encodeAttr } from '../perf-event/attr.ts';
import { chooseEvents, type EventChoice } from './choose-events.ts';
import { onlineCpus } from './event-sources.ts';
import { describeExisting } from './existing-state.ts';
import { detectKernelFeatures } from './kernel-features.ts';
import { type KernelSettings, readKernelSettings, readPrivileges } from './kernel-settings.ts';
import { explainExecFailure } from './launch/exec-failure.ts';
import { resolveCommand } from './launch/resolve-command.ts';
import { chooseUser } from './launch/run-as.ts';
import { checkWritable } from './output-file.ts';
import { explainRefusal, explainRingRefusal } from './permission-help.ts';
import type { RecordOptions } from './record-options.ts';
import { RecordingFile } from './recording-file.ts';
import { planRecording, type RecordingPlan } from './recording-plan.ts';
import { chooseRingSize } from './ring-size.ts';

/** How the command ended: its exit status, or the signal it died of. */
export type CommandExit = { readonly status: number; readonly signal: number };

/** A finished recording. */
export type Recording = {
  /** Path of the perf.data file, `-` for standard output. */
  readonly path: string;
  readonly fileBytes: number;
  readonly totals: SamplerTotals;
  /** Names of the events as opened, fallbacks included. */
  readonly events: readonly string[];
  readonly notices: readonly string[];
  readonly endReason: 'stopped' | 'target-exited' | 'write-error' | 'size-limit';
  /** errno of the failed write, 0 otherwise. */
  readonly writeErrno: number;
  readonly ringPages: number;
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
  /** Sends a signal to the command; false if it is gone. */
  kill(signal: number): boolean;
  /** Counts so far. */
  totals(): SamplerTotals;
};

/** Longest time that a record waits in its ring, milliseconds. */
const LATENCY_MS = 100;

/**
 * Opens the events, writes the file's head, and lets the target run. From here on the drain thread
 * writes the file by itself; JavaScript comes back in when the recording has ended, to add the
 * feature sections.
 */
export async function startRecording(
  options: RecordOptions,
  binding: NativeBinding = loadBinding(),
): Promise<RunningRecording> {
  const output = options.output ?? 'perf.data';
  if (output !== '-') checkWritable(output);
  const session = prepareRecording(options, binding);
  const { sampler, notices } = session;
  let file: RecordingFile;
  try {
    file = RecordingFile.create(output, session.plan, sampler.opened, session.owner);
    file.append(describeExisting(session.target, sampler.opened, session.plan, notices));
  } catch (error) {
    sampler.close();
    throw error;
  }

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

  const timers: NodeJS.Timeout[] = [];
  let execFailure: FailedError | null = null;
  const onEvent = (event: SamplerEvent): void => {
    if (event.kind === 'child-exited') {
      onExited({ status: event.status, signal: event.signal });
    } else if (event.kind === 'exec-failed') {
      const { target } = session;
      const command = 'command' in target ? target.command : undefined;
      const code = getSystemErrorName(-event.errno);
      execFailure = explainExecFailure(command ?? { path: '' }, event.step, code);
      onExited(null);
    } else if (event.kind === 'recording-ended') {
      for (const timer of timers) clearTimeout(timer);
      try {
        if (execFailure !== null) {
          file.discard();
          throw execFailure;
        }
        const fileBytes = file.finish(event, {
          opened: sampler.opened,
          clock: options.clock ?? 'monotonic',
          notices,
          settings: session.settings,
          readClockPair: (clockId) => binding.readClockPair(clockId),
        });
        onFinished({
          path: output,
          fileBytes,
          totals: event.totals,
          events: session.plan.events.map((planned) => planned.name),
          notices: session.notices,
          endReason: event.reason,
          writeErrno: event.errno,
          ringPages: sampler.opened.ringPages,
        });
      } catch (error) {
        onFailed(error);
      }
    }
  };

  try {
    sampler.startFile({ ...file.sink(), maxBytes: options.maxBytes ?? 0 }, onEvent);
  } catch (error) {
    sampler.close();
    file.discard();
    throw explainNativeError(error, session);
  }
  if (options.delayMs !== undefined) {
    timers.push(setTimeout(() => sampler.enable(), options.delayMs));
  }
  if (options.durationMs !== undefined) {
    timers.push(setTimeout(() => sampler.stop(), options.durationMs + (options.delayMs ?? 0)));
  }
  options.signal?.addEventListener('abort', () => sampler.stop(), { once: true });
  if (options.signal?.aborted) sampler.stop();

  return {
    childPid: sampler.opened.childPid,
    finished,
    exited,
    stop: () => sampler.stop(),
    kill: (signal) => sampler.kill(signal),
    totals: () => sampler.totals(),
  };
}

/** A session with its events open and its rings mapped, not yet running. */
export type PreparedRecording = {
  readonly sampler: NativeSampler;
  readonly plan: RecordingPlan;
  readonly target: SamplerTarget;
  readonly settings: KernelSettings;
  readonly notices: string[];
  readonly owner: { uid: number; gid: number } | null;
};

/** The part that a recording to a file and a live one share: from options to open events. */
export function prepareRecording(
  options: RecordOptions,
  binding: NativeBinding,
  latencyMs = LATENCY_MS,
): PreparedRecording {
  const notices: string[] = [];
  const say = (notice: string): void => {
    notices.push(notice);
    options.onNotice?.(notice);
  };
  const settings = readKernelSettings();
  const privileges = readPrivileges();
  const { target, owner, notes } = chooseTarget(options);
  for (const note of notes) say(note);

  const cpus = options.cpus ?? onlineCpus();
  const choice: EventChoice = chooseEvents(options);
  const features = detectKernelFeatures(binding.probeEvent);
  const plan = planRecording(choice.specs, options, {
    probe: (attr, pid, cpu) => binding.probeEvent(attr, pid, cpu),
    settings,
    features,
    cpus,
  });
  for (const notice of plan.notices) say(notice);

  const size = chooseRingSize(settings, privileges, options.ringPages ?? null);
  if (size.ringPages < 1024 && options.ringPages === undefined) {
    say(
      `rings of ${size.ringPages} + ${size.sidebandPages} pages per CPU: what ` +
        `kernel.perf_event_mlock_kb (${settings.mlockKib} KiB) leaves without CAP_IPC_LOCK`,
    );
  }
  const samplerOptions: SamplerOptions = {
    events: plan.events.map(({ attr, leader }) => ({ attr: encodeAttr(attr), leader })),
    sideband: encodeAttr(plan.sideband),
    cpus,
    target,
    ringPages: size.ringPages,
    sidebandPages: size.sidebandPages,
    latencyMs,
    delayed: options.delayMs !== undefined,
  };
  try {
    const sampler = new binding.Sampler(samplerOptions);
    if (sampler.opened.ringPages < size.ringPages) {
      say(
        `rings reduced from ${size.ringPages} to ${sampler.opened.ringPages} pages: ` +
          `kernel.perf_event_mlock_kb (${settings.mlockKib} KiB per CPU) allows no more`,
      );
    }
    return { sampler, plan, target, settings, notices, owner };
  } catch (error) {
    throw explainNativeError(error, { plan, settings, target });
  }
}

function chooseTarget(options: RecordOptions): {
  target: SamplerTarget;
  owner: PreparedRecording['owner'];
  notes: readonly string[];
} {
  const hasCommand = (options.command?.length ?? 0) > 0;
  const attached = [options.pids, options.tids].filter((list) => list !== undefined).length;
  if (attached > 1 || (attached === 1 && options.systemWide)) {
    throw new UsageError('-p, -t and -a exclude each other: name one target');
  }
  if (attached === 1 && hasCommand) {
    throw new UsageError('-p and -t record what runs already: leave the command out', [
      'to stop by itself use --duration SECONDS',
    ]);
  }
  const user = chooseUser(options);
  if (options.pids) {
    return { target: { kind: 'processes', pids: options.pids }, owner: user.owner, notes: [] };
  }
  if (options.tids) {
    return { target: { kind: 'threads', tids: options.tids }, owner: user.owner, notes: [] };
  }
  if (!hasCommand) {
    if (options.systemWide || options.cpus) {
      return { target: { kind: 'system' }, owner: user.owner, notes: [] };
    }
    throw new UsageError('nothing to record', [
      'a command:       perf-ts record -- ./app',
      'a process:       perf-ts record -p PID',
      'the whole system: perf-ts record -a',
    ]);
  }
  const command = resolveCommand(options.command as readonly string[], options, user);
  return {
    target: options.systemWide ? { kind: 'system', command } : { kind: 'command', command },
    owner: user.owner,
    notes: user.notes,
  };
}

/** Turns an error of the addon into one that says what to do. */
function explainNativeError(
  error: unknown,
  context: { plan: RecordingPlan; settings: KernelSettings; target: SamplerTarget },
): unknown {
  const { operation, code, eventIndex, pid, message } = error as NativeError;
  if (operation === undefined) return error;
  const { settings, target } = context;
  const event = context.plan.events[eventIndex]?.name ?? 'the side-band event';
  if (operation === 'mmap') {
    return new FailedError(`the ring buffer cannot be mapped (${code})`, [
      ...explainRingRefusal(settings, 1),
    ]);
  }
  if (code === 'ESRCH') {
    const what = target.kind === 'threads' ? 'thread' : 'process';
    return new FailedError(`no such ${what}: ${pid}`);
  }
  if (code === 'EMFILE') {
    return new FailedError(`${event}: ${message}`, [
      'raise the limit of open files: ulimit -n 65536 (RLIMIT_NOFILE)',
    ]);
  }
  if (code === 'EACCES' || code === 'EPERM') {
    const wants = {
      kernel: context.plan.events.some(({ attr }) => !attr.flags.excludeKernel),
      systemWide: target.kind === 'system',
      foreignProcess: target.kind === 'processes' || target.kind === 'threads',
    };
    const whom = pid > 0 ? ` on process ${pid}` : '';
    return new FailedError(
      `${event}: the kernel refuses to open this event${whom} (${code})`,
      explainRefusal(settings, wants),
    );
  }
  return new FailedError(`${operation} failed for ${event}: ${message}`);
}
