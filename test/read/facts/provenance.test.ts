import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import {
  archSection,
  type FeatureSection,
  versionSection,
} from '../../../src/formats/perf-data/feature-encoders.ts';
import { FEATURE_FLAGS_OFFSET } from '../../../src/formats/perf-data/header.ts';
import { openPerfData } from '../../../src/formats/perf-data/reader.ts';
import { encodeFeatures, encodePrefix } from '../../../src/formats/perf-data/writer.ts';
import { encodeAttr, newAttr } from '../../../src/kernel/perf-event/attr.ts';
import {
  attachProvenance,
  overwrittenGaps,
  type Provenance,
  probedRulesOf,
  readKernelSymbols,
  readProvenance,
  totalKeys,
  totalsOf,
} from '../../../src/read/facts/provenance.ts';
import { concat } from '../../helpers/record-builder.ts';

const PROVENANCE: Provenance = {
  version: 1,
  recorder: '0.1.0',
  notes: ['recording cpu-clock instead — “a timer”', ''],
  kernel: { maxSampleRate: 100_000, maxSampleRateAfter: 25_000, cpuTimeMaxPercent: null },
  totals: { 'cpu-clock:u': 2 ** 53 - 1, 'page-faults': 0 },
};

/** A recording without records, with these sections. */
function fileWith(sections: readonly FeatureSection[]) {
  const attrBytes = encodeAttr(newAttr({ type: 1, samplePeriod: 1 }));
  const { bytes: prefix, dataOffset } = encodePrefix({
    attrs: [{ attrBytes, ids: BigUint64Array.of(1n) }],
  });
  const { bytes, flags } = encodeFeatures(dataOffset, sections);
  const file = new Uint8Array(dataOffset + bytes.length);
  file.set(prefix);
  file.set(flags, FEATURE_FLAGS_OFFSET);
  file.set(bytes, dataOffset);
  return openPerfData(memorySource(file));
}

const VERSION = versionSection('perf-ts 0.1.0');
const json = (document: unknown) => new TextEncoder().encode(JSON.stringify(document));

describe('the parts of the time that overwritten rings lost', () => {
  const TIMES = Float64Array.of(20, 30, 40, 70, 80, 95);
  const gapsOf = (snapshots?: Provenance['snapshots']) =>
    overwrittenGaps({ ...PROVENANCE, ...(snapshots && { snapshots }) }, 1000n, TIMES).map(
      ({ fromNs, toNs }) => [fromNs, toNs],
    );
  const START = Number.NEGATIVE_INFINITY;

  it('each snapshot that is not whole has a gap up to its first sample', () => {
    expect(
      gapsOf([
        ['1045', false],
        ['1100', false],
      ]),
    ).toEqual([
      [START, 20],
      [45, 70],
    ]);
  });

  it('a whole snapshot has none, unless it has no sample', () => {
    expect(
      gapsOf([
        ['1045', true],
        ['1100', true],
      ]),
    ).toEqual([]);
    expect(
      gapsOf([
        ['1010', true],
        ['1100', true],
      ]),
    ).toEqual([[START, 10]]);
    expect(
      gapsOf([
        ['1100', false],
        ['1110', true],
      ]),
    ).toEqual([
      [START, 20],
      [100, 110],
    ]);
  });

  it('the time before the first sample is one where the snapshots are not known', () => {
    expect(gapsOf()).toEqual([[START, 20]]);
  });
});

describe('rules that were measured', () => {
  const RULE = { rule: 'elapsed', countsLag: true, samples: 64, votes: 20, majority: 1 } as const;

  it('measured rules belong to the events by their names, and a damaged one is none', () => {
    const periodRules = { cycles: RULE, 'cycles#2': { ...RULE, majority: 7 } as const };
    const rules = probedRulesOf({ ...PROVENANCE, periodRules }, [
      'page-faults',
      'cycles',
      'cycles',
    ]);
    expect(rules).toEqual([null, RULE, null]);
    expect(probedRulesOf(null, ['cycles'])).toEqual([null]);
    expect(probedRulesOf({ ...PROVENANCE, periodRules: 3 as never }, ['cycles'])).toEqual([null]);
  });
});

describe('the final values of events', () => {
  const names = ['cycles', 'page-faults', 'cycles', 'cycles'];

  it('two events of one name keep their own final values', () => {
    expect(totalKeys(names)).toEqual(['cycles', 'page-faults', 'cycles#2', 'cycles#3']);
    const totals = { cycles: 1, 'page-faults': 2, 'cycles#2': 3, 'cycles#3': 4 };
    expect(totalsOf({ ...PROVENANCE, totals }, names)).toEqual([1, 2, 3, 4]);
  });

  it('an event of which no value was recorded has no final value', () => {
    const totals = { cycles: 4, 'page-faults': 2 };
    expect(totalsOf({ ...PROVENANCE, totals }, ['cycles', 'toString'])).toEqual([4, null]);
    expect(totalsOf(null, ['cycles'])).toEqual([null]);
  });
});

describe('the provenance of a recording', () => {
  it('provenance is read back from the file', () => {
    const file = fileWith(attachProvenance([archSection('x86_64'), VERSION], PROVENANCE));
    expect(readProvenance(file)).toEqual(PROVENANCE);
    expect(file.features.version).toBe('perf-ts 0.1.0');
  });

  it('a recording of another tool has no provenance', () => {
    expect(readProvenance(fileWith([]))).toBe(null);
    expect(readProvenance(fileWith([VERSION]))).toBe(null);
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
    ['more than any recording has to say', json({ ...PROVENANCE, notes: ['x'.repeat(16 << 20)] })],
  ])('provenance that holds %s is ignored', (_what, document) => {
    const bytes = concat(VERSION.bytes, document);
    expect(readProvenance(fileWith([{ ...VERSION, bytes }]))).toBe(null);
  });
});

describe('the kernel symbols of a recording', () => {
  const withSymbols = (kernelSymbols: unknown) =>
    readKernelSymbols(
      readProvenance(
        fileWith([
          { ...VERSION, bytes: concat(VERSION.bytes, json({ ...PROVENANCE, kernelSymbols })) },
        ]),
      ),
    );

  it('recorded kernel symbols are read back', () => {
    const text = 'ffffffff81000100 ffffffff81000200 do_one\n';
    const packed = deflateRawSync(text).toString('base64');
    expect(new TextDecoder().decode(withSymbols(packed) ?? undefined)).toBe(text);
  });

  it.each([
    ['not there', undefined],
    ['no text', 7],
    ['damaged', 'c3RyYW5nZQ=='],
    ['far larger than any', deflateRawSync(new Uint8Array(65 << 20)).toString('base64')],
  ])('recorded kernel symbols that are %s are ignored', (_what, value) => {
    expect(withSymbols(value)).toBe(null);
  });
});
