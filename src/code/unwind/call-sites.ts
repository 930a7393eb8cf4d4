import type { Architecture } from './architecture.ts';
import type { ModuleLookup } from './types.ts';

/** Bytes that the longest call takes. */
const LONGEST_CALL = 7;
const SLOTS = 256;

/**
 * Whether a word of the stack can be a return address: code is mapped there, and a call stands in
 * front of it. Of code without a file (JIT code) the bytes are not known, and being mapped is all.
 */
export class CallSites {
  readonly #architecture: Architecture;
  // Direct-mapped: what was found out last for addresses of the slot.
  readonly #addresses = new Float64Array(SLOTS).fill(Number.NaN);
  readonly #generations = new Float64Array(SLOTS);
  readonly #answers = new Uint8Array(SLOTS);

  constructor(architecture: Architecture) {
    this.#architecture = architecture;
  }

  /** `address` is absolute, or NaN for a word outside the copy. */
  has(address: number, modules: ModuleLookup): boolean {
    if (!(address > 0)) return false;
    const slot = (address | 0) & (SLOTS - 1);
    const { generation } = modules;
    if (this.#addresses[slot] !== address || this.#generations[slot] !== generation) {
      this.#addresses[slot] = address;
      this.#generations[slot] = generation;
      this.#answers[slot] = this.#check(address, modules) ? 1 : 0;
    }
    return this.#answers[slot] === 1;
  }

  #check(address: number, modules: ModuleLookup): boolean {
    if (!modules.find(address - 1)) return false;
    const { module, loadBias } = modules;
    if (module === null || module.hasNoText) return true;
    const text = module.readText(address - loadBias - LONGEST_CALL, LONGEST_CALL);
    return text.length === LONGEST_CALL && this.#architecture.isBehindCall(text, LONGEST_CALL);
  }
}
