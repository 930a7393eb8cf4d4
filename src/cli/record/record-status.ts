import { formatBytes, formatCount } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import type { RecordSettings } from '../../options/record.ts';
import type { RecordingWork, RunningRecording } from '../../record/recording.ts';
import { readLinkOrNull } from '../../system/small-file.ts';
import type { ProgressLine, ProgressStep } from '../render/progress-line.ts';
import type { EndingSignals } from '../shared/ending-signals.ts';
import { notify } from '../shared/failure.ts';
import { progressLine } from '../shared/progress.ts';
import { isTerminal } from '../shared/stdout.ts';

const LOOK_MS = 500;
const STDERR = 2;

/** A recording that runs, and the place of its file. */
export type FollowedRecording = {
  readonly running: RunningRecording;
  readonly signals: EndingSignals;
  readonly output: string;
  /**
   * Tells when nothing else that runs prints on our terminal any more, as far as is known: always, or once
   * the command has ended.
   */
  readonly isAlone: 'always' | 'at-end' | 'never';
};

/** Tells on the terminal how a recording goes, until `end`. */
export type RecordStatus = {
  /** The file is complete; a command may still run. */
  complete(): void;
  end(): void;
};

/**
 * Tells on the terminal how a recording goes: time, samples, size and losses in a line that is drawn over
 * itself, where nothing else prints on that terminal. Where something does, only what the first Ctrl-C
 * waits for is told, once it has taken a moment. Once the command has ended, the line shows how the file is
 * completed.
 */
export function followRecording(
  followed: FollowedRecording,
  openLine: () => ProgressLine | null = progressLine,
): RecordStatus {
  const line = followed.isAlone === 'never' ? null : openLine();
  if (line !== null && followed.isAlone === 'always') return drawStatus(line, followed);
  const waits = isTerminal(STDERR) ? reportWaits(followed) : { complete() {}, end() {} };
  return line === null ? waits : drawEnd(line, followed, waits);
}

function drawStatus(
  line: ProgressLine,
  { running, signals, output }: FollowedRecording,
): RecordStatus {
  const startMs = performance.now();
  const look = setInterval(() => {
    const seconds = (performance.now() - startMs) / 1000;
    const isEnding = signals.sent !== 0 || !running.isSampling;
    line.show(
      isEnding ? endingStep(output, running.work, signals.sent) : recordingStep(running, seconds),
    );
  }, LOOK_MS).unref();
  const end = (): void => {
    clearInterval(look);
    line.finishStep();
  };
  return { complete: end, end };
}

/** Draws nothing until the command has ended and the file has taken a moment longer; `waits` tells the rest. */
function drawEnd(
  line: ProgressLine,
  { running, signals, output }: FollowedRecording,
  waits: RecordStatus,
): RecordStatus {
  let look: NodeJS.Timeout | undefined;
  let isComplete = false;
  const finish = (): void => {
    isComplete = true;
    clearInterval(look);
    line.finishStep();
  };
  void running.exited.then(
    () => {
      if (isComplete) return;
      const draw = () => line.show(endingStep(output, running.work, signals.sent));
      look = setInterval(draw, LOOK_MS).unref();
    },
    // Whoever waits for the command hears of it.
    () => {},
  );
  return {
    complete() {
      finish();
      waits.complete();
    },
    end() {
      finish();
      waits.end();
    },
  };
}

/**
 * `perf-ts: recording: 12 s, 48 201 samples, 3.2 MB, lost 0 (Ctrl-C ends it)`; while a process is waited for
 * that alone, within 80 columns.
 */
function recordingStep(running: RunningRecording, seconds: number): ProgressStep {
  const { samples, writtenBytes, lostRecords } = running.totals();
  const { work } = running;
  const state =
    work?.kind === 'attach'
      ? unanswered(work.pid)
      : `${formatCount(samples)} samples, ${formatBytes(writtenBytes)}, lost ${formatCount(lostRecords)}`;
  return {
    what: 'recording',
    share: null,
    detail: `${Math.floor(seconds)} s, ${state}`,
    atInterrupt: 'ends it',
  };
}

function unanswered(pid: number): string {
  return `no names from process ${pid} yet`;
}

/**
 * `perf-ts: completing perf.data, unwinding stack dumps: 43 %, 4 s left (Ctrl-C again: quits after that)`, where a signal
 * (`sent`, 0: none) has ended the recording. Where none has, the first Ctrl-C is the one that would have.
 */
function endingStep(output: string, work: RecordingWork | null, sent: number): ProgressStep {
  const what = `completing ${printable(output)}`;
  const times = sent === 0 ? 'twice' : 'again';
  const step = { what, share: null, atInterrupt: `${times}: quits after that` };
  if (work === null) return step;
  if (work.kind === 'attach') return { ...step, detail: unanswered(work.pid) };
  return { ...step, what: `${what}, unwinding stack dumps`, share: work.share };
}

/** Tells in a line each what the first Ctrl-C waits for. */
function reportWaits({ running, signals, output }: FollowedRecording): RecordStatus {
  const pid = running.childPid;
  const waits = {
    file: `perf-ts: completing ${output}; Ctrl-C again quits after that`,
    command: `perf-ts: waiting for the command (process ${pid}) to end; Ctrl-C again quits without it`,
  };
  let waited: keyof typeof waits = 'file';
  const reported = new Set<string>();
  let looks = 0;
  const look = setInterval(() => {
    // A whole turn has to pass: most recordings have ended by then.
    if (signals.sent === 0 || looks++ === 0 || reported.has(waited)) return;
    if (waited === 'command' && pid < 0) return;
    reported.add(waited);
    notify(waits[waited]);
  }, LOOK_MS).unref();
  return {
    complete() {
      waited = 'command';
      looks = 0;
    },
    end: () => clearInterval(look),
  };
}

/** When neither the command nor one of the processes may print where our standard error goes. */
export function whenAlone({
  command,
  pids = [],
  tids = [],
}: RecordSettings): FollowedRecording['isAlone'] {
  if (command !== undefined) return 'at-end';
  const ours = readLinkOrNull(`/proc/self/fd/${STDERR}`);
  const isShared = [...pids, ...tids].some((pid) =>
    [1, 2].some((fd) => ours !== null && readLinkOrNull(`/proc/${pid}/fd/${fd}`) === ours),
  );
  return isShared ? 'never' : 'always';
}
