import type { CodeTable } from '../../code/jit/code-table.ts';
import type { JitCode } from '../../code/jit/jit-code.ts';
import type { DsoIndex } from '../../code/process/types.ts';
import type { UnwindSection } from '../../code/unwind/module-input.ts';
import { UnwindModule } from '../../code/unwind/unwind-module.ts';

/** Modules kept, whose indexes take memory; V8 has some hundred with tables. */
const MOST_MODULES = 4096;

/**
 * JIT code as modules: one per code object whose JIT told its frame tables. Their file addresses are
 * the absolute ones, so that the load bias is 0. They are made when a rule is looked for.
 */
export class JitModules {
  readonly #jit: JitCode;
  /** Modules by code table, and in it by row. */
  readonly #modules = new Map<CodeTable, Map<number, UnwindModule>>();
  #count = 0;

  constructor(jit: JitCode) {
    this.#jit = jit;
  }

  /** Grows with every change of what `find` answers. */
  get changes(): number {
    return this.#jit.unwindingChanges;
  }

  /** The code at the absolute `address` of `dso` now; null if nothing is known of its frames. */
  find(dso: DsoIndex, address: number): UnwindModule | null {
    const code = this.#jit.findUnwinding(dso, address);
    if (code === null) return null;
    const known = this.#modules.get(code.table)?.get(code.row);
    if (known !== undefined) return known;
    if (this.#count === MOST_MODULES) {
      this.#modules.clear();
      this.#count = 0;
    }
    const module = makeModule(code.table, code.row);
    const modules = this.#modules.get(code.table) ?? new Map<number, UnwindModule>();
    this.#modules.set(code.table, modules.set(code.row, module));
    this.#count++;
    return module;
  }
}

function makeModule(table: CodeTable, row: number): UnwindModule {
  return new UnwindModule('JIT code', () => {
    const unwinding = table.unwinding?.(row) ?? null;
    if (unwinding === null) return null;
    const { address, ehFrame, ehFrameHdr } = unwinding;
    const header: UnwindSection = { bytes: ehFrameHdr, address: address + ehFrame.length };
    return {
      ehFrame: { bytes: ehFrame, address },
      ehFrameHdr: ehFrameHdr.length > 0 ? header : null,
      debugFrame: null,
      textAddress: 0,
      gotAddress: 0,
      readText: null,
    };
  });
}
