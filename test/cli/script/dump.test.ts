import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ByteWriter } from '../../../src/base/byte-writer.ts';
import { formatDump } from '../../../src/cli/script/dump-text.ts';
import {
  cpuIdSection,
  pmuMappingsSection,
} from '../../../src/formats/perf-data/feature-encoders.ts';
import { newAttr } from '../../../src/kernel/perf-event/attr.ts';
import { PERF_RECORD, PERF_SAMPLE } from '../../../src/kernel/perf-event/constants.ts';
import { dumpRecords } from '../../../src/tools/script/dump-records.ts';
import { describeRecords } from '../../../src/tools/script/record-stream.ts';
import { perfTs, scratchDirectory } from '../../helpers/cli.ts';
import { CORPORA, hasCorpora, readCorpus, readExpectedText } from '../../helpers/corpora.ts';
import { perfDataFile, record } from '../../helpers/record-builder.ts';

const scratch = scratchDirectory();

function dumpOf(path: string): string[] {
  const blocks: string[] = [];
  dumpRecords(path, (one) => blocks.push(formatDump(one)));
  return blocks;
}

/** The bytes that a block shows. */
function bytesIn(block: string): Uint8Array {
  const digits = [...block.matchAll(/^\. {2}[0-9a-f]{4,}: (.{48})/gm)].map((match) => match[1]);
  return Uint8Array.from(digits.join(' ').trim().split(/ +/), (byte) => Number.parseInt(byte, 16));
}

describe.skipIf(!hasCorpora)('script -D on recordings', () => {
  test.each([
    'own/pagefaults-c1-fp.data',
    'own/multi-5events-threads-forks.data',
    'google+perf_data_converter/perf.data.branch-4.14',
  ])('script -D of %s: every record at its offset, byte by byte', (file) => {
    const whole = readCorpus(file);
    const shown = dumpOf(join(CORPORA, file)).map((block) => {
      const head = /(0x[0-9a-f]+) \[0x([0-9a-f]+)\]: PERF_RECORD_([A-Z0-9_]+)/.exec(block) ?? [];
      const [, offset = '', size = '', type] = head;
      const at = Number(offset);
      const bytes = bytesIn(block);
      expect(bytes).toEqual(new Uint8Array(whole.subarray(at, at + Number.parseInt(size, 16))));
      return `${offset}\t${bytes.length}\t${type}`;
    });
    expect(shown).toEqual(readExpectedText(file, 'records.tsv')?.trimEnd().split('\n'));
  });
});

describe('samples of AMD instruction-based sampling', () => {
  const attr = newAttr({
    type: 10,
    samplePeriod: 1,
    sampleType: PERF_SAMPLE.IP | PERF_SAMPLE.TID | PERF_SAMPLE.RAW,
  });
  // perf-amd-ibs(1): perf record -c 130 -a -e ibs_fetch/l3missonly=1/
  const sample = record(PERF_RECORD.SAMPLE, 2, (out: ByteWriter) => {
    out.u64(0x401000).u32(10).u32(11).u32(36).u32(0x1ff);
    for (const register of [0x3c1f_00c7_0008_0008n, 0x401000n, 0x1234n, 0x20n]) out.u64(register);
  });
  const sections = [
    cpuIdSection('AuthenticAMD,25,97,2'),
    pmuMappingsSection([
      { type: 4, name: 'cpu' },
      { type: 10, name: 'ibs_fetch' },
    ]),
  ].map(({ feature, bytes }) => [feature, bytes] as const);
  const path = join(scratch, 'ibs.data');
  const make = (features: typeof sections) =>
    writeFileSync(path, perfDataFile({ attrs: [{ attr, ids: [] }], records: [sample], features }));
  const lines = [
    'ibs_fetch_ctl:\t3c1f00c700080008 MaxCnt     128 Cnt     128 Lat   199 En 1 Val 1 Comp 1' +
      ' IcMiss 1 PhyAddrValid 1 L1TlbPgSz 4KB L1TlbMiss 0 L2TlbMiss 0 RandEn 0 L2Miss 1',
    'IbsFetchLinAd:\t0000000000401000',
    'IbsFetchPhysAd:\t0000000000001234',
    'ic_ibs_ext_ctl:\t0000000000000020 IbsItlbRefillLat  32',
  ];

  test('script -D and --json decode IBS registers as perf does', () => {
    make(sections);
    expect(dumpOf(path)[0]?.split('\n').slice(0, 6)).toEqual([
      '0xf8 [0x40]: PERF_RECORD_SAMPLE(IP, 0x2): 10/11: 0x401000 period: 1 addr: 0',
      ...lines,
      '.',
    ]);
    const reported: unknown[] = [];
    describeRecords(path, {}, ({ ibs }) => reported.push(ibs));
    expect(reported).toEqual([lines]);
  });

  test('IBS registers are not decoded where the header names no PMU', () => {
    make([]);
    expect(dumpOf(path)[0]?.split('\n')[1]).toBe('.');
  });
});

test('script -D prints the whole file, whatever is selected', () => {
  const { status, stderr } = perfTs([
    'script',
    '-D',
    '--cpu',
    '0',
    '-i',
    join(scratch, 'ibs.data'),
  ]);
  expect(status).toBe(2);
  expect(stderr).toContain('does not go with --cpu 0');
});
