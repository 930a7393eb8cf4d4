import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseCpuList } from '../../src/base/cpu-list.ts';
import { readInfo } from '../../src/read/recording-info.ts';
import { CORPORA, hasCorpora, isFuzzed, perfDataCorpora } from '../helpers/corpora.ts';
import { scratchDirectory } from '../helpers/scratch.ts';

const cases = perfDataCorpora()
  .filter((expected) => !isFuzzed(expected))
  .map((expected) => [expected.file, expected] as const);

test.each([
  ['main;work 3\n', 'a text of folded stacks'],
  [
    '{"nodes":[{"id":1,"callFrame":{"functionName":"work"}}]}',
    'a .cpuprofile, .heapprofile or trace',
  ],
  ['node 12/12 [000] 1.000000: 10 cycles:      2000 work (/bin/app)\n', 'a text of perf script'],
])('a profile of another tool is named as such, and who reads it: %j', (text, what) => {
  const file = join(scratchDirectory(), 'profile');
  writeFileSync(file, text);
  expect(() => readInfo(file)).toThrow(`${what}`);
  expect(() => readInfo(file)).toThrow('perf-ts report, view, query and diff read it');
});

describe.skipIf(!hasCorpora)('info on the corpora', () => {
  test.each(cases)('%s: samples and periods as perf sums them', (file, expected) => {
    const info = readInfo(join(CORPORA, file));
    const summary = ['perf_6.1.187', 'perf_7.3.4', 'perf_6.12.95']
      .map((peer) => expected[peer as 'perf_7.3.4']?.dump?.sample_summary)
      .find((found) => (found?.samples ?? 0) > 0);
    const samples = info.events.reduce((sum, event) => sum + (event.samples ?? 0), 0);
    expect(samples).toBe(info.records.SAMPLE ?? 0);
    // perf 6.1 also takes the record that a cut file ends in.
    if (summary === undefined || expected.walk.trunc_rec_at !== undefined) return;
    expect(samples).toBe(summary.samples);
    const sampled = info.events.flatMap((event) => event.sampled.period ?? []);
    if (summary.period !== undefined) {
      expect(sampled.reduce((sum, period) => sum + period.sum, 0)).toBe(summary.period.sum);
      expect(Math.min(...sampled.map(({ min }) => min))).toBe(summary.period.min);
      expect(Math.max(...sampled.map(({ max }) => max))).toBe(summary.period.max);
    }
    expect(JSON.parse(JSON.stringify(info))).toEqual(info);
  });

  test('info of selected samples has their counts, sums and times', () => {
    const path = join(CORPORA, 'google+perf_data_converter/perf.data.systemwide.1-3.8');
    const whole = readInfo(path);
    const parts = ['0-1', '2-3'].map((cpus) =>
      readInfo(path, { cpus: new Set(parseCpuList(cpus)) }),
    );
    // perf script -F cpu | sort | uniq -c
    expect(parts.map(({ selected }) => selected)).toEqual([
      { samples: 71 + 9, of: 755 },
      { samples: 246 + 429, of: 755 },
    ]);
    const sumOf = ({ events }: typeof whole) => events[0].sampled.period!.sum;
    expect(parts.map(sumOf).reduce((a, b) => a + b)).toBe(sumOf(whole));
    expect(parts.map(({ events }) => events[0].sampled.cpus)).toEqual([2, 2]);
    expect(parts.map(({ records }) => records)).toEqual([whole.records, whole.records]);
    const early = readInfo(path, { time: '0%-10%' });
    expect(early.firstSampleTimeNs).toBe(whole.firstSampleTimeNs);
    expect(BigInt(early.lastSampleTimeNs!)).toBeLessThan(BigInt(whole.lastSampleTimeNs!));
  });

  test('every section that is understood has its key', () => {
    const info = readInfo(join(CORPORA, 'own/group-S-F1000.data'));
    expect(info.header).toMatchObject({
      version: '6.1.187',
      cpusOnline: 2,
      totalMemoryKb: 24684096,
      groups: [{ leaderIndex: 0, memberCount: 3 }],
      sampleTime: { first: '4589843598650', last: '4590065705585' },
      numaNodes: [{ node: 0, cpus: '0-1' }],
    });
    expect(info.events[0]).toMatchObject({
      name: 'cpu-clock',
      readFormat: ['ID', 'GROUP', 'LOST'],
      instances: 2,
      sampled: { period: { min: 1e6, max: 1e6, sum: 223e6 }, threads: 1, deepestCallchain: null },
    });
    expect(info.events[0]?.flags).toContain('enable_on_exec');
  });
});
