// Hot: isJit and place once per frame.

import { NONE } from '../../base/brand.ts';
import type { DsoTable } from '../process/dso-table.ts';
import type { DsoIndex } from '../process/types.ts';
import type { CallerLog } from './caller-log.ts';
import { CodeLayer } from './code-layer.ts';
import { type CodeTable, isSameCode, type SourceLine } from './code-table.ts';

/** A code object: row of one of the process's tables. */
type Code = { readonly layer: CodeLayer; readonly row: number };

/** The name of a frame in JIT code. */
export type JitSymbol = { readonly name: string; readonly symbolStart: number };

/** A row of one of a process's tables. */
export type CodeTableRow = { readonly table: CodeTable; readonly row: number };

/** The JIT code of one process. */
type JitProcess = {
  readonly base: DsoIndex;
  readonly pid: number;
  readonly layers: readonly CodeLayer[];
  /** Address -> the code objects in which frames were found there, in the order met. */
  readonly codesAt: Map<number, Code[]>;
  /** The rows of the DSO table, by generation. */
  readonly generations: DsoIndex[];
};

/** Maximum number of code objects at one address whose frames are distinguished. */
const MAX_GENERATIONS = 250;

/**
 * The code of all JITs in a recording, as of a moment that goes forward with the samples.
 *
 * A frame is a DSO and an address, and at a JIT's address there is other code at other times. So
 * the DSO `[JIT] tid 123` has generations, each a row of the DSO table: `place` gives generation 0
 * to the code object in which a frame was first found at an address, 1 to the next other one there,
 * and so on. `baseOf` leads back; a finished profile has base rows only.
 *
 * The tables of a process are asked for at its first JIT frame, best first: what the first does not
 * cover is looked up in the next.
 */
export class JitCode {
  readonly #dsos: DsoTable;
  readonly #load: (pid: number) => readonly CodeTable[];
  readonly #announces: (pid: number) => boolean;
  /** Processes by DSO, generations included; null: not JIT code. */
  readonly #processes: (JitProcess | null)[] = [];
  readonly #generation: number[] = [];
  #nowNs = Number.NEGATIVE_INFINITY;
  #unwindingChanges = 0;

  /** `announces`: whether a process has announced bytecode. */
  constructor(
    dsos: DsoTable,
    load: (pid: number) => readonly CodeTable[],
    announces: (pid: number) => boolean = () => false,
  ) {
    this.#dsos = dsos;
    this.#load = load;
    this.#announces = announces;
  }

  /** Goes on to the time of the next sample; true if other code is at some address from now on. */
  advance(timeNs: number): boolean {
    if (!(timeNs > this.#nowNs)) return false;
    this.#nowNs = timeNs;
    if (timeNs < this.#nextChangeNs) return false;
    let nextNs = Number.POSITIVE_INFINITY;
    let unfinished = 0;
    for (const layer of this.#unfinished) {
      if (layer.advance(timeNs) && layer.table.unwinding !== undefined) this.#unwindingChanges++;
      if (layer.nextChangeNs === Number.POSITIVE_INFINITY) continue;
      nextNs = Math.min(nextNs, layer.nextChangeNs);
      this.#unfinished[unfinished++] = layer;
    }
    this.#unfinished.length = unfinished;
    this.#nextChangeNs = nextNs;
    return true;
  }

  readonly #loaded: JitProcess[] = [];
  /** Layers whose code still changes, and when the first of them does. */
  readonly #unfinished: CodeLayer[] = [];
  #nextChangeNs = Number.POSITIVE_INFINITY;

  /** Whether a JIT has announced any code in `dso`. */
  isJit(dso: DsoIndex): boolean {
    const known = this.#processes[dso];
    return (known === undefined ? this.#processOf(dso) : known) !== null;
  }

  /** `dso`, which is JIT code, in the generation that has `address` now. */
  place(dso: DsoIndex, address: number): DsoIndex {
    const process = this.#processes[dso];
    if (process === null || process === undefined) return dso;
    const { layers } = process;
    for (let i = 0; i < layers.length; i++) {
      const layer = layers[i];
      const row = layer.rowAt(address);
      if (row === NONE) continue;
      return this.#generationRow(process, generationOf(process, address, layer, row));
    }
    return process.base;
  }

  /**
   * The DSO that code at `address` is of: `dso`, that of its mapping or −1; of JIT code and of bytecode the JIT's, in the
   * generation that is there now. Bytecode lies in memory without a file.
   */
  dsoAt(pid: number, dso: DsoIndex, address: number): DsoIndex {
    if (dso !== NONE && this.isJit(dso)) return this.place(dso, address);
    if (dso !== NONE && !this.#isMemory(dso)) return dso;
    const bytecode = this.placeBytecode(pid, address);
    return bytecode === NONE ? dso : bytecode;
  }

  #isMemory(dso: DsoIndex): boolean {
    let isMemory = this.#areMemory[dso];
    if (isMemory === undefined) {
      isMemory = this.#dsos.key(dso).kind === 'unknown';
      this.#areMemory[dso] = isMemory;
    }
    return isMemory;
  }

  readonly #areMemory: boolean[] = [];

  /** The process's JIT code, in the generation that has bytecode at `address` now; −1 where none is. */
  placeBytecode(pid: number, address: number): DsoIndex {
    const process = this.#announcedBy(pid);
    for (const layer of process?.layers ?? []) {
      if (layer.table.isBytecode === undefined) continue;
      const row = layer.rowAt(address);
      if (row !== NONE && layer.table.isBytecode(row)) return this.place(process!.base, address);
    }
    return NONE as DsoIndex;
  }

  /** Whether machine code that the process's JIT announced is at `address` now. */
  isCodeAt(pid: number, address: number): boolean {
    return findRow(this.#announcedBy(pid), address) !== null;
  }

  /** The name of the machine code that a process's JIT announced at `address` now; null where none is. */
  nameAt(pid: number, address: number): string | null {
    const code = findRow(this.#announcedBy(pid), address);
    return code?.table.name(code.row) ?? null;
  }

  /** Whether one table names what is at two addresses of a process now alike: code of one function, in one tier. */
  hasSameName(pid: number, a: number, b: number): boolean {
    for (const layer of this.#announcedBy(pid)?.layers ?? []) {
      const rows = [layer.rowAt(a), layer.rowAt(b)] as const;
      if (rows.includes(NONE)) continue;
      return layer.table.hasSameName(...rows);
    }
    return false;
  }

  /** The functions of a process that are known while they waited; null without any. */
  callersOf(pid: number): CallerLog | null {
    const withCallers = this.#announcedBy(pid)?.layers.find(({ table }) => table.callers);
    return withCallers?.table.callers ?? null;
  }

  /** The JIT code of a process that has announced bytecode; null of others. */
  #announcedBy(pid: number): JitProcess | null {
    const base = this.#bytecodeOf.get(pid) ?? this.#openBytecode(pid);
    return base !== NONE && this.isJit(base) ? this.#processes[base] : null;
  }

  /** Whether V8 announced the bytecode of a process. */
  announcesBytecode(pid: number): boolean {
    return (this.#bytecodeOf.get(pid) ?? this.#openBytecode(pid)) !== NONE;
  }

  #openBytecode(pid: number): DsoIndex {
    const has = this.#announces(pid);
    const base = has ? this.#dsos.intern({ kind: 'jit', pid }) : (NONE as DsoIndex);
    this.#bytecodeOf.set(pid, base);
    return base;
  }

  /** The JIT code of processes by pid, −1 for those that announce no bytecode. */
  readonly #bytecodeOf = new Map<number, DsoIndex>();

  /** Grows with every change of what `findUnwinding` answers, of all processes together. */
  get unwindingChanges(): number {
    return this.#unwindingChanges;
  }

  /**
   * The row of the code at `address` of `dso` now, if its JIT wrote unwind tables for that code;
   * null if not, or if no code is there.
   */
  findUnwinding(dso: DsoIndex, address: number): CodeTableRow | null {
    const code = this.isJit(dso) ? findRow(this.#processes[dso], address) : null;
    return code?.table.unwinding?.(code.row) ? code : null;
  }

  /** The function at `address` of a DSO that `place` gave; null if no JIT named it. */
  resolve(dso: DsoIndex, address: number): JitSymbol | null {
    const code = this.#codeAt(dso, address);
    if (code === null) return null;
    const { table } = code.layer;
    const name = table.name(code.row);
    // A line without a name describes code, and names nothing.
    if (name.trim() === '') return null;
    return { name, symbolStart: table.start[code.row] };
  }

  /** The names of all code of a process, as its JITs spell them. */
  *namesOf(pid: number): Iterable<string> {
    for (const { table } of this.#announcedBy(pid)?.layers ?? []) {
      for (let row = 0; row < table.length; row++) yield table.name(row);
    }
  }

  /** The row of the code object there; null if no JIT named it. */
  rowAt(dso: DsoIndex, address: number): CodeTableRow | null {
    const code = this.#codeAt(dso, address);
    return code && { table: code.layer.table, row: code.row };
  }

  /** The source line there; null where the JIT gives none. */
  line(dso: DsoIndex, address: number): SourceLine | null {
    const code = this.#codeAt(dso, address);
    return code?.layer.table.line?.(code.row, address) ?? null;
  }

  /** Whether the address held other code at another time. */
  isReused(dso: DsoIndex, address: number): boolean {
    const code = this.#codeAt(dso, address);
    return code === null ? false : code.layer.isReused(address, code.row);
  }

  /** Whether every process's code has times; without them the latest code counts always. */
  get isTimed(): boolean {
    return this.#loaded.every(({ layers }) => layers.every((layer) => layer.isTimed));
  }

  /** The DSO's row without generations. */
  baseOf(dso: DsoIndex): DsoIndex {
    return this.#processes[dso]?.base ?? dso;
  }

  #codeAt(dso: DsoIndex, address: number): Code | null {
    if (!this.isJit(dso)) return null;
    const process = this.#processes[dso] as JitProcess;
    const codes = process.codesAt.get(address);
    return codes?.[this.#generation[dso]] ?? null;
  }

  #processOf(dso: DsoIndex): JitProcess | null {
    const key = this.#dsos.key(dso);
    let process: JitProcess | null = null;
    if (key.kind === 'jit') {
      const layers = this.#load(key.pid).map((table) => new CodeLayer(table));
      if (layers.length > 0) {
        process = { base: dso, pid: key.pid, layers, codesAt: new Map(), generations: [dso] };
        for (const layer of layers) {
          layer.advance(this.#nowNs);
          if (layer.nextChangeNs === Number.POSITIVE_INFINITY) continue;
          this.#unfinished.push(layer);
          this.#nextChangeNs = Math.min(this.#nextChangeNs, layer.nextChangeNs);
        }
        this.#loaded.push(process);
      }
    }
    this.#processes[dso] = process;
    this.#generation[dso] = 0;
    return process;
  }

  #generationRow(process: JitProcess, generation: number): DsoIndex {
    const known = process.generations[generation];
    if (known !== undefined) return known;
    const dso = this.#dsos.intern({ kind: 'jit', pid: process.pid, generation });
    this.#processes[dso] = process;
    this.#generation[dso] = generation;
    process.generations[generation] = dso;
    return dso;
  }
}

/** The code at `address` now, of the best table that has some. */
function findRow(process: JitProcess | null, address: number): CodeTableRow | null {
  for (const layer of process?.layers ?? []) {
    const row = layer.rowAt(address);
    if (row !== NONE) return { table: layer.table, row };
  }
  return null;
}

function generationOf(
  { codesAt }: JitProcess,
  address: number,
  layer: CodeLayer,
  row: number,
): number {
  const codes = codesAt.get(address);
  if (codes === undefined) {
    codesAt.set(address, [{ layer, row }]);
    return 0;
  }
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i];
    if (code.layer === layer && isSameCode(layer.table, code.row, row)) return i;
  }
  if (codes.length === MAX_GENERATIONS) return MAX_GENERATIONS - 1;
  codes.push({ layer, row });
  return codes.length - 1;
}
