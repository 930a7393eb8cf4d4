import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import * as section from '../../../src/formats/perf-data/feature-encoders.ts';
import { DATA_SIZE_OFFSET, FEATURE_FLAGS_OFFSET } from '../../../src/formats/perf-data/header.ts';
import {
  encodeEventName,
  encodeHeaderAttr,
  encodeHeaderFeature,
  encodeHeaderTracingData,
  encodePipeHeader,
} from '../../../src/formats/perf-data/pipe-writer.ts';
import { openPerfData, type PerfData } from '../../../src/formats/perf-data/reader.ts';
import { encodeFeatures, encodePrefix } from '../../../src/formats/perf-data/writer.ts';
import { encodeAttr } from '../../../src/kernel/perf-event/attr.ts';
import { concat, viewOf } from '../../helpers/record-builder.ts';

// perf records, we wrap its records into a header and sections of our own, and perf must find the
// same in both files: needs perf, tracefs and the right to record.
const TRACEFS = '/sys/kernel/tracing';
const directory = mkdtempSync(join(tmpdir(), 'perf-ts-compatibility-'));
const theirs = join(directory, 'theirs.data');
const ours = join(directory, 'ours.data');
const EVENTS = 'sched:sched_switch,page-faults:u,raw_syscalls:sys_enter';
/** Who sleeps is switched out. */
const PROGRAM = ['sh', '-c', 'ls /usr; sleep 0.01'];
const recorded =
  existsSync(join(TRACEFS, 'events/sched')) &&
  spawnSync('perf', ['record', '-q', '-o', theirs, '-e', EVENTS, '-c', '1', '--', ...PROGRAM])
    .status === 0;

const perf = (...args: string[]) =>
  execFileSync('perf', args, { encoding: 'utf8', maxBuffer: 1 << 30, stdio: 'pipe' });
const tracefs = (path: string) => readFileSync(join(TRACEFS, 'events', path), 'utf8');

afterAll(() => rmSync(directory, { recursive: true }));

describe.skipIf(!recorded)('what we write, perf reads', () => {
  let data: PerfData;
  let events: section.EncodedEvent[];
  let records: Uint8Array;
  let sections: section.FeatureSection[];

  beforeAll(() => {
    const bytes = readFileSync(theirs);
    data = openPerfData(memorySource(bytes));
    events = data.attrs.map(({ attr, ids, name }) => ({
      attrBytes: encodeAttr(attr),
      ids: ids.map(BigInt),
      name: name!,
    }));
    records = bytes.subarray(data.dataOffset, data.dataOffset + data.dataSize);
    sections = [
      section.hostnameSection('some-host'),
      section.osReleaseSection(data.features.osRelease!),
      section.versionSection('perf-ts 0.1.0'),
      section.archSection(data.features.arch!),
      section.cpuCountsSection(4, 3),
      section.cpuDescriptionSection('a CPU'),
      section.totalMemorySection(1_234_567),
      section.commandLineSection(['perf-ts', 'record', '--', 'ls', '/usr']),
      section.eventDescriptionSection(events),
      section.buildIdSection(data.features.buildIds!),
      section.clockResolutionSection(1),
      section.clockDataSection({
        clockId: 1,
        wallClockNs: 1_700_000_000n * 10n ** 9n,
        clockNs: 5n,
      }),
      section.tracingDataSection({
        headerPage: tracefs('header_page'),
        headerEvent: tracefs('header_event'),
        pageSize: 4096,
        formats: [
          { system: 'sched', text: tracefs('sched/sched_switch/format') },
          { system: 'raw_syscalls', text: tracefs('raw_syscalls/sys_enter/format') },
        ],
      }),
    ];
    const prefix = encodePrefix({ attrs: events });
    const end = encodeFeatures(prefix.dataOffset + records.length, sections);
    const file = concat(prefix.bytes, records, end.bytes);
    viewOf(file).setBigUint64(DATA_SIZE_OFFSET, BigInt(records.length), true);
    file.set(end.flags, FEATURE_FLAGS_OFFSET);
    writeFileSync(ours, file);
  });

  test('perf reads every sample that we write, with tracepoint fields', () => {
    const script = perf('script', '-i', ours);
    expect(script).toBe(perf('script', '-i', theirs));
    expect(script).toMatch(/sched:sched_switch: .*prev_comm=/);
    expect(script).toMatch(/raw_syscalls:sys_enter: NR \d+/);
  });

  test('perf reads the events that we write', () => {
    const evlist = (file: string) => perf('evlist', '-v', '-i', file).replaceAll(/size: \d+/g, '');
    expect(evlist(ours)).toBe(evlist(theirs));
  });

  test('perf reads the header that we write', () => {
    const lines = perf('report', '--header-only', '-i', ours).split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        '# hostname : some-host',
        '# perf version : perf-ts 0.1.0',
        '# nrcpus online : 3',
        '# nrcpus avail : 4',
        '# cpudesc : a CPU',
        '# total memory : 1234567 kB',
        '# cmdline : perf-ts record -- ls /usr ',
        '# clockid: monotonic (1)',
      ]),
    );
  });

  test('perf reads the build IDs that we write', () => {
    expect(perf('buildid-list', '-i', ours)).toBe(perf('buildid-list', '-i', theirs));
  });

  // Not one with tracepoints: perf refuses those without the tracing data behind the records.
  test('perf reads a killed recording with a current data size', () => {
    const whole = join(directory, 'whole.data');
    perf(
      'record',
      '-q',
      '-o',
      whole,
      '-e',
      'page-faults:u,context-switches',
      '-c',
      '1',
      '--',
      'ls',
    );
    const bytes = readFileSync(whole);
    const { attrs, dataOffset, dataSize } = openPerfData(memorySource(bytes));
    const prefix = encodePrefix({
      attrs: attrs.map(({ attr, ids }) => ({ attrBytes: encodeAttr(attr), ids: ids.map(BigInt) })),
    });
    viewOf(prefix.bytes).setBigUint64(DATA_SIZE_OFFSET, BigInt(dataSize), true);
    const killed = join(directory, 'killed.data');
    const unfinishedRound = bytes.subarray(dataOffset, dataOffset + 100);
    const data = bytes.subarray(dataOffset, dataOffset + dataSize);
    writeFileSync(killed, concat(prefix.bytes, data, unfinishedRound));
    const fields = ['-F', 'comm,pid,tid,time,ip'];
    expect(perf('script', '-i', killed, ...fields)).toBe(perf('script', '-i', whole, ...fields));
  });

  test('perf reads a pipe that we write', () => {
    const tracing = sections.find(({ feature }) => feature === 1)!;
    const pipe = concat(
      encodePipeHeader(),
      ...events.map((event) => encodeHeaderAttr(event)),
      ...events.map(({ ids, name }) => encodeEventName(ids[0], name)),
      ...sections.filter(({ feature }) => feature > 2).map((one) => encodeHeaderFeature(one)!),
      encodeHeaderTracingData(tracing.bytes),
      records,
    );
    const script = execFileSync('perf', ['script', '-i', '-', '-F', 'comm,tid,time,event,trace'], {
      input: pipe,
      encoding: 'utf8',
      maxBuffer: 1 << 30,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    expect(script).toBe(perf('script', '-i', theirs, '-F', 'comm,tid,time,event,trace'));
  });
});
