// Hot: once per line, of which a long-lived JIT writes millions.

import type { ByteSource } from '../base/byte-source.ts';
import type { Diagnostics } from '../base/diagnostics.ts';
import { GrowableFloat64, GrowableInt32 } from '../base/growable-columns.ts';
import { sortedOrder } from '../base/sorted-order.ts';
import { HexField } from './hex-field.ts';
import { SymbolTable } from './symbol-table.ts';

export const MAX_PERF_MAP_BYTES = 256 * 2 ** 20;
export const MAX_PERF_MAP_ENTRIES = 5_000_000;
export const MAX_PERF_MAP_LINE_BYTES = 64 * 1024;

const NEWLINE = 0x0a;
const SPACE = 0x20;
const CARRIAGE_RETURN = 0x0d;

/**
 * `/tmp/perf-PID.map`, where a JIT appends a line for each function it makes:
 *
 *   18c4000 300 Builtin:DeoptimizationEntry_Eager
 *
 * start and size in hex, then the name up to the end of the line. Code is moved and thrown away
 * without a word, and its place used again, so lines overlap: the later line wins. The file carries
 * no times, so samples taken before the later line get its name too; how many entries lost bytes
 * that way is counted.
 */
export function parsePerfMap(source: ByteSource, diagnostics: Diagnostics): SymbolTable {
  if (source.size > MAX_PERF_MAP_BYTES) {
    diagnostics.count('perf map larger than 256 MiB, the rest not read', `${source.size} bytes`);
  }
  const bytes = source.read(0, Math.min(source.size, MAX_PERF_MAP_BYTES));
  const entries = readEntries(bytes, diagnostics);
  return paintLatest(entries, bytes, diagnostics);
}

/** One row per usable line, in file order. */
type Entries = {
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly nameAt: Int32Array;
  readonly nameEnd: Int32Array;
};

function readEntries(bytes: Uint8Array, diagnostics: Diagnostics): Entries {
  const start = new GrowableFloat64();
  const end = new GrowableFloat64();
  const nameAt = new GrowableInt32();
  const nameEnd = new GrowableInt32();
  const hex = new HexField();
  let badLines = 0;
  let longLines = 0;
  let line = 0;
  while (line < bytes.length && start.length < MAX_PERF_MAP_ENTRIES) {
    const newline = bytes.indexOf(NEWLINE, line);
    const lineEnd = newline < 0 ? bytes.length : newline;
    const at = line;
    line = lineEnd + 1;
    if (lineEnd === at) continue;
    if (lineEnd - at > MAX_PERF_MAP_LINE_BYTES) {
      longLines++;
      continue;
    }
    if (!hex.read(bytes, at, lineEnd) || bytes[hex.end] !== SPACE) {
      badLines++;
      continue;
    }
    const first = hex.value;
    if (!hex.read(bytes, hex.end + 1, lineEnd) || bytes[hex.end] !== SPACE) {
      badLines++;
      continue;
    }
    const size = hex.value;
    const limit = first + size;
    // JIT code is in user space: no negative addresses, and nothing that wraps into them.
    if (first < 0 || size <= 0 || !Number.isSafeInteger(limit)) {
      badLines++;
      continue;
    }
    start.push(first);
    end.push(limit);
    nameAt.push(hex.end + 1);
    nameEnd.push(bytes[lineEnd - 1] === CARRIAGE_RETURN ? lineEnd - 1 : lineEnd);
  }
  if (badLines > 0) diagnostics.count('perf map line not understood', '', badLines);
  if (longLines > 0) diagnostics.count('perf map line longer than 64 KiB', '', longLines);
  if (line < bytes.length)
    diagnostics.count('perf map of more than 5 million entries, rest unread');
  return {
    start: start.finish(),
    end: end.finish(),
    nameAt: nameAt.finish(),
    nameEnd: nameEnd.finish(),
  };
}

/**
 * Resolves overlaps, sweeping over the address space from low to high. The entries that cover the
 * current address wait in a heap, latest line on top; each piece goes to the top one.
 *
 *   line 1   |-------------------|
 *   line 2        |----|                  pieces   |- 1 -|- 2 -|- 1 -|--- 3 ---|
 *   line 3                     |------|
 */
function paintLatest(entries: Entries, bytes: Uint8Array, diagnostics: Diagnostics): SymbolTable {
  const { start, end, nameAt, nameEnd } = entries;
  const order = sortedOrder(start);
  const pieceStart = new GrowableFloat64();
  const pieceEnd = new GrowableFloat64();
  const pieceEntry = new GrowableInt32();
  const covering = new LatestHeap();
  const shownBytes = new Float64Array(start.length);
  let next = 0;
  let address = 0;
  while (next < order.length || covering.length > 0) {
    if (covering.length === 0) address = start[order[next] as number] as number;
    while (next < order.length && start[order[next] as number] === address) {
      covering.push(order[next++] as number);
    }
    const latest = covering.top();
    const latestEnd = end[latest] as number;
    if (latestEnd <= address) {
      covering.pop();
      continue;
    }
    const nextStart =
      next < order.length ? (start[order[next] as number] as number) : Number.POSITIVE_INFINITY;
    const stop = Math.min(latestEnd, nextStart);
    const last = pieceEntry.length - 1;
    if (last >= 0 && pieceEntry.array[last] === latest && pieceEnd.array[last] === address) {
      pieceEnd.array[last] = stop;
    } else {
      pieceStart.push(address);
      pieceEnd.push(stop);
      pieceEntry.push(latest);
    }
    shownBytes[latest] = (shownBytes[latest] as number) + (stop - address);
    address = stop;
  }
  let overwritten = 0;
  for (let i = 0; i < start.length; i++) {
    if ((shownBytes[i] as number) < (end[i] as number) - (start[i] as number)) overwritten++;
  }
  if (overwritten > 0) {
    diagnostics.count('perf map entry overwritten by a later one', '', overwritten);
  }
  const entryOf = pieceEntry.finish();
  const origins = new Float64Array(entryOf.length);
  for (let i = 0; i < origins.length; i++) origins[i] = start[entryOf[i] as number] as number;
  const decoder = new TextDecoder();
  return new SymbolTable(
    pieceStart.finish(),
    pieceEnd.finish(),
    (piece) => {
      const entry = entryOf[piece] as number;
      return decoder.decode(bytes.subarray(nameAt[entry], nameEnd[entry]));
    },
    origins,
  );
}

/** A binary heap of entry numbers, the largest on top. */
class LatestHeap {
  readonly #items: number[] = [];

  get length(): number {
    return this.#items.length;
  }

  top(): number {
    return this.#items[0] as number;
  }

  push(entry: number): void {
    const items = this.#items;
    let at = items.length;
    items.push(entry);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if ((items[parent] as number) >= entry) break;
      items[at] = items[parent] as number;
      at = parent;
    }
    items[at] = entry;
  }

  pop(): void {
    const items = this.#items;
    const entry = items.pop() as number;
    const length = items.length;
    if (length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= length) break;
      if (child + 1 < length && (items[child + 1] as number) > (items[child] as number)) child++;
      if ((items[child] as number) <= entry) break;
      items[at] = items[child] as number;
      at = child;
    }
    items[at] = entry;
  }
}
