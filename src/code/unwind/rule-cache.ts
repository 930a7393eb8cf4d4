// Hot: once per frame.

import type { NoRule, RuleKind, UnwindRule } from './unwind-rule.ts';

const NO_OWNER = -1;
const SLOT_BYTES = 32;
/** Numbers that a slot has in `#keys`. */
const SLOT_KEYS = SLOT_BYTES / 8;
const OWNER = 0;
const ADDRESS = 1;
/** Numbers that a slot has in `#rules`. */
const SLOT_WORDS = SLOT_BYTES / 4;
const KIND = 4;
const CFA_OFFSET = 5;
const FP_OFFSET = 6;
const RA_OFFSET = 7;

/**
 * Rules by (owner, address), direct-mapped: an entry has one slot, and a new one takes the place of
 * whatever is there. What belongs to one slot lies together, so that a lookup touches one cache line:
 *
 *   bytes   0 f64 owner   8 f64 address   16 i32 kind, cfaOffset, fpOffset, raOffset
 */
export class RuleCache {
  /** Empty slots have an owner that none has. */
  readonly #keys: Float64Array;
  /** The bytes of the slots as i32. */
  readonly #rules: Int32Array;
  readonly #mask: number;

  /** `slots` is a power of two. */
  constructor(slots: number) {
    const bytes = new ArrayBuffer(slots * SLOT_BYTES);
    this.#keys = new Float64Array(bytes);
    for (let at = OWNER; at < this.#keys.length; at += SLOT_KEYS) this.#keys[at] = NO_OWNER;
    this.#rules = new Int32Array(bytes);
    this.#mask = slots - 1;
  }

  /** Row of the rule of `address`, if the cache has it. */
  slotOf(address: number): number {
    const low = address | 0;
    return (low ^ (low >>> 15)) & this.#mask;
  }

  has(slot: number, owner: number, address: number): boolean {
    const at = slot * SLOT_KEYS;
    return this.#keys[at + ADDRESS] === address && this.#keys[at + OWNER] === owner;
  }

  isEmpty(slot: number): boolean {
    return this.#keys[slot * SLOT_KEYS + OWNER] === NO_OWNER;
  }

  read(slot: number, rule: UnwindRule): void {
    const rules = this.#rules;
    const at = slot * SLOT_WORDS;
    rule.kind = rules[at + KIND] as RuleKind | NoRule;
    rule.cfaOffset = rules[at + CFA_OFFSET];
    rule.fpOffset = rules[at + FP_OFFSET];
    rule.raOffset = rules[at + RA_OFFSET];
  }

  write(slot: number, owner: number, address: number, rule: UnwindRule): void {
    const key = slot * SLOT_KEYS;
    this.#keys[key + OWNER] = owner;
    this.#keys[key + ADDRESS] = address;
    const rules = this.#rules;
    const at = slot * SLOT_WORDS;
    rules[at + KIND] = rule.kind;
    rules[at + CFA_OFFSET] = rule.cfaOffset;
    rules[at + FP_OFFSET] = rule.fpOffset;
    rules[at + RA_OFFSET] = rule.raOffset;
  }
}
