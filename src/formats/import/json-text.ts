import type { ByteSource } from '../../base/byte-source.ts';
import { messageOf, PerfDataError } from '../../base/errors.ts';
import { isJsonObject } from '../../base/foreign-json.ts';
import { printable } from '../../base/printable.ts';

const COMMA = 44;
const BRACKET = 91;
const BRACE = 123;
/** Memory that an array, an object or an item of one may take, its key included. */
const ITEM_BYTES = 64;

/**
 * A source that is one JSON value. `checkBytes` gets what it takes in memory at most before it is
 * parsed, and throws where that is too much: `[[[[` takes sixty times its length. Throws
 * `PerfDataError` for what is no JSON.
 */
export function parseJson(source: ByteSource, checkBytes: (bytes: number) => void): unknown {
  checkBytes(2 * source.size);
  const bytes = source.read(0, source.size);
  let items = 0;
  // Hot: once per byte.
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === COMMA || byte === BRACKET || byte === BRACE) items++;
  }
  checkBytes(2 * bytes.length + items * ITEM_BYTES);
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw new PerfDataError(
      'json-malformed',
      `it is no complete JSON: ${printable(messageOf(error))}`,
    );
  }
}

/** The value as an object with unknown members; null for all else. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> | null {
  return isJsonObject(value) ? value : null;
}

/** The value as an array; empty for all else. */
export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value as a finite number; `otherwise` for all else. */
export function asNumber(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
}

/** The value as a text; empty for all else. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
