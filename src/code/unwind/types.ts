import type { UnwindModule } from './unwind-module.ts';

/**
 * The mappings of one process at the moment of one sample. The answer of `find` is left in
 * `module` and `loadBias` until the next call, so that no object is made per frame.
 */
export interface ModuleLookup {
  /**
   * A number below 2^53 that differs between processes and grows with every change of what `find`
   * answers: rules are remembered by it.
   */
  readonly generation: number;
  /** Null: mapped, but of no file, as most JIT code. Its frames are unwound by frame pointer. */
  readonly module: UnwindModule | null;
  /** Absolute minus file address of `module` at the address last found. */
  readonly loadBias: number;
  /** Whether code is mapped at the absolute `address` (signed form). */
  find(address: number): boolean;
}

/** The copied part of a stack: little-endian words from the stack pointer upwards. */
export interface StackReader {
  readonly wordBytes: 4 | 8;
  /** The word at the absolute `address`, signed form; NaN outside the copied part. */
  readWord(address: number): number;
  /**
   * The word at `address` as an address of code: without the bits of a signed pointer, 48 to 63; of 32 bits
   * without the lowest, which tells Arm code from Thumb code.
   */
  readPointer(address: number): number;
  /** Absolute address behind the last byte. */
  readonly end: number;
}

/** Fills in what a sample's registers lack, for the few samples that need it. */
export interface OtherRegisters {
  /** Registers other than fp, sp, ip and lr get their values, in the array that `unwind` was given. */
  readOthers(): void;
}

/** How often a rule was found in the cache, and why not. Counts of frames. */
export type RuleCacheStatistics = {
  hits: number;
  /** The slot was empty. */
  firstMisses: number;
  /** The slot held another address. */
  collisions: number;
  /** Samples unwound again with all registers, since a rule needed more than the usual three. */
  fullUnwinds: number;
};
