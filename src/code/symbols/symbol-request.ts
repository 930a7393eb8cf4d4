import type { ByteSource } from '../../base/byte-source.ts';
import type { Debuglink } from '../elf/debuglink.ts';
import type { DsoKey } from '../process/types.ts';

/**
 * A request of the symbolizer for a file of a DSO, as data: it opens nothing itself.
 *
 *   elf         the mapped file
 *   debug-elf   the file with the symbols that a stripped one lost, by build ID or debuglink
 *   debug-alt   what dwz moved out of several debug files, by the link that leads to it
 *   split-dwarf the `.dwo` of a unit compiled with -gsplit-dwarf
 *   dwarf-package   all of these in one file, `.dwp`, beside the program or its debug file
 *   kallsyms    the kernel's symbol list, modules included
 *   kernel-image    the kernel as an ELF file, `vmlinux`, with its DWARF
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
  | {
      readonly need: 'debug-alt';
      readonly dso: DsoKey;
      /** Build ID of the file that is asked for. */
      readonly buildId: string;
      /** The name in the link: a path, relative to the file with the link or absolute. */
      readonly path: string;
      /** Build ID of the file with the link. */
      readonly linkedFrom: string | null;
      readonly attempt: number;
    }
  | {
      readonly need: 'split-dwarf';
      readonly dso: DsoKey;
      readonly buildId: null;
      /** DW_AT_comp_dir and DW_AT_dwo_name of the skeleton unit. */
      readonly compDir: string;
      readonly name: string;
      readonly attempt: number;
    }
  | { readonly need: 'dwarf-package'; readonly dso: DsoKey; readonly buildId: null }
  | { readonly need: 'kallsyms'; readonly dso: DsoKey; readonly buildId: string | null }
  | { readonly need: 'kernel-image'; readonly dso: DsoKey; readonly buildId: string | null }
  | { readonly need: 'perf-map'; readonly dso: DsoKey; readonly buildId: null }
  | { readonly need: 'vdso'; readonly dso: DsoKey; readonly buildId: string | null };

/** A source that holds something until it is closed. */
export type SymbolSource = ByteSource & {
  readonly close?: () => void;
  /** The file that it is; absent where it is none. */
  readonly file?: {
    readonly path: string;
    readonly uid: number;
    readonly mode: number;
    readonly version: FileVersion;
  };
  /** How the file is now; absent where it is none. */
  readonly look?: () => {
    readonly size: number;
    readonly modifiedMs: number;
    /** Names that lead to it: 0 where it was deleted. */
    readonly links: number;
  };
};

/**
 * Which file it is, and in which state: nobody but the clock sets the time of a file's last change. Times
 * in milliseconds since 1970, with fractions.
 */
export type FileVersion = {
  readonly dev: number;
  readonly inode: number;
  readonly size: number;
  readonly modifiedMs: number;
  /** Time of the last change of content, owner, mode or links. */
  readonly changedMs: number;
};

/**
 * Answers with the bytes, or null if they can't be had. It is asked once for each DSO. A file with
 * another build ID than `buildId` is no answer to `elf`; all else is a candidate, which whoever asks
 * has to check.
 */
export type SymbolProvider = (request: SymbolRequest) => SymbolSource | null;
