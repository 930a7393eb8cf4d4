import { expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import {
  copyAppendix,
  encodeAppendix,
  readAppendix,
} from '../../../src/formats/perf-data/appendix.ts';
import { FEATURE } from '../../../src/formats/perf-data/features.ts';
import { openPerfData } from '../../../src/formats/perf-data/reader.ts';
import { encodeFeatures, encodePrefix } from '../../../src/formats/perf-data/writer.ts';
import { encodeAttr, newAttr } from '../../../src/kernel/perf-event/attr.ts';

const ATTACHMENTS = [
  { name: 'perf-map/12', packing: 'none', unpackedSize: 3, bytes: Uint8Array.of(1, 2, 3) },
  { name: 'größe', packing: 'deflate', unpackedSize: 70, bytes: Uint8Array.of(4) },
] as const;

/** A recording without records: head, one section, and what is behind. */
function recording(appendix: Uint8Array): Uint8Array {
  const { bytes, dataOffset } = encodePrefix({
    attrs: [{ attrBytes: encodeAttr(newAttr({})), ids: [] }],
  });
  const section = { feature: FEATURE.HOSTNAME, bytes: new Uint8Array(12) };
  const { bytes: sections, flags } = encodeFeatures(dataOffset, [section]);
  bytes.set(flags, 72);
  return Buffer.concat([bytes, sections, appendix]);
}

const read = (file: Uint8Array) => readAppendix(openPerfData(memorySource(file)));

test('an appendix written behind a recording is found', () => {
  const found = read(recording(Buffer.concat(encodeAppendix(ATTACHMENTS))));
  expect(found.map((one) => ({ ...one, bytes: new Uint8Array(one.bytes) }))).toEqual(ATTACHMENTS);
});

test('a truncated appendix gives its complete entries', () => {
  const appendix = Buffer.concat(encodeAppendix(ATTACHMENTS));
  const file = recording(appendix);
  for (let cut = 1; cut <= appendix.length; cut++) {
    const names = read(file.subarray(0, file.length - cut)).map(({ name }) => name);
    expect(names).toEqual(appendix.length - cut >= 16 + 24 + 11 + 3 ? ['perf-map/12'] : []);
  }
});

test('other bytes behind a recording are not taken for an appendix', () => {
  expect(read(recording(new Uint8Array(100)))).toEqual([]);
});

test('an appendix that is cut at any place behind its magic is reported as damage', () => {
  const appendix = Buffer.concat(encodeAppendix(ATTACHMENTS));
  const file = recording(appendix);
  const codes = (bytes: Uint8Array) =>
    openPerfData(memorySource(bytes))
      .diagnostics.entries()
      .map(({ code }) => code)
      .filter((code) => code === 'appendix-cut');
  expect(codes(file)).toEqual([]);
  for (let cut = 1; cut < appendix.length; cut++) {
    expect(codes(file.subarray(0, file.length - cut))).toEqual(['appendix-cut']);
  }
  expect(codes(file.subarray(0, file.length - appendix.length))).toEqual([]);
});

test('a large attachment is copied in pieces, and read as a whole by who asks for its bytes alone', () => {
  const bytes = Buffer.alloc(5 << 20, 'name ');
  const large = { name: 'perf-map/7', packing: 'none', unpackedSize: bytes.length, bytes } as const;
  const appendix = Buffer.concat(encodeAppendix([large, ...ATTACHMENTS]));
  const source = memorySource(recording(appendix));
  let longest = 0;
  const data = openPerfData({
    ...source,
    read(offset, length) {
      longest = Math.max(longest, length);
      return source.read(offset, length);
    },
  });
  const copied = Buffer.concat([...copyAppendix(data, () => true)]);
  expect(copied.equals(appendix)).toBe(true);
  const others = Buffer.concat([...copyAppendix(data, (name) => name !== large.name)]);
  expect(others.equals(Buffer.concat(encodeAppendix(ATTACHMENTS)))).toBe(true);
  expect([...copyAppendix(data, () => false)]).toEqual([]);
  expect(readAppendix(data).map(({ name }) => name)).toHaveLength(3);
  expect(longest).toBe(1 << 20);
  expect(readAppendix(data)[0].bytes.length).toBe(bytes.length);
});
