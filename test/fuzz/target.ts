import { FailedError, PerfDataError, UsageError } from '../../src/base/errors.ts';
import type { Random } from './mutate-bytes.ts';

/** A reader, and how broken input for it is made. */
export type Target = {
  readonly name: string;
  /** Whole inputs that cases are made from; none where a tool or the corpora are missing. */
  readonly seeds: () => readonly Uint8Array[];
  /** One broken input: by `random`, or the next of a row of them by its number. */
  readonly mutate: (seeds: readonly Uint8Array[], random: Random, number: number) => Uint8Array;
  /**
   * Reads it. What it throws is a failure, unless it is one of the errors that say what is wrong
   * with an input. `random` chooses between ways of reading.
   */
  readonly read: (bytes: Uint8Array, random: Random) => void | Promise<void>;
  /** Cases in the test suite, where a case takes longer than most. */
  readonly fewCases?: number;
};

export function isReported(error: unknown): boolean {
  return (
    error instanceof PerfDataError || error instanceof FailedError || error instanceof UsageError
  );
}

// All of C0 and C1 but the end of a line and the tab, which printed lines have.
const CONTROLS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is sought.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;

/** Text for a terminal that an escape of a stranger is in is a failure. */
export function checkShown(text: string): void {
  const found = CONTROLS.exec(text);
  if (found === null) return;
  const around = text.slice(Math.max(0, found.index - 40), found.index + 20);
  throw new Error(`printed as it came: ${JSON.stringify(around)}`);
}

/** What an error that is shown to a user may have in it. */
export function checkReported(error: unknown): void {
  if (error instanceof UsageError || error instanceof FailedError) {
    checkShown(error.message);
    for (const hint of error.hints) checkShown(hint);
  }
}

export function toText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

export function toBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
