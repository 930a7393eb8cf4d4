import { NONE } from '../base/brand.ts';
import { GrowableFloat64, GrowableInt32, GrowableUint8 } from '../base/growable-columns.ts';
import type { FrameIndex, FrameTable } from './types.ts';

const FIRST_SLOTS = 4096;
const TWO_32 = 2 ** 32;
const MAX_INLINE_DEPTH = 255;

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
  readonly #func = new GrowableInt32();
  readonly #dso = new GrowableInt32();
  readonly #address = new GrowableFloat64();
  readonly #inlineDepth = new GrowableUint8();
  #slots = new Int32Array(FIRST_SLOTS).fill(NONE);

  /** Frames grouped by DSO; made when first asked for, dropped when a frame is added. */
  #byDso: Map<number, FrameAddresses> | null = null;

  get length(): number {
    return this.#dso.length;
  }

  /** `dso` is −1 where no mapping covered the address. Throws if the address is not a number. */
  // Hot: once per frame.
  intern(dso: number, address: number, inlineDepth: number): FrameIndex {
    const slots = this.#slots;
    const mask = slots.length - 1;
    const dsoColumn = this.#dso.array;
    const addressColumn = this.#address.array;
    const depthColumn = this.#inlineDepth.array;
    let slot = hashFrame(dso, address, inlineDepth) & mask;
    for (;;) {
      const row = slots[slot] as number;
      if (row === NONE) break;
      if (
        addressColumn[row] === address &&
        dsoColumn[row] === dso &&
        depthColumn[row] === inlineDepth
      ) {
        return row as FrameIndex;
      }
      slot = (slot + 1) & mask;
    }
    return this.#add(slot, dso, address, inlineDepth);
  }

  #add(slot: number, dso: number, address: number, inlineDepth: number): FrameIndex {
    if (Number.isNaN(address)) {
      throw new RangeError(`a frame's address must be a number, got NaN (DSO ${dso})`);
    }
    if (!(inlineDepth >= 0 && inlineDepth <= MAX_INLINE_DEPTH)) {
      throw new RangeError(`inline depth must be 0…${MAX_INLINE_DEPTH}, got ${inlineDepth}`);
    }
    const row = this.#dso.length;
    this.#slots[slot] = row;
    this.#func.push(NONE);
    this.#dso.push(dso);
    this.#address.push(address);
    this.#inlineDepth.push(inlineDepth);
    this.#byDso = null;
    if (row * 2 >= this.#slots.length) this.#grow();
    return row as FrameIndex;
  }

  #grow(): void {
    const slots = new Int32Array(this.#slots.length * 4).fill(NONE);
    const mask = slots.length - 1;
    const dso = this.#dso.array;
    const address = this.#address.array;
    const inlineDepth = this.#inlineDepth.array;
    for (let row = 0; row < this.length; row++) {
      let slot =
        hashFrame(dso[row] as number, address[row] as number, inlineDepth[row] as number) & mask;
      while (slots[slot] !== NONE) slot = (slot + 1) & mask;
      slots[slot] = row;
    }
    this.#slots = slots;
  }

  setFunc(frame: number, func: number): void {
    if (!(frame >= 0 && frame < this.length)) {
      throw new RangeError(`frame ${frame} is not in the table of ${this.length} frames`);
    }
    this.#func.array[frame] = func;
  }

  /** FuncIndex of `frame`, −1 while it is unresolved. */
  func(frame: number): number {
    return this.#func.array[frame] as number;
  }

  dso(frame: number): number {
    return this.#dso.array[frame] as number;
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
      if (this.#inlineDepth.array[row] !== 0) continue;
      const dso = this.#dso.array[row] as number;
      let group = growing.get(dso);
      if (group === undefined) {
        group = { frames: new GrowableInt32(16), addresses: new GrowableFloat64(16) };
        growing.set(dso, group);
      }
      group.frames.push(row);
      group.addresses.push(this.#address.array[row] as number);
    }
    const groups = new Map<number, FrameAddresses>();
    for (const [dso, { frames, addresses }] of growing) {
      groups.set(dso, { frames: frames.finish(), addresses: addresses.finish() });
    }
    return groups;
  }

  finish(): FrameTable {
    return {
      length: this.length,
      func: this.#func.finish(),
      dso: this.#dso.finish(),
      address: this.#address.finish(),
      inlineDepth: this.#inlineDepth.finish(),
    };
  }
}

/** The low half of an address varies most; DSOs repeat the same offsets, so they are mixed in. */
function hashFrame(dso: number, address: number, inlineDepth: number): number {
  const low = address | 0;
  const high = (address / TWO_32) | 0;
  const mixed = Math.imul(low, 0x9e3779b1) ^ Math.imul(high ^ (dso << 8) ^ inlineDepth, 0x85ebca6b);
  return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> 7;
}
