import { ByteWriter } from '../../base/byte-writer.ts';
import type { FeatureSection } from '../../perf-data/feature-encoders.ts';
import { FEATURE } from '../../perf-data/features.ts';
import { FEATURE_FLAGS_SIZE, FILE_HEADER_SIZE, PIPE_HEADER_SIZE } from '../../perf-data/header.ts';
import { PERF_RECORD } from '../../perf-event/constants.ts';

// What perf-data/writer.ts and pipe-writer.ts write, in either byte order: a rewritten recording
// keeps that of its records. The structs are in perf-data/header.ts and pipe-preamble.ts.

/** An event of the output. */
export type OutputEvent = {
  readonly attrBytes: Uint8Array;
  readonly ids: readonly number[];
  readonly name: string | null;
};

const SECTION_SIZE = 16;
const LARGEST_RECORD = 0xfff8;
const EVENT_UPDATE_NAME = 2;

/** Everything in front of the records of a file; sizes and feature bits are filled in later. */
export function encodeFileHead(
  events: readonly OutputEvent[],
  littleEndian: boolean,
): Uint8Array<ArrayBuffer> {
  const attrs = equalSizes(events, littleEndian);
  const stride = (attrs[0]?.length ?? 0) + SECTION_SIZE;
  const idsSize = events.reduce((sum, { ids }) => sum + 8 * ids.length, 0);
  const attrsOffset = FILE_HEADER_SIZE + idsSize;
  const dataOffset = attrsOffset + attrs.length * stride;
  const out = magic(littleEndian).u64(FILE_HEADER_SIZE).u64(stride);
  out.u64(attrsOffset).u64(attrs.length * stride);
  out.u64(dataOffset).u64(0).u64(0).u64(0).zeros(FEATURE_FLAGS_SIZE);
  for (const { ids } of events) for (const id of ids) out.u64(id);
  let idsOffset = FILE_HEADER_SIZE;
  events.forEach(({ ids }, index) => {
    out.bytes(attrs[index] as Uint8Array).u64(idsOffset);
    out.u64(8 * ids.length);
    idsOffset += 8 * ids.length;
  });
  return out.finish();
}

/** The table of sections and the sections, behind records that end at `dataEnd`; and their bits. */
export function encodeFileTail(
  dataEnd: number,
  sections: readonly FeatureSection[],
  littleEndian: boolean,
): { bytes: Uint8Array<ArrayBuffer>; flags: Uint8Array<ArrayBuffer> } {
  const sorted = [...sections].sort((a, b) => a.feature - b.feature);
  const flags = new Uint8Array(FEATURE_FLAGS_SIZE);
  const out = new ByteWriter(littleEndian);
  let offset = dataEnd + sorted.length * SECTION_SIZE;
  for (const { feature, bytes } of sorted) {
    // An array of u64: on a big-endian machine its bytes lie the other way round.
    const bit = littleEndian ? feature : feature ^ 56;
    flags[bit >> 3] = (flags[bit >> 3] as number) | (1 << (bit & 7));
    out.u64(offset).u64(bytes.length);
    offset += bytes.length;
  }
  for (const { bytes } of sorted) out.bytes(bytes);
  return { bytes: out.finish(), flags };
}

/** What a pipe has in place of both: header, attrs, names, features. Ids that don't fit are cut. */
export function encodePipeHead(
  events: readonly OutputEvent[],
  sections: readonly FeatureSection[],
  littleEndian: boolean,
): Uint8Array<ArrayBuffer> {
  const out = magic(littleEndian).u64(PIPE_HEADER_SIZE);
  for (const { attrBytes, ids } of events) {
    const most = Math.floor((LARGEST_RECORD - 8 - attrBytes.length) / 8);
    record(out, PERF_RECORD.HEADER_ATTR, (body) => {
      body.bytes(attrBytes);
      for (const id of ids.slice(0, most)) body.u64(id);
    });
  }
  for (const { ids, name } of events) {
    if (name === null || ids[0] === undefined) continue;
    const id = ids[0];
    record(out, PERF_RECORD.EVENT_UPDATE, (body) =>
      body.u64(EVENT_UPDATE_NAME).u64(id).text(name).u8(0).align(8),
    );
  }
  for (const section of sections) pipeSection(out, section, littleEndian);
  return out.finish();
}

/** HEADER_BUILD_ID records: the entries of the section, with their type. */
export function encodePipeBuildIds(
  section: Uint8Array,
  littleEndian: boolean,
): Uint8Array<ArrayBuffer> {
  const records = new Uint8Array(section);
  const view = new DataView(records.buffer);
  for (let at = 0; at < records.length; at += view.getUint16(at + 6, littleEndian)) {
    view.setUint32(at, PERF_RECORD.HEADER_BUILD_ID, littleEndian);
  }
  return records;
}

function pipeSection(out: ByteWriter, { feature, bytes }: FeatureSection, little: boolean): void {
  if (feature === FEATURE.BUILD_ID) {
    out.bytes(encodePipeBuildIds(bytes, little));
  } else if (feature === FEATURE.TRACING_DATA) {
    const padded = Math.ceil(bytes.length / 8) * 8;
    out.u32(PERF_RECORD.HEADER_TRACING_DATA).u16(0).u16(12).u32(padded);
    out.bytes(bytes).zeros(padded - bytes.length);
  } else if (bytes.length <= LARGEST_RECORD - 16) {
    record(out, PERF_RECORD.HEADER_FEATURE, (body) => body.u64(feature).bytes(bytes).align(8));
  }
}

/** `write` writes what follows the record's header; the size is filled in. */
function record(out: ByteWriter, type: number, write: (body: ByteWriter) => unknown): void {
  const body = new ByteWriter(out.littleEndian).u32(type).u16(0).u16(0);
  write(body);
  body.patchU16(6, body.length);
  out.bytes(body.finish());
}

function magic(littleEndian: boolean): ByteWriter {
  return new ByteWriter(littleEndian).text(littleEndian ? 'PERFILE2' : '2ELIFREP');
}

/** Attrs of one file have one size; smaller ones are extended by zeros, and say their new size. */
function equalSizes(events: readonly OutputEvent[], littleEndian: boolean): Uint8Array[] {
  const size = Math.max(0, ...events.map(({ attrBytes }) => attrBytes.length));
  return events.map(({ attrBytes }) => {
    const bytes = new Uint8Array(size);
    bytes.set(attrBytes);
    new DataView(bytes.buffer).setUint32(4, size, littleEndian);
    return bytes;
  });
}
