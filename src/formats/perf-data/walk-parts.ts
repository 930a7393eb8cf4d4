import type { ByteSource } from '../../base/byte-source.ts';
import type { Slices } from '../../base/slices.ts';
import { type CreateZstdDecoder, RecordInflater } from './record-inflater.ts';
import type { RecordVisitor, WalkEnd } from './record-visitor.ts';
import { walkRangeInSlices } from './record-walk.ts';
import { UnpackLimit } from './unpack-limit.ts';

/** Bytes of a file that are records. */
export type RecordPart = {
  readonly source: ByteSource;
  readonly offset: number;
  readonly size: number;
};

/** The place of a recording's records, and how they are written. */
export type RecordParts = {
  /** One; more if the recording is a directory, which has a file per recording thread. */
  readonly parts: readonly RecordPart[];
  readonly littleEndian: boolean;
  readonly pipe: boolean;
  /** Null: COMPRESSED records stay closed. */
  readonly createZstdDecoder: CreateZstdDecoder | null;
  /** Bytes that a COMPRESSED record may inflate to; 0 if the header doesn't report it. */
  readonly mostInflated: number;
  /** Bytes that all of them may inflate to; null: as `UnpackLimit` has it. */
  readonly mostUnpacked: number | null;
};

/** How the walk over all parts ended. */
export type PartsEnd = WalkEnd & {
  /** The first COMPRESSED record that can't be inflated, and why. */
  readonly inflateFailure: { readonly offset: number; readonly reason: string } | null;
  /** Bytes of inflated records whose ends are missing. */
  readonly pendingBytes: number;
};

/** Visits the records of one part after the other. Each has a compressed stream of its own. */
export function* walkPartsInSlices(
  { parts, littleEndian, pipe, createZstdDecoder, mostInflated, mostUnpacked }: RecordParts,
  visitor: RecordVisitor,
  segmentBytes: number,
): Slices<PartsEnd> {
  let total: PartsEnd = {
    records: 0,
    compressedRecords: 0,
    opaqueBytes: 0,
    truncatedAt: -1,
    badRecordAt: -1,
    skippedBytes: 0,
    inflateFailure: null,
    pendingBytes: 0,
  };
  const limit = new UnpackLimit(mostUnpacked);
  for (const { source, offset, size } of parts) {
    visitor.part?.(source);
    const inflater =
      createZstdDecoder === null
        ? null
        : new RecordInflater(createZstdDecoder, littleEndian, mostInflated, limit);
    const end = yield* walkRangeInSlices(
      source,
      offset,
      offset + size,
      littleEndian,
      pipe,
      visitor,
      inflater,
      segmentBytes,
    );
    const failure =
      inflater === null || inflater.failure === null
        ? null
        : { offset: inflater.failedAt, reason: inflater.failure };
    total = {
      records: total.records + end.records,
      compressedRecords: total.compressedRecords + end.compressedRecords,
      opaqueBytes: total.opaqueBytes + end.opaqueBytes,
      truncatedAt: firstOf(total.truncatedAt, end.truncatedAt),
      badRecordAt: firstOf(total.badRecordAt, end.badRecordAt),
      skippedBytes: total.skippedBytes + end.skippedBytes,
      inflateFailure: total.inflateFailure ?? failure,
      pendingBytes: total.pendingBytes + (failure === null ? (inflater?.pendingBytes ?? 0) : 0),
    };
    if (visitor.isDone === true) break;
  }
  return total;
}

function firstOf(earlier: number, later: number): number {
  return earlier >= 0 ? earlier : later;
}
