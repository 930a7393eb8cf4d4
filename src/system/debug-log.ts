import { writeSync } from 'node:fs';
import { globMatcher } from '../base/glob.ts';
import { printable } from '../base/printable.ts';

/** Stages that print debug lines. */
export type DebugArea = 'record' | 'read' | 'symbols' | 'unwind' | 'view';

/** Prints one line. */
export type DebugLog = (message: string) => void;

const STDERR = 2;

/**
 * The debug log of an area, null unless `PERF_TS_DEBUG` names it. The variable is read as Node reads
 * NODE_DEBUG (`util.debuglog`): names or globs separated by commas, in either case.
 *
 * ```ts
 * const debug = debugLog('symbols');
 * debug?.(`${path}: ${reason}`); // the text is not even built while the area is off
 * ```
 *
 * A line is the area, the process and the milliseconds since it started:
 * `SYMBOLS 4711 152.3 ms: /usr/lib/app: build ID differs`. It is written at once and past
 * `process.stderr`, which would make the pipe non-blocking for all who share it.
 */
export function debugLog(
  area: DebugArea,
  wanted: string | undefined = process.env.PERF_TS_DEBUG,
  write: (line: string) => void = writeStderr,
): DebugLog | null {
  if (!isWanted(area, wanted ?? '')) return null;
  const head = `${area.toUpperCase()} ${process.pid}`;
  return (message) => {
    // Worker threads have clocks of their own; the uptime is that of the process.
    const ms = (process.uptime() * 1000).toFixed(1);
    write(`${head} ${ms} ms: ${printable(message)}\n`);
  };
}

function isWanted(area: DebugArea, wanted: string): boolean {
  const names = wanted.toLowerCase().split(',');
  return names.some((name) => globMatcher(name.trim())(area));
}

function writeStderr(line: string): void {
  try {
    writeSync(STDERR, line);
  } catch {
    // There is no other place for the line.
  }
}
