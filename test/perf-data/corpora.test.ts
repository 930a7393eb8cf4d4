import { describe, expect, test } from 'vitest';
import { memorySource } from '../../src/base/byte-source.ts';
import { toRawTime } from '../../src/base/u64.ts';
import { openPerfData, type PerfData, walkRecords } from '../../src/perf-data/reader.ts';
import { PERF_RECORD, recordTypeName, sampleTypeNames } from '../../src/perf-event/constants.ts';
import { decodeRecord } from '../../src/perf-event/record.ts';
import { decodeSample, SampleView } from '../../src/perf-event/sample.ts';
import {
  type ExpectedPerfData,
  hasCorpora,
  type PeerView,
  perfDataCorpora,
  readCorpus,
  readExpectedText,
} from '../helpers/corpora.ts';

// Inputs of fuzzers, whose headers are nonsense: they must not crash, nothing more is known.
const isFuzzed = ({ file }: ExpectedPerfData) => /poc-|clusterfuzz/.test(file);
const isCompressed = ({ walk }: ExpectedPerfData) => 'COMPRESSED' in walk.counts;

const all = perfDataCorpora();
const wellFormed = all.filter((expected) => !isFuzzed(expected));

const open = (expected: ExpectedPerfData) => openPerfData(memorySource(readCorpus(expected.file)));
const named = (list: readonly ExpectedPerfData[]) =>
  list.map((expected) => [expected.file, expected] as const);

describe.skipIf(!hasCorpora)('perf.data corpora', () => {
  test.each(named(wellFormed))('%s: records, events and features as in the file', (_, expected) => {
    const data = open(expected);
    const { walk } = expected;
    expect(data.pipe).toBe(walk.mode === 'pipe');
    expect(data.littleEndian).toBe(walk.endian === 'LE');

    const counts: Record<string, number> = {};
    walkRecords(data, {
      record(_view, _offset, _size, type) {
        const name = recordTypeName(type).replace(/^UNKNOWN\((\d+)\)$/, '$1');
        counts[name] = (counts[name] ?? 0) + 1;
      },
    });
    expect(counts).toEqual(walk.counts);
    expect(data.truncatedAt).toBe(walk.trunc_rec_at ?? -1);
    expect(data.skippedBytes).toBe(walk.left);

    expect(data.attrs.map((event) => describeAttr(event.attr))).toEqual(
      walk.attrs.map(({ type, size, config, freq, period_or_freq, sample_type, read_format }) => ({
        type,
        size,
        config,
        freq,
        period_or_freq,
        sample_type,
        read_format,
      })),
    );
    // A cut file has its feature bits, but the sections are behind the cut. 32 ends a pipe's list.
    const isCut = walk.mode === 'file' && walk.trunc_rec_at !== undefined;
    const features = walk.features
      .filter((name) => name !== '32')
      .map((name) => name.replace('?', ''));
    expect(data.sections.names).toEqual(isCut ? [] : features);
    const expectedProblems = isCompressed(expected) ? [/^compressed records/] : [];
    const problems = data.diagnostics.entries().map(({ reason }) => reason);
    expect(problems.map((_reason, i) => expectedProblems[i]?.test(problems[i]!) ?? false)).toEqual(
      expectedProblems.map(() => true),
    );
  });

  const withOffsets = wellFormed.filter(
    (expected) =>
      !isCompressed(expected) && readExpectedText(expected.file, 'records.tsv') !== null,
  );
  test.each(named(withOffsets))('%s: every record where perf finds it', (_, expected) => {
    // In a pipe perf counts from behind its header.
    const zero = expected.walk.mode === 'pipe' ? 16 : 0;
    const lines: string[] = [];
    walkRecords(open(expected), {
      record: (_view, _offset, size, type, _misc, fileOffset) => {
        const offset = fileOffset === zero ? '0' : `0x${(fileOffset - zero).toString(16)}`;
        const name = recordTypeName(type).replace(/^HEADER_/, '');
        lines.push(`${offset}\t${size}\t${name}`);
      },
    });
    expect(lines).toEqual(readExpectedText(expected.file, 'records.tsv')!.trimEnd().split('\n'));
  });

  const withGolden = wellFormed.filter(
    (expected) => !isCompressed(expected) && peer(expected)?.dump?.sample_summary !== undefined,
  );
  test.each(named(withGolden))('%s: samples as perf decodes them', (_, expected) => {
    const golden = peer(expected)!;
    const summary = golden.dump!.sample_summary!;
    const samples = decodeAll(open(expected));
    const { ips } = samples;
    expect({
      samples: samples.periods.length,
      distinct_pids: samples.pids.size,
      distinct_tids: samples.tids.size,
      distinct_ips: ips.size,
      misc: Object.fromEntries(samples.miscs),
      undecodable: samples.undecodable,
    }).toEqual({
      samples: summary.samples,
      distinct_pids: summary.distinct_pids,
      distinct_tids: summary.distinct_tids,
      distinct_ips: summary.distinct_ips,
      misc: summary.misc,
      undecodable: [],
    });
    if (summary.period !== undefined) {
      const { min, max, sum } = summary.period;
      expect(samples.periods.reduce((total, period) => total + period, 0)).toBe(sum);
      expect([Math.min(...samples.periods), Math.max(...samples.periods)]).toEqual([min, max]);
    }
    if (summary.time_ns !== undefined && samples.firstTime !== null) {
      expect([samples.firstTime, samples.lastTime].map(Number)).toEqual([
        summary.time_ns.first,
        summary.time_ns.last,
      ]);
    }
    for (const [ip, count] of summary.top5_ips) expect(ips.get(ip), ip).toBe(count);
  });

  const withEvents = withGolden.filter(
    (expected) => peer(expected)?.script?.per_event !== undefined && !hasReadGroups(expected),
  );
  test.each(named(withEvents))('%s: samples and periods per event', (_, expected) => {
    const { perEvent } = decodeAll(open(expected));
    const golden = Object.values(peer(expected)!.script!.per_event!).map(({ samples, period }) => ({
      samples,
      period: period?.sum,
    }));
    // Versions of perf write modifiers differently, so events are compared by their numbers.
    const bySamples = (a: { samples: number; period?: number | undefined }, b: typeof a) =>
      a.samples - b.samples || (a.period ?? 0) - (b.period ?? 0);
    const ours = [...perEvent.values()].filter(({ samples }) => samples > 0);
    expect(
      ours.sort(bySamples).map(({ samples, period }, i) => ({
        samples,
        period: golden.toSorted(bySamples)[i]?.period === undefined ? undefined : period,
      })),
    ).toEqual(golden.toSorted(bySamples));
  });

  test.each(named(all.filter(isFuzzed)))(
    '%s: is refused or read as far as it goes',
    (_, expected) => {
      let data: PerfData;
      try {
        data = open(expected);
      } catch (error) {
        expect((error as Error).name).toBe('PerfDataError');
        return;
      }
      decodeAll(data);
      const size = readCorpus(expected.file).length;
      expect(data.truncatedAt).toBeLessThanOrEqual(size);
      expect(data.skippedBytes).toBeLessThanOrEqual(size);
    },
  );

  test('the corpora have files of every class that is compared', () => {
    expect(wellFormed.length).toBeGreaterThan(50);
    expect(withOffsets.length).toBeGreaterThan(15);
    expect(withGolden.length).toBeGreaterThan(40);
    expect(withEvents.length).toBeGreaterThan(30);
  });
});

/** The perf whose output the goldens are, or another that has decoded the samples. */
function peer(expected: ExpectedPerfData): PeerView | undefined {
  if (expected.golden_by === null) return undefined;
  const views = [expected.golden_by, 'perf_6.1.187', 'perf_7.3.4', 'perf_6.12.95'].map(
    (name) => expected[name] as PeerView | undefined,
  );
  // A perf that could not read the file says 0 samples.
  return views.find((view) => (view?.dump?.sample_summary?.samples ?? 0) > 0);
}

/** `perf script` prints a line per member of a group that is read with the sample. */
function hasReadGroups({ walk }: ExpectedPerfData): boolean {
  return walk.attrs.some(
    ({ sample_type, read_format }) => /READ/.test(sample_type) && read_format & 8,
  );
}

function describeAttr(attr: PerfData['attrs'][number]['attr']) {
  return {
    type: attr.type,
    size: attr.size,
    config: `0x${attr.config.toString(16)}`,
    freq: attr.flags.freq,
    period_or_freq: attr.samplePeriod,
    sample_type: sampleTypeNames(attr.sampleType).join('|'),
    read_format: attr.readFormat,
  };
}

/** Decodes every record; samples are summed up in the way of the expectations. */
function decodeAll(data: PerfData) {
  const sample = new SampleView(data.startTime);
  const periods: number[] = [];
  const pids = new Set<number>();
  const tids = new Set<number>();
  const ips = new Map<string, number>();
  const miscs = new Map<string, number>();
  const perEvent = new Map<number, { samples: number; period: number }>();
  const undecodable: string[] = [];
  let firstTime: bigint | null = null;
  let lastTime: bigint | null = null;
  const hex = (address: number) => `0x${BigInt.asUintN(64, BigInt(address)).toString(16)}`;
  walkRecords(data, {
    record(view, offset, size, type, misc, fileOffset) {
      const attrIndex = data.lookup.attrIndexOf(view, offset, size, type);
      const info = data.attrs[attrIndex]?.info;
      const where = `${recordTypeName(type)} at 0x${fileOffset.toString(16)}`;
      if (info === undefined) {
        undecodable.push(where);
        return;
      }
      if (type !== PERF_RECORD.SAMPLE) {
        const { kind } = decodeRecord(view, offset, size, type, misc, info);
        if (kind === 'malformed' || kind === 'unknown') undecodable.push(where);
        return;
      }
      if (!decodeSample(view, offset, offset + size, info, sample)) {
        undecodable.push(where);
        return;
      }
      periods.push(sample.period);
      pids.add(sample.pid);
      tids.add(sample.tid);
      const ip = hex(sample.ip);
      ips.set(ip, (ips.get(ip) ?? 0) + 1);
      const miscName = `0x${misc.toString(16)}`;
      miscs.set(miscName, (miscs.get(miscName) ?? 0) + 1);
      const sums = perEvent.get(attrIndex) ?? { samples: 0, period: 0 };
      sums.samples++;
      sums.period += sample.period;
      perEvent.set(attrIndex, sums);
      if (!Number.isNaN(sample.timeNs)) {
        const time = toRawTime(data.startTime, sample.timeNs);
        if (firstTime === null || time < firstTime) firstTime = time;
        if (lastTime === null || time > lastTime) lastTime = time;
      }
    },
  });
  return { periods, pids, tids, ips, miscs, perEvent, undecodable, firstTime, lastTime };
}
