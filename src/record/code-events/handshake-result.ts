import { fieldOf, numberField, parseForeignJson, textField } from '../../base/foreign-json.ts';
import type { TakenIn } from '../../register/take-in.cts';

const MOST_TEXT_CHARS = 4096;

/** How a process answered when it was asked to report its code. */
export type HandshakeResult =
  | {
      readonly taken: TakenIn;
      /** Its inspector was opened for this, and the process has not come to close it yet. */
      readonly hasOpenInspector?: boolean;
    }
  | { readonly failure: string };

/** The answer of a process to `takeInExpression`; null where it is none. The process writes what it likes. */
export function readTakenIn(value: unknown): TakenIn | null {
  const pid = numberField(value, 'pid');
  const version = textField(value, 'version', MOST_TEXT_CHARS);
  const pauseMs = numberField(value, 'pauseMs');
  if (pid === null || version === null || pauseMs === null) return null;
  return { pid, version, pauseMs };
}

/** A result that has gone through JSON; a failure where it is none. */
export function readHandshakeResult(value: unknown): HandshakeResult {
  const failure = textField(value, 'failure', MOST_TEXT_CHARS);
  if (failure !== null) return { failure };
  const taken = readTakenIn(fieldOf(value, 'taken'));
  if (taken === null) return { failure: 'it answers with nothing that is understood' };
  return { taken, hasOpenInspector: fieldOf(value, 'hasOpenInspector') === true };
}

/** A result from its text; a failure where it is none. */
export function parseHandshakeResult(text: string): HandshakeResult {
  return readHandshakeResult(parseForeignJson(text));
}
