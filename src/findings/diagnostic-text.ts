import type {
  DamageCode,
  DiagnosticCode,
  JitNamesCode,
  JitProgram,
  PartCode,
  PlainCode,
} from '../base/diagnostic-code.ts';
import type { Absence, DiagnosticKey, Diagnostics } from '../base/diagnostics.ts';

const DAMAGE: Record<DamageCode, string> = {
  'record-header-damaged': 'a record header is damaged; nothing behind it can be read',
  'compressed-data-damaged': 'the compressed data is damaged; nothing behind that can be read',
  'compressed-data-cut': 'the compressed data ends inside a record',
  'section-table-cut': 'the file ends inside the table of header sections',
  'header-section-cut': 'a header section reaches past the end of the file',
  'header-sections-overlap': 'a header section lies over another one, or over the records',
  'appendix-cut':
    'the part behind the header sections is cut off or damaged: names of JavaScript, programs and ' +
    'notes that were stored in it are missing',
  'record-too-short': 'a record is shorter than its fields, and left out',
  'sample-too-short': 'a sample is shorter than its fields, and left out',
  'number-out-of-range': 'a number in a record is none that can be, and not used',
};

/** Damage as well, counted apart for each part. */
const PARTS: readonly DiagnosticCode[] = [
  'header-section-unreadable',
  'describing-record-unreadable',
] satisfies readonly PartCode[];

const JIT_NAMES: Record<JitNamesCode, string> = {
  'perf-map-unused': 'perf map not used',
  'stored-file-too-large':
    'stored map or notes not used: they unpack to more than their size explains',
  'stored-file-damaged': 'stored map or notes are damaged, not used',
  'jitdump-unused': 'jitdump not used',
  'jitdump-of-other-clock': 'jitdump of another clock, its times not used',
  'jit-address-reused-untimed':
    'samples in JIT code at addresses that held other code at other times, named by the latest',
};

const WORDS: Record<PlainCode, string> = {
  ...DAMAGE,
  ...JIT_NAMES,
  'elf-magic-missing': 'not an ELF file',
  'elf-header-unknown': 'ELF header of unknown class or byte order',
  'elf-program-headers-outside': 'ELF program headers outside the file',
  'elf-program-headers-cut': 'ELF program headers cut off',
  'elf-section-headers-outside': 'ELF section headers outside the file',
  'elf-section-headers-cut': 'ELF section headers cut off',
  'elf-section-too-large': 'ELF section too large to be read',
  'elf-section-cut': 'ELF section cut off',
  'elf-compression-header-missing': 'compressed ELF section without its header',
  'elf-compression-unknown': 'ELF section of unknown compression',
  'elf-compressed-size-unlikely': 'compressed ELF section states an unlikely size, not used',
  'elf-compressed-without-decoder': 'compressed ELF section, no decompressor at hand',
  'elf-compressed-section-cut': 'compressed ELF section cut off',
  'elf-compressed-section-damaged': 'compressed ELF section damaged, not used',
  'elf-string-table-cut': 'ELF string table cut off',
  'elf-symbol-table-cut': 'ELF symbol table cut off',
  'elf-note-too-long': 'ELF note longer than its section',
  'elf-build-id-unlikely': 'ELF build ID of unlikely length',
  'elf-debugaltlink-damaged': 'ELF link to a shared debug file damaged',
  'dwarf-version-unknown': 'DWARF of an unknown version',
  'dwarf-unit-header-damaged': 'DWARF unit header damaged',
  'dwarf-unit-damaged': 'DWARF unit damaged',
  'dwarf-line-program-damaged': 'DWARF line program damaged',
  'dwarf-range-list-damaged': 'DWARF range list damaged',
  'dwarf-aranges-differ': 'DWARF .debug_aranges and units disagree, units used',
  'dwarf-alternate-missing': 'alternate debug file (dwz) not found',
  'split-dwarf-damaged': 'split DWARF damaged',
  'split-dwarf-missing': 'split DWARF file (.dwo) not found',
  'split-dwarf-of-other-build': 'split DWARF file (.dwo) is of another build',
  'unwind-table-damaged': 'unwind table damaged or not understood',
  'unwind-architecture-unknown': 'stacks of this architecture are not unwound',
  'unwind-file-of-other-architecture': 'not unwound: a file of another architecture',
  'file-unreadable': 'file could not be read',
  'file-of-other-build': 'file is not the one recorded (build ID differs), not used',
  'file-inode-differs': 'file may have been replaced since the recording (inode differs)',
  'names-doubtful': 'names may be wrong: file without a build ID, changed since it was recorded',
  'demangler-missing': 'C++ names stay mangled',
  'vdso-unreadable': 'the vDSO can not be read',
  'debug-file-of-other-build': 'debug file of another build, not used',
  'debugaltlink-file-missing': 'shared debug file (dwz) not found',
  'gnu-debugdata-without-decoder': '.gnu_debugdata not read, no decompressor at hand',
  'gnu-debugdata-damaged': '.gnu_debugdata not read',
  'debuginfod-file-of-other-build': 'debuginfod server sent a file of another build, not used',
  'debuginfod-server-down': 'debuginfod server not asked any further',
  'addresses-outside-mappings': 'addresses outside every mapping',
  'kernel-unnamed': 'kernel code is not named',
  'kernel-assumed':
    'names of kernel code may be wrong: the recording tells neither its machine nor its kernel, and they are those of the kernel running here',
  'kernel-place-unknown':
    'names of kernel code may be wrong: the recording does not tell where its kernel lay in memory, which is elsewhere at each boot',
  'kernel-of-other-build':
    'names of kernel code may be wrong: they are those of a kernel of another build than the recorded one',
  'kernel-moved': 'kernel moved since the recording (another boot), adjusted',
  'kernel-modules-moved':
    'kernel modules are not named: they lie elsewhere at each boot, and the recording carries no symbols of them',
  'kallsyms-restricted': 'kernel symbols are hidden (kernel.kptr_restrict or missing CAP_SYSLOG)',
  'kallsyms-line-malformed': 'kallsyms line not understood',
  'recorded-kernel-line-malformed': 'recorded kernel symbol not understood',
  'perf-map-missing':
    'no perf map for JIT code (Node: record with --node-flags, or record -p with --attach-js; Deno: ' +
    'DENO_V8_FLAGS=--perf-basic-prof; Bun: BUN_JSC_useJITDump=1; record -- COMMAND sets these)',
  'perf-map-writable-by-all': 'perf map is writable by all',
  'perf-map-too-large': 'perf map larger than 256 MiB, the rest not read',
  'perf-map-too-many-entries': 'perf map of more than 5 million entries, rest unread',
  'perf-map-line-too-long': 'perf map line longer than 64 KiB',
  'perf-map-line-malformed': 'perf map line not understood',
  'stored-perf-map-damaged': 'stored perf map is damaged, the rest not read',
  'code-events-damaged': 'stored code events of V8 are damaged, the rest not read',
  'code-events-lost': 'code events of V8 lost for want of memory: their code has no name',
  'javascript-from-before':
    'sample in JavaScript without a name: V8 has interpreted it, or run a loop of it, since before it was asked',
  'jitdump-times-in-cycles': 'times of a jitdump are in CPU cycles, not used',
  'jitdump-too-many-records': 'jitdump of more than 5 million records, rest unread',
  'jitdump-record-damaged': 'jitdump record makes no sense, rest unread',
  'jitdump-cut': 'jitdump ends within a record',
  'jitdump-record-malformed': 'jitdump record not understood',
  'jitdump-frame-tables-too-large': 'jitdump has frame tables of more than 64 KiB, not used',
  'jit-address-reused-timed':
    'samples in JIT code at addresses that held other code at other times, named by time',
  'node-notes-unused': 'Node notes not used',
  'node-notes-too-long': 'Node notes are too long, the rest not read',
  'heap-left-to-program':
    'V8 sampled the heap of a thread for the program itself, or not at all, from some time on',
  'node-notes-line-malformed': 'line of Node notes not understood',
  'source-map-again':
    'script was compiled again in one process, with another source map: lines of all its versions are read by the last',
  'source-map-missing': 'script was compiled in memory and its source map is not known',
  'source-map-malformed': 'source map not understood',
  'source-map-too-large': 'script or source map larger than 128 MiB, not read',
  'script-not-parsed':
    'script too large, or one too many, to be parsed for the names of its functions',
  'source-map-changed': 'script or source map changed since the recording, not used',
  'tracing-data-malformed': 'tracing data not understood',
  'tracing-data-cut': 'tracing data cut',
  'tracepoint-format-malformed': 'format of a tracepoint not understood',
  'tracepoint-format-missing': 'no format of a tracepoint',
  'tracepoint-of-other-event': 'raw data not of the tracepoint that the event is',
  'tracepoint-text-not-evaluated':
    'tracepoint shown as fields, its print fmt could not be evaluated',
  'compressed-records-unread': 'compressed records are not read',
  'header-without-events': 'the header lists no events',
  'pipe-without-events': 'the pipe lists no events',
  'event-ids-cut': 'a list of event ids is longer than the file',
  'event-ids-missing': 'records do not say which event they belong to; all count as the first',
  'event-fields-newer': 'an event has sample fields that are newer than this program',
  'recording-unfinished':
    'the recording was not ended: its header says 0 bytes of data; read to the end of the file',
  'record-of-no-event': 'a record names an event that the header does not',
  'sample-fields-newer': 'a sample has fields that are newer than this program',
  'sample-of-no-event': 'samples left out: they name an event that the header does not',
  'sample-late': 'samples came later than their place in the file promised',
  'sample-without-time': 'samples without a time',
  'callchain-user-part-missing': 'the deferred user part of a callchain is missing',
  'wait-end-lost': 'waits whose end was lost',
  'call-end-lost': 'system calls whose end was lost',
  'wake-up-unrecorded': 'waits whose wake-up was not recorded',
  'text-line-malformed': 'lines that are not understood',
  'text-functions-at-one-address': 'too many functions at one address: a frame is left out',
  'archive-file-not-elf': 'not stored: it is not an ELF file',
  'archive-debug-file-without-build-id': 'debug file without a build ID, not stored',
};

/** The step by which a program that makes code as it runs comes to name it. */
const NAMING: Record<JitProgram, string> = {
  node: 'Node names it where perf-ts starts it (record --node-flags -- COMMAND), or asks it while it runs',
  'Node under its permission model':
    'Node names it where perf-ts starts it (record --node-flags -- COMMAND); its permission model keeps others out',
  deno: 'Deno names it where DENO_V8_FLAGS=--perf-basic-prof is set when it begins',
  bun: 'Bun names it where BUN_JSC_useJITDump=1 is set when it begins',
  chromium: 'Chromium names it where it begins with --js-flags=--perf-basic-prof --no-sandbox',
};

/** A problem of a recording in words, with how often it was met. */
export type DescribedDiagnostic = {
  readonly code: DiagnosticCode;
  /** The DSO, header section or type of record that it is counted for; null: the whole recording. */
  readonly subject: string | null;
  /** The problem as a short sentence. */
  readonly reason: string;
  readonly count: number;
  /** The place or way that it was first met; empty where nothing is to be added. */
  readonly example: string;
  /** The command that helps, as it is typed; null where no command does. */
  readonly command: string | null;
};

/** Every diagnostic with its sentence, in the order first met. */
export function describeDiagnostics(diagnostics: Diagnostics): DescribedDiagnostic[] {
  return diagnostics.entries().map((entry) => ({
    code: entry.code,
    subject: 'subject' in entry ? entry.subject : null,
    reason: sentenceOf(entry),
    count: entry.count,
    example: entry.detail,
    command: commandAgainst(entry),
  }));
}

function commandAgainst(key: DiagnosticKey): string | null {
  if (key.code === 'jit-code-unnamed') return key.subject === 'node' ? ATTACH : null;
  return COMMANDS_AGAINST['why' in key ? key.why.cause : key.code] ?? null;
}

/** Such a recording carries the symbols of the kernel that it met. */
const RECORDED_KERNEL = 'perf-ts record -- COMMAND';
const ATTACH = 'perf-ts record --attach-js -p PID';

/** Commands that help, by the code of a problem or the cause of an absence. */
export const COMMANDS_AGAINST: Partial<Record<DiagnosticCode | Absence['cause'], string>> = {
  'jitdump-of-other-clock': 'perf-ts record -k mono -- COMMAND',
  'kallsyms-restricted': 'perf-ts doctor',
  'kernel-assumed': RECORDED_KERNEL,
  'kernel-place-unknown': RECORDED_KERNEL,
  'kernel-of-other-build': RECORDED_KERNEL,
  'kernel-modules-moved': RECORDED_KERNEL,
  'names-doubtful': 'perf-ts record --archive -- COMMAND',
  'other-build': 'perf-ts record --archive -- COMMAND',
  'other-machine': 'perf-ts report --symfs DIR',
  'perf-map-missing': ATTACH,
};

/** The sentence for a problem, without the example. */
function sentenceOf(key: DiagnosticKey): string {
  switch (key.code) {
    case 'names-missing':
      return missingSentence('no names for', key.subject, key.why);
    case 'lines-missing':
      return missingSentence('no inlined calls and lines of', key.subject, key.why);
    case 'header-section-unreadable':
      return `header section ${key.subject} can't be read`;
    case 'describing-record-unreadable':
      return `a ${key.subject} record can't be read`;
    case 'jit-code-unnamed': {
      const way = Object.hasOwn(NAMING, key.subject) ? NAMING[key.subject as JitProgram] : null;
      return `code without a name that ${key.subject} made as it ran: ${way ?? 'it left no perf map of it'}`;
    }
    default:
      return WORDS[key.code];
  }
}

function missingSentence(what: string, dso: string, why: Absence): string {
  const whose = why.cause === 'debug-file-unreadable' ? `${dso} from its debug file` : dso;
  return `${what} ${whose}: ${absenceText(dso, why)}`;
}

/** Why the file of `dso` gives nothing. */
export function absenceText(dso: string, why: Absence): string {
  switch (why.cause) {
    case 'unreadable':
      return `file can not be read (${why.error})`;
    case 'debug-file-unreadable':
      return `${why.file} can not be read (${why.error})`;
    case 'other-build':
      return `${why.file === dso ? 'the file there' : why.file} is not the one recorded (build ID differs)`;
    case 'other-machine':
      return recordedElsewhere(why.machine);
    case 'unproven':
      return 'nothing proves that the file there is the mapped one';
    case 'no-symbols':
      return 'the file is stripped of its symbols, and no debug file is at hand';
    case 'failed':
      return why.message;
  }
}

/** Why nothing of this machine counts: `machine` is the host name and kernel of the recorded one. */
export function recordedElsewhere(machine: string): string {
  return `recorded on another machine (${machine})`;
}

/** Whether a part of the recording is cut or damaged. */
export function isDamage(code: DiagnosticCode): boolean {
  return PARTS.includes(code) || Object.hasOwn(DAMAGE, code);
}

/** Whether JIT code may have wrong names, or none that it could have. */
export function isAboutJitNames(code: DiagnosticCode): boolean {
  return Object.hasOwn(JIT_NAMES, code);
}
