import { ByteWriter } from '../../base/byte-writer.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { type RawTime, readTimeSince, readU64 } from '../../base/u64.ts';
import type { CodeTable } from './code-table.ts';
import { type PerfMapPiece, readPerfMap } from './perf-map.ts';

/**
 * A perf map with times, as a recording keeps it: what was read of the file at each look, whole
 * lines only.
 *
 *   pieces: { u64 from_ns, to_ns; u32 flags, pad; u64 size; char lines[size]; }
 *
 * The lines were written between the two times, which are raw times of the recording's clock;
 * `from_ns` and `to_ns` 0: before the recording.
 */
const PIECE_BYTES = 32;
const FLAG_RESTART = 1;

export type LoggedPiece = {
  /** Raw nanoseconds of the recording's clock. */
  readonly fromNs: bigint;
  readonly toNs: bigint;
  /** The file began anew: an exec, or another file in its place. */
  readonly isRestart: boolean;
  readonly lines: Uint8Array;
};

/** Pieces in the order in which they were read, as the format above has them. */
export function encodeMapLog(pieces: readonly LoggedPiece[]): Uint8Array[] {
  return pieces.flatMap(({ fromNs, toNs, isRestart, lines }) => {
    const head = new ByteWriter().u64(fromNs).u64(toNs);
    head
      .u32(isRestart ? FLAG_RESTART : 0)
      .u32(0)
      .u64(lines.length);
    return [head.finish(), lines];
  });
}

/** The code objects of a map log; truncated or invalid entries are counted and left out. */
export function readMapLog(
  bytes: Uint8Array,
  startTime: RawTime,
  diagnostics: Diagnostics,
): CodeTable {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pieces: PerfMapPiece[] = [];
  let lastNs = Number.NEGATIVE_INFINITY;
  let at = 0;
  while (at + PIECE_BYTES <= bytes.length) {
    const size = readU64(view, at + 24, true);
    const end = at + PIECE_BYTES + size;
    if (end > bytes.length) break;
    const fromNs = Math.max(lastNs, readTimeSince(view, at, true, startTime));
    const toNs = Math.max(fromNs, readTimeSince(view, at + 8, true, startTime));
    const isRestart = (view.getUint32(at + 16, true) & FLAG_RESTART) !== 0;
    pieces.push({ at: at + PIECE_BYTES, end, fromNs, toNs, isRestart });
    lastNs = toNs;
    at = end;
  }
  if (at !== bytes.length) diagnostics.count('stored-perf-map-damaged');
  return readPerfMap(bytes, pieces, diagnostics);
}
