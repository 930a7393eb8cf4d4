import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PERF_COUNT_SW, PERF_TYPE } from '../../src/base/event-type.ts';
import { encodeAppendix } from '../../src/formats/perf-data/appendix.ts';
import { eventDescriptionSection } from '../../src/formats/perf-data/feature-encoders.ts';
import { FEATURE } from '../../src/formats/perf-data/features.ts';
import { encodeAttr, newAttr } from '../../src/kernel/perf-event/attr.ts';
import { PERF_SAMPLE } from '../../src/kernel/perf-event/constants.ts';
import type { EventIndex } from '../../src/profile/types.ts';
import { openProfile } from '../../src/read/open-profile.ts';
import { findingsOf } from '../../src/read/outputs/findings-of.ts';
import { readInfo } from '../../src/read/recording-info.ts';
import { scratchDirectory } from '../helpers/cli.ts';
import { concat, perfDataFile, plainSample } from '../helpers/record-builder.ts';

const scratch = scratchDirectory();
const PID = 40;
const { IP, TID, TIME, IDENTIFIER } = PERF_SAMPLE;
const sampleType = IP | TID | TIME | IDENTIFIER;
const software = { type: PERF_TYPE.SOFTWARE, sampleType, flags: { sampleIdAll: true } };
const clock = newAttr({ ...software, config: BigInt(PERF_COUNT_SW.CPU_CLOCK), samplePeriod: 1000 });
const dummy = newAttr({ ...software, config: BigInt(PERF_COUNT_SW.DUMMY), samplePeriod: 1 });

const NOTE = { kind: 'heap', of: 'allocated', tid: 0, fromNs: 1000, toNs: 2000 };
const FUNCTIONS = ['main', 'file:///srv/a.js', 1, 1, 'make', 'file:///srv/a.js', 5, 10];
const NODES = [-1, 0, 0, 1];

/** The profile of a recording whose process left these notes. */
async function read(name: string, notes: readonly object[]) {
  const described = [
    { attrBytes: encodeAttr(clock), name: 'cpu-clock', ids: [1] },
    { attrBytes: encodeAttr(dummy), name, ids: [2] },
  ];
  const times = [900, 1500, 2100];
  const built = perfDataFile({
    attrs: [clock, dummy].map((attr, i) => ({ attr, ids: [i + 1] })),
    records: times.map((time) => plainSample({ id: 1, ip: 0x1000, pid: PID, tid: PID, time })),
    features: [[FEATURE.EVENT_DESC, eventDescriptionSection(described).bytes]],
  });
  const bytes = Buffer.from(notes.map((note) => `${JSON.stringify(note)}\n`).join(''));
  const attachment = { packing: 'none', unpackedSize: bytes.length, bytes } as const;
  const appendix = encodeAppendix([{ name: `node-notes/${PID}`, ...attachment }]);
  const path = join(scratch, 'heap.data');
  writeFileSync(path, concat(built, ...appendix));
  const opened = await openProfile(path);
  const { bySymbol, weight, samples } = opened.report({ event: name });
  const rows = bySymbol.map(({ func, self, total }) => ({
    name: opened.nameOf(func),
    self,
    total,
  }));
  return { opened, rows, weight, samples };
}

test('each sample of a note is a sample of the event, which weighs its bytes, in the functions of its stack', async () => {
  const samples = [1, 512, 3, 0, 100, 1];
  const {
    opened,
    rows,
    weight,
    samples: count,
  } = await read('heap-allocated', [{ ...NOTE, functions: FUNCTIONS, nodes: NODES, samples }]);
  expect(rows).toEqual([
    { name: 'make /srv/a.js:5', self: 1536, total: 1536 },
    { name: 'main /srv/a.js:1', self: 100, total: 1636 },
  ]);
  expect({ weight, count }).toEqual({ weight: 1636, count: 4 });
  const { timeNs, event, thread } = opened.profile.samples;
  expect([...timeNs]).toEqual([...timeNs].sort((a, b) => a - b));
  const own = Array.from(event, (of, row) => (of === 1 ? row : -1)).filter((row) => row >= 0);
  // The recording begins at its first record.
  for (const row of own) expect(timeNs[row]).toBeGreaterThanOrEqual(1000 - 900);
  for (const row of own) expect(timeNs[row]).toBeLessThanOrEqual(2000 - 900);
  expect(new Set(own.map((row) => opened.profile.threads[thread[row]].tid))).toEqual(
    new Set([PID]),
  );
  expect(opened.diagnostics.entries().map(({ code }) => code)).not.toContain('sample-late');
});

test('functions and nodes go on from note to note, threads have their own', async () => {
  const { rows } = await read('heap-allocated', [
    { ...NOTE, functions: FUNCTIONS, nodes: NODES, samples: [1, 10, 1] },
    { ...NOTE, tid: 41, functions: FUNCTIONS.slice(0, 4), nodes: [-1, 0], samples: [0, 7, 1] },
    { ...NOTE, fromNs: 2000, toNs: 3000, functions: [], nodes: [], samples: [1, 20, 1] },
  ]);
  expect(rows.map(({ name, self }) => [name, self])).toEqual([
    ['make /srv/a.js:5', 30],
    ['main /srv/a.js:1', 7],
  ]);
});

test('the last note of what is live takes the place of those before', async () => {
  const live = { ...NOTE, of: 'live' };
  const { rows } = await read('heap-live', [
    { ...live, functions: FUNCTIONS, nodes: NODES, samples: [1, 10, 1, 0, 5, 1] },
    { ...live, toNs: 3000, functions: [], nodes: [], samples: [1, 20, 2] },
  ]);
  expect(rows.map(({ name, total }) => [name, total])).toEqual([
    ['make /srv/a.js:5', 40],
    ['main /srv/a.js:1', 40],
  ]);
});

test('samples are counted alike without a profile, in bytes, and a thread that V8 samples for the program is reported', async () => {
  const live = { ...NOTE, of: 'live', functions: FUNCTIONS, nodes: NODES };
  const { opened, samples } = await read('heap-live', [
    { ...live, samples: [1, 10, 7] },
    { ...live, toNs: 3000, functions: [], nodes: [], samples: [1, 20, 2, 0, 5, 1, 0, -1, 4] },
    { ...live, tid: 41, samples: [0, 7, 3] },
    { kind: 'heapLeft', tid: 41 },
  ]);
  const { events } = readInfo(join(scratch, 'heap.data'));
  const shown = { name: 'heap-live', samples, period: null, counted: null };
  expect(samples).toBe(6);
  expect(events).toContainEqual(expect.objectContaining(shown));
  expect(
    readInfo(join(scratch, 'heap.data'), { pids: new Set([PID]) }).events[1].samples,
  ).toBeNull();
  expect(opened.weights('events', 1 as EventIndex).unit).toBe('bytes');
  expect(findingsOf(opened)).toContainEqual(
    expect.objectContaining({
      label: 'heap not sampled',
      sentence: expect.stringContaining('tid 41'),
    }),
  );
});

test('a sample of no node has no stack, and one of no size is left out', async () => {
  const { weight, samples } = await read('heap-allocated', [
    {
      ...NOTE,
      functions: ['cut'],
      nodes: [-1, 9, 'x', 0],
      samples: [7, 10, 1, 0, -5, 1, 0, 1e300, 1, 0, 'x', 1, 0, 4, -2, 1],
    },
    { kind: 'heap', of: 'other', tid: 0, fromNs: 0, toNs: 0 },
  ]);
  expect({ weight, samples }).toEqual({ weight: 10, samples: 1 });
});

test('intervals are those of samples that were drawn one by one', async () => {
  const samples = [0, 100, 60, 1, 100, 40];
  const { opened } = await read('heap-allocated', [
    { ...NOTE, functions: FUNCTIONS, nodes: NODES, samples },
  ]);
  const { bySymbol } = opened.report({ event: 'heap-allocated' });
  const row = bySymbol.find(({ func }) => opened.nameOf(func).startsWith('main'));
  // Wilson's interval of 60 of 100.
  expect(row?.selfInterval?.low).toBeCloseTo(0.502, 3);
  expect(row?.selfInterval?.high).toBeCloseTo(0.6906, 3);
});
