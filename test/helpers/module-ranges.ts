import type { ModuleLookup } from '../../src/code/unwind/types.ts';
import type { UnwindModule } from '../../src/code/unwind/unwind-module.ts';

/** Counts up over all lookups, so that no two ever had the same generation. */
let generations = 0;

/** One mapping of code: [start, end), absolute addresses. */
export type ModuleRange = {
  readonly start: number;
  readonly end: number;
  /** Null: code of no file. */
  readonly module: UnwindModule | null;
  /** Absolute minus file address. */
  readonly loadBias: number;
};

/** The code of one process that doesn't change. */
export class ModuleRanges implements ModuleLookup {
  readonly generation = ++generations;
  module: UnwindModule | null = null;
  loadBias = 0;
  readonly #ranges: readonly ModuleRange[];
  #last = -1;

  /** Ranges in any order; they don't overlap. */
  constructor(ranges: readonly ModuleRange[]) {
    this.#ranges = [...ranges].sort((a, b) => a.start - b.start);
  }

  find(address: number): boolean {
    const range = this.#ranges[this.#last];
    if (range !== undefined && address >= range.start && address < range.end) return true;
    let low = 0;
    let high = this.#ranges.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#ranges[middle].start <= address) low = middle + 1;
      else high = middle;
    }
    const found = this.#ranges[low - 1];
    if (found === undefined || address >= found.end) return false;
    this.#last = low - 1;
    this.module = found.module;
    this.loadBias = found.loadBias;
    return true;
  }
}
