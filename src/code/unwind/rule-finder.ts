import type { Architecture } from './architecture.ts';
import { CfiRow } from './cfi-row.ts';
import { FOUND } from './found.ts';
import { RuleCache } from './rule-cache.ts';
import type { ModuleLookup } from './types.ts';
import type { UnwindModule } from './unwind-module.ts';
import { KIND, NO_RULE, type RuleKind, type UnwindRule } from './unwind-rule.ts';

const CACHE_SLOTS = 65_536;
const CODE_CACHE_SLOTS = 4096;
/** Keeps equal addresses of different modules apart. */
const MODULE_STRIDE = 40_503;

/**
 * Finds the rule of an address from the table of its module or, without one, from the code. What it
 * found is remembered by file address, so that it holds in every process.
 */
export class RuleFinder {
  readonly #architecture: Architecture;
  readonly #cache = new RuleCache(CACHE_SLOTS);
  /** Rules by code, which unwinding with all registers asks for in every sample. */
  readonly #byCode = new RuleCache(CODE_CACHE_SLOTS);
  readonly #row = new CfiRow();

  constructor(architecture: Architecture) {
    this.#architecture = architecture;
  }

  /** Leaves in `rule` that of the absolute `lookup`; `isExact`: it is an ip, not below a return address. */
  find(lookup: number, isExact: boolean, modules: ModuleLookup, rule: UnwindRule): void {
    // A signal handler returns to the first byte of a mapping if the trampoline begins there.
    if (!modules.find(lookup) && (isExact || !modules.find(lookup + 1))) {
      rule.set(NO_RULE.NOT_MAPPED);
      return;
    }
    const { module } = modules;
    if (module === null) {
      rule.set(KIND.FRAME_POINTER);
      return;
    }
    const address = lookup - modules.loadBias;
    const cache = this.#cache;
    const slot = cache.slotOf(address + module.id * MODULE_STRIDE);
    if (cache.has(slot, module.id, address)) {
      cache.read(slot, rule);
      return;
    }
    this.#findInModule(module, address, isExact, rule);
    cache.write(slot, module.id, address, rule);
  }

  #findInModule(module: UnwindModule, address: number, isExact: boolean, rule: UnwindRule): void {
    const { table } = module;
    const found = table === null ? FOUND.NOTHING : table.findRow(address, this.#row);
    if (found === FOUND.DAMAGED) rule.set(NO_RULE.BAD_TABLE);
    else if (found === FOUND.ROW && table !== null) {
      this.#architecture.translateRow(this.#row, table, address, rule);
    } else this.findByCode(module, address, isExact, rule);
  }

  /** The rule of an address that no table covers. */
  findByCode(module: UnwindModule, address: number, isExact: boolean, rule: UnwindRule): void {
    const cache = this.#byCode;
    const owner = module.id * 2 + (isExact ? 1 : 0);
    const slot = cache.slotOf(address + owner * MODULE_STRIDE);
    if (cache.has(slot, owner, address)) {
      cache.read(slot, rule);
      return;
    }
    this.#analyzeCode(module, address, isExact, rule);
    cache.write(slot, owner, address, rule);
  }

  #analyzeCode(module: UnwindModule, address: number, isExact: boolean, rule: UnwindRule): void {
    const architecture = this.#architecture;
    const { textBefore, textAfter } = architecture;
    const ip = isExact ? address : address + 1;
    let before = textBefore;
    let text = module.readText(ip - before, before + textAfter);
    // Less in front of the ip near the beginning of the text.
    while (text.length <= before && before > 0) {
      before >>= 1;
      text = module.readText(ip - before, before + textAfter);
    }
    rule.set(KIND.FRAME_POINTER);
    if (text.length <= before) {
      if (!module.isVdso) return;
      if (isExact) rule.copyFrom(architecture.vdsoRule);
      else if (architecture.vdsoSignalFrame !== null) this.#setSignal(KIND.VDSO_SIGNAL, rule);
      return;
    }
    if (architecture.isSigreturn(text, before)) {
      this.#setSignal(KIND.SIGNAL, rule);
    } else if (!isExact && architecture.isOutermostCall(text, before)) rule.set(KIND.ROOT);
    else architecture.analyzeText(text, before, isExact, rule);
  }

  #setSignal(kind: RuleKind, rule: UnwindRule): void {
    const { signalFrameOffsets: at, stackPointer, framePointer } = this.#architecture;
    const ipAt = at[this.#architecture.instructionPointer];
    rule.set(kind, at[stackPointer], at[framePointer], ipAt);
  }

  /** Whether a signal handler returns to `address` (an ip), where no table states so. */
  isSigreturn(module: UnwindModule, address: number): boolean {
    const text = module.readText(address, this.#architecture.textAfter);
    return this.#architecture.isSigreturn(text, 0);
  }
}
