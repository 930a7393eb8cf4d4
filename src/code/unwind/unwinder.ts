// Hot: once per frame.

import type { Architecture } from './architecture.ts';
import { CallSites } from './call-sites.ts';
import { ADVANCED, Frame, NEEDS_ALL_REGISTERS } from './frame.ts';
import { FullUnwinder } from './full-unwinder.ts';
import type { UnwindArchitecture } from './module-input.ts';
import { RuleCache } from './rule-cache.ts';
import { RuleFinder } from './rule-finder.ts';
import { STOP } from './stop-reason.ts';
import type { ModuleLookup, OtherRegisters, RuleCacheStatistics, StackReader } from './types.ts';
import { NO_RULE, UnwindRule } from './unwind-rule.ts';

export const MOST_FRAMES = 1024;
const CACHE_SLOTS = 32_768;

/**
 * Unwinds the samples of one architecture, of any number of processes. Holds the rule cache, so one
 * per recording. What describes the last stack is valid until the next `unwind`.
 *
 * Carries three registers from frame to frame (sp, fp, and lr in frame 0) and applies the rule of
 * each lookup address. Where a rule needs more, the sample is unwound again with all registers:
 * that is ten times slower and rare.
 */
export class Unwinder {
  readonly architecture: UnwindArchitecture;
  /** `STOP`: why the last stack ends where it ends. */
  stopReason: number = STOP.ROOT;
  /** Lookup address of the outermost frame, absolute. */
  stopAddress = 0;
  /** Stack and frame pointer of the outermost frame that was reached; NaN if unknown. */
  stackPointer = Number.NaN;
  framePointer = Number.NaN;
  /**
   * Per frame of the last stack: 1 if its address is that of an instruction, not a return address:
   * frame 0 and what a signal interrupted. Its lookup address is then itself, not one less.
   */
  readonly isExact = new Uint8Array(MOST_FRAMES);
  readonly statistics: RuleCacheStatistics = {
    hits: 0,
    firstMisses: 0,
    collisions: 0,
    fullUnwinds: 0,
  };
  readonly #cache = new RuleCache(CACHE_SLOTS);
  readonly #finder: RuleFinder;
  readonly #full: FullUnwinder;
  readonly #frame: Frame;
  readonly #rule = new UnwindRule();

  constructor(name: UnwindArchitecture, architecture: Architecture) {
    const callSites = new CallSites(architecture);
    this.architecture = name;
    this.#finder = new RuleFinder(architecture);
    this.#full = new FullUnwinder(architecture, this.#finder, callSites);
    this.#frame = new Frame(architecture, callSites);
  }

  /**
   * Writes the ip and the return addresses into `out`, innermost first, absolute in signed form, and
   * returns how many: at most `out.length` and 1024.
   *
   * `registers` are the values at the sample by DWARF register number, signed form, NaN where not
   * recorded (`RegisterDump`): 17 for x86-64 (16 is the ip), 33 for aarch64 (31 sp, 32 pc), 9 for
   * i386 (8 is the ip), 16 for arm (13 sp, 14 lr, 15 pc). With `others`, only fp, sp, ip and lr need
   * to be there at the call. The return address `last` is the last that is wanted.
   */
  unwind(
    registers: Float64Array,
    stack: StackReader,
    modules: ModuleLookup,
    out: Float64Array,
    others?: OtherRegisters,
    last = Number.NaN,
  ): number {
    const { isExact } = this;
    const frame = this.#frame;
    const rule = this.#rule;
    const limit = Math.min(out.length, MOST_FRAMES);
    let stop: number = STOP.TOO_MANY_FRAMES;
    let count = 0;
    frame.start(registers);
    while (count < limit && (count < 2 || out[count - 1] !== last)) {
      const lookup = frame.lookupAddress;
      this.#readRule(lookup, frame.isExact, modules);
      if (rule.kind === NO_RULE.NOT_MAPPED && count > 0) {
        // An address that a guessed frame pointer led to says nothing about mappings.
        stop = frame.isByFramePointer ? STOP.NO_TABLE : STOP.NOT_MAPPED;
        break;
      }
      out[count] = frame.address;
      isExact[count] = frame.isExact ? 1 : 0;
      count++;
      this.stopAddress = lookup;

      const step = frame.step(rule, stack, modules);
      if (step === NEEDS_ALL_REGISTERS) {
        this.statistics.fullUnwinds++;
        others?.readOthers();
        return this.#unwindFull(registers, stack, modules, out);
      }
      if (step !== ADVANCED) {
        stop = step;
        break;
      }
      if (frame.address === 0 && !frame.isExact) {
        stop = STOP.ZERO_RETURN_ADDRESS;
        break;
      }
    }
    this.#end(stop, frame.sp, frame.fp);
    return count;
  }

  /** Reads the rule of `lookup` into `#rule`, from the cache once it is there. */
  #readRule(lookup: number, isExact: boolean, modules: ModuleLookup): void {
    const { statistics } = this;
    const cache = this.#cache;
    const { generation } = modules;
    const slot = cache.slotOf(lookup);
    if (cache.has(slot, generation, lookup)) {
      statistics.hits++;
      cache.read(slot, this.#rule);
      return;
    }
    if (cache.isEmpty(slot)) statistics.firstMisses++;
    else statistics.collisions++;
    this.#finder.find(lookup, isExact, modules, this.#rule);
    cache.write(slot, generation, lookup, this.#rule);
  }

  #unwindFull(
    registers: Float64Array,
    stack: StackReader,
    modules: ModuleLookup,
    out: Float64Array,
  ): number {
    const full = this.#full;
    const count = full.unwind(registers, stack, modules, out, this.isExact);
    this.stopAddress = full.stopAddress;
    this.#end(full.stopReason, full.stackPointer, full.framePointer);
    return count;
  }

  #end(stop: number, sp: number, fp: number): void {
    this.stopReason = stop;
    this.stackPointer = sp;
    this.framePointer = fp;
  }
}
