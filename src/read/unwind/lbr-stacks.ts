// Hot: once per sample.

import type { PerfData } from '../../formats/perf-data/reader.ts';
import { joinLbrCallchain, type LbrInnermost } from '../../kernel/perf-event/lbr-callchain.ts';
import type { SampleView } from '../../kernel/perf-event/sample.ts';
import { LBR_FULL } from './stack-roots.ts';
import { NOT_UNWOUND } from './unwind-stacks.ts';

/** `complete` has joined a callchain, and the CPU had room for more calls. */
const LBR_JOINED = -2;

/** Depths of the branch records of CPUs that have call stacks, where the recording does not say. */
const DEPTHS: readonly number[] = [16, 32];
const DEEPEST = 32;

/**
 * Turns the calls that the CPU recorded into callchains (perf-event/lbr-callchain.ts), and tells which
 * of them are cut: the CPU keeps the newest 16 or 32 calls and forgets those below. perf can put such
 * stacks together with the ones of samples before (`--stitch-lbr`), which is a guess and not done here.
 */
export class LbrStacks {
  readonly #littleEndian: boolean;
  readonly #innermost: LbrInnermost;
  /** Calls that the CPU holds; 0: not known. */
  readonly #depth: number;

  constructor({ littleEndian, features }: PerfData, innermost: LbrInnermost) {
    this.#littleEndian = littleEndian;
    this.#innermost = innermost;
    const depths = (features.pmuCapabilities ?? [])
      .flatMap(({ capabilities }) => capabilities)
      .filter(({ name }) => name === 'branches')
      .map(({ value }) => Number(value))
      .filter((depth) => depth > 0);
    // Both kinds of core of a hybrid CPU are as deep; if not, a stack is rather called cut.
    this.#depth = depths.length === 0 ? 0 : Math.min(...depths);
  }

  /**
   * Joins the branch stack of `sample` into its callchain. `LBR_FULL` where the stack is as deep as the CPU's
   * records, NOT_UNWOUND where the callchain stays.
   */
  complete(sample: SampleView): number {
    if (!joinLbrCallchain(sample, this.#littleEndian, this.#innermost)) return NOT_UNWOUND;
    const count = sample.branchCount;
    const isFull =
      this.#depth > 0 ? count >= this.#depth : DEPTHS.includes(count) || count > DEEPEST;
    return isFull ? LBR_FULL : LBR_JOINED;
  }
}
