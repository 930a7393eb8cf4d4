import { formatBytes, formatCount } from '../../base/numbers.ts';
import type { SamplerTotals } from '../../native/types.ts';
import type { RecordOptions } from '../../record/record-options.ts';
import type { RunningRecording } from '../../record/recording.ts';
import { readLinkOrNull } from '../../system/small-file.ts';
import type { EndingSignals } from '../command/ending-signals.ts';
import { say } from '../command/failure.ts';
import { progressLine } from '../command/progress.ts';
import { isTerminal } from '../command/stdout.ts';
import type { ProgressLine, ProgressStep } from '../render/progress-line.ts';

const LOOK_MS = 500;
const STDERR = 2;

/** A recording that runs, and the place of its file. */
export type FollowedRecording = {
  readonly running: RunningRecording;
  readonly signals: EndingSignals;
  readonly output: string;
  /** Whether nothing else that runs prints on our terminal, as far as is known. */
  readonly isAlone: boolean;
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
 * waits for is told, once it has taken a moment.
 */
export function followRecording(followed: FollowedRecording): RecordStatus {
  const line = followed.isAlone ? progressLine() : null;
  if (line !== null) return drawStatus(line, followed);
  if (isTerminal(STDERR)) return tellWaits(followed);
  return { complete() {}, end() {} };
}

function drawStatus(
  line: ProgressLine,
  { running, signals, output }: FollowedRecording,
): RecordStatus {
  const startMs = performance.now();
  const look = setInterval(() => {
    const seconds = (performance.now() - startMs) / 1000;
    const isEnding = signals.sent !== 0 || !running.isSampling;
    line.show(isEnding ? endingStep(output) : recordingStep(running.totals(), seconds));
  }, LOOK_MS).unref();
  const end = (): void => {
    clearInterval(look);
    line.finishStep();
  };
  return { complete: end, end };
}

/** `perf-ts: recording: 12 s, 48 201 samples, 3.2 MB, lost 0 (Ctrl-C ends it)` */
function recordingStep(totals: SamplerTotals, seconds: number): ProgressStep {
  const { samples, writtenBytes, lostRecords } = totals;
  return {
    what: 'recording',
    share: null,
    detail:
      `${Math.floor(seconds)} s, ${formatCount(samples)} samples, ${formatBytes(writtenBytes)}, ` +
      `lost ${formatCount(lostRecords)}`,
    atInterrupt: 'ends it',
  };
}

function endingStep(output: string): ProgressStep {
  return { what: `completing ${output}`, share: null, atInterrupt: 'again: quits after that' };
}

/** Tells in a line each what the first Ctrl-C waits for. */
function tellWaits({ running, signals, output }: FollowedRecording): RecordStatus {
  const pid = running.childPid;
  const waits = {
    file: `perf-ts: completing ${output}; Ctrl-C again quits after that`,
    command: `perf-ts: waiting for the command (process ${pid}) to end; Ctrl-C again quits without it`,
  };
  let waited: keyof typeof waits = 'file';
  const told = new Set<string>();
  let looks = 0;
  const look = setInterval(() => {
    // A whole turn has to pass: most recordings have ended by then.
    if (signals.sent === 0 || looks++ === 0 || told.has(waited)) return;
    if (waited === 'command' && pid < 0) return;
    told.add(waited);
    say(waits[waited]);
  }, LOOK_MS).unref();
  return {
    complete() {
      waited = 'command';
      looks = 0;
    },
    end: () => clearInterval(look),
  };
}

/** Whether the command, or one of the processes, may print where our standard error goes. */
export function sharesTerminal({ command, pids = [], tids = [] }: RecordOptions): boolean {
  if (command !== undefined) return true;
  const ours = readLinkOrNull(`/proc/self/fd/${STDERR}`);
  return [...pids, ...tids].some((pid) =>
    [1, 2].some((fd) => ours !== null && readLinkOrNull(`/proc/${pid}/fd/${fd}`) === ours),
  );
}
