// What perf records here and now, in every way of writing a recording, read by both.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { toRawTime } from '../../../src/base/u64.ts';
import { openPerfData, type PerfData, walkRecords } from '../../../src/formats/perf-data/reader.ts';
import { PERF_RECORD, recordTypeName } from '../../../src/kernel/perf-event/constants.ts';
import { decodeSample, SampleView } from '../../../src/kernel/perf-event/sample.ts';
import { createZstdDecoder } from '../../../src/read/files/zstd.ts';
import { withRecording } from '../../../src/read/open-recording.ts';
import { visitInTimeOrder } from '../../../src/read/ordered-records.ts';
import { findPerf, perfStats, scratchDirectory } from '../../helpers/cli.ts';
import { compileWorkload } from '../../helpers/compile.ts';
import { describeLive } from '../../helpers/live.ts';
import { runPerfRecord } from '../../helpers/perf-record.ts';

const scratch = scratchDirectory();

/** What both tools say: records by type, and every sample in order as `tid time`. */
type Reading = { readonly records: Record<string, number>; readonly samples: string[] };

function ourReading(data: PerfData): Reading {
  const records: Record<string, number> = {};
  walkRecords(data, {
    record(record) {
      const { type } = record;
      const name = recordTypeName(type).replace(/^HEADER_/, '');
      records[name] = (records[name] ?? 0) + 1;
    },
  });
  expect(data.diagnostics.entries()).toEqual([]);
  expect([data.truncatedAt, data.skippedBytes]).toEqual([-1, 0]);
  const samples: string[] = [];
  const sample = new SampleView(data.startTime);
  visitInTimeOrder(data, {
    record(record) {
      const { type } = record;
      if (type !== PERF_RECORD.SAMPLE) return;
      const { info } = data.attrs[data.lookup.attrIndexOf(record)];
      expect(decodeSample(record, info, sample)).toBe(true);
      samples.push(`${sample.tid} ${toRawTime(data.startTime, sample.timeNs)}`);
    },
  });
  return { records, samples };
}

/** `perf script`'s lines `1234 5678.123456789:` as ours; an exiting thread is −1. */
function perfSamples(file: string, input?: Uint8Array): string[] {
  const text = execFileSync('perf', ['script', '-i', file, '--ns', '-F', 'tid,time'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
    stdio: [input ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    ...(input && { input }),
  });
  return [...text.matchAll(/^\s*(-?\d+)\s+(\d+)\.(\d{9}):/gm)].map(
    ([, tid, whole, nanos]) => `${tid} ${BigInt(whole) * 1_000_000_000n + BigInt(nanos)}`,
  );
}

/** Equal times may come in either order. */
function expectSameSamples(ours: readonly string[], theirs: readonly string[]): void {
  const times = (list: readonly string[]) => list.map((line) => line.split(' ')[1]);
  expect(times(ours)).toEqual(times(theirs));
  expect(ours.toSorted()).toEqual(theirs.toSorted());
  expect(ours.length).toBeGreaterThan(0);
}

const perfIsThere = findPerf() !== null;

describeLive('recordings of perf', () => {
  const record = (args: readonly string[], command: readonly string[] = workload()) =>
    runPerfRecord([...args, '--', ...command]);
  // Threads end with the time, on a busy machine before a sample; page faults are as much work anywhere.
  const workload = () => {
    const program = compileWorkload();
    return ['sh', '-c', `${program} threads 3 0.3 && ${program} pf 300000`];
  };

  const FILES: [name: string, options: string[]][] = [
    ['compressed', ['-z', '-e', 'cpu-clock', '-F', '5000', '-g']],
    ['compressed, all CPUs', ['-z', '-a', '-e', 'cpu-clock', '-F', '2000']],
    [
      'compressed, with copies of the stack',
      ['-z', '-e', 'cpu-clock', '-F', '1000', '--call-graph', 'dwarf'],
    ],
    ['compressed as much as can be', ['-z22', '-e', 'cpu-clock', '-F', '5000', '-g']],
    [
      'two events and switches',
      ['-z', '--switch-events', '-e', 'cpu-clock,page-faults', '-c', '100000'],
    ],
    ['a directory', ['--threads', '-a', '-e', 'cpu-clock', '-F', '2000', '-g']],
    ['a compressed directory', ['--threads', '-z', '-a', '-e', 'cpu-clock', '-F', '2000', '-g']],
    ['with wall-clock times', ['-z', '-k', 'CLOCK_MONOTONIC', '-e', 'cpu-clock', '-F', '5000']],
  ];
  test.skipIf(!perfIsThere).each(FILES)('%s: the same records and samples', (name, options) => {
    const file = join(scratch, `${name}.data`);
    record([...options, '-o', file]);
    const { records, samples } = withRecording(file, ourReading);
    const { TOTAL: _total, ...theirs } = perfStats(file);
    expect(records).toEqual(theirs);
    expect('COMPRESSED' in records).toBe(options.some((option) => option.startsWith('-z')));
    expectSameSamples(samples, perfSamples(file));
  });

  test.skipIf(!perfIsThere)('a compressed pipe: the same samples', () => {
    const stdout = record(['-z', '-e', 'cpu-clock', '-F', '5000', '-g', '-o', '-'], workload());
    const data = openPerfData(memorySource(stdout), { createZstdDecoder });
    expect(data.pipe).toBe(true);
    const { records, samples } = ourReading(data);
    // perf's --stats can't read a compressed pipe; its script can.
    expectSameSamples(samples, perfSamples('-', stdout));
    expect(records.SAMPLE).toBe(samples.length);
    expect(records.COMPRESSED).toBeGreaterThan(0);
  });

  test.skipIf(!perfIsThere)('the header, section by section', () => {
    const file = join(scratch, 'header.data');
    record(['-e', 'cpu-clock', '-o', file]);
    const lines = execFileSync('perf', ['report', '--header-only', '-I', '-i', file], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).split('\n');
    const { features } = openPerfData(memorySource(readFileSync(file)));
    const numa = features.numaNodes!.flatMap(({ node, totalKb, freeKb, cpus }) => [
      `# node${node} meminfo  : total = ${totalKb} kB, free = ${freeKb} kB`,
      `# node${node} cpu list : ${cpus}`,
    ]);
    expect(lines.filter((line) => /^# node\d/.test(line))).toEqual(numa);
    const caches = features.caches!.map(
      ({ level, type, size, cpus }) =>
        `#  L${level} ${type.padEnd(15)} ${size.padStart(8)} [${cpus}]`,
    );
    expect(lines.filter((line) => /^# {2}L\d/.test(line))).toEqual(caches);
    const { blockBytes, nodes } = features.memoryTopology!;
    expect(lines.filter((line) => line.startsWith('# memory nodes'))).toEqual([
      `# memory nodes (nr ${nodes.length}, block size 0x${blockBytes.toString(16)}):`,
    ]);
    const present = nodes.map(({ blocks }) =>
      blocks.reduce((sum, word) => sum + word.toString(2).replaceAll('0', '').length, 0),
    );
    const gib = lines
      .filter((line) => /^# +\d+ \[\d+G\]/.test(line))
      .map((line) => /\[(\d+)G/.exec(line)![1]);
    expect(present.map((count) => String(Math.floor((count * blockBytes) / 2 ** 30)))).toEqual(gib);
    const pmus = features.pmuMappings!.map(({ name, type }) => `${name} = ${type}`);
    expect(lines).toContain(`# pmu mappings: ${pmus.join(', ')}`);
    const capabilities = (features.pmuCapabilities ?? []).map(
      ({ pmu, capabilities: list }) =>
        `# ${pmu} pmu capabilities: ${list.map(({ name, value }) => `${name}=${value}`).join(', ')}`,
    );
    const theirs = lines.filter((line) => / pmu capabilities: /.test(line));
    // perf 6.12 says so of a PMU that has none.
    expect(theirs.map((line) => line.replace(/: not available$/, ': '))).toEqual(capabilities);
  });
});
