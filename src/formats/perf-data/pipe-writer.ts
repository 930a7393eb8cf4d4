import { ByteWriter } from '../../base/byte-writer.ts';
import {
  LARGEST_RECORD,
  PERF_EVENT_UPDATE,
  PERF_RECORD,
} from '../../kernel/perf-event/constants.ts';
import type { FeatureSection } from './feature-encoders.ts';
import { FEATURE } from './features.ts';
import { magicOf, PIPE_HEADER_SIZE } from './header.ts';
import type { WrittenAttr } from './writer.ts';

// What a pipe (`-o -`) has in place of a file's header. The order that readers need: header, attrs,
// event names, features, tracing data, then records. Structs: pipe-preamble.ts.

/** An event with its name; null where it has none in the head. */
export type PipeEvent = WrittenAttr & { readonly name: string | null };

/** The records that a pipe has in place of a file's header: attrs, names, and the sections that fit. */
export function encodePipeHead(
  events: readonly PipeEvent[],
  sections: readonly FeatureSection[],
  littleEndian = true,
): Uint8Array[] {
  const parts = [encodePipeHeader(littleEndian)];
  for (const event of events) parts.push(encodeHeaderAttr(event, littleEndian));
  for (const { ids, name } of events) {
    if (name === null || ids[0] === undefined) continue;
    parts.push(encodeEventName(ids[0], name, littleEndian));
  }
  for (const section of sections) {
    const part = encodePipeSection(section, littleEndian);
    if (part !== null) parts.push(part);
  }
  return parts;
}

function encodePipeSection(section: FeatureSection, littleEndian: boolean) {
  switch (section.feature) {
    case FEATURE.BUILD_ID:
      return encodeHeaderBuildIds(section, littleEndian);
    case FEATURE.TRACING_DATA:
      return encodeHeaderTracingData(section.bytes, littleEndian);
    default:
      return encodeHeaderFeature(section, littleEndian);
  }
}

/** `struct perf_pipe_file_header` */
export function encodePipeHeader(littleEndian = true): Uint8Array {
  const out = new ByteWriter(littleEndian);
  return out.text(magicOf(littleEndian)).u64(PIPE_HEADER_SIZE).finish();
}

/**
 * HEADER_ATTR. Ids that do not fit into one record (some 8 000) are left out: with several events,
 * records with those ids have none.
 */
export function encodeHeaderAttr({ attrBytes, ids }: WrittenAttr, littleEndian = true): Uint8Array {
  const most = Math.floor((LARGEST_RECORD - 8 - attrBytes.length) / 8);
  return record(littleEndian, PERF_RECORD.HEADER_ATTR, (out) => {
    out.bytes(attrBytes);
    for (const id of ids.slice(0, most)) out.u64(id);
  });
}

/** EVENT_UPDATE that names the event which has `id` among its ids. */
export function encodeEventName(
  id: bigint | number,
  name: string,
  littleEndian = true,
): Uint8Array {
  return record(littleEndian, PERF_RECORD.EVENT_UPDATE, (out) =>
    out.u64(PERF_EVENT_UPDATE.NAME).u64(id).text(name).u8(0).align(8),
  );
}

/**
 * HEADER_FEATURE; null if the section does not fit into a record. Build IDs and tracing data have
 * records of their own: perf reads their payload from the pipe itself, and so would swallow the
 * records behind a HEADER_FEATURE.
 */
export function encodeHeaderFeature(
  section: FeatureSection,
  littleEndian = true,
): Uint8Array | null {
  if (section.feature === FEATURE.BUILD_ID || section.feature === FEATURE.TRACING_DATA) {
    throw new RangeError(`feature ${section.feature} has a record of its own in a pipe`);
  }
  if (section.bytes.length > LARGEST_RECORD - 16) return null;
  return record(littleEndian, PERF_RECORD.HEADER_FEATURE, (out) =>
    out.u64(section.feature).bytes(section.bytes).align(8),
  );
}

/** HEADER_BUILD_ID records: the entries of the section, which lack nothing but the type. */
export function encodeHeaderBuildIds(
  { bytes }: Pick<FeatureSection, 'bytes'>,
  littleEndian = true,
): Uint8Array {
  const records = new Uint8Array(bytes);
  const view = new DataView(records.buffer);
  for (let at = 0; at < records.length; at += view.getUint16(at + 6, littleEndian)) {
    view.setUint32(at, PERF_RECORD.HEADER_BUILD_ID, littleEndian);
  }
  return records;
}

/** HEADER_TRACING_DATA and, behind the record, the data itself. */
export function encodeHeaderTracingData(tracingData: Uint8Array, littleEndian = true): Uint8Array {
  const padded = Math.ceil(tracingData.length / 8) * 8;
  return new ByteWriter(littleEndian)
    .u32(PERF_RECORD.HEADER_TRACING_DATA)
    .u16(0)
    .u16(12)
    .u32(padded)
    .bytes(tracingData)
    .zeros(padded - tracingData.length)
    .finish();
}

function record(littleEndian: boolean, type: number, body: (out: ByteWriter) => void): Uint8Array {
  const out = new ByteWriter(littleEndian).u32(type).u16(0).u16(0);
  body(out);
  out.patchU16(6, out.length);
  return out.finish();
}
