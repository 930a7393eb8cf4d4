import { NONE } from '../../base/brand.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { V8TablePositions } from '../../code/javascript/v8-table-positions.ts';
import { CodeLayer } from '../../code/jit/code-layer.ts';
import type { SourceLine } from '../../code/jit/code-table.ts';
import type { LiveCode } from '../../code/jit/live-code.ts';
import { readWholePerfMap } from '../../code/jit/perf-map.ts';
import type { DsoTable } from '../../code/process/dso-table.ts';
import type { DsoIndex } from '../../code/process/types.ts';
import type { SymbolProvider, SymbolSource } from '../../code/symbols/symbol-request.ts';
import type { JitNames, ResolvedSymbol } from '../../code/symbols/symbolizer.ts';
import { lineAt } from '../../read/jit/v8-lines.ts';
import type { UserRooms } from '../../system/strangers/user-rooms.ts';

/** A map that is larger is not read again: that would take longer than sampling. */
const MAX_BYTES = 64 << 20;
const NEWLINE = 0x0a;

/** A file that has grown is read from where it had ended, until it is in so many pieces. */
const MOST_PIECES = 16;

/** Pieces kept of a map that is too large to be read again; the oldest code is forgotten. */
const MOST_KEPT = 512;

/** A map that is not there is looked for again after so many looks. */
const LOOKS_WITHOUT = 5;

/** A listener to what processes say of their own code; null as long as one says nothing. */
export type LiveCodeSource = {
  codeOf(pid: number): LiveCode | null;
  forget(pid: number): void;
};

/** Pieces read of a map, the newest first: later lines win where they overlap. */
type PerfMap = { readonly bytes: number; readonly pieces: readonly CodeLayer[] };

/**
 * Names of JIT code as they are now, by what processes say of their code, and by the perf maps of others that
 * run. What a map has grown by is read at each look; what was at an address before is forgotten, so names of
 * older slices stay as they were given.
 */
export class LiveJit implements JitNames {
  readonly #dsos: DsoTable;
  readonly #provide: SymbolProvider;
  readonly #diagnostics: Diagnostics;
  readonly #maps = new Map<number, PerfMap>();
  readonly #source: LiveCodeSource | null;
  /** Room for the maps of each user's processes; null: each map is bounded by itself alone. */
  readonly #rooms: UserRooms | null;
  /** The code at the last look, by pid: another object where a process announces all of it anew. */
  readonly #seen = new Map<number, { readonly code: LiveCode; readonly version: number }>();
  /** The owners of positions of the code that was asked about, by pid. */
  readonly #positions = new Map<
    number,
    { readonly code: LiveCode; readonly numbering: number; readonly positions: V8TablePositions }
  >();
  /** Looks to leave out, by pid. */
  readonly #without = new Map<number, number>();

  constructor(
    dsos: DsoTable,
    provide: SymbolProvider,
    diagnostics: Diagnostics,
    source: LiveCodeSource | null = null,
    rooms: UserRooms | null = null,
  ) {
    this.#source = source;
    this.#rooms = rooms;
    this.#dsos = dsos;
    this.#provide = provide;
    this.#diagnostics = diagnostics;
  }

  get hasMaps(): boolean {
    return this.#maps.size + this.#seen.size > 0;
  }

  /** Looks at the map of a DSO of kind `jit`; true if it has other names than before. */
  refresh(dso: DsoIndex): boolean {
    const key = this.#dsos.key(dso);
    if (key.kind !== 'jit') return false;
    const code = this.#source?.codeOf(key.pid) ?? null;
    if (code !== null) {
      const seen = this.#seen.get(key.pid);
      if (seen?.code === code && seen.version === code.version) return false;
      this.#seen.set(key.pid, { code, version: code.version });
      return true;
    }
    const left = this.#without.get(key.pid) ?? 0;
    if (left > 0) {
      this.#without.set(key.pid, left - 1);
      return false;
    }
    const source = this.#provide({ need: 'perf-map', dso: key, buildId: null });
    if (source === null) {
      this.#without.set(key.pid, LOOKS_WITHOUT);
      return false;
    }
    try {
      return this.#read(key.pid, source);
    } catch (error) {
      this.#diagnostics.count('file-unreadable', `perf map of ${key.pid}: ${String(error)}`);
      return false;
    } finally {
      source.close?.();
    }
  }

  /** The places in scripts of code at these addresses, as it is now; null where the process does not announce them. */
  linesOf(dso: DsoIndex, addresses: Float64Array): (SourceLine | null)[] | null {
    const key = this.#dsos.key(dso);
    const code = key.kind === 'jit' ? (this.#source?.codeOf(key.pid) ?? null) : null;
    if (code === null || key.kind !== 'jit') return null;
    let known = this.#positions.get(key.pid);
    if (known?.code !== code || known.numbering !== code.numbering) {
      known = { code, numbering: code.numbering, positions: new V8TablePositions(code) };
      this.#positions.set(key.pid, known);
    }
    const { positions } = known;
    const rows = Array.from(addresses, (address) => {
      const row = code.rowAt(address);
      return row !== NONE && code.hasPositions(row) ? row : NONE;
    });
    positions.prepare(new Set(rows.filter((row) => row !== NONE)));
    const lines: (SourceLine | null)[] = rows.map(() => null);
    // In the order of rows: the entries of each are read once.
    for (const i of [...rows.keys()].sort((a, b) => rows[a] - rows[b])) {
      if (rows[i] === NONE) continue;
      lines[i] = lineAt(positions.find(rows[i], addresses[i] - code.start(rows[i])));
    }
    code.forgetDecoded();
    return lines;
  }

  forget(pid: number): void {
    this.#maps.delete(pid);
    this.#without.delete(pid);
    this.#seen.delete(pid);
    this.#positions.delete(pid);
    this.#rooms?.forget(pid);
    this.#source?.forget(pid);
  }

  resolve(dso: DsoIndex, address: number): ResolvedSymbol | null {
    const key = this.#dsos.key(dso);
    if (key.kind !== 'jit') return null;
    const code = this.#source?.codeOf(key.pid)?.find(address) ?? null;
    if (code !== null) return { name: code.name, symbolStart: code.start };
    for (const layer of this.#maps.get(key.pid)?.pieces ?? []) {
      const row = layer.rowAt(address);
      if (row !== NONE) return { name: layer.table.name(row), symbolStart: layer.table.start[row] };
    }
    return null;
  }

  /** Makes room for a map of `size` bytes; false where it is the one that has to go. */
  #hasRoom(pid: number, size: number): boolean {
    for (;;) {
      // A line of text, and its row of five numbers.
      const over = this.#rooms?.keep(pid, 2 * size) ?? -1;
      if (over < 0) return true;
      this.#rooms?.forget(over);
      this.#maps.delete(over);
      this.#without.set(over, Number.POSITIVE_INFINITY);
      this.#diagnostics.count('perf-map-too-large', `perf map of ${over}`);
      if (over === pid) return false;
    }
  }

  #read(pid: number, source: SymbolSource): boolean {
    const { size } = source;
    const known = this.#maps.get(pid);
    if (known?.bytes === size) return false;
    // A shorter one was begun anew.
    const isAppended = known !== undefined && known.bytes < size;
    const goesOn = isAppended && (known.pieces.length < MOST_PIECES || size > MAX_BYTES);
    const from = goesOn ? known.bytes : 0;
    if (size - from > MAX_BYTES || !this.#hasRoom(pid, size)) return false;
    const bytes = source.read(from, size - from);
    // The last line may be half written.
    const length = bytes.lastIndexOf(NEWLINE) + 1;
    if (length === 0) return false;
    const layer = new CodeLayer(readWholePerfMap(bytes.subarray(0, length), this.#diagnostics));
    layer.advance(0);
    const pieces = goesOn ? [layer, ...known.pieces].slice(0, MOST_KEPT) : [layer];
    this.#maps.set(pid, { bytes: from + length, pieces });
    return true;
  }
}
