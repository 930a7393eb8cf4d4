import { closeSync, fstatSync } from 'node:fs';
import { joinBytes } from '../../base/join-bytes.ts';
import type { LoggedPiece } from '../../code/jit/map-log.ts';
import { MAX_PERF_MAP_LINE_BYTES } from '../../code/jit/perf-map.ts';
import { readFully, readSome } from '../../system/files/read-some.ts';

/** One instant on the recording's clock and on the wall clock, nanoseconds. */
export type ClockPair = { readonly wallNs: bigint; readonly clockNs: bigint };

/** A map in which several threads overwrite each other is read anew at each change, up to this size. */
const MAX_OVERWRITTEN_BYTES = 16 << 20;
/** A line takes this much while it is kept, besides its text: a program may write lines of a few bytes. */
const LINE_BYTES = 64;
/** Read in one look while recording; more comes at the next. */
export const MOST_IN_ONE_LOOK = 4 << 20;
const NEWLINE = 0x0a;
/** Bytes compared to see that a file was continued and not written anew. */
const SEEN_BYTES = 64;
/** File times count in the kernel's ticks: a write is at most one of them younger than it says. */
const TICK_NS = 10_000_000n;

/**
 * The end of one perf map, whose lines get the time between two looks at which they were read. A
 * line that is not whole yet waits for its rest.
 */
export class MapTail {
  readonly path: string;
  readonly pid: number;
  readonly inode: number;
  readonly pieces: LoggedPiece[];
  readonly #fd: number;
  #position = 0;
  #lastLookNs: bigint;
  #unfinished = new Uint8Array(0);
  #seen = new Uint8Array(0);
  #isOpen = true;
  #isReplacement: boolean;
  /** Time of the file's last change that was read to its end. */
  #readMtimeNs = -1n;
  /**
   * Lines taken of a file that is written in several places. In Node 18 each worker opens the map of its
   * process and begins at its front, while the others go on where they are: the size says nothing of
   * what is new, and what is not written yet is zeros. Null: not so.
   */
  #takenLines: Set<string> | null = null;

  /**
   * `sinceNs`: when the file was not there yet, 0 if it was there before the recording. `replaces`:
   * what stood at the path until now.
   */
  constructor(file: {
    readonly path: string;
    readonly pid: number;
    readonly inode: number;
    readonly fd: number;
    readonly sinceNs: bigint;
    readonly replaces: MapTail | null;
  }) {
    this.path = file.path;
    this.pid = file.pid;
    this.inode = file.inode;
    this.#fd = file.fd;
    this.#lastLookNs = file.sinceNs;
    this.pieces = file.replaces?.pieces ?? [];
    this.#isReplacement = file.replaces !== null;
  }

  /**
   * Reads what was added, at most `most` bytes; returns how many. The clock is read on both sides of
   * the look at the file's size: what lies between them may be long on a busy machine, and code must
   * not be named before it was written.
   */
  look(readClock: () => ClockPair, most: number): number {
    if (!this.#isOpen) return 0;
    const before = readClock();
    const { size, mtimeNs } = fstatSync(this.#fd, { bigint: true });
    const available = Number(size) - this.#position;
    const isOverwritten =
      available === 0 && this.#readMtimeNs >= 0n && mtimeNs !== this.#readMtimeNs;
    if (isOverwritten || this.#takenLines !== null) {
      return this.#lookEverywhere(Number(size), mtimeNs, before, readClock);
    }
    const isRestart = available < 0 || (available > 0 && !this.#isContinued());
    if (isRestart) {
      this.#position = 0;
      this.#unfinished = new Uint8Array(0);
    } else if (available === 0) {
      this.#lastLookNs = this.#lastLookNs === 0n ? 0n : before.clockNs;
      return 0;
    }
    const after = readClock();
    const wanted = Math.min(Number(size) - this.#position, most);
    const bytes = new Uint8Array(wanted);
    const count = wanted > 0 ? readSome(this.#fd, bytes, 0, wanted, this.#position) : 0;
    this.#position += count;
    const isAll = this.#position >= Number(size);
    if (isAll) this.#readMtimeNs = mtimeNs;
    const fromNs = this.#lastLookNs;
    const toNs = fromNs === 0n ? 0n : writtenBy(mtimeNs, fromNs, after, isAll);
    // What was there before the recording may take several looks.
    if (fromNs !== 0n || isAll) this.#lastLookNs = before.clockNs;
    this.#take(bytes.subarray(0, count), fromNs, toNs, isRestart || this.#isReplacement);
    this.#isReplacement = false;
    if (bytes.subarray(0, count).includes(0)) this.#takenLines = new Set();
    return count;
  }

  /** Takes the lines that are new anywhere in the file; returns how many bytes they take. */
  #lookEverywhere(
    size: number,
    mtimeNs: bigint,
    before: ClockPair,
    readClock: () => ClockPair,
  ): number {
    this.#takenLines ??= new Set();
    if (mtimeNs === this.#readMtimeNs || size > MAX_OVERWRITTEN_BYTES) return 0;
    this.#readMtimeNs = mtimeNs;
    const after = readClock();
    const bytes = new Uint8Array(size);
    const text = Buffer.from(bytes.buffer, 0, readFully(this.#fd, bytes, 0)).toString('latin1');
    const fresh = text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split(/[\n\0]+/)
      .filter((line) => line !== '' && !this.#takenLines?.has(line));
    for (const line of fresh) this.#takenLines.add(line);
    const fromNs = this.#lastLookNs;
    this.#lastLookNs = before.clockNs;
    this.#unfinished = new Uint8Array(0);
    if (fresh.length === 0) return 0;
    const lines = new Uint8Array(Buffer.from(`${fresh.join('\n')}\n`, 'latin1'));
    const toNs = fromNs === 0n ? 0n : writtenBy(mtimeNs, fromNs, after, true);
    this.pieces.push({ fromNs, toNs, isRestart: false, lines });
    return lines.length + fresh.length * LINE_BYTES;
  }

  /** Nothing more will be written: the last line is whole. */
  finish(): void {
    if (this.#unfinished.length > 0) {
      const time = this.#lastLookNs;
      const lines = this.#unfinished;
      this.pieces.push({ fromNs: time, toNs: time, isRestart: false, lines });
      this.#unfinished = new Uint8Array(0);
    }
    if (this.#isOpen) closeSync(this.#fd);
    this.#isOpen = false;
  }

  #take(bytes: Uint8Array, fromNs: bigint, toNs: bigint, isRestart: boolean): void {
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    // Not copied where nothing is in front: at the end of a recording it may be all of a large map.
    const whole = bytes.subarray(0, end);
    const lines = this.#unfinished.length === 0 ? whole : joinBytes(this.#unfinished, whole);
    if (end > 0) this.#unfinished = bytes.slice(end);
    else this.#unfinished = joinBytes(this.#unfinished, bytes);
    // A longer line is not read, wherever it ends: one byte more than that is enough to see it.
    this.#unfinished = this.#unfinished.slice(0, MAX_PERF_MAP_LINE_BYTES + 1);
    const seen = bytes.length >= SEEN_BYTES ? bytes : joinBytes(this.#seen, bytes);
    this.#seen = seen.slice(seen.length - Math.min(SEEN_BYTES, seen.length, this.#position));
    if (end > 0 || isRestart) {
      this.pieces.push({ fromNs, toNs, isRestart, lines: end > 0 ? lines : new Uint8Array(0) });
    }
  }

  /** Whether what was read last still stands where it stood. */
  #isContinued(): boolean {
    const { length } = this.#seen;
    const now = new Uint8Array(length);
    readFully(this.#fd, now, this.#position - length);
    return Buffer.compare(now, this.#seen) === 0;
  }
}

/** The latest time at which the lines that were found now can have been written. */
function writtenBy(mtimeNs: bigint, fromNs: bigint, now: ClockPair, isAll: boolean): bigint {
  const written = mtimeNs - now.wallNs + now.clockNs + TICK_NS;
  if (!isAll || written > now.clockNs) return now.clockNs;
  return written < fromNs ? fromNs : written;
}
