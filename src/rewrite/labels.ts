import { createHash } from 'node:crypto';
import { getOrMake } from '../base/group-by.ts';

/** Bits of a label that are read as hex digits: enough that two names never meet in practice. */
const LONG_DIGITS = 12;
/** A comm has room for 15 bytes: `comm-` and these. */
const COMM_DIGITS = 10;

/** Names that the kernel or perf gives, the same on every machine. */
const COMMON_NAME =
  /^(\[(kernel|guest)\.[\w.]+\]\w*|\[(vdso|vvar|vsyscall|heap|uprobes|unknown|bpf)\]|\[vdso(32|x32)\]|\[stack(:\d+)?\]|\/\/anon|)$/;

/** Tracepoint systems that users make: `perf probe`, SDT markers, uprobe_events. */
export const PROBE_SYSTEM = /^(probe|sdt|uprobes|kprobes)/;

/**
 * Names for names. The same name gives the same label in every recording with the same salt, so
 * that anonymized recordings can still be compared. Without a salt, who suspects a name can check it.
 */
export class Labels {
  readonly #salt: string;
  readonly #known = new Map<string, string>();

  constructor(salt = '') {
    this.#salt = salt;
  }

  /** The label of the mapped object `path`; a kernel module's name stays that of a module. */
  dso(path: string): string {
    if (COMMON_NAME.test(path)) return path;
    if (/^\[anon[:\]]|^\/anon_hugepage/.test(path)) return '//anon';
    if (path.startsWith('[')) return `[dso-${this.#digits(path, LONG_DIGITS)}]`;
    return `/dso-${this.#digits(path, LONG_DIGITS)}`;
  }

  comm(comm: string): string {
    return comm === '' ? '' : `comm-${this.#digits(comm, COMM_DIGITS)}`;
  }

  host(hostname: string): string {
    return `host-${this.#digits(hostname, LONG_DIGITS)}`;
  }

  cgroup(path: string): string {
    return path === '/' ? path : `/cgroup-${this.#digits(path, LONG_DIGITS)}`;
  }

  /** Options of one letter tell nothing; everything else of a command line may. */
  argument(argument: string): string {
    return /^-[A-Za-z]$/.test(argument) ? argument : `arg-${this.#digits(argument, LONG_DIGITS)}`;
  }

  /** Events of the kernel have the same names everywhere; a probe's name tells the program. */
  event(name: string): string {
    if (!PROBE_SYSTEM.test(name)) return name;
    return `probe:event_${this.#digits(name, LONG_DIGITS)}`;
  }

  kernelSymbol(name: string): string {
    const prefix = /^bpf_prog_|^bpf_trampoline_|^ftrace_trampoline/.exec(name)?.[0] ?? 'symbol_';
    return `${prefix}${this.#digits(name, LONG_DIGITS)}`;
  }

  /** Exactly `length` characters for a text inside of other data. */
  text(text: string, length: number): string {
    return this.#digits(text, LONG_DIGITS)
      .repeat(Math.ceil(length / LONG_DIGITS))
      .slice(0, length);
  }

  #digits(text: string, count: number): string {
    const label = getOrMake(this.#known, text, () =>
      createHash('sha256').update(`${this.#salt}\0${text}`).digest('hex').slice(0, LONG_DIGITS),
    );
    return label.slice(0, count);
  }
}
