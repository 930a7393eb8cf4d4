// Hot: once per line, of which a long-lived JIT writes millions.

import type { Diagnostics } from '../../base/diagnostics.ts';
import { GrowableFloat64, GrowableInt32 } from '../../base/growable-columns.ts';
import { HexField } from '../../base/hex-field.ts';
import type { CodeTable } from './code-table.ts';

export const MAX_PERF_MAP_BYTES = 256 * 2 ** 20;
const MAX_PERF_MAP_ENTRIES = 5_000_000;
export const MAX_PERF_MAP_LINE_BYTES = 64 * 1024;

const NEWLINE = 0x0a;
const SPACE = 0x20;
const CARRIAGE_RETURN = 0x0d;

/** A piece of a perf map that was written between two scans of the file. */
export type PerfMapPiece = {
  /** Offsets of its lines in the bytes. */
  readonly at: number;
  readonly end: number;
  /** Nanoseconds since session start. */
  readonly fromNs: number;
  readonly toNs: number;
  /** The file began anew before this piece. */
  readonly isRestart: boolean;
};

/**
 * Before any sample: the time of lines written before the recording, or of a map that was scanned
 * too late.
 */
export const BEFORE_RECORDING = -Number.MAX_VALUE;

/**
 * `/tmp/perf-PID.map`, where a JIT appends a line for each function it makes:
 *
 *   18c4000 300 Builtin:DeoptimizationEntry_Eager
 *
 * start and size in hex, then the name up to the end of the line. The file carries no times. Where
 * it was read while it grew, a line came into force between two looks: the lines of a piece are
 * spread evenly over that time, which is off by less than the interval of the looks.
 */
export function readPerfMap(
  bytes: Uint8Array,
  pieces: readonly PerfMapPiece[],
  diagnostics: Diagnostics,
): CodeTable {
  const lines = new LineReader(bytes);
  const restarts: number[] = [];
  for (const piece of pieces) {
    if (piece.isRestart) restarts.push(lines.length);
    lines.read(piece);
  }
  return lines.finish(restarts, diagnostics);
}

/** A map of which only the whole is known. */
export function readWholePerfMap(bytes: Uint8Array, diagnostics: Diagnostics): CodeTable {
  const time = { fromNs: BEFORE_RECORDING, toNs: BEFORE_RECORDING };
  const whole = { at: 0, end: bytes.length, ...time, isRestart: false };
  return readPerfMap(bytes, [whole], diagnostics);
}

class LineReader {
  readonly #bytes: Uint8Array;
  readonly #timeNs = new GrowableFloat64();
  readonly #start = new GrowableFloat64();
  readonly #end = new GrowableFloat64();
  readonly #nameAt = new GrowableInt32();
  readonly #nameEnd = new GrowableInt32();
  readonly #hex = new HexField();
  #badLines = 0;
  #longLines = 0;
  #isCut = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get length(): number {
    return this.#start.length;
  }

  read({ at: first, end: last, fromNs, toNs }: PerfMapPiece): void {
    const bytes = this.#bytes;
    const hex = this.#hex;
    const perByte = last > first ? (toNs - fromNs) / (last - first) : 0;
    let line = first;
    while (line < last) {
      if (bytes[line] === NEWLINE) {
        line++;
        continue;
      }
      if (this.#start.length >= MAX_PERF_MAP_ENTRIES) {
        this.#isCut = true;
        return;
      }
      const newline = bytes.indexOf(NEWLINE, line);
      const lineEnd = newline < 0 || newline > last ? last : newline;
      const at = line;
      line = lineEnd + 1;
      if (lineEnd - at > MAX_PERF_MAP_LINE_BYTES) {
        this.#longLines++;
        continue;
      }
      if (!hex.read(bytes, at, lineEnd) || bytes[hex.end] !== SPACE) {
        this.#badLines++;
        continue;
      }
      const start = hex.value;
      if (!hex.read(bytes, hex.end + 1, lineEnd) || bytes[hex.end] !== SPACE) {
        this.#badLines++;
        continue;
      }
      const size = hex.value;
      const limit = start + size;
      // JIT code is in user space: no negative addresses, and nothing that wraps into them.
      if (start < 0 || size <= 0 || !Number.isSafeInteger(limit)) {
        this.#badLines++;
        continue;
      }
      this.#timeNs.push(Math.min(toNs, fromNs + (line - first) * perByte));
      this.#start.push(start);
      this.#end.push(limit);
      this.#nameAt.push(hex.end + 1);
      this.#nameEnd.push(bytes[lineEnd - 1] === CARRIAGE_RETURN ? lineEnd - 1 : lineEnd);
    }
  }

  finish(restarts: readonly number[], diagnostics: Diagnostics): CodeTable {
    const bytes = this.#bytes;
    const nameAt = this.#nameAt.finish();
    const nameEnd = this.#nameEnd.finish();
    const decoder = new TextDecoder();
    if (this.#badLines > 0) diagnostics.count('perf-map-line-malformed', '', this.#badLines);
    if (this.#longLines > 0) {
      diagnostics.count('perf-map-line-too-long', '', this.#longLines);
    }
    if (this.#isCut) diagnostics.count('perf-map-too-many-entries');
    return {
      length: this.length,
      timeNs: this.#timeNs.finish(),
      start: this.#start.finish(),
      end: this.#end.finish(),
      restarts,
      name: (row) => decoder.decode(bytes.subarray(nameAt[row], nameEnd[row])),
      hasSameName(a, b) {
        const length = nameEnd[a] - nameAt[a];
        if (nameEnd[b] - nameAt[b] !== length) return false;
        const atA = nameAt[a];
        const atB = nameAt[b];
        for (let i = 0; i < length; i++) if (bytes[atA + i] !== bytes[atB + i]) return false;
        return true;
      },
    };
  }
}
