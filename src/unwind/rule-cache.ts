// Hot: once per frame.

import type { UnwindRule } from './unwind-rule.ts';

/**
 * Rules by (owner, address), direct-mapped: an entry has one slot, and a new one takes the place of
 * whatever is there. A slot is 29 bytes over six columns.
 */
export class RuleCache {
  /** Empty slots have an owner that none has. */
  readonly owner: Float64Array;
  readonly address: Float64Array;
  readonly kind: Uint8Array;
  readonly cfaOffset: Int32Array;
  readonly fpOffset: Int32Array;
  readonly raOffset: Int32Array;
  readonly #mask: number;

  /** `slots` is a power of two. */
  constructor(slots: number) {
    this.owner = new Float64Array(slots).fill(-1);
    this.address = new Float64Array(slots);
    this.kind = new Uint8Array(slots);
    this.cfaOffset = new Int32Array(slots);
    this.fpOffset = new Int32Array(slots);
    this.raOffset = new Int32Array(slots);
    this.#mask = slots - 1;
  }

  /** Where the rule of `address` lies, if the cache has it. */
  slotOf(address: number): number {
    const low = address | 0;
    return (low ^ (low >>> 13)) & this.#mask;
  }

  has(slot: number, owner: number, address: number): boolean {
    return this.address[slot] === address && this.owner[slot] === owner;
  }

  isEmpty(slot: number): boolean {
    return (this.owner[slot] as number) < 0;
  }

  read(slot: number, rule: UnwindRule): void {
    rule.kind = this.kind[slot] as number;
    rule.cfaOffset = this.cfaOffset[slot] as number;
    rule.fpOffset = this.fpOffset[slot] as number;
    rule.raOffset = this.raOffset[slot] as number;
  }

  write(slot: number, owner: number, address: number, rule: UnwindRule): void {
    this.owner[slot] = owner;
    this.address[slot] = address;
    this.kind[slot] = rule.kind;
    this.cfaOffset[slot] = rule.cfaOffset;
    this.fpOffset[slot] = rule.fpOffset;
    this.raOffset[slot] = rule.raOffset;
  }
}
