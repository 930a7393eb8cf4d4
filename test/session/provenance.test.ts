import { describe, expect, it } from 'vitest';
import { memorySource } from '../../src/base/byte-source.ts';
import { FEATURE_FLAGS_OFFSET } from '../../src/perf-data/header.ts';
import { openPerfData } from '../../src/perf-data/reader.ts';
import { encodeFeatures, encodePrefix } from '../../src/perf-data/writer.ts';
import { encodeAttr, newAttr } from '../../src/perf-event/attr.ts';
import {
  encodeProvenance,
  PROVENANCE_FEATURE,
  type Provenance,
  readProvenance,
} from '../../src/session/provenance.ts';

const PROVENANCE: Provenance = {
  version: 1,
  recorder: '0.1.0',
  notes: ['recording cpu-clock instead — “a timer”', ''],
  kernel: { maxSampleRate: 100_000, maxSampleRateAfter: 25_000, cpuTimeMaxPercent: null },
  totals: { 'cpu-clock:u': 2 ** 53 - 1, 'page-faults': 0 },
};

/** A recording without records, whose only section has these bytes. */
function fileWith(section: Uint8Array | null) {
  const attrBytes = encodeAttr(newAttr({ type: 1, samplePeriod: 1 }));
  const { bytes: prefix, dataOffset } = encodePrefix({
    attrs: [{ attrBytes, ids: BigUint64Array.of(1n) }],
  });
  const sections = section === null ? [] : [{ feature: PROVENANCE_FEATURE, bytes: section }];
  const { bytes, flags } = encodeFeatures(dataOffset, sections);
  const file = new Uint8Array(dataOffset + bytes.length);
  file.set(prefix);
  file.set(flags, FEATURE_FLAGS_OFFSET);
  file.set(bytes, dataOffset);
  return openPerfData(memorySource(file));
}

const json = (document: unknown) => new TextEncoder().encode(JSON.stringify(document));

describe('the provenance of a recording', () => {
  it('comes back from the file as it went in', () => {
    expect(readProvenance(fileWith(encodeProvenance(PROVENANCE)))).toEqual(PROVENANCE);
  });

  it('is null in a file of somebody else', () => {
    expect(readProvenance(fileWith(null))).toBe(null);
  });

  it.each([
    ['no JSON', new TextEncoder().encode('{"version":1,')],
    ['nothing', new Uint8Array(0)],
    ['bytes that are no text', Uint8Array.of(0xff, 0xfe, 0x00)],
    ['null', json(null)],
    ['a list', json([PROVENANCE])],
    ['another version', json({ ...PROVENANCE, version: 2 })],
    ['notes that are no sentences', json({ ...PROVENANCE, notes: [1] })],
    ['no totals', json({ ...PROVENANCE, totals: undefined })],
    ['no limits', json({ ...PROVENANCE, kernel: null })],
    ['more than any recording has to say', json({ ...PROVENANCE, notes: ['x'.repeat(1 << 20)] })],
  ])('is null where the section holds %s', (_what, section) => {
    expect(readProvenance(fileWith(section))).toBe(null);
  });
});
