// Hot: once per frame.

import { lastAtMost } from '../../base/bisect.ts';
import { NONE } from '../../base/brand.ts';

const FIRST_CAPACITY = 16;
/** Ranges in a full block. Larger blocks copy more on insertion, smaller ones make more blocks. */
const BLOCK_CAPACITY = 256;
/** Two addresses and a row. */
const RANGE_BYTES = 20;
const REFERENCE_BYTES = 8;

let nextGeneration = 1;

/**
 * Which mapping covers an address: ranges [start, end) that don't overlap, sorted, each with the
 * row of the mapping that it belongs to. A range that is added cuts what lay there before:
 *
 *   before   |------ 3 ------|        |- 5 -|
 *   add 7              |-----------|
 *   after    |-- 3 ----|---- 7 ----|  |- 5 -|
 *
 * Ranges live in blocks of at most 256, so that a process with a million mappings pays for moving
 * 256 of them at each insertion, not a million; the usual process has one small block. A clone shares
 * all blocks with its original, until one of the two writes to a block.
 *
 * All addresses of one space lie in one half (user or kernel), so they compare as plain numbers.
 */
export class AddressSpace {
  #blocks: Block[] = [EMPTY];
  #lastBlock: Block = this.#blocks[0];
  #lastIndex = 0;
  /** Processes that have it; one that maps something while there are others goes on with a clone. */
  owners = 1;
  /** Bytes that cloning has cost: the list of blocks, and blocks that were written to since. */
  copiedBytes = 0;
  /**
   * Given anew by `changeGeneration`: two spaces of the same generation hold the same code. A clone
   * has its original's until one of them changes.
   */
  generation = nextGeneration++;

  /** The row whose range covers `address`, −1 if none. */
  find(address: number): number {
    const last = this.#lastBlock;
    const index = this.#lastIndex;
    if (index < last.length && address >= last.starts[index] && address < last.ends[index]) {
      return last.rows[index];
    }
    const block = this.#blocks[this.#findBlock(address)];
    const found = block.lastStartingAtOrBefore(address);
    if (found < 0 || address >= block.ends[found]) return NONE;
    this.#lastBlock = block;
    this.#lastIndex = found;
    return block.rows[found];
  }

  /**
   * Makes [start, end) belong to `row`, whatever was there. Addresses are exact below 2^53; what a
   * damaged record has beyond, nothing can be at.
   */
  add(start: number, end: number, row: number): void {
    const first = Math.max(start, Number.MIN_SAFE_INTEGER);
    const last = Math.min(end, Number.MAX_SAFE_INTEGER);
    if (!(first < last)) return;
    this.#cut(first, last);
    this.#insert(first, last, row);
  }

  /** Adds its rows. */
  addRowsTo(all: Set<number>): void {
    for (const { rows, length } of this.#blocks) {
      for (let at = 0; at < length; at++) all.add(rows[at]);
    }
  }

  /** The first row that is wanted, in the order of addresses; −1 if none is. */
  findRow(isWanted: (row: number) => boolean): number {
    for (const { rows, length } of this.#blocks) {
      for (let at = 0; at < length; at++) if (isWanted(rows[at])) return rows[at];
    }
    return NONE;
  }

  /** Has to be called when code was added. */
  changeGeneration(): void {
    this.generation = nextGeneration++;
  }

  /** Ranges held; a mapping cut in the middle has two. */
  get size(): number {
    return this.#blocks.reduce((sum, block) => sum + block.length, 0);
  }

  clone(): AddressSpace {
    const copy = new AddressSpace();
    for (const block of this.#blocks) block.isShared = true;
    copy.#blocks = this.#blocks.slice();
    copy.#lastBlock = copy.#blocks[0];
    copy.copiedBytes = copy.#blocks.length * REFERENCE_BYTES;
    copy.generation = this.generation;
    return copy;
  }

  /** The block that holds the last range starting at or before `address`; the first if none. */
  #findBlock(address: number): number {
    const blocks = this.#blocks;
    let low = 1;
    let high = blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (blocks[middle].starts[0] <= address) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** A block for writing: a copy if a clone or the original reads it, too. */
  #ownBlock(blockIndex: number): Block {
    const block = this.#blocks[blockIndex];
    if (!block.isShared) return block;
    const copy = block.clone();
    this.#blocks[blockIndex] = copy;
    if (this.#lastBlock === block) this.#lastBlock = copy;
    if (block.length > 0) this.copiedBytes += copy.starts.length * RANGE_BYTES;
    return copy;
  }

  /** Empties [start, end): ranges inside go, ranges across a border are shortened or split. */
  #cut(start: number, end: number): void {
    for (;;) {
      const blockIndex = this.#findBlock(end - 1);
      const found = this.#blocks[blockIndex];
      const index = found.lastStartingAtOrBefore(end - 1);
      if (index < 0) return;
      const oldStart = found.starts[index];
      const oldEnd = found.ends[index];
      if (oldEnd <= start) return;
      const row = found.rows[index];
      const block = this.#ownBlock(blockIndex);
      if (oldStart < start) {
        block.ends[index] = start;
        if (oldEnd > end) this.#insert(end, oldEnd, row);
        return;
      }
      if (oldEnd > end) {
        block.starts[index] = end;
        continue;
      }
      block.remove(index);
      if (block.length === 0 && this.#blocks.length > 1) this.#blocks.splice(blockIndex, 1);
    }
  }

  #insert(start: number, end: number, row: number): void {
    const blockIndex = this.#findBlock(start);
    const block = this.#ownBlock(blockIndex);
    if (block.length === BLOCK_CAPACITY) {
      this.#blocks.splice(blockIndex + 1, 0, block.splitOff());
      this.#insert(start, end, row);
      return;
    }
    const at = block.lastStartingAtOrBefore(start) + 1;
    block.insert(at, start, end, row);
  }
}

/** Up to 256 ranges as columns. */
class Block {
  starts: Float64Array;
  ends: Float64Array;
  rows: Int32Array;
  length = 0;
  /** More than one space has it: it stays as it is. */
  isShared = false;

  constructor(capacity: number) {
    this.starts = new Float64Array(capacity);
    this.ends = new Float64Array(capacity);
    this.rows = new Int32Array(capacity);
  }

  lastStartingAtOrBefore(address: number): number {
    return lastAtMost(this.starts, address, this.length);
  }

  insert(at: number, start: number, end: number, row: number): void {
    if (this.length === this.starts.length) this.#resize(this.length * 2);
    const { starts, ends, rows, length } = this;
    starts.copyWithin(at + 1, at, length);
    ends.copyWithin(at + 1, at, length);
    rows.copyWithin(at + 1, at, length);
    starts[at] = start;
    ends[at] = end;
    rows[at] = row;
    this.length++;
  }

  remove(at: number): void {
    const { starts, ends, rows, length } = this;
    starts.copyWithin(at, at + 1, length);
    ends.copyWithin(at, at + 1, length);
    rows.copyWithin(at, at + 1, length);
    this.length--;
  }

  /** Moves the upper half into a new block. */
  splitOff(): Block {
    const half = this.length >>> 1;
    const upper = new Block(BLOCK_CAPACITY);
    upper.starts.set(this.starts.subarray(half, this.length));
    upper.ends.set(this.ends.subarray(half, this.length));
    upper.rows.set(this.rows.subarray(half, this.length));
    upper.length = this.length - half;
    this.length = half;
    return upper;
  }

  clone(): Block {
    const copy = new Block(this.starts.length);
    copy.starts.set(this.starts);
    copy.ends.set(this.ends);
    copy.rows.set(this.rows);
    copy.length = this.length;
    return copy;
  }

  #resize(capacity: number): void {
    const { starts, ends, rows } = this;
    this.starts = new Float64Array(capacity);
    this.ends = new Float64Array(capacity);
    this.rows = new Int32Array(capacity);
    this.starts.set(starts);
    this.ends.set(ends);
    this.rows.set(rows);
  }
}

/** The first block of a space: most processes of a large recording never map anything of their own. */
const EMPTY = new Block(FIRST_CAPACITY);
EMPTY.isShared = true;
