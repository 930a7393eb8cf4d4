import { fstatSync } from 'node:fs';
import { basename } from 'node:path';
import { lateModules } from '../../base/late-modules.ts';
import { formatBytes } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import { followPieces } from '../../base/slices.ts';
import { type OnReadingProgress, STAGE_WORDS } from '../../options/reading.ts';
import { readStat, STAT_FIELD } from '../../system/processes/thread-stat.ts';
import { PROGRESS_DELAY_MS, ProgressLine } from '../render/progress-line.ts';
import { thisRun } from './run.ts';
import { drawOnTerminal, isTerminal, terminalStream } from './stdout.ts';

/** Redraws while the command waits for something else, such as a download. */
const TICK_MS = 250;
/** Columns and rows of a terminal that does not know them. */
const USUAL_COLUMNS = 80;
const USUAL_ROWS = 24;

const STDOUT = 1;
const STDERR = 2;

/**
 * The line on the terminal of standard error on which this command shows how far it has come; null where
 * nothing may be drawn. Any other output erases it first; output on the terminal ends it, since that shows
 * itself that something happens.
 */
export function progressLine(): ProgressLine | null {
  const run = thisRun();
  if (run.progress === undefined) run.progress = !run.isSilent && mayDraw() ? openLine() : null;
  return run.progress;
}

function openLine(): ProgressLine {
  const opened = new ProgressLine({
    nowMs: () => performance.now(),
    write(text) {
      // A job can be put into the background meanwhile: the terminal is another's then.
      return isInForeground() && drawOnTerminal(text);
    },
    columns: () => terminalStream(STDERR)?.columns || USUAL_COLUMNS,
    rows: () => terminalStream(STDERR)?.rows || USUAL_ROWS,
    delayMs: delayMs(process.env.PERF_TS_PROGRESS_MS),
  });
  const tick = setInterval(() => opened.redraw(), TICK_MS).unref();
  followPieces(() => opened.redraw());
  const isShown = isTerminal(STDOUT);
  const end = (): void => {
    clearInterval(tick);
    followPieces(null);
    opened.end();
  };
  thisRun().beforeOutput = (fd) => {
    if (fd === STDOUT && isShown) end();
    else opened.erase();
  };
  process.on('exit', end);
  return opened;
}

/** Only for a person who looks at the terminal, and where nobody else draws on it. */
function mayDraw(): boolean {
  const { TERM, CI } = process.env;
  return (
    !CI &&
    TERM !== undefined &&
    TERM !== 'dumb' &&
    isTerminal(STDERR) &&
    !leadsToOthers(STDOUT) &&
    isInForeground() &&
    // Last: it loads all streams of Node.
    lateModules.workerThreads.isMainThread
  );
}

/** Whether another program reads this output: it may draw on the same terminal, as `less` does. */
function leadsToOthers(fd: number): boolean {
  try {
    const stat = fstatSync(fd);
    return stat.isFIFO() || stat.isSocket();
  } catch {
    return true;
  }
}

/** Whether this process belongs to the job that has the terminal. */
function isInForeground(): boolean {
  const stat = readStat('self');
  return stat !== null && stat[STAT_FIELD.group] === stat[STAT_FIELD.terminalGroup];
}

function delayMs(text: string | undefined): number {
  const wanted = Number(text);
  return text && wanted >= 0 ? wanted : PROGRESS_DELAY_MS;
}

/** Shows how far the reading of the recording at `path` has come; undefined where nothing may be drawn. */
export function readingProgress(path: string, quiet = false): OnReadingProgress | undefined {
  // A program that writes into our standard input may draw on the same terminal.
  const shown = quiet || path === '-' ? null : progressLine();
  if (shown === null) return undefined;
  const name = printable(basename(path));
  const atInterrupt = 'stops; no file changes';
  return (stage, share) => shown.show({ what: STAGE_WORDS[stage](name), share, atInterrupt });
}

/** Shows how far a step has come that reads a recording by itself; undefined where nothing may be drawn. */
export function stepProgress(
  what: string,
  path: string,
  { atInterrupt = 'stops; no file changes', quiet = false } = {},
): ((share: number) => void) | undefined {
  const shown = quiet || path === '-' ? null : progressLine();
  if (shown === null) return undefined;
  return (share) => shown.show({ what, share, atInterrupt });
}

/** Clears the line of `readingProgress`: all of it is read. */
export function endReading(): void {
  thisRun().progress?.finishStep();
}

/** Shows the bytes that were written to `name`: those so far are handed over. */
export function writingProgress(name: string): (bytes: number) => void {
  const shown = progressLine();
  const shownName = printable(basename(name));
  const atInterrupt = `leaves ${shownName} incomplete`;
  return (bytes) => {
    const what = `writing ${shownName}`;
    shown?.show({
      what,
      share: null,
      ...(bytes > 0 && { detail: formatBytes(bytes) }),
      atInterrupt,
    });
  };
}

/** Events that close without a wait that anybody notices. */
const FEW_EVENTS = 20;

/**
 * Tells that the kernel closes so many events, which it does while this process ends: for each tracepoint it
 * waits until no CPU can be in it.
 */
export function reportClosing(events: number): void {
  if (events <= FEW_EVENTS) return;
  const what = `the kernel closes ${events} events`;
  progressLine()?.show({ what, share: null, atInterrupt: 'changes nothing' });
}
