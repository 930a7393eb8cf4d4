import { describe, expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { FEATURE } from '../../../src/formats/perf-data/features.ts';
import { parseHeader } from '../../../src/formats/perf-data/header.ts';
import { openPerfData, type PerfData } from '../../../src/formats/perf-data/reader.ts';
import type { EventAttr } from '../../../src/kernel/perf-event/attr.ts';
import {
  PERF_FORMAT,
  PERF_SAMPLE_BRANCH,
  sampleTypeNames,
} from '../../../src/kernel/perf-event/constants.ts';
import {
  type ExpectedPerfData,
  hasCorpora,
  isFuzzed,
  PEERS,
  type PeerName,
  perfDataCorpora,
  readCorpus,
} from '../../helpers/corpora.ts';

// What `perf report --header-only` and `perf evlist -v` print about each file.

type Header = Readonly<Record<string, string | readonly string[]>>;

const cases = perfDataCorpora()
  .filter((expected) => !isFuzzed(expected))
  .flatMap((expected) => PEERS.map((peer) => [expected.file, peer, expected] as const));

const open = (expected: ExpectedPerfData) => openPerfData(memorySource(readCorpus(expected.file)));
const headerOf = (expected: ExpectedPerfData, peer: PeerName): Header =>
  (expected[peer]?.header ?? {}) as Header;

describe.skipIf(!hasCorpora)('headers of the perf.data corpora', () => {
  const withHeader = cases.filter(
    ([, peer, expected]) => 'header version' in headerOf(expected, peer),
  );
  test.each(withHeader)('%s as %s prints it', (_, peer, expected) => {
    const theirs = headerOf(expected, peer);
    const ours = { ...describeHeader(open(expected)), ...describePlaces(expected) };
    const known = Object.keys(ours).filter((key) => key in theirs);
    expect(pick(ours, known)).toEqual(pick(theirs, known));
    const left = Object.keys(theirs).filter((key) => !known.includes(key));
    expect(left.filter((key) => !isOther(key, expected))).toEqual([]);
  });

  const withMissing = withHeader.filter(
    // A cut file has its feature bits, which perf prints, but the sections are behind the cut.
    ([, peer, expected]) =>
      'missing features' in headerOf(expected, peer) && expected.walk.trunc_rec_at === undefined,
  );
  test.each(withMissing)('%s: the features that are missing, by %s', (_, peer, expected) => {
    const present = new Set(open(expected).sections.names);
    const missing = (headerOf(expected, peer)['missing features'] as string).trim().split(' ');
    const newest = Math.max(...missing.map((name) => FEATURE[name as keyof typeof FEATURE]));
    const ours = Object.entries(FEATURE)
      .filter(([name, feature]) => feature <= newest && !present.has(name))
      .map(([name]) => name);
    expect(missing).toEqual(ours);
  });

  const withDescriptions = withHeader.filter(
    ([, peer, expected]) => 'event_desc' in headerOf(expected, peer),
  );
  test.each(withDescriptions)('%s: EVENT_DESC as %s prints it', (_, peer, expected) => {
    const { eventDescriptions } = open(expected).features;
    const ours = eventDescriptions!.map(({ name, ids, attr }) => ({
      name,
      ids,
      fields: attrFields(attr),
    }));
    const theirs = (headerOf(expected, peer).event_desc as readonly string[]).map((line) => {
      const [, name, ids] = /^name = (.*?), , (?:id = \{ ([^}]*) \}, )?/.exec(line)!;
      const rest = line.slice(line.indexOf(', , ') + 4).replace(/^id = \{[^}]*\}, /, '');
      return {
        name,
        ids: ids === undefined ? [] : ids.split(', ').map(Number),
        fields: printedFields(rest, ' = '),
      };
    });
    expect(ours).toEqual(theirs);
  });

  const withEvents = cases.filter(([, peer, expected]) => eventLines(expected, peer).length > 0);
  test.each(withEvents)('%s: events as %s lists them', (_, peer, expected) => {
    const ours = open(expected).attrs.map(({ attr }) => attrFields(attr));
    const theirs = eventLines(expected, peer).map((line) => {
      const fields = printedFields(line.slice(line.search(/(type|size): \d/)), ': ');
      if (expected.walk.mode === 'pipe' && peer === 'perf_6.1.187') dropIds(fields);
      return fields;
    });
    expect(ours).toEqual(theirs);
  });

  test('files of every kind are compared', () => {
    expect(withHeader.length).toBeGreaterThan(100);
    expect(withDescriptions.length).toBeGreaterThan(80);
    expect(withEvents.length).toBeGreaterThan(100);
  });
});

/**
 * perf 6.1 takes the ids behind the attr of a pipe for the fields that a newer attr has there.
 * PERF_ATTR_SIZE_VER2 ends before the user registers.
 */
function dropIds(fields: Record<string, string>): void {
  if (Number(fields.size) > 80) return;
  for (const name of [
    'sample_regs_user',
    'sample_stack_user',
    'sample_regs_intr',
    'aux_watermark',
  ]) {
    delete fields[name];
  }
}

function eventLines(expected: ExpectedPerfData, peer: PeerName): readonly string[] {
  return expected[peer]?.evlist?.events ?? [];
}

/** The lines of `perf report --header-only` by their titles; those without a value left out. */
function describeHeader(data: PerfData): Record<string, string> {
  const { features } = data;
  const { clockData, compression, sampleTime } = features;
  const lines: Record<string, string | number | null | undefined> = {
    hostname: features.hostname,
    'os release': features.osRelease,
    'perf version': features.version,
    arch: features.arch,
    'nrcpus online': features.cpusOnline,
    'nrcpus avail': features.cpusAvailable,
    cpudesc: features.cpuDescription,
    cpuid: features.cpuId,
    'total memory': features.totalMemoryKb === null ? null : `${features.totalMemoryKb} kB`,
    cmdline: features.commandLine?.map((word) => `${word} `).join(''),
  };
  if (sampleTime !== null) {
    lines['time of first sample'] = seconds(sampleTime.first);
    lines['time of last sample'] = seconds(sampleTime.last);
    const milliseconds = Number(sampleTime.last - sampleTime.first) / 1e6;
    lines['sample duration'] = `${milliseconds.toFixed(3).padStart(10)} ms`;
  }
  if (compression !== null) {
    const { level, ratio } = compression;
    lines.compressed = `Zstd, level = ${level}, ratio = ${ratio}`;
  }
  if (features.clockResolutionNs !== null) {
    lines['clockid frequency'] = `${1000 / features.clockResolutionNs} MHz`;
  }
  if (clockData !== null) lines.clockid = clockData.clockId === 1 ? 'monotonic (1)' : '?';
  return Object.fromEntries(
    Object.entries(lines)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([key, value]) => [key, String(value)]),
  );
}

/** Where things are in the file; a pipe's header doesn't say. */
function describePlaces({ file }: ExpectedPerfData): Record<string, string> {
  const header = parseHeader(readCorpus(file));
  if (header.kind === 'pipe') return {};
  const { version, data } = header;
  return {
    'header version': String(version - 1),
    'data offset': String(data.offset),
    'data size': String(data.size),
    'feat offset': String(data.offset + data.size),
  };
}

/** Lines of perf that say nothing about the header's contents, or that another test compares. */
function isOther(key: string, expected: ExpectedPerfData): boolean {
  if (['rc', 'stderr', 'event_desc', 'missing features', 'contains'].includes(key)) return true;
  // Of a pipe perf prints numbers of its own making.
  return (
    expected.walk.mode === 'pipe' && / (version|offset|size)$/.test(key) && key !== 'perf version'
  );
}

function seconds(ns: bigint): string {
  return `${ns / 1_000_000_000n}.${String((ns / 1000n) % 1_000_000n).padStart(6, '0')}`;
}

function pick(from: Header, keys: readonly string[]): Header {
  return Object.fromEntries(keys.map((key) => [key, from[key] as string]));
}

/** An attr as perf prints it: all that is not zero. */
function attrFields(attr: EventAttr): Record<string, string> {
  const { flags } = attr;
  const fields: Record<string, string | number | bigint> = {
    type: attr.type,
    size: attr.size,
    config: attr.config,
    sample_period: attr.samplePeriod,
    sample_type: sampleTypeNames(attr.sampleType).join('|'),
    read_format: bitNames(PERF_FORMAT, attr.readFormat),
    branch_sample_type: bitNames(PERF_SAMPLE_BRANCH, Number(attr.branchSampleType)),
    sample_regs_user: attr.sampleRegsUser,
    sample_regs_intr: attr.sampleRegsIntr,
    sample_stack_user: attr.sampleStackUser,
    aux_watermark: attr.auxWatermark,
    clockid: flags.useClockid ? attr.clockid : 0,
  };
  for (const [name, value] of Object.entries(flags)) {
    fields[name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)] = Number(value);
  }
  return Object.fromEntries(
    Object.entries(fields)
      .map(([name, value]) => [name, String(value)] as const)
      .filter(([, value]) => value !== '0' && value !== ''),
  );
}

function bitNames(names: Readonly<Record<string, number>>, bits: number): string {
  return Object.keys(names)
    .filter((name) => (bits & names[name]) !== 0)
    .join('|');
}

/** The fields of one printed attr; numbers in decimal, without the names that perf 7 adds. */
function printedFields(line: string, separator: ': ' | ' = '): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const part of line.replace('{ sample_period, sample_freq }', 'sample_period').split(', ')) {
    const [name = '', printed = ''] = part.split(separator);
    const value = printed.replace(/ \(.*\)$/, '');
    if (name === '') continue;
    const number = /^(0x[0-9a-f]+|\d+)$/.test(value) ? BigInt(value) : null;
    // As a double: 2^62, which simpleperf asks for, is not exact in decimal.
    if (number !== 0n) fields[name] = number === null ? value : String(Number(number));
  }
  return fields;
}
