// Hot: once per frame.

import type { UnwindRule } from './unwind-rule.ts';

/**
 * Rules by (owner, address), direct-mapped: an entry has one slot, and a new one takes the place of
 * whatever is there. What belongs to one slot lies together, 16 bytes in each of two arrays, so that a
 * lookup touches two cache lines:
 *
 *   keys    owner, address
 *   rules   kind, cfaOffset, fpOffset, raOffset
 */
export class RuleCache {
  /** Empty slots have an owner that none has. */
  readonly #keys: Float64Array;
  readonly rules: Int32Array;
  readonly #mask: number;

  /** `slots` is a power of two. */
  constructor(slots: number) {
    this.#keys = new Float64Array(slots * 2).fill(NO_OWNER);
    this.rules = new Int32Array(slots * 4);
    this.#mask = slots - 1;
  }

  /** Where the rule of `address` lies, if the cache has it. */
  slotOf(address: number): number {
    const low = address | 0;
    return (low ^ (low >>> 15)) & this.#mask;
  }

  has(slot: number, owner: number, address: number): boolean {
    const at = slot * 2;
    return this.#keys[at + 1] === address && this.#keys[at] === owner;
  }

  isEmpty(slot: number): boolean {
    return this.#keys[slot * 2] === NO_OWNER;
  }

  read(slot: number, rule: UnwindRule): void {
    const at = slot * 4;
    rule.kind = this.rules[at] as number;
    rule.cfaOffset = this.rules[at + 1] as number;
    rule.fpOffset = this.rules[at + 2] as number;
    rule.raOffset = this.rules[at + 3] as number;
  }

  write(slot: number, owner: number, address: number, rule: UnwindRule): void {
    this.#keys[slot * 2] = owner;
    this.#keys[slot * 2 + 1] = address;
    const at = slot * 4;
    this.rules[at] = rule.kind;
    this.rules[at + 1] = rule.cfaOffset;
    this.rules[at + 2] = rule.fpOffset;
    this.rules[at + 3] = rule.raOffset;
  }
}

const NO_OWNER = -1;
