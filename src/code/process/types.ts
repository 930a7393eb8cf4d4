import type { Brand } from '../../base/brand.ts';

export type { DsoIndex } from '../../profile/types.ts';

/** A row of the mapping table: one MMAP record. */
export type MappingIndex = Brand<number, 'MappingIndex'>;

/** Names that perf uses where it knows no more. */
export type GuestName = '[guest.kernel]' | '[guest.user]' | '[hypervisor]';

/** The identity of a DSO: two mappings with equal keys are the same object. */
export type DsoKey =
  | { readonly kind: 'kernel' }
  /** `name` without brackets: `hid`. */
  | { readonly kind: 'kernel-module'; readonly name: string }
  /** A BPF program; its symbol is its name. */
  | { readonly kind: 'bpf'; readonly name: string }
  | { readonly kind: 'vdso' }
  /** `fileId` distinguishes files that had the same path: the build ID, or `major:minor:inode`. */
  | { readonly kind: 'user-file'; readonly path: string; readonly fileId: string }
  /**
   * Executable memory without a file, which only the process itself can name. `generation` counts,
   * from 1, the other code that was at an address (jit/jit-code.ts); absent in the row that a
   * mapping leads to.
   */
  | { readonly kind: 'jit'; readonly pid: number; readonly generation?: number }
  /** Code of a virtual machine, or of what it runs on: its mappings are not ours. */
  | { readonly kind: 'guest'; readonly name: GuestName }
  /** Not executable, or nothing that has symbols: `[vvar]`, `[vsyscall]`, a data mapping. */
  | { readonly kind: 'unknown'; readonly name: string };

/** A decoded MMAP or MMAP2 record. Addresses in signed form. */
export type MappingRecord = {
  /** −1 for the kernel's own mappings. */
  readonly pid: number;
  readonly tid: number;
  readonly start: number;
  /** Bytes. */
  readonly length: number;
  readonly fileOffset: number;
  /** The name as the kernel wrote it: a path, `//anon`, `[vdso]`, `[kernel.kallsyms]_text`. */
  readonly path: string;
  readonly executable: boolean;
  readonly cpuMode: 'kernel' | 'user';
  /** Lower-case hex, null if the record has none. */
  readonly buildId: string | null;
  /** Device and inode of the file; 0 where the record has a build ID instead, or is MMAP. */
  readonly major: number;
  readonly minor: number;
  readonly inode: number;
  /** `MAP_PRIVATE`, as a loader maps programs; absent where the record does not report it. */
  readonly isPrivate?: boolean;
};
