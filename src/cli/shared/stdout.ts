import { fstatSync } from 'node:fs';
import { failedBy } from '../../base/errors.ts';
import { EXIT } from '../../base/exit-status.ts';
import { lateModules } from '../../base/late-modules.ts';
import { writeErrorReason, writeFully } from '../../system/files/output-file.ts';
import { inLocale } from '../render/ascii.ts';
import { hasUnicode, type Terminal } from '../render/terminal.ts';
import { wrapRemark } from '../render/wrap.ts';
import { thisRun } from './run.ts';

// Standard output and standard error are written with write(2) by descriptor, never through
// `process.stdout` and `process.stderr`: these set O_NONBLOCK on a pipe or socket. The flag belongs
// to the open file description, which the profiled command and every other program of the pipeline
// share; their writes would fail with EAGAIN as soon as the reader is slow, and their reads as soon
// as the writer is.

const STDOUT = 1;
const STDERR = 2;
/** The major number of /dev/null and its like on Linux (Documentation/admin-guide/devices.txt). */
const MEMORY_DEVICES = 1;

/** Whether `fd` is a terminal, without opening a stream on it. */
export function isTerminal(fd: number): boolean {
  return mayBeTerminal(fd) && lateModules.tty.isatty(fd);
}

/** False for files, pipes, sockets and /dev/null, so that `node:tty` is loaded for none of them. */
function mayBeTerminal(fd: number): boolean {
  try {
    const stat = fstatSync(fd);
    const isMemory = process.platform === 'linux' && stat.rdev >> 8 === MEMORY_DEVICES;
    return stat.isCharacterDevice() && !isMemory;
  } catch {
    return false;
  }
}

/**
 * Standard output as a stream if it is a terminal, null otherwise. Node opens a terminal anew, so a
 * stream on it changes no flag of the shared file description.
 */
export function terminalStream(fd: 1 | 2 = STDOUT): NodeJS.WriteStream | null {
  if (!isTerminal(fd)) return null;
  return fd === STDOUT ? process.stdout : process.stderr;
}

/**
 * Writes to standard output at once, so that memory stays bounded whatever the reader's speed. A
 * closed pipe (`| head`) ends the process quietly, as it ends every other tool.
 */
export function writeOut(text: string): void {
  writeTo(STDOUT, Buffer.from(text), 'standard output');
}

/** Writes to standard output; `name` is what an error calls it. */
export function writeTo(fd: number, bytes: Uint8Array, name: string): void {
  try {
    writeAll(fd, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') process.exit(EXIT.OK);
    throw failedBy(error, `cannot write ${name}: ${writeErrorReason(error)}`);
  }
}

/**
 * Writes to standard error. Nothing depends on whether somebody reads it: a closed pipe or a full
 * disk must not end a recording whose command goes on.
 */
export function writeError(text: string): void {
  try {
    writeAll(STDERR, Buffer.from(text));
  } catch {
    // There is no other place for the message.
  }
}

/** Writes all of `bytes`, waiting where the descriptor itself does not wait. */
export function writeAll(fd: number, bytes: Uint8Array): void {
  if (fd === STDOUT || fd === STDERR) thisRun().beforeOutput(fd);
  writeFully(fd, bytes, null);
}

/** Draws on the terminal of standard error, for who erases that again before any other output; false: it failed. */
export function drawOnTerminal(text: string): boolean {
  try {
    writeFully(STDERR, Buffer.from(text), null);
    return true;
  } catch {
    // Nothing depends on it.
    return false;
  }
}

/** The terminal of standard output, for tables that fit themselves to it; null where it is none, or shows no pictures. */
export function drawnTerminal(fd: 1 | 2 = STDOUT): Terminal | null {
  const stream = terminalStream(fd);
  if (stream === null || process.env.TERM === 'dumb') return null;
  return { columns: stream.columns || Number.POSITIVE_INFINITY, hasUnicode: hasUnicode() };
}

/**
 * Writes text for a person to standard output, or where the run has its results, in signs that the locale has. Remarks are
 * wrapped on a terminal.
 */
export function writeText(text: string): void {
  const { resultsOn } = thisRun();
  const columns = resultsOn === STDOUT ? drawnTerminal()?.columns : undefined;
  if (columns !== undefined) {
    text = text
      .split('\n')
      .flatMap((line) => wrapRemark(line, columns))
      .join('\n');
  }
  const name = resultsOn === STDOUT ? 'standard output' : 'standard error';
  writeTo(resultsOn, Buffer.from(inLocale(text)), name);
}

/** One JSON document, as every `--json` prints it. */
export function printJson(document: unknown): void {
  writeOut(`${JSON.stringify(document, null, 2)}\n`);
}
