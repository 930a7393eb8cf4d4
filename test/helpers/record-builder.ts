import { ByteWriter } from '../../src/base/byte-writer.ts';
import { type EventAttr, encodeAttr } from '../../src/kernel/perf-event/attr.ts';
import { PERF_RECORD } from '../../src/kernel/perf-event/constants.ts';
import { RecordView } from '../../src/kernel/perf-event/record-view.ts';

/** Builds one record field by field, so that a test shows its layout; the size is filled in. */
export function record(
  type: number,
  misc: number,
  fields: (out: ByteWriter) => void,
  littleEndian = true,
): Uint8Array {
  const out = new ByteWriter(littleEndian).u32(type).u16(misc).u16(0);
  fields(out);
  out.patchU16(6, out.length);
  return out.finish();
}

/** A sample of an event that records IP, TID, TIME and, by id, IDENTIFIER. */
export function plainSample(
  fields: { id?: number; ip: number; pid: number; tid: number; time: number },
  littleEndian = true,
): Uint8Array {
  return record(
    PERF_RECORD.SAMPLE,
    2,
    (out) => {
      if (fields.id !== undefined) out.u64(fields.id);
      out.u64(fields.ip).u32(fields.pid).u32(fields.tid).u64(fields.time);
    },
    littleEndian,
  );
}

export function finishedRound(littleEndian = true): Uint8Array {
  return record(PERF_RECORD.FINISHED_ROUND, 0, () => {}, littleEndian);
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** `bytes` as a record of a walk, as long as they are, also where they were cut. */
export function recordOf(bytes: Uint8Array, littleEndian = true): RecordView {
  const view = new RecordView().moveTo(viewOf(bytes), 0, littleEndian);
  view.size = bytes.length;
  return view;
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

export type BuiltFile = {
  readonly attrs: readonly { readonly attr: EventAttr; readonly ids: readonly number[] }[];
  readonly records: readonly Uint8Array[];
  /** Feature number and section bytes, ascending. */
  readonly features?: readonly (readonly [feature: number, bytes: Uint8Array])[];
  readonly littleEndian?: boolean;
  /** What the header says, if not the truth. */
  readonly dataSize?: number;
};

/**
 * A whole perf.data file, written independently of the library's own writer: header, attrs, ids,
 * records, section table, sections.
 */
export function perfDataFile(file: BuiltFile): Uint8Array {
  const littleEndian = file.littleEndian ?? true;
  const features = file.features ?? [];
  const attrs = file.attrs.map(({ attr }) => encodeAttr(attr, littleEndian, 128));
  const stride = 128 + 16;
  const attrsOffset = 104;
  const idsOffset = attrsOffset + attrs.length * stride;
  const idCount = file.attrs.reduce((sum, { ids }) => sum + ids.length, 0);
  const data = concat(...file.records);
  const dataOffset = idsOffset + 8 * idCount;

  const out = new ByteWriter(littleEndian);
  out
    .text(littleEndian ? 'PERFILE2' : '2ELIFREP')
    .u64(104)
    .u64(stride);
  out.u64(attrsOffset).u64(attrs.length * stride);
  out.u64(dataOffset).u64(file.dataSize ?? data.length);
  out.u64(0).u64(0);
  for (let word = 0; word < 4; word++) {
    const bits = features.filter(([feature]) => feature >> 6 === word);
    out.u64(bits.reduce((sum, [feature]) => sum | (1n << BigInt(feature & 63)), 0n));
  }
  let idsAt = idsOffset;
  file.attrs.forEach(({ ids }, index) => {
    out
      .bytes(attrs[index])
      .u64(idsAt)
      .u64(8 * ids.length);
    idsAt += 8 * ids.length;
  });
  for (const { ids } of file.attrs) for (const id of ids) out.u64(id);
  out.bytes(data);
  let sectionAt = dataOffset + data.length + 16 * features.length;
  for (const [, bytes] of features) {
    out.u64(sectionAt).u64(bytes.length);
    sectionAt += bytes.length;
  }
  for (const [, bytes] of features) out.bytes(bytes);
  return out.finish();
}
