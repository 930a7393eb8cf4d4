import type { ByteSource } from '../../base/byte-source.ts';
import type { RecordView } from '../../kernel/perf-event/record-view.ts';

/** Gets every record of a file. */
export type RecordVisitor = {
  /**
   * The next record, which is whole. `record.view` stays valid and unchanged for as long as it is
   * kept.
   *
   * `fileOffset − offset` is the same for all records of one view. In an `InflatedView`, which
   * holds records out of one COMPRESSED record, `fileOffset` is the same: that record's.
   */
  record(record: RecordView): void;
  /** Looked at after every record: true ends the walk. */
  readonly isDone?: boolean;
  /** Names the source of the records that follow; only a directory has more than one. */
  part?(source: ByteSource): void;
};

/** How a walk ended. */
export type WalkEnd = {
  readonly records: number;
  /** File offset of the record that the end of the file cuts; −1 if there is none. */
  readonly truncatedAt: number;
  /** File offset of a record header that can't be true; −1 if there is none. */
  readonly badRecordAt: number;
  /** Bytes that were not walked because of either. */
  readonly skippedBytes: number;
  /** Records whose contents are compressed. */
  readonly compressedRecords: number;
  /** Bytes of those that could not be inflated. */
  readonly opaqueBytes: number;
};
