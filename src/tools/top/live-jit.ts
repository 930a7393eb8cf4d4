import { NONE } from '../../base/brand.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { CodeLayer } from '../../code/jit/code-layer.ts';
import { readWholePerfMap } from '../../code/jit/perf-map.ts';
import type { DsoTable } from '../../code/process/dso-table.ts';
import type { DsoIndex } from '../../code/process/types.ts';
import type { SymbolProvider } from '../../code/symbols/symbol-request.ts';
import type { JitNames, ResolvedSymbol } from '../../code/symbols/symbolizer.ts';

/** A map that is larger is not read again: that would take longer than sampling. */
const MAX_BYTES = 64 << 20;

type PerfMap = { readonly bytes: number; readonly layer: CodeLayer };

/**
 * Names of JIT code as they are now, by the perf maps of processes that run. A map is read anew when it
 * has grown; what was at an address before is forgotten, so names of older slices stay as they were
 * given.
 */
export class LiveJit implements JitNames {
  readonly #dsos: DsoTable;
  readonly #provide: SymbolProvider;
  readonly #diagnostics: Diagnostics;
  readonly #maps = new Map<number, PerfMap>();

  constructor(dsos: DsoTable, provide: SymbolProvider, diagnostics: Diagnostics) {
    this.#dsos = dsos;
    this.#provide = provide;
    this.#diagnostics = diagnostics;
  }

  get hasMaps(): boolean {
    return this.#maps.size > 0;
  }

  /** Looks at the map of a DSO of kind `jit`; true if it has other names than before. */
  refresh(dso: DsoIndex): boolean {
    const key = this.#dsos.key(dso);
    if (key.kind !== 'jit') return false;
    const source = this.#provide({ need: 'perf-map', dso: key, buildId: null });
    if (source === null) return false;
    try {
      const known = this.#maps.get(key.pid);
      if (source.size === known?.bytes || (known && source.size > MAX_BYTES)) return false;
      const bytes = source.read(0, source.size);
      const layer = new CodeLayer(readWholePerfMap(bytes, this.#diagnostics));
      layer.advance(0);
      this.#maps.set(key.pid, { bytes: source.size, layer });
      return true;
    } catch (error) {
      this.#diagnostics.count('file-unreadable', `perf map of ${key.pid}: ${String(error)}`);
      return false;
    } finally {
      source.close?.();
    }
  }

  resolve(dso: DsoIndex, address: number): ResolvedSymbol | null {
    const key = this.#dsos.key(dso);
    const layer = key.kind === 'jit' ? this.#maps.get(key.pid)?.layer : undefined;
    const row = layer?.rowAt(address) ?? NONE;
    if (layer === undefined || row === NONE) return null;
    const { table } = layer;
    return { name: table.name(row), symbolStart: table.start[row] };
  }
}
