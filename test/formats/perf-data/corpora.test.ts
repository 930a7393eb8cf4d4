import { describe, expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { toRawTime } from '../../../src/base/u64.ts';
import { openPerfData, type PerfData, walkRecords } from '../../../src/formats/perf-data/reader.ts';
import { InflatedView } from '../../../src/formats/perf-data/record-inflater.ts';
import {
  PERF_RECORD,
  PERF_SAMPLE,
  recordTypeName,
  sampleTypeNames,
} from '../../../src/kernel/perf-event/constants.ts';
import { decodeRecord } from '../../../src/kernel/perf-event/record.ts';
import { decodeSample, SampleView } from '../../../src/kernel/perf-event/sample.ts';
import { createZstdDecoder } from '../../../src/read/files/zstd.ts';
import {
  type ExpectedPerfData,
  hasCorpora,
  isFuzzed,
  PEERS,
  type PeerName,
  type PeerView,
  perfDataCorpora,
  readCorpus,
  readExpectedText,
} from '../../helpers/corpora.ts';

const all = perfDataCorpora();
const wellFormed = all.filter((expected) => !isFuzzed(expected));
const perPeer = wellFormed.flatMap((expected) =>
  PEERS.map((peer) => [expected.file, peer, expected] as const),
);

const open = (expected: ExpectedPerfData) =>
  openPerfData(memorySource(readCorpus(expected.file)), { createZstdDecoder });
const named = (list: readonly ExpectedPerfData[]) =>
  list.map((expected) => [expected.file, expected] as const);

describe.skipIf(!hasCorpora)('perf.data corpora', () => {
  test.each(named(wellFormed))('%s: records, events and features as in the file', (_, expected) => {
    const data = open(expected);
    const { walk } = expected;
    expect(data.pipe).toBe(walk.mode === 'pipe');
    expect(data.littleEndian).toBe(walk.endian === 'LE');

    // The expectation leaves COMPRESSED records closed.
    expect(countRecords(data, (view) => !(view instanceof InflatedView))).toEqual(walk.counts);
    if (walk.data_off !== undefined) expect(data.dataOffset).toBe(walk.data_off);
    if (walk.data_size !== undefined && walk.trunc_rec_at === undefined) {
      expect(data.dataSize).toBe(walk.data_size);
    }
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
    expect(data.diagnostics.entries()).toEqual([]);
  });

  const withOffsets = wellFormed.filter(
    (expected) => readExpectedText(expected.file, 'records.tsv') !== null,
  );
  test.each(named(withOffsets))('%s: every record where perf finds it', (_, expected) => {
    // In a pipe perf counts from behind its header.
    const zero = expected.walk.mode === 'pipe' ? 16 : 0;
    const lines: string[] = [];
    walkRecords(open(expected), {
      record: (record) => {
        const { size, type, fileOffset } = record;
        // perf prints what is in a COMPRESSED record, with that record's offset, instead of it.
        if (type === PERF_RECORD.COMPRESSED) return;
        const offset = fileOffset === zero ? '0' : `0x${(fileOffset - zero).toString(16)}`;
        const name = recordTypeName(type).replace(/^HEADER_/, '');
        lines.push(`${offset}\t${size}\t${name}`);
      },
    });
    expect(lines).toEqual(readExpectedText(expected.file, 'records.tsv')!.trimEnd().split('\n'));
  });

  const withStats = perPeer.filter(([, peer, expected]) => hasWholeStats(expected, peer));
  test.each(withStats)('%s: records as %s counts them', (_, peer, expected) => {
    const data = open(expected);
    const { aggregated, per_event: perEvent } = expected[peer]!.stats!;
    const { TOTAL: total, ...theirs } = aggregated;
    const ours = countRecords(data);
    if (skipsEventTypes(peer)) delete ours.HEADER_EVENT_TYPE;
    expect(withoutPrefix(ours)).toEqual(theirs);
    expect(Object.values(ours).reduce((sum, count) => sum + count, 0)).toBe(total);
    if (hasReadGroups(expected)) return;
    // Versions of perf write modifiers differently, so events are compared by their numbers.
    const samples = [...decodeAll(data).perEvent.values()].map((event) => event.periods.length);
    const theirSamples = Object.values(perEvent).map((counts) => counts.SAMPLE ?? 0);
    expect(samples.sort(ascending)).toEqual(theirSamples.filter((n) => n > 0).sort(ascending));
  });

  const withDump = perPeer.filter(([, peer, expected]) => hasWholeDump(expected, peer));
  test.each(withDump)('%s: records as %s dumps them', (_, peer, expected) => {
    const theirs = { ...expected[peer]!.dump!.record_lines_by_type };
    const { COMPRESSED: _closed, ...ours } = countRecords(open(expected));
    if (skipsEventTypes(peer)) delete ours.HEADER_EVENT_TYPE;
    expect(withoutPrefix(ours)).toEqual(theirs);
  });

  test.each(named(wellFormed))(
    '%s: every peer reads it, or has a known reason not to',
    (_, expected) => {
      const reasons = PEERS.filter((peer) => !hasWholeDump(expected, peer)).map(
        (peer) => `${peer}: ${expected[peer]?.dump?.stderr?.[0] ?? 'nothing said'}`,
      );
      for (const reason of reasons)
        expect(
          KNOWN_REFUSALS.some((known) => known.test(reason)),
          reason,
        ).toBe(true);
    },
  );

  const withGolden = wellFormed.filter(
    (expected) => peer(expected)?.dump?.sample_summary !== undefined,
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
      distinct_cpus: samples.cpus.size,
      misc: Object.fromEntries(samples.miscs),
      undecodable: samples.undecodable,
    }).toEqual({
      samples: summary.samples,
      distinct_pids: summary.distinct_pids,
      distinct_tids: summary.distinct_tids,
      distinct_ips: summary.distinct_ips,
      distinct_cpus: summary.distinct_cpus,
      misc: summary.misc,
      undecodable: [],
    });
    if (summary.period !== undefined) {
      expect(summarize(samples.periods)).toEqual(summary.period);
    }
    if (summary.time_ns !== undefined && samples.firstTime !== null) {
      expect([samples.firstTime, samples.lastTime].map(Number)).toEqual([
        summary.time_ns.first,
        summary.time_ns.last,
      ]);
    }
    for (const [ip, count] of summary.top5_ips) expect(ips.get(ip), ip).toBe(count);
    for (const [pid, count] of summary.top5_pids) {
      expect(samples.pids.get(pid), `pid ${pid}`).toBe(count);
    }
  });

  const withEvents = withGolden.filter(
    (expected) => peer(expected)?.script?.per_event !== undefined && !hasReadGroups(expected),
  );
  test.each(named(withEvents))('%s: samples, periods and times per event', (_, expected) => {
    const { perEvent } = decodeAll(open(expected));
    const { script } = peer(expected)!;
    const golden = Object.values(script!.per_event!);
    const hasPeriods = golden.some(({ period }) => period !== undefined);
    const ours = [...perEvent.values()].map(({ periods, times }) => ({
      samples: periods.length,
      ...(hasPeriods ? { period: summarize(periods) } : {}),
      // An event without times prints none.
      ...(times.length > 0
        ? { first_time: seconds(times[0]), last_time: seconds(times.at(-1)!) }
        : {}),
    }));
    const theirs = golden.map(({ samples, period, first_time, last_time }) => ({
      samples,
      ...(period === undefined ? {} : { period }),
      ...(first_time === null || first_time === undefined ? {} : { first_time, last_time }),
    }));
    const byText = (list: readonly object[]) => list.map((one) => JSON.stringify(one)).sort();
    expect(byText(ours)).toEqual(byText(theirs));
    expect(ours.reduce((sum, { samples }) => sum + samples, 0)).toBe(script!.samples);
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
    expect(withStats.length).toBeGreaterThan(100);
    expect(withDump.length).toBeGreaterThan(100);
    expect(withGolden.length).toBeGreaterThan(40);
    expect(withEvents.length).toBeGreaterThan(30);
  });
});

/**
 * Why a version of perf can't read a file that we read. 6.1 refuses attrs of 136 bytes and more
 * (by design: newer bits could change the layout of records); all of them refuse tracing data whose
 * header page they can't parse, and a section table behind the end of the file (7.3) or a record
 * there (the others); 7.3 refuses records of odd sizes, which perf 4.16 wrote.
 */
const KNOWN_REFUSALS = [
  /incompatible file format/,
  /failed to process type: 0/,
  /is not 8-byte aligned/,
];

/** A peer that stopped early has no counts, or too few and an error. */
function hasWholeStats(expected: ExpectedPerfData, peer: PeerName): boolean {
  return Object.keys(expected[peer]?.stats?.aggregated ?? {}).length > 0;
}

function hasWholeDump(expected: ExpectedPerfData, peer: PeerName): boolean {
  const dump = expected[peer]?.dump;
  if (dump === undefined || dump.rc !== 0) return false;
  return !(dump.stderr ?? []).some((line) => /failed to process|processing failed/.test(line));
}

/** perf 7.3 skips the short EVENT_TYPE records of old pipes, and says so. */
function skipsEventTypes(peer: PeerName): boolean {
  return peer === 'perf_7.3.4';
}

/** Records by type; those that have no name by their number. */
function countRecords(
  data: PerfData,
  isCounted: (view: DataView) => boolean = () => true,
): Record<string, number> {
  const counts: Record<string, number> = {};
  walkRecords(data, {
    record(record) {
      const { view, type } = record;
      if (!isCounted(view)) return;
      const name = recordTypeName(type).replace(/^UNKNOWN\((\d+)\)$/, '$1');
      counts[name] = (counts[name] ?? 0) + 1;
    },
  });
  return counts;
}

/** perf drops HEADER_ from the names of record types. */
function withoutPrefix(counts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(counts).map(([name, count]) => [name.replace(/^HEADER_/, ''), count]),
  );
}

const ascending = (a: number, b: number) => a - b;

function summarize(periods: readonly number[]) {
  const sorted = periods.toSorted(ascending);
  return {
    min: sorted[0],
    median: sorted[(sorted.length - 1) >> 1],
    max: sorted.at(-1)!,
    sum: sorted.reduce((total, period) => total + period, 0),
  };
}

/** As `perf script --ns` prints a time. */
function seconds(time: bigint): string {
  return `${time / 1_000_000_000n}.${String(time % 1_000_000_000n).padStart(9, '0')}`;
}

/** The perf whose output the goldens are, or another that has decoded the samples. */
function peer(expected: ExpectedPerfData): PeerView | undefined {
  if (expected.golden_by === null) return undefined;
  const views = [expected.golden_by, 'perf_6.1.187', 'perf_7.3.4', 'perf_6.12.95'].map(
    (name) => expected[name as PeerName],
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
  const pids = new Map<number, number>();
  const cpus = new Set<number>();
  const tids = new Set<number>();
  const ips = new Map<string, number>();
  const miscs = new Map<string, number>();
  const perEvent = new Map<number, { periods: number[]; times: bigint[] }>();
  const undecodable: string[] = [];
  const recordsCpu = data.attrs.some(({ attr }) => (attr.sampleType & PERF_SAMPLE.CPU) !== 0);
  const hex = (address: number) => `0x${BigInt.asUintN(64, BigInt(address)).toString(16)}`;
  walkRecords(data, {
    record(record) {
      const { type, misc, fileOffset } = record;
      const attrIndex = data.lookup.attrIndexOf(record);
      const info = data.attrs[attrIndex]?.info;
      const where = `${recordTypeName(type)} at 0x${fileOffset.toString(16)}`;
      if (info === undefined) {
        undecodable.push(where);
        return;
      }
      if (type !== PERF_RECORD.SAMPLE) {
        const { kind } = decodeRecord(record, info);
        if (kind === 'malformed' || kind === 'unknown') undecodable.push(where);
        return;
      }
      if (!decodeSample(record, info, sample)) {
        undecodable.push(where);
        return;
      }
      periods.push(sample.period);
      pids.set(sample.pid, (pids.get(sample.pid) ?? 0) + 1);
      // As soon as one event records the CPU, perf prints one of all: −1 of those without.
      if (recordsCpu) cpus.add(sample.cpu);
      tids.add(sample.tid);
      const ip = hex(sample.ip);
      ips.set(ip, (ips.get(ip) ?? 0) + 1);
      const miscName = `0x${misc.toString(16)}`;
      miscs.set(miscName, (miscs.get(miscName) ?? 0) + 1);
      const event = perEvent.get(attrIndex) ?? { periods: [], times: [] };
      perEvent.set(attrIndex, event);
      event.periods.push(sample.period);
      if (!Number.isNaN(sample.timeNs)) event.times.push(toRawTime(data.startTime, sample.timeNs));
    },
  });
  const byTime = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0);
  for (const { times } of perEvent.values()) times.sort(byTime);
  const times = [...perEvent.values()].flatMap((event) => event.times).sort(byTime);
  const [firstTime = null, lastTime = null] = [times[0], times.at(-1)];
  return { periods, pids, cpus, tids, ips, miscs, perEvent, undecodable, firstTime, lastTime };
}
