import type { ByteSource } from '../base/byte-source.ts';
import type { Debuglink } from '../elf/debuglink.ts';
import type { DsoKey } from '../process/types.ts';

/**
 * What the symbolizer needs to know about a DSO, asked for as data: it opens nothing itself.
 *
 *   elf         the mapped file
 *   debug-elf   the file with the symbols that a stripped one lost, by build ID or debuglink
 *   kallsyms    the kernel's symbol list, modules included
 *   perf-map    what a JIT wrote about its code
 *   vdso        the vDSO's bytes
 */
export type SymbolRequest =
  | { readonly need: 'elf'; readonly dso: DsoKey; readonly buildId: string | null }
  | {
      readonly need: 'debug-elf';
      readonly dso: DsoKey;
      readonly buildId: string | null;
      readonly debuglink: Debuglink | null;
      /** Candidates that did not fit, so far: answer with the next one. */
      readonly attempt: number;
    }
  | { readonly need: 'kallsyms'; readonly dso: DsoKey; readonly buildId: string | null }
  | { readonly need: 'perf-map'; readonly dso: DsoKey; readonly buildId: null }
  | { readonly need: 'vdso'; readonly dso: DsoKey; readonly buildId: string | null };

/** A source that holds something until it is closed. */
export type SymbolSource = ByteSource & { readonly close?: () => void };

/** Answers with the bytes, or null if they can't be had. It is asked once for each DSO. */
export type SymbolProvider = (request: SymbolRequest) => SymbolSource | null;
