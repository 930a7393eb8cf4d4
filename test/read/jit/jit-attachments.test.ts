import { expect, test } from 'vitest';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { describeDiagnostics } from '../../../src/findings/diagnostic-text.ts';
import { MAX_NOTES_BYTES, parseNotes } from '../../../src/read/jit/node-notes.ts';
import { takeJitAttachments } from '../../../src/record/jit-maps/jit-attachments.ts';
import type { MapWatch } from '../../../src/record/jit-maps/map-watch.ts';

const OPTIONS = { recordingId: null, commandUid: null, startedMs: 0 };
const NO_DUMPS = { take: () => [] };
const bytesOf = (text: string) => new TextEncoder().encode(text);

test('a failure to read perf maps is reported and does not fail the recording', () => {
  const reported: string[] = [];
  const broken = {
    finish() {
      throw new Error('EIO: i/o error, read');
    },
  } as unknown as MapWatch;
  const taken = takeJitAttachments(
    broken,
    () => [],
    NO_DUMPS,
    true,
    (notice) => reported.push(notice),
    OPTIONS,
  );
  expect(taken.attachments).toEqual([]);
  expect(reported).toEqual([expect.stringContaining('names may be missing: EIO: i/o error, read')]);
});

test('attachments that programs announced, maps and jitdumps fail one by one, and the others are kept', () => {
  const reported: string[] = [];
  const map = {
    name: 'perf-map/7',
    packing: 'none',
    unpackedSize: 1,
    bytes: bytesOf('x'),
  } as const;
  const maps = { finish: () => ({ attachments: [map], notices: [] }) } as unknown as MapWatch;
  const taken = takeJitAttachments(
    maps,
    () => {
      throw new RangeError('Invalid string length');
    },
    {
      take: () => {
        throw new Error('EIO: i/o error, read');
      },
    },
    true,
    (notice) => reported.push(notice),
    OPTIONS,
  );
  expect(taken.attachments).toEqual([map]);
  expect(reported).toEqual([
    'code that programs announced could not be read to the end, so names may be missing: Invalid string length',
    'jitdumps could not be read to the end, so names may be missing: EIO: i/o error, read',
  ]);
});

test('attachments of more than 320 MiB together are left out, and how many is reported', () => {
  const reported: string[] = [];
  const piece = new Uint8Array(32 << 20);
  const made = (name: string, pieces: number) => ({
    ...({ name, packing: 'none', unpackedSize: pieces * piece.length } as const),
    bytes: Array.from({ length: pieces }, () => piece),
  });
  const announced = made('code-events/7', 8);
  const maps = {
    finish: () => ({ attachments: [made('perf-map/7', 3), made('perf-map/8', 2)], notices: [] }),
  } as unknown as MapWatch;
  const say = (notice: string) => reported.push(notice);
  const taken = takeJitAttachments(maps, () => [announced], NO_DUMPS, true, say, OPTIONS);
  expect(taken.attachments.map(({ name }) => name)).toEqual(['code-events/7', 'perf-map/8']);
  expect(reported).toEqual([
    'what names code has more than 320 MiB: 1 parts of it are left out of the recording',
  ]);
});

test('malformed lines of Node notes are counted', () => {
  const diagnostics = new Diagnostics();
  const process = '{"kind":"process","pid":1,"node":"v20","cwd":"/srv"}';
  const map = '{"kind":"sourceMap","url":"/a.ts","map":{"version":3,"mappings":"AAAA","x":[[]]}}';
  const notes = parseNotes(bytesOf(`${process}\n\n\nnonsense\n${map}\n{"kind":`), diagnostics);
  expect(notes.map(({ kind }) => kind)).toEqual(['process', 'sourceMap']);
  expect(notes[1]).toMatchObject({ url: '/a.ts', map: { version: 3, mappings: 'AAAA' } });
  expect(JSON.stringify(notes[1])).not.toContain('[[]]');
  expect(diagnostics.entries()).toMatchObject([{ code: 'node-notes-line-malformed', count: 2 }]);
});

test.each([
  ['newlines', '\n', 'Node notes are too long, the rest not read'],
  ['lines of nonsense', '{"kind":"nothing"}\n', 'line of Node notes not understood'],
  ['one line', 'x', 'line of Node notes not understood'],
])('Node notes that are %s are rejected early', (_, unit, reason) => {
  const diagnostics = new Diagnostics();
  const bytes = Buffer.alloc(MAX_NOTES_BYTES + 1, unit);
  expect(parseNotes(bytes, diagnostics)).toEqual([]);
  const found = describeDiagnostics(diagnostics).find((entry) => entry.reason === reason);
  expect(found?.count).toBeGreaterThan(0);
  expect(found?.count).toBeLessThan(1100);
});
