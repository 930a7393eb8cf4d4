import type { Diagnostics } from '../../base/diagnostics.ts';
import { isOwnAddon } from '../../base/own-files.ts';
import { isPlaceName } from '../../base/place-name.ts';
import type { StringTable } from '../../base/string-table.ts';
import type { Decompress } from '../elf/section-bytes.ts';
import type { DsoTable } from '../process/dso-table.ts';
import type { KernelReference } from '../process/process-table.ts';
import type { DsoIndex } from '../process/types.ts';
import { type DemangleBatch, demangleAll, demangleOnce } from './demangle.ts';
import { type DsoSymbols, dsoText, loadDsoSymbols, toTableAddress } from './dso-symbols.ts';
import { findKallsymsAddress, parseKallsyms } from './kallsyms.ts';
import { isKernelImage, loadKernelImage } from './kernel-image.ts';
import { keepNames, type NameMemory, recallNames } from './name-memory.ts';
import { parseRecordedKernel } from './recorded-kernel.ts';
import type { SymbolProvider } from './symbol-request.ts';
import { NO_SYMBOL, type SymbolTable } from './symbol-table.ts';

/** A kernel symbol list of 200 000 lines has 12 MB. */
const MAX_KALLSYMS_BYTES = 256 * 2 ** 20;
/** DSOs whose names stay in open files. Those after them are read as a whole: descriptors are few. */
const MOST_HELD = 64;
/** Calls of `refreshFiles` after which a file of which nothing was asked is closed, and its table forgotten. */
const ROUNDS_UNASKED = 12;
/** Memory of the tables of files that `refreshFiles` leaves. Node's has 4 MB. */
const MOST_TABLE_BYTES = 8 * 2 ** 20;
/** Times that a file is read for the addresses at hand before its table is kept, where there is room for it … */
const ASKS_BEFORE_KEPT = 2;
/** … and where there is none, until the next `refreshFiles`: a third of the time of reading a table as a whole each. */
const ASKS_BEFORE_LOADED = 4;

export type SymbolizerOptions = {
  readonly dsos: DsoTable;
  readonly provider: SymbolProvider;
  /** Null where there is no addon: C++ names stay mangled. */
  readonly demangleCpp: DemangleBatch | null;
  readonly diagnostics: Diagnostics;
  readonly xz?: Decompress;
  /** The recording's own list of kernel symbols (`recorded-kernel.ts`): no other is asked for. */
  readonly recordedKernel?: Uint8Array;
  /** The recorded kernel's address of a symbol; null if the recording does not report it. */
  readonly kernelReference: KernelReference | null;
  /** The samples are of the boot of this machine that runs now: its kernel lies where they say. Default false. */
  readonly isThisBoot?: boolean;
  /** Finds of earlier runs; absent: all is looked up. */
  readonly memory?: NameMemory | null;
  /** A promise: `resolveAll` is called once for each DSO, and nothing else is asked of a file. */
  readonly asksOnce?: boolean;
  /**
   * True: large tables of names stay in their files, of which as many stay open until `close`, and tables of symbols are
   * kept of the files alone that are asked for often. `refreshFiles` has to be called from time to time. Default false.
   */
  readonly holdsFiles?: boolean;
  /** Names of JIT code, at whatever time the DSO row stands for; absent: none. */
  readonly jit?: JitNames;
  /** Symbols that another symbolizer of this machine has read (`handOver`); they are this one's from now on. */
  readonly loaded?: LoadedSymbols;
};

/** Symbols of files by the text of their DSO and build ID; null where there are none. */
export type LoadedSymbols = ReadonlyMap<string, DsoSymbols | null>;

/** How often a file was asked for without a table of its own: in all, and since `refreshFiles`. */
type SeldomAsked = { asks: number; ofRound: number };

/** `code/jit/jit-code.ts` */
export type JitNames = { resolve(dso: DsoIndex, address: number): ResolvedSymbol | null };

export type ResolvedSymbol = {
  /** Demangled. */
  readonly name: string;
  /** Address of the symbol's first byte, in the terms of the address that was asked for. */
  readonly symbolStart: number;
};

/** A symbol with its end, in the terms of the address that was asked for; the end is exclusive. */
export type SymbolExtent = {
  /** Demangled. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
};

/** Value that `resolveAll` writes for an address without a symbol. */
const UNRESOLVED = -1;

/**
 * Addresses to names. Addresses are those of `MappingTable.addressInDso`: offset in the file for
 * files and the vDSO, absolute for the kernel and JIT code.
 *
 * Does no I/O: what it needs it asks of the provider, once per DSO, and it remembers failures as
 * well as results. Symbol tables are read at the first address of a DSO, names only where an
 * address hits.
 */
export class Symbolizer {
  readonly #options: Omit<SymbolizerOptions, 'loaded'>;
  /** Loaded tables; null where loading failed. */
  readonly #symbolsOf = new Map<DsoIndex, DsoSymbols | null>();
  /** Aliases are compared as they are shown, then shown. */
  readonly #shownName: (name: string) => string;
  /** Tables of `LoadedSymbols` that have not been asked for yet. */
  readonly #unasked: Map<string, DsoSymbols | null>;
  /** Calls of `refreshFiles`. */
  #round = 0;
  /** The round in which a table of a file was asked for something. */
  readonly #askedIn = new Map<DsoSymbols, number>();
  /** Build IDs of tables that were forgotten. */
  readonly #buildIds = new Map<DsoIndex, string | null>();
  /** Files that were read for the addresses at hand, and have no table here. */
  readonly #seldom = new Map<string, SeldomAsked>();
  /** Memory of tables that were forgotten. */
  readonly #bytesOf = new Map<string, number>();
  #kallsyms: SymbolTable | null | undefined;
  /** Ascending; null: any kernel address may be asked for. */
  #expectedKernelAddresses: Float64Array | null = null;
  /** Recorded kernel address − address in the list. */
  #kernelShift = 0;
  /** The list has modules: an image of the kernel has none. */
  #hasModules = true;

  constructor({ loaded, ...options }: SymbolizerOptions) {
    this.#options = options;
    // A copy: what is forgotten here is to be nowhere.
    this.#unasked = new Map(loaded);
    this.#shownName = demangleOnce(options.demangleCpp);
  }

  /**
   * Promises that of the kernel and its modules only these addresses will be asked for; the list
   * of 100 000 and more kernel symbols is then not built as a whole. Call it before the first
   * kernel address.
   */
  expectKernelAddresses(addresses: Float64Array): void {
    this.#expectedKernelAddresses = addresses.slice().sort();
  }

  /** The symbol that covers `address`; null if none is known. */
  resolve(dso: DsoIndex, address: number): ResolvedSymbol | null {
    const inJit = this.#resolveJit(dso, address);
    if (inJit !== undefined) return inJit;
    const found = this.#find(dso, address);
    if (found === null) return null;
    const { table, index, moved } = found;
    return { name: this.#shownName(table.name(index)), symbolStart: table.start(index) + moved };
  }

  /**
   * Names for many addresses of one DSO: writes into `names` the index in `strings` of the name at
   * each of `addresses`, −1 where there is none. Best sorted and without repetitions; C++ names
   * are demangled in one batch.
   */
  resolveAll(
    dso: DsoIndex,
    addresses: Float64Array,
    strings: StringTable,
    names: Int32Array,
  ): void {
    if (this.#options.dsos.key(dso).kind === 'jit') {
      names.fill(UNRESOLVED, 0, addresses.length);
      for (let i = 0; i < addresses.length; i++) {
        const found = this.resolve(dso, addresses[i]);
        if (found !== null) names[i] = strings.intern(found.name);
      }
      return;
    }
    const mangled = this.#findNames(dso, addresses, names);
    const shown = demangleAll(mangled, this.#options.demangleCpp);
    for (let i = 0; i < addresses.length; i++) {
      if (names[i] !== UNRESOLVED) names[i] = strings.intern(shown[names[i]]);
    }
  }

  /** Distinct names at `addresses`, and into `rows` which of them each has, −1 for none. */
  #findNames(dso: DsoIndex, addresses: Float64Array, rows: Int32Array): string[] {
    const { dsos, memory, provider, diagnostics, asksOnce = false } = this.#options;
    const isLoaded = this.#symbolsOf.has(dso);
    const remembered = isLoaded
      ? null
      : (memory?.recall('symbols', dsos.key(dso), dsos.buildId(dso), provider) ?? null);
    try {
      const known = remembered?.known ?? null;
      const names = known === null ? null : recallNames(known, addresses, rows);
      if (names !== null) return names;
      const calls = diagnostics.calls;
      rows.fill(UNRESOLVED, 0, addresses.length);
      const isSeldom = !isLoaded && this.#isSeldomAsked(dso);
      const wanted = asksOnce || isSeldom ? addresses : null;
      const symbols = this.#symbols(dso, remembered?.provide, wanted);
      if (symbols === null) return [];
      const found = this.#namesIn(symbols, dso, addresses, rows);
      if (isSeldom && !symbols.isWhole) this.#forget(symbols);
      // A stripped program still has names for what it exports and imports, which may be little of it.
      const isUnnamed = (row: number) => row === UNRESOLVED || isPlaceName(found[row]);
      const isNameless = 2 * rows.filter(isUnnamed).length > addresses.length;
      if (symbols.isStripped && symbols.table.length > 0 && isNameless) this.#countNameless(dso);
      // What went wrong has to be said next time as well.
      if (remembered !== null && diagnostics.calls === calls) {
        keepNames(remembered, addresses, rows, found);
      }
      return found;
    } finally {
      remembered?.close();
    }
  }

  #namesIn(
    symbols: DsoSymbols,
    dso: DsoIndex,
    addresses: Float64Array,
    rows: Int32Array,
  ): string[] {
    const { table } = symbols;
    const nameOf = new Map<number, number>();
    const names: string[] = [];
    for (let i = 0; i < addresses.length; i++) {
      const index = table.find(this.#tableAddress(dso, symbols, addresses[i]));
      let name = index === NO_SYMBOL ? UNRESOLVED : nameOf.get(index);
      if (name === undefined) {
        name = names.length;
        nameOf.set(index, name);
        names.push(table.name(index));
      }
      rows[i] = name;
    }
    return names;
  }

  /** The name that a JIT wrote, null if it wrote none; undefined for other DSOs. */
  #resolveJit(dso: DsoIndex, address: number): ResolvedSymbol | null | undefined {
    const { dsos, jit } = this.#options;
    if (dsos.key(dso).kind !== 'jit') return undefined;
    const found = jit?.resolve(dso, address) ?? null;
    return found && { name: this.#shownName(found.name), symbolStart: found.symbolStart };
  }

  /** The recorded build ID, else that of the file that names were read from; null where neither is known. */
  buildIdOf(dso: DsoIndex): string | null {
    const found = this.#symbolsOf.get(dso)?.buildId ?? this.#buildIds.get(dso);
    return this.#options.dsos.buildId(dso) ?? found ?? null;
  }

  /**
   * Begin and end of the symbol that covers `address`; null if none is known. Not for JIT
   * code.
   */
  extentAt(dso: DsoIndex, address: number): SymbolExtent | null {
    const found = this.#find(dso, address);
    if (found === null) return null;
    const { table, index, moved } = found;
    const name = this.#shownName(table.name(index));
    return { name, start: table.starts[index] + moved, end: table.ends[index] + moved };
  }

  /** The row of the symbol that covers `address`, and by how much addresses lie above those of the table. */
  #find(dso: DsoIndex, address: number) {
    const symbols = this.#symbols(dso);
    if (symbols === null) return null;
    const { table } = symbols;
    const tableAddress = this.#tableAddress(dso, symbols, address);
    const index = table.find(tableAddress);
    return index === NO_SYMBOL ? null : { table, index, moved: address - tableAddress };
  }

  /** The symbol at an address as `toFileAddress` gives them; null if none is known. */
  resolveFileAddress(dso: DsoIndex, fileAddress: number): ResolvedSymbol | null {
    const symbols = this.#symbols(dso);
    const index = symbols?.table.find(fileAddress) ?? NO_SYMBOL;
    if (symbols === null || index === NO_SYMBOL) return null;
    const { table } = symbols;
    return { name: this.#shownName(table.name(index)), symbolStart: table.start(index) };
  }

  /** `wanted`: the only addresses that will be asked for; null: any may be. */
  #symbols(
    dso: DsoIndex,
    provider = this.#options.provider,
    wanted: Float64Array | null = null,
  ): DsoSymbols | null {
    const known = this.#symbolsOf.get(dso);
    if (known) this.#askedIn.set(known, this.#round);
    if (known !== undefined) return known;
    const { dsos, diagnostics } = this.#options;
    const key = dsos.key(dso);
    const text = key.kind === 'user-file' ? this.#fileText(dso) : '';
    const before = this.#unasked.get(text);
    if (before !== undefined) {
      this.#unasked.delete(text);
      this.#symbolsOf.set(dso, before);
      return before;
    }
    let symbols = loadDsoSymbols(key, dsos.buildId(dso), {
      provider,
      diagnostics,
      xz: this.#options.xz ?? null,
      demangle: this.#shownName,
      wanted,
      holdsFiles: this.#options.holdsFiles === true && this.#heldCount < MOST_HELD,
      sameContent: (content) => this.#fileTables().find((table) => table.content === content),
      kallsyms: () => this.#loadKallsyms(),
    });
    const areElsewhere = !this.#hasModules || this.#kernelShift !== 0;
    if (key.kind === 'kernel-module' && areElsewhere) {
      diagnostics.count('kernel-modules-moved');
      symbols = null;
    }
    if (symbols !== null && key.kind !== 'kernel' && !hasNames(symbols.table)) {
      this.#countNameless(dso);
    }
    this.#symbolsOf.set(dso, symbols);
    return symbols;
  }

  /** Whether a file is to be read for the addresses at hand, and its table is not worth its memory yet. */
  #isSeldomAsked(dso: DsoIndex): boolean {
    const { dsos, holdsFiles } = this.#options;
    if (holdsFiles !== true || dsos.key(dso).kind !== 'user-file') return false;
    if (this.#unasked.has(this.#fileText(dso))) return false;
    const build = this.#buildText(dso);
    const before = this.#seldom.get(build) ?? { asks: 0, ofRound: 0 };
    const bytes = this.#fileTables().reduce((sum, table) => sum + table.bytes, 0);
    const hasRoom = bytes + (this.#bytesOf.get(build) ?? 0) < MOST_TABLE_BYTES;
    if (before.ofRound >= ASKS_BEFORE_LOADED || (hasRoom && before.asks >= ASKS_BEFORE_KEPT)) {
      this.#seldom.delete(build);
      return false;
    }
    this.#seldom.set(build, { asks: before.asks + 1, ofRound: before.ofRound + 1 });
    return true;
  }

  #countNameless(dso: DsoIndex): void {
    const { dsos, diagnostics } = this.#options;
    const subject = dsoText(dsos.key(dso));
    // The package has its addons stripped: their functions are one kind of code, whatever their names.
    if (isOwnAddon(subject)) return;
    const why = { cause: 'no-symbols' } as const;
    diagnostics.count({ code: 'names-missing', subject, why });
  }

  /** Whether its file was looked for in vain. */
  isAbsent(dso: DsoIndex): boolean {
    return this.#symbolsOf.get(dso) === null;
  }

  /** Has a file that was looked for in vain looked for again at the next question. */
  forgetAbsent(dso: DsoIndex): void {
    if (this.isAbsent(dso)) this.#symbolsOf.delete(dso);
  }

  /**
   * The symbols of files that were asked for, for a symbolizer with another table of DSOs, which has to
   * close them; those that this one got and had no use for are closed.
   */
  handOver(): LoadedSymbols {
    const { dsos } = this.#options;
    closeLoaded(this.#unasked);
    // Files that could not be had are looked for again: they may be in reach by then.
    const files = [...this.#symbolsOf].filter(
      ([dso, symbols]) => symbols !== null && dsos.key(dso).kind === 'user-file',
    );
    return new Map(files.map(([dso, symbols]) => [this.#fileText(dso), symbols]));
  }

  /** Nothing is asked any more. Files that are held are closed, also those that were handed to it. */
  close(): void {
    closeLoaded(this.#symbolsOf);
    closeLoaded(this.#unasked);
  }

  /**
   * Forgets tables of files, which are read anew when they are asked for again: of a file that was written anew, of a
   * held one of which nothing was asked for long, and those asked for longest ago while all are larger than
   * `MOST_TABLE_BYTES`. The table of a held file that is deleted stays: it can't be read again.
   */
  refreshFiles(): void {
    this.#round++;
    for (const seldom of this.#seldom.values()) seldom.ofRound = 0;
    if (this.#round % ROUNDS_UNASKED === 0) this.#seldom.clear();
    const tables = this.#fileTables();
    const askedIn = (table: DsoSymbols) => this.#askedIn.get(table) ?? this.#round;
    tables.sort((a, b) => askedIn(a) - askedIn(b));
    let bytes = tables.reduce((sum, table) => sum + table.bytes, 0);
    for (const table of tables) {
      const isSame = table.held.every((file) => file.check());
      const isOld = table.held.length > 0 && this.#round - askedIn(table) > ROUNDS_UNASKED;
      const isOpen = table.held.every((file) => file.isOpen);
      if (isSame && !(isOpen && (isOld || bytes > MOST_TABLE_BYTES))) {
        this.#askedIn.set(table, askedIn(table));
        continue;
      }
      bytes -= table.bytes;
      this.#forget(table);
    }
  }

  #forget(table: DsoSymbols): void {
    closeHeld(table);
    this.#askedIn.delete(table);
    for (const [dso, known] of this.#symbolsOf) {
      if (known !== table) continue;
      this.#symbolsOf.delete(dso);
      this.#buildIds.set(dso, table.buildId);
      const build = this.#buildText(dso);
      this.#bytesOf.set(build, Math.max(table.bytes, this.#bytesOf.get(build) ?? 0));
    }
  }

  /** The tables of files, each once. */
  #fileTables(): DsoSymbols[] {
    const { dsos } = this.#options;
    const files = [...this.#symbolsOf].filter(([dso]) => dsos.key(dso).kind === 'user-file');
    return [...new Set(files.flatMap(([, table]) => table ?? []))];
  }

  get #heldCount(): number {
    return this.#fileTables().filter(({ held }) => held.length > 0).length;
  }

  /** Equal for copies of one build. */
  #buildText(dso: DsoIndex): string {
    return this.#options.dsos.buildId(dso) ?? this.#options.dsos.keyText(dso);
  }

  #fileText(dso: DsoIndex): string {
    const { dsos } = this.#options;
    return `${dsos.keyText(dso)}\0${dsos.buildId(dso)}`;
  }

  #tableAddress(dso: DsoIndex, symbols: DsoSymbols, address: number): number {
    if (symbols.table === this.#kallsyms) {
      // Only the kernel proper moves as one piece; modules are loaded anew at each boot.
      return this.#options.dsos.key(dso).kind === 'kernel' ? address - this.#kernelShift : address;
    }
    return toTableAddress(symbols, address);
  }

  #loadKallsyms(): SymbolTable | null {
    if (this.#kallsyms !== undefined) return this.#kallsyms;
    this.#kallsyms = null;
    const { dsos, provider, diagnostics, kernelReference, recordedKernel } = this.#options;
    if (recordedKernel !== undefined) {
      this.#kallsyms = parseRecordedKernel(recordedKernel, diagnostics);
      return this.#kallsyms;
    }
    const kernel = dsos.intern({ kind: 'kernel' });
    const source = provider({
      need: 'kallsyms',
      dso: dsos.key(kernel),
      buildId: dsos.buildId(kernel),
    });
    if (source === null) return null;
    try {
      if (isKernelImage(source)) {
        const image = loadKernelImage(source, kernelReference, diagnostics);
        this.#kernelShift = image?.shift ?? 0;
        this.#hasModules = false;
        this.#kallsyms = image?.table ?? null;
        return this.#kallsyms;
      }
      const bytes = source.read(0, Math.min(source.size, MAX_KALLSYMS_BYTES));
      this.#noteKernelShift(bytes, kernelReference);
      this.#kallsyms = parseKallsyms(bytes, diagnostics, this.#wantedInList());
    } finally {
      source.close?.();
    }
    return this.#kallsyms;
  }

  /** The kernel image moves as one piece at each boot, by address-space randomization. */
  #noteKernelShift(kallsyms: Uint8Array, reference: KernelReference | null): void {
    const { diagnostics, isThisBoot } = this.#options;
    const now = reference && findKallsymsAddress(kallsyms, reference.symbol);
    if (reference === null || now === null) {
      const namesNothing = kallsyms.length === 0;
      if (isThisBoot !== true && !namesNothing) diagnostics.count('kernel-place-unknown');
    } else if (now !== 0 && now !== reference.address) {
      this.#kernelShift = reference.address - now;
      diagnostics.count('kernel-moved');
    }
  }

  /** The expected addresses as the list has them: moved (kernel proper) or not (modules). */
  #wantedInList(): Float64Array | undefined {
    const expected = this.#expectedKernelAddresses;
    if (expected === null || this.#kernelShift === 0) return expected ?? undefined;
    const both = new Float64Array(expected.length * 2);
    both.set(expected);
    both.set(
      expected.map((address) => address - this.#kernelShift),
      expected.length,
    );
    return both.sort();
  }
}

/** Closes the files that they hold. */
export function closeLoaded(loaded: ReadonlyMap<unknown, DsoSymbols | null>): void {
  for (const symbols of loaded.values()) closeHeld(symbols);
}

function hasNames(table: SymbolTable): boolean {
  for (let row = 0; row < table.length; row++) if (!isPlaceName(table.name(row))) return true;
  return false;
}

function closeHeld(symbols: DsoSymbols | null): void {
  for (const file of symbols?.held ?? []) file.close();
}
