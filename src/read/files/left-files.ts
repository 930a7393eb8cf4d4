import { statSync } from 'node:fs';
import type { PerfData } from '../../formats/perf-data/reader.ts';
import { startTimeMs } from '../../system/processes/thread-stat.ts';
import { type MachineName, whyOtherMachine } from './kernel-files.ts';

/** The machine on which and the time until which a recording was made, as far as they are known. */
export type RecordedThen = {
  /** Absent: on this machine. */
  readonly recordedOn?: MachineName;
  /** Milliseconds since 1970; null or absent: not known. */
  readonly recordedUntilMs?: number | null;
};

/** Times of a file, milliseconds since 1970. */
export type FileTimes = {
  readonly modifiedMs: number;
  /** 0 where the file system keeps none. */
  readonly bornMs: number;
};

/**
 * Whether what is in /tmp by the name of a process, a perf map, a jitdump or notes, was left by the
 * process that was recorded. A process is known by its number alone, and another one gets that number
 * later, or has it on another machine. `doubtful`: it has gone on writing since, or another has.
 */
export function judgeLeftFile(
  { modifiedMs, bornMs }: FileTimes,
  pid: number,
  { recordedOn, recordedUntilMs = null }: RecordedThen,
): 'believed' | 'doubtful' | { readonly refused: string } {
  const other = whyOtherMachine(recordedOn);
  if (other !== null) return { refused: `it is of this machine, but ${other}` };
  if (recordedUntilMs === null || modifiedMs <= recordedUntilMs) return 'believed';
  const startedMs = startTimeMs(pid);
  const isReused = startedMs !== null && startedMs > recordedUntilMs;
  if (isReused && modifiedMs >= startedMs) {
    return { refused: `written by another process, which has the number ${pid} now` };
  }
  // An agent may write the map of a whole process when it is asked to, behind the recording.
  const isAlive = startedMs !== null && !isReused;
  if (!isAlive && bornMs > recordedUntilMs) {
    return { refused: 'it was made after the recording had ended' };
  }
  return 'doubtful';
}

export function recordedThen(data: PerfData, path: string): Required<RecordedThen> {
  return { recordedOn: recordedOn(data), recordedUntilMs: lastWriteMs(path) };
}

/** The machine, as the header names it. */
export function recordedOn({ features: { hostname, osRelease } }: PerfData): MachineName {
  return { hostname, kernel: osRelease };
}

/**
 * When the recording was written: few say when they were taken. A copy is later, so that it hides
 * changes and never invents one. Null for what comes through a pipe.
 */
function lastWriteMs(path: string): number | null {
  const stat = path === '-' ? undefined : statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() ? stat.mtimeMs : null;
}
