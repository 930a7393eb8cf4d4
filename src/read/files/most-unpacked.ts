import { type PerfDataError, tooLarge } from '../../base/errors.ts';
import type { ProcessTable } from '../../code/process/process-table.ts';

/** `--max-unpacked` sets it for the threads of `view` as well; a user of the library sets it alone. */
export const MAX_UNPACKED_VARIABLE = 'PERF_TS_MAX_UNPACKED';

/**
 * Bytes that the user lets a recording take whose own size does not explain them; null where nothing is set, so
 * that what is too large for its own size is refused.
 */
export function mostUnpacked(environment: NodeJS.ProcessEnv = process.env): number | null {
  const value = Number(environment[MAX_UNPACKED_VARIABLE] || Number.NaN);
  return value > 0 ? value : null;
}

/**
 * How many of a kind may be read: as many as what the user has set has room for where each takes
 * `bytes`, else `usual`.
 */
function mostOf(bytes: number, usual: number): number {
  const most = mostUnpacked();
  return most === null ? usual : most / bytes;
}

/** Bytes of mappings that forked processes may have in copies of their own. */
const MOST_COPIED_BYTES = 512 * 2 ** 20;
/** Beyond that so many times the recording's size: a fork and a mapping are 150 bytes of it at least. */
const COPIED_FOR_EACH = 5;

/**
 * Bytes of mappings that forked processes may have copied of their parents: a process that has mapped half
 * a million files and forks for each of its next records would take terabytes.
 */
function mostCopiedMappings(recordingBytes: number): number {
  return mostUnpacked() ?? Math.max(MOST_COPIED_BYTES, recordingBytes * COPIED_FOR_EACH);
}

/** Threads, processes and mapped files; a machine has some ten thousand at a time. */
const MOST_OF_EACH = 400_000;
/** Beyond that so many bytes of the recording for each: a thread's start, name and end take 200. */
const BYTES_FOR_ONE = 250;
/** Memory that one takes until it is shown. */
const ONE_BYTES = 1000;

/** Bounds what `processes` holds of a recording: beyond, it throws. */
export function limitProcesses(processes: ProcessTable, recordingBytes: number): void {
  processes.mostCopiedBytes = mostCopiedMappings(recordingBytes);
  const usual = Math.max(MOST_OF_EACH, recordingBytes / BYTES_FOR_ONE);
  processes.mostOfEach = mostOf(ONE_BYTES, usual);
}

/** Throws where a text has more threads, or names of them where it tells no numbers, than are read. */
export function checkThreadsOfText(threads: number): void {
  const most = mostOf(ONE_BYTES, MOST_OF_EACH);
  if (threads > most) throw tooLarge(`it has more than ${Math.floor(most)} threads`, 'are');
}

/** Characters of a line: a stack has some hundred frames, and a name some hundred characters. */
const MOST_OF_LINE = 2 ** 24;
/** Memory that one takes while its frames are split. */
const CHARACTER_BYTES = 24;

/** Throws where a line of a text is longer than what is read. */
export function checkLineOfText(characters: number): void {
  const most = mostOf(CHARACTER_BYTES, MOST_OF_LINE);
  if (characters <= most) return;
  throw tooLarge(`it has a line of more than ${Math.floor(most)} characters`, 'is');
}

/** What a gzipped profile may unpack to: pprof's are some MiB. */
const MOST_UNPACKED_TEXT = 512 * 2 ** 20;

export function mostUnpackedOfText(): number {
  return mostUnpacked() ?? MOST_UNPACKED_TEXT;
}

/** A profile of an hour, sampled each millisecond, takes half of it. */
const MOST_JSON_BYTES = 2 * 2 ** 30;

/** Throws where JSON may take more memory than it is given, by an upper bound of it. */
export function checkJsonOfText(bytes: number): void {
  if (bytes > (mostUnpacked() ?? MOST_JSON_BYTES)) {
    throw tooLarge(`it is JSON that may take ${Math.ceil(bytes / 2 ** 20)} MiB of memory`, 'is');
  }
}

/** All tracepoints of a kernel are two thousand; each event has tables over all samples. */
const MOST_EVENTS = 5000;

/** Throws `PerfDataError` where a recording or text has more events than are read. */
export function checkEventCount(events: number): void {
  if (events <= MOST_EVENTS || mostUnpacked() !== null) return;
  throw tooLarge(`it has more than ${MOST_EVENTS} events`, 'are');
}

/** Places in code that samples may be at; the largest programs have some hundred thousand. */
const MOST_FRAMES = 2_000_000;
/** Beyond that so many bytes of the recording for each. */
const BYTES_FOR_FRAME = 64;
/** Memory that a frame takes until it is printed. */
const FRAME_BYTES = 256;

/** How many different frames are read of a recording. */
export function mostFramesOf(recordingBytes: number): number {
  return mostOf(FRAME_BYTES, Math.max(MOST_FRAMES, recordingBytes / BYTES_FOR_FRAME));
}

/** The names of a text are its own; a frame of a recording shares its function with others. */
const MOST_NAMED_FRAMES = 500_000;

/** How many different frames are read of a text. */
export function mostFramesOfText(): number {
  return mostOf(FRAME_BYTES, MOST_NAMED_FRAMES);
}

export function tooManyFrames(most: number): PerfDataError {
  const places = `more than ${Math.floor(most)} different places in code`;
  return tooLarge(`its stacks have ${places}, as no program has`, 'is');
}

/** Stacks of a text and their beginnings: each is a row of tables, and ten bytes of the text make one. */
const MOST_STACKS = 3_000_000;
/** Memory that one takes, with its text and a name of its own. */
const STACK_BYTES = 256;

/** How many different stacks are read of a text, the beginnings of stacks counted. */
export function mostStacksOfText(): number {
  return mostOf(STACK_BYTES, MOST_STACKS);
}

export function tooManyStacks(most: number): PerfDataError {
  const stacks = `${Math.floor(most)} different stacks and beginnings of stacks`;
  return tooLarge(`it has more than ${stacks}`, 'are');
}
