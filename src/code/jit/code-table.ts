import type { CallerLog } from './caller-log.ts';

/**
 * The code that the JITs of one process announced: a row per announcement, in the order
 * of the announcements. Code is moved and thrown away without a word and its place used again, so
 * rows overlap; of those that cover an address the last one before a moment is in force then.
 *
 *   row  timeNs  start   end     name
 *   0    12 000  0x1000  0x1100  JS:~compute /app/a.js:3:1
 *   1    15 000  0x1100  0x1180  JS:~render /app/b.js:9:1
 *   2    90 000  0x1000  0x1080  JS:*compute /app/a.js:3:1     in the place of row 0
 */
export type CodeTable = {
  readonly length: number;
  /**
   * Nanoseconds since session start at which the row comes into force, ascending; far below 0 where
   * it was there before the recording or the time is unknown.
   */
  readonly timeNs: Float64Array;
  /** Absolute addresses in user space: row i covers [start[i], end[i]). */
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** Rows, ascending, before which the process forgot all code: an exec began a new map. */
  readonly restarts: readonly number[];
  /** The name as the JIT spells it. */
  readonly name: (row: number) => string;
  /** Whether two rows have the same name, without making strings of them. */
  readonly hasSameName: (a: number, b: number) => boolean;
  /** The row is bytecode, at whose addresses nothing is sampled: interpreted frames are given them. */
  readonly isBytecode?: (row: number) => boolean;
  /** Interpreted functions while they waited for V8; absent where none are known. */
  readonly callers?: CallerLog;
  /** Path of the jitdump that has the code itself; absent: the JIT wrote names only. */
  readonly dump?: string;
  /** The source line of the code at `address` of `row`; null where the JIT gives none. */
  readonly line?: (row: number, address: number) => SourceLine | null;
  /** All lines of a row's code, as the JIT wrote them; null where it wrote none. */
  readonly lines?: (row: number) => DumpLines | null;
  /** The unwind tables that the JIT wrote for a row's code; null without them. */
  readonly unwinding?: (row: number) => CodeUnwinding | null;
};

/**
 * Frame tables of one code object, as in an ELF file whose addresses are those of the process. They
 * move with the code: their addresses are relative to their own place.
 *
 *   | code | 0 to 7 bytes | .eh_frame | .eh_frame_hdr |
 */
export type CodeUnwinding = {
  /** Absolute address of `.eh_frame`. */
  readonly address: number;
  readonly ehFrame: Uint8Array;
  /** Empty without one. */
  readonly ehFrameHdr: Uint8Array;
};

/** Lines of one code object as columns: entry i is for the code from offset[i] to offset[i + 1]. */
export type DumpLines = {
  /** Bytes from the start of the code, ascending. */
  readonly offset: Float64Array;
  readonly line: Int32Array;
  readonly discriminator: Int32Array;
};

export type SourceLine = {
  readonly file: string;
  /** Line in the source, from 1; 0 where only the inlined function is known. */
  readonly line: number;
  /**
   * The function whose code the JIT has inlined here, as the JIT would spell the name of its code.
   * Absent where the line is one of the function that the code object is of.
   */
  readonly inlined?: string;
  /** Distinguishes code of one line; V8 writes the column here, from 1. Absent without one. */
  readonly discriminator?: number;
};

/** Whether two rows announce the same code at the same place: JITs repeat themselves. */
export function isSameCode(table: CodeTable, a: number, b: number): boolean {
  return a === b || (table.start[a] === table.start[b] && table.hasSameName(a, b));
}
