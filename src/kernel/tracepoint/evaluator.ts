import { decodeText } from '../../base/text.ts';
import { type CType, wrapInteger } from './c-type.ts';
import { PrintFmtError } from './errors.ts';
import type { RawRecord } from './raw-record.ts';

/** An integer that an expression computes from a sample's raw data. */
export type NumberEvaluator = {
  readonly kind: 'number';
  readonly type: CType;
  /** Value as `type` holds it. */
  readonly read: (record: RawRecord) => bigint;
  /** Value without a bigint, where a field of at most 32 bits is just read. */
  readonly readSmall?: (record: RawRecord) => number;
};

export type TextEvaluator = {
  readonly kind: 'text';
  readonly read: (record: RawRecord) => string;
};

/** An array in the raw data: what C would have as a pointer into it. */
export type BytesEvaluator = {
  readonly kind: 'bytes';
  /** First byte in the record's view. */
  readonly at: (record: RawRecord) => number;
  /** Bytes of it that are there. */
  readonly length: (record: RawRecord) => number;
  readonly element: CType;
};

/** An evaluator that needs a value that only the recorded kernel knew: `vmemmap_base`, `jiffies`. */
export type UnknownEvaluator = { readonly kind: 'unknown' };

export type KnownEvaluator = NumberEvaluator | TextEvaluator | BytesEvaluator;
export type Evaluator = KnownEvaluator | UnknownEvaluator;

export const UNKNOWN: UnknownEvaluator = { kind: 'unknown' };

export function constant(value: bigint, type: CType): NumberEvaluator {
  const held = wrapInteger(value, type);
  return { kind: 'number', type, read: () => held };
}

export function numberOf(evaluator: Evaluator, where: string): NumberEvaluator {
  if (evaluator.kind !== 'number') throw new PrintFmtError(`${where} wants a number`);
  return evaluator;
}

export function bytesOf(evaluator: Evaluator, where: string): BytesEvaluator {
  if (evaluator.kind !== 'bytes') throw new PrintFmtError(`${where} wants an array`);
  return evaluator;
}

/** The characters of an array, up to a NUL. */
export function textEvaluatorOf({ at, length }: BytesEvaluator): TextEvaluator {
  return { kind: 'text', read: (record) => decodeText(record.bytes(at(record), length(record))) };
}
