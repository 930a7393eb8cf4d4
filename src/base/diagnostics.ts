import type { AbsenceCode, JitProgramCode, PartCode, PlainCode } from './diagnostic-code.ts';

/** Why the file of a DSO gives no names, or no lines. */
export type Absence =
  /** `error` is the name of an errno, `ENOENT`. */
  | { readonly cause: 'unreadable'; readonly error: string }
  | { readonly cause: 'debug-file-unreadable'; readonly file: string; readonly error: string }
  /** The build ID of `file` differs from the recorded one. */
  | { readonly cause: 'other-build'; readonly file: string }
  /** The file here is of this machine; `machine` is the host name and kernel of the recorded one. */
  | { readonly cause: 'other-machine'; readonly machine: string }
  /** Neither inode nor build ID show that the file is the mapped one. */
  | { readonly cause: 'unproven' }
  /** There is a file, without symbols and without a debug file. */
  | { readonly cause: 'no-symbols' }
  /** Reading stopped with an error. */
  | { readonly cause: 'failed'; readonly message: string };

/** The identity of a problem: its code, and the subject where each subject is counted apart. */
export type DiagnosticKey =
  | { readonly code: PlainCode }
  | { readonly code: PartCode; readonly subject: string }
  /** A `JitProgram`, or the name of another. */
  | { readonly code: JitProgramCode; readonly subject: string }
  | { readonly code: AbsenceCode; readonly subject: string; readonly why: Absence };

/** A problem, how often it was met, and where or how first. */
export type Diagnostic = DiagnosticKey & { readonly detail: string; readonly count: number };

/**
 * Counts what went wrong without ending the work. Stages count codes and their subjects; the words
 * for them are in `findings/diagnostic-text.ts`.
 */
export class Diagnostics {
  readonly #counted = new Map<string, { key: DiagnosticKey; detail: string; count: number }>();
  #calls = 0;

  /** How often something was counted: as long as it stays the same, nothing went wrong. */
  get calls(): number {
    return this.#calls;
  }

  /** `detail` is kept of the first of them: a place, a size, the message of an error. */
  count(what: PlainCode | DiagnosticKey, detail = '', times = 1): void {
    this.#calls++;
    const id = idOf(what);
    const known = this.#counted.get(id);
    if (known !== undefined) {
      known.count += times;
      return;
    }
    const key = typeof what === 'string' ? { code: what } : what;
    this.#counted.set(id, { key, detail, count: times });
  }

  has(key: DiagnosticKey): boolean {
    return this.#counted.has(idOf(key));
  }

  /** All that was counted, in the order first met. */
  entries(): Diagnostic[] {
    return [...this.#counted.values()].map(({ key, detail, count }) => ({ ...key, detail, count }));
  }
}

function idOf(what: PlainCode | DiagnosticKey): string {
  if (typeof what === 'string') return what;
  if (!('subject' in what)) return what.code;
  const why = 'why' in what ? what.why : null;
  return JSON.stringify([what.code, what.subject, why]);
}
