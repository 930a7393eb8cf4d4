// Recordings with the fields that only hardware fills in, made up value by value, and what perf
// prints of them. perf decides how a value reads; where it has no room or no name, the test says so.

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ByteWriter } from '../../src/base/byte-writer.ts';
import { cpuIdSection, pmuMappingsSection } from '../../src/formats/perf-data/feature-encoders.ts';
import { FEATURE } from '../../src/formats/perf-data/features.ts';
import { type EventAttr, newAttr } from '../../src/kernel/perf-event/attr.ts';
import { PERF_RECORD, PERF_SAMPLE } from '../../src/kernel/perf-event/constants.ts';
import { describeIbs, type IbsMachine } from '../../src/kernel/perf-event/ibs.ts';
import { computeParseInfo } from '../../src/kernel/perf-event/parse-info.ts';
import { decodeSample, SampleView } from '../../src/kernel/perf-event/sample.ts';
import { type SampleContext, SCRIPT_FIELDS } from '../../src/kernel/perf-event/sample-fields.ts';
import { findPerf, scratchDirectory } from '../helpers/cli.ts';
import { seededRandom } from '../helpers/random.ts';
import { perfDataFile, record, recordOf, viewOf } from '../helpers/record-builder.ts';

const scratch = scratchDirectory();
const ID = 5;
const SAMPLES = 200;

const { IDENTIFIER, IP, TID, TIME } = PERF_SAMPLE;
const HEAD = IDENTIFIER | IP | TID | TIME;

type Field = keyof typeof SCRIPT_FIELDS;
type Write = (out: ByteWriter, random: () => number) => void;

/** All 64 bits at random. */
function word(random: () => number): bigint {
  const half = () => BigInt(Math.floor(random() * 2 ** 32));
  return (half() << 32n) | half();
}

function samplesOf(write: Write): Uint8Array[] {
  const random = seededRandom(1);
  return Array.from({ length: SAMPLES }, (_, i) =>
    record(PERF_RECORD.SAMPLE, 2, (out) => {
      out
        .u64(ID)
        .u64(0x401000)
        .u32(10)
        .u32(10)
        .u64(1000 + i);
      write(out, random);
    }),
  );
}

function makeFile(
  name: string,
  attr: EventAttr,
  records: readonly Uint8Array[],
  features: readonly (readonly [number, Uint8Array])[] = [],
): string {
  const file = join(scratch, `${name}.data`);
  writeFileSync(file, perfDataFile({ attrs: [{ attr, ids: [ID] }], records, features }));
  return file;
}

function perfLines(args: readonly string[]): string[] {
  const text = execFileSync('perf', args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 2 ** 27,
  });
  return text.split('\n').filter((line) => line !== '');
}

function ourLines(field: Field, attr: EventAttr, records: readonly Uint8Array[]): string[] {
  const info = computeParseInfo(attr, true);
  const sample = new SampleView({ high: 0, low: 0 });
  return records.map((bytes) => {
    expect(decodeSample(recordOf(bytes), info, sample)).toBe(true);
    const context: SampleContext = { sample, attr, littleEndian: true, architecture: 'x86' };
    return SCRIPT_FIELDS[field](context).trim();
  });
}

/** Without padding: perf aligns columns that we leave to the caller. */
const trimmed = (lines: readonly string[]) => lines.map((line) => line.trim());

const FIELDS: readonly [field: Field, attr: Partial<EventAttr>, write: Write][] = [
  [
    'uregs',
    { sampleType: HEAD | PERF_SAMPLE.REGS_USER, sampleRegsUser: 0xff0fffn },
    (out, random) => {
      out.u64(random() < 0.5 ? 1 : 2);
      for (let i = 0; i < 20; i++) out.u64(word(random));
    },
  ],
  [
    'iregs',
    { sampleType: HEAD | PERF_SAMPLE.REGS_INTR, sampleRegsIntr: 0xffff_ffff_0000_0181n },
    (out, random) => {
      out.u64(2);
      for (let i = 0; i < 35; i++) out.u64(word(random));
    },
  ],
  [
    'weight',
    { sampleType: HEAD | PERF_SAMPLE.WEIGHT },
    (out, random) => out.u64(word(random) >> 12n),
  ],
  [
    'weight',
    { sampleType: HEAD | PERF_SAMPLE.WEIGHT_STRUCT },
    (out, random) => out.u64(word(random)),
  ],
  [
    'ins_lat',
    { sampleType: HEAD | PERF_SAMPLE.WEIGHT_STRUCT },
    (out, random) => out.u64(word(random)),
  ],
  [
    'phys_addr',
    { sampleType: HEAD | PERF_SAMPLE.PHYS_ADDR },
    (out, random) => out.u64(word(random) >> 12n),
  ],
  [
    'data_page_size',
    { sampleType: HEAD | PERF_SAMPLE.DATA_PAGE_SIZE },
    (out, random) => out.u64(random() < 0.1 ? 0 : 1n << BigInt(Math.floor(random() * 40))),
  ],
  [
    'code_page_size',
    { sampleType: HEAD | PERF_SAMPLE.CODE_PAGE_SIZE },
    (out, random) => out.u64(1n << BigInt(Math.floor(random() * 40))),
  ],
];

describe.skipIf(findPerf() === null)('fields of samples as perf prints them', () => {
  test.each(FIELDS)('%s', (field, attrFields, write) => {
    const attr = newAttr({ type: 4, samplePeriod: 1, ...attrFields });
    const records = samplesOf(write);
    const file = makeFile(field, attr, records);
    const theirs = perfLines(['script', '-i', file, '-F', field]);
    expect(ourLines(field, attr, records)).toEqual(trimmed(theirs));
  });

  test('data_src, as far as perf has room for it', () => {
    const attr = newAttr({ type: 4, samplePeriod: 1, sampleType: HEAD | PERF_SAMPLE.DATA_SRC });
    const records = samplesOf((out, random) => {
      // Few bits, as hardware sets them. The level is given by bits or by number, hit or missed:
      // where it is given twice, or half, perf writes something else since 6.2.
      const bits = word(random) & word(random) & word(random);
      const others = bits & ((0x3fffn << 5n) | (0x7fn << 33n) | (7n << 43n) | (~0n << 46n));
      const hitOrMiss = BigInt(random() < 0.5 ? 1 << 6 : 1 << 7);
      // perf 6.1 has names for the numbers up to 4 and from 9 on.
      const numbers = [1n, 2n, 3n, 4n, 9n, 10n, 11n, 12n, 13n, 14n];
      const number = numbers[Math.floor(random() * numbers.length)] << 33n;
      const remote = random() < 0.5 ? 1n << 37n : 0n;
      const hops = BigInt(Math.floor(random() * 5)) << 43n;
      const level = random() < 0.5 ? number | remote | hops : (bits & (0x7ffn << 8n)) | (1n << 8n);
      out.u64((bits ^ others) | hitOrMiss | level);
    });
    const file = makeFile('data_src', attr, records);
    const theirs = trimmed(perfLines(['script', '-i', file, '-F', 'data_src']));
    // 16 digits, padded, and the text share 99 characters.
    const ours = ourLines('data_src', attr, records).map((line, i) =>
      theirs[i].length < 80 ? line : line.slice(0, theirs[i].length),
    );
    expect(ours).toEqual(theirs);
    expect(new Set(theirs).size).toBeGreaterThan(SAMPLES / 2);
  });

  test('brstack, flags included', () => {
    const attr = newAttr({
      type: 4,
      samplePeriod: 1,
      sampleType: HEAD | PERF_SAMPLE.BRANCH_STACK,
      branchSampleType: (1n << 17n) | (1n << 3n),
    });
    const records = samplesOf((out, random) => {
      const count = Math.floor(random() * 4);
      out.u64(count).u64(7);
      for (let i = 0; i < count; i++) {
        // Without `reserved` and the last types, which perf 6.1 does not know.
        const flags = word(random) & ((1n << 26n) - 1n);
        out.u64(word(random) >> 17n).u64(word(random) >> 17n);
        out.u64(((flags >> 20n) & 15n) >= 14n ? flags & ~(15n << 20n) : flags);
      }
    });
    const file = makeFile('brstack', attr, records);
    const theirs = execFileSync('perf', ['script', '-i', file, '-F', 'brstack'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).split('\n');
    // perf 6.1 does not print how a branch was speculated on; newer ones do, at the end.
    const isSpeculationReported = theirs.some((line) => line.includes('SPEC_'));
    const ours = ourLines('brstack', attr, records).map((line) =>
      isSpeculationReported ? line : line.replace(/\/[^/ ]+(?= |$)/g, ''),
    );
    expect(ours.filter((line) => line !== '')).toEqual(
      theirs.map((line) => line.trim().replace(/ +/g, ' ')).filter((line) => line !== ''),
    );
  });

  const MACHINES: readonly (readonly [string, IbsMachine, string])[] = [
    ['Zen 2', machine(23, 0x31, false), 'AuthenticAMD,23,49,0'],
    ['Zen 3 with errata', machine(25, 1, false), 'AuthenticAMD,25,1,1'],
    ['Zen 4', machine(25, 0x61, true), 'AuthenticAMD,25,97,2'],
  ];
  test.each(MACHINES)('raw IBS registers of %s', (name, ibsMachine, cpuid) => {
    for (const kind of ['op', 'fetch'] as const) {
      const attr = newAttr({
        type: kind === 'op' ? 11 : 10,
        samplePeriod: 1,
        sampleType: HEAD | PERF_SAMPLE.RAW,
      });
      const registers = kind === 'op' ? 8 : 4;
      const records = samplesOf((out, random) => {
        out.u32(4 + 8 * registers).u32(0x1ff);
        for (let i = 0; i < registers; i++) {
          // Enabled and valid, or perf says nothing.
          const on = i > 0 ? 0n : kind === 'op' ? 3n << 17n : 3n << 48n;
          out.u64(word(random) | on);
        }
      });
      const features = ibsFeatures(cpuid, ibsMachine.hasZen4Extensions);
      const file = makeFile(`ibs-${kind}-${name}`, attr, records, features);
      const theirs = perfLines(['report', '-D', '-i', file]).filter((line) =>
        /^(ibs_|ic_ibs|Ibs)/.test(line),
      );
      const info = computeParseInfo(attr, true);
      const sample = new SampleView({ high: 0, low: 0 });
      const ours = records.flatMap((bytes) => {
        expect(decodeSample(recordOf(bytes), info, sample)).toBe(true);
        const { rawOffset, rawLength } = sample;
        return describeIbs(viewOf(bytes), rawOffset, rawLength, kind, ibsMachine) as string[];
      });
      // perf says since 6.3 what the Zen 4 sources are in fewer words.
      const withoutNames = (lines: readonly string[]) =>
        lines.map((line) => line.replace(/( DataSrc \d+=).*/, '$1'));
      const compared = ibsMachine.hasZen4Extensions ? withoutNames : (lines: string[]) => lines;
      expect(compared(ours)).toEqual(compared(theirs));
    }
  });
});

function machine(family: number, model: number, hasZen4Extensions: boolean): IbsMachine {
  return { family, model, hasZen4Extensions, hasLoadLatency: false };
}

/** A string of the header: its length with padding, then the bytes. */
function headerText(out: ByteWriter, text: string): ByteWriter {
  const size = Math.ceil((text.length + 1) / 64) * 64;
  return out
    .u32(size)
    .text(text)
    .zeros(size - text.length);
}

function ibsFeatures(cpuid: string, isZen4: boolean): (readonly [number, Uint8Array])[] {
  const mappings = pmuMappingsSection([
    { type: 10, name: 'ibs_fetch' },
    { type: 11, name: 'ibs_op' },
  ]);
  const sections = [cpuIdSection(cpuid), mappings].map(
    ({ feature, bytes }) => [feature, bytes] as const,
  );
  if (!isZen4) return sections;
  // struct { u32 nr_pmus; { u32 nr_caps; { string name, value; } caps[]; string pmu; } pmus[]; }
  const caps = new ByteWriter().u32(2);
  for (const pmu of ['ibs_fetch', 'ibs_op']) {
    caps.u32(1);
    for (const text of ['zen4_ibs_extensions', '1', pmu]) headerText(caps, text);
  }
  return [...sections, [FEATURE.PMU_CAPS, caps.finish()]];
}
