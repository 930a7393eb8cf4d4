// Hot: once per frame.

import type { UnwindRule } from './unwind-rule.ts';

/**
 * Rules by (owner, address), direct-mapped: an entry has one slot, and a new one takes the place of
 * whatever is there. What belongs to one slot lies together, so that a lookup touches one cache line:
 *
 *   bytes   0 f64 owner   8 f64 address   16 i32 kind, cfaOffset, fpOffset, raOffset
 */
export class RuleCache {
  /** Empty slots have an owner that none has. */
  readonly #keys: Float64Array;
  /** The same bytes. The rule of a slot begins at `ruleAt`. */
  readonly rules: Int32Array;
  readonly #mask: number;

  /** `slots` is a power of two. */
  constructor(slots: number) {
    const bytes = new ArrayBuffer(slots * SLOT_BYTES);
    this.#keys = new Float64Array(bytes);
    for (let at = 0; at < this.#keys.length; at += 4) this.#keys[at] = NO_OWNER;
    this.rules = new Int32Array(bytes);
    this.#mask = slots - 1;
  }

  /** Index of the rule's kind in `rules`; its offsets follow. */
  ruleAt(slot: number): number {
    return slot * 8 + 4;
  }

  /** Where the rule of `address` lies, if the cache has it. */
  slotOf(address: number): number {
    const low = address | 0;
    return (low ^ (low >>> 15)) & this.#mask;
  }

  has(slot: number, owner: number, address: number): boolean {
    const at = slot * 4;
    return this.#keys[at + 1] === address && this.#keys[at] === owner;
  }

  isEmpty(slot: number): boolean {
    return this.#keys[slot * 4] === NO_OWNER;
  }

  read(slot: number, rule: UnwindRule): void {
    const at = this.ruleAt(slot);
    rule.kind = this.rules[at];
    rule.cfaOffset = this.rules[at + 1];
    rule.fpOffset = this.rules[at + 2];
    rule.raOffset = this.rules[at + 3];
  }

  write(slot: number, owner: number, address: number, rule: UnwindRule): void {
    this.#keys[slot * 4] = owner;
    this.#keys[slot * 4 + 1] = address;
    const at = this.ruleAt(slot);
    this.rules[at] = rule.kind;
    this.rules[at + 1] = rule.cfaOffset;
    this.rules[at + 2] = rule.fpOffset;
    this.rules[at + 3] = rule.raOffset;
  }
}

const NO_OWNER = -1;
const SLOT_BYTES = 32;
