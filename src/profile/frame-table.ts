import { NONE } from '../base/brand.ts';
import {
  GrowableFloat64,
  GrowableInt32,
  grownFloat64,
  grownInt32,
} from '../base/growable-columns.ts';
import type { StringIndex } from '../base/string-table.ts';
import type { FrameIndex, FrameTable } from './types.ts';

const FIRST_CAPACITY = 1024;
/** Two keep probing short, as in `PairInterner`. */
const SLOTS_PER_ROW = 2;
const MAX_INLINE_DEPTH = 255;
/** Nothing is inlined so deep: tells frames that only state something from frames of code. */
export const MARKER_DEPTH = MAX_INLINE_DEPTH;
const MAX_DSOS = 2 ** 23;
const TWO_TO_MINUS_32 = 2 ** -32;

/** The frames of one DSO, as parallel columns. */
export type FrameAddresses = {
  readonly frames: Int32Array;
  /** Lookup addresses, in the form that `FrameTable.address` describes. */
  readonly addresses: Float64Array;
};

/**
 * Builds the frame table: every distinct (DSO, lookup address, inline depth) once. `func` stays
 * −1 until the session resolves the address, so that each address is looked up once however many
 * samples went through it. The hash table holds row numbers; the columns are the only storage.
 */
export class FrameTableBuilder {
  #length = 0;
  #func = new Int32Array(FIRST_CAPACITY);
  /** DSO and inline depth in one integer (`placeOf`), so that one comparison covers both. */
  #place = new Int32Array(FIRST_CAPACITY);
  #address = new Float64Array(FIRST_CAPACITY);
  #location: LocationColumns | null = null;
  #slots = new Int32Array(FIRST_CAPACITY * SLOTS_PER_ROW).fill(NONE);

  /** Frames grouped by DSO; made when first asked for, dropped when a frame is added. */
  #byDso: Map<number, FrameAddresses> | null = null;

  get length(): number {
    return this.#length;
  }

  /**
   * `dso` is −1 where no mapping covered the address; see `FrameTable.address` for its form. Throws if the address
   * is not a number.
   */
  // Hot: once per frame.
  intern(dso: number, address: number, inlineDepth = 0): FrameIndex {
    const place = placeOf(dso, inlineDepth);
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hashFrame(place, address) & mask;
    for (;;) {
      const row = slots[slot];
      if (row === NONE) return this.#add(slot, dso, address, inlineDepth);
      if (this.#address[row] === address && this.#place[row] === place) return row as FrameIndex;
      slot = (slot + 1) & mask;
    }
  }

  /** True if `frame` is the row of (`dso`, `address`, inline depth 0). */
  isAt(frame: number, dso: number, address: number): boolean {
    return this.#address[frame] === address && this.#place[frame] === placeOf(dso, 0);
  }

  #add(slot: number, dso: number, address: number, inlineDepth: number): FrameIndex {
    if (Number.isNaN(address)) {
      throw new RangeError(`a frame's address must be a number, got NaN (DSO ${dso})`);
    }
    if (!(inlineDepth >= 0 && inlineDepth <= MAX_INLINE_DEPTH)) {
      throw new RangeError(`inline depth must be 0…${MAX_INLINE_DEPTH}, got ${inlineDepth}`);
    }
    if (!(dso >= NONE && dso < MAX_DSOS)) {
      throw new RangeError(`DSO index must be −1…${MAX_DSOS - 1}, got ${dso}`);
    }
    const row = this.#length++;
    this.#slots[slot] = row;
    this.#func[row] = NONE;
    this.#place[row] = placeOf(dso, inlineDepth);
    this.#address[row] = address;
    this.#byDso = null;
    if (this.#length === this.#address.length) this.#grow();
    return row as FrameIndex;
  }

  /** Doubles the columns. */
  #grow(): void {
    const capacity = this.#length * 2;
    this.#func = grownInt32(this.#func, capacity);
    const place = grownInt32(this.#place, capacity);
    this.#place = place;
    const address = grownFloat64(this.#address, capacity);
    this.#address = address;
    const slots = new Int32Array(capacity * SLOTS_PER_ROW).fill(NONE);
    const mask = slots.length - 1;
    for (let row = 0; row < this.#length; row++) {
      let slot = hashFrame(place[row], address[row]) & mask;
      while (slots[slot] !== NONE) slot = (slot + 1) & mask;
      slots[slot] = row;
    }
    this.#slots = slots;
  }

  setFunc(frame: number, func: number): void {
    if (!(frame >= 0 && frame < this.length)) {
      throw new RangeError(`frame ${frame} is not in the table of ${this.length} frames`);
    }
    this.#func[frame] = func;
  }

  /**
   * The place of `frame` in its source: `file` an index into `strings` (−1: not known), `line` and
   * `column` from 1 (0: not known). Throws if there is no such frame.
   */
  setLocation(frame: number, file: StringIndex | -1, line: number, column = 0): void {
    if (!(frame >= 0 && frame < this.length)) {
      throw new RangeError(`frame ${frame} is not in the table of ${this.length} frames`);
    }
    this.#location = withCapacity(this.#location, this.#address.length);
    this.#location.file[frame] = file;
    this.#location.line[frame] = line;
    this.#location.column[frame] = column;
  }

  /** FuncIndex of `frame`, −1 while it is unresolved. */
  func(frame: number): number {
    return this.#func[frame];
  }

  dso(frame: number): number {
    return this.#place[frame] >> 8;
  }

  /** Lookup address; see `FrameTable.address`. */
  address(frame: number): number {
    return this.#address[frame];
  }

  /**
   * Every frame of `dso` that exists in machine code (inline depth 0), each address once, in the
   * order first seen. `dso` −1 gives the frames without a mapping.
   */
  addresses(dso: number): FrameAddresses {
    this.#byDso ??= this.#groupByDso();
    return this.#byDso.get(dso) ?? { frames: new Int32Array(), addresses: new Float64Array() };
  }

  #groupByDso(): Map<number, FrameAddresses> {
    const growing = new Map<number, { frames: GrowableInt32; addresses: GrowableFloat64 }>();
    for (let row = 0; row < this.length; row++) {
      const place = this.#place[row];
      if ((place & MAX_INLINE_DEPTH) !== 0) continue;
      const dso = place >> 8;
      let group = growing.get(dso);
      if (group === undefined) {
        group = { frames: new GrowableInt32(16), addresses: new GrowableFloat64(16) };
        growing.set(dso, group);
      }
      group.frames.push(row);
      group.addresses.push(this.#address[row]);
    }
    const groups = new Map<number, FrameAddresses>();
    for (const [dso, { frames, addresses }] of growing) {
      groups.set(dso, { frames: frames.finish(), addresses: addresses.finish() });
    }
    return groups;
  }

  finish(): FrameTable {
    const length = this.#length;
    const place = this.#place;
    // Loops: `from` and `map` call a function for each frame, and a live profile comes here once a second.
    const dso = new Int32Array(length);
    const inlineDepth = new Uint8Array(length);
    for (let row = 0; row < length; row++) {
      dso[row] = place[row] >> 8;
      inlineDepth[row] = place[row] & MAX_INLINE_DEPTH;
    }
    const location = withCapacity(this.#location, length);
    return {
      length,
      func: this.#func.slice(0, length),
      dso,
      address: this.#address.slice(0, length),
      inlineDepth,
      file: location.file.slice(0, length),
      line: location.line.slice(0, length),
      column: location.column.slice(0, length),
      tier: new Uint8Array(length),
    };
  }
}

/** Most recordings have no line of any frame, so the columns come with the first. */
type LocationColumns = {
  readonly file: Int32Array;
  readonly line: Int32Array;
  readonly column: Int32Array;
};

/** `columns`, with room for `capacity` frames; new rows have no location. */
function withCapacity(columns: LocationColumns | null, capacity: number): LocationColumns {
  if (columns !== null && columns.file.length >= capacity) return columns;
  const grown = {
    file: new Int32Array(capacity).fill(NONE),
    line: new Int32Array(capacity),
    column: new Int32Array(capacity),
  };
  if (columns !== null) {
    grown.file.set(columns.file);
    grown.line.set(columns.line);
    grown.column.set(columns.column);
  }
  return grown;
}

/** DSO in the upper 24 bits (−1 stays negative), inline depth in the lower 8. */
function placeOf(dso: number, inlineDepth: number): number {
  return (dso << 8) | inlineDepth;
}

/** The low half of an address varies most; DSOs repeat the same offsets, so they are mixed in. */
function hashFrame(place: number, address: number): number {
  const high = (address * TWO_TO_MINUS_32) | 0;
  const mixed = Math.imul(address | 0, 0x9e3779b1) ^ Math.imul(high ^ place, 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}
