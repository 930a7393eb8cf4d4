/**
 * Something that was recorded can't be read: commands report it unasked. A file that is cut among its
 * records has `PerfData.truncatedAt` instead.
 */
export type DamageCode =
  | 'record-header-damaged'
  | 'compressed-data-damaged'
  | 'compressed-data-cut'
  | 'section-table-cut'
  | 'header-section-cut'
  | 'header-sections-overlap'
  | 'appendix-cut'
  | 'record-too-short'
  | 'sample-too-short'
  | 'number-out-of-range';

/** JIT code may have wrong names, or none that it could have. */
export type JitNamesCode =
  | 'perf-map-unused'
  | 'stored-file-too-large'
  | 'stored-file-damaged'
  | 'jitdump-unused'
  | 'jitdump-of-other-clock'
  | 'jit-address-reused-untimed';

type ElfCode =
  | 'elf-magic-missing'
  | 'elf-header-unknown'
  | 'elf-program-headers-outside'
  | 'elf-program-headers-cut'
  | 'elf-section-headers-outside'
  | 'elf-section-headers-cut'
  | 'elf-section-too-large'
  | 'elf-section-cut'
  | 'elf-compression-header-missing'
  | 'elf-compression-unknown'
  | 'elf-compressed-size-unlikely'
  | 'elf-compressed-without-decoder'
  | 'elf-compressed-section-cut'
  | 'elf-compressed-section-damaged'
  | 'elf-string-table-cut'
  | 'elf-symbol-table-cut'
  | 'elf-note-too-long'
  | 'elf-build-id-unlikely'
  | 'elf-debugaltlink-damaged';

type DwarfCode =
  | 'dwarf-version-unknown'
  | 'dwarf-unit-header-damaged'
  | 'dwarf-unit-damaged'
  | 'dwarf-line-program-damaged'
  | 'dwarf-range-list-damaged'
  | 'dwarf-aranges-differ'
  | 'dwarf-alternate-missing'
  | 'split-dwarf-damaged'
  | 'split-dwarf-missing'
  | 'split-dwarf-of-other-build';

type UnwindCode =
  | 'unwind-table-damaged'
  | 'unwind-architecture-unknown'
  | 'unwind-file-of-other-architecture';

type FileCode =
  | 'file-unreadable'
  | 'file-of-other-build'
  | 'file-inode-differs'
  | 'names-doubtful'
  | 'demangler-missing'
  | 'vdso-unreadable'
  | 'debug-file-of-other-build'
  | 'debugaltlink-file-missing'
  | 'gnu-debugdata-without-decoder'
  | 'gnu-debugdata-damaged'
  | 'debuginfod-file-of-other-build'
  | 'debuginfod-server-down'
  | 'addresses-outside-mappings';

type KernelSymbolCode =
  | 'kernel-unnamed'
  | 'kernel-assumed'
  | 'kernel-place-unknown'
  | 'kernel-of-other-build'
  | 'kernel-moved'
  | 'kernel-modules-moved'
  | 'kallsyms-restricted'
  | 'kallsyms-line-malformed'
  | 'recorded-kernel-line-malformed';

type JitCode =
  | 'perf-map-missing'
  | 'perf-map-writable-by-all'
  | 'perf-map-too-large'
  | 'perf-map-too-many-entries'
  | 'perf-map-line-too-long'
  | 'perf-map-line-malformed'
  | 'stored-perf-map-damaged'
  | 'code-events-damaged'
  | 'code-events-lost'
  | 'javascript-from-before'
  | 'jitdump-times-in-cycles'
  | 'jitdump-too-many-records'
  | 'jitdump-record-damaged'
  | 'jitdump-cut'
  | 'jitdump-record-malformed'
  | 'jitdump-frame-tables-too-large'
  | 'jit-address-reused-timed';

type ScriptCode =
  | 'node-notes-unused'
  | 'node-notes-too-long'
  | 'heap-left-to-program'
  | 'node-notes-line-malformed'
  | 'source-map-missing'
  | 'source-map-again'
  | 'source-map-malformed'
  | 'source-map-too-large'
  | 'script-not-parsed'
  | 'source-map-changed';

type TracepointCode =
  | 'tracing-data-malformed'
  | 'tracing-data-cut'
  | 'tracepoint-format-malformed'
  | 'tracepoint-format-missing'
  | 'tracepoint-of-other-event'
  | 'tracepoint-text-not-evaluated';

type PerfDataCode =
  | 'compressed-records-unread'
  | 'header-without-events'
  | 'pipe-without-events'
  | 'event-ids-cut'
  | 'event-ids-missing'
  | 'event-fields-newer'
  | 'recording-unfinished';

type RecordCode =
  | 'record-of-no-event'
  | 'sample-fields-newer'
  | 'sample-of-no-event'
  | 'sample-late'
  | 'sample-without-time'
  | 'callchain-user-part-missing'
  | 'wait-end-lost'
  | 'call-end-lost'
  | 'wake-up-unrecorded';

type TextCode = 'text-line-malformed' | 'text-functions-at-one-address';

type ArchiveCode = 'archive-file-not-elf' | 'archive-debug-file-without-build-id';

/** Codes that are counted once for the whole recording. */
export type PlainCode =
  | DamageCode
  | JitNamesCode
  | ElfCode
  | DwarfCode
  | UnwindCode
  | FileCode
  | KernelSymbolCode
  | JitCode
  | ScriptCode
  | TracepointCode
  | PerfDataCode
  | RecordCode
  | TextCode
  | ArchiveCode;

/** Codes that are counted apart for each part of the recording: a header section, a type of record. */
export type PartCode = 'header-section-unreadable' | 'describing-record-unreadable';

/** Codes that are counted apart for each program that makes code as it runs. */
export type JitProgramCode = 'jit-code-unnamed';

/** Such a program whose ways to name its code are known. */
export type JitProgram = 'node' | 'Node under its permission model' | 'deno' | 'bun' | 'chromium';

/** Codes that are counted apart for each DSO, and for each reason. */
export type AbsenceCode = 'names-missing' | 'lines-missing';

/**
 * The kinds of what can go wrong without ending the work: names of the field, the object first. The
 * words for each are in `findings/diagnostic-text.ts`.
 */
export type DiagnosticCode = PlainCode | PartCode | JitProgramCode | AbsenceCode;
