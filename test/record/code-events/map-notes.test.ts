import { expect, test } from 'vitest';
import { splitStream } from '../../../src/code/jit/code-events.ts';
import { encodeVersion } from '../../../src/code/jit/code-record.ts';
import { mapNotes } from '../../../src/record/code-events/map-notes.ts';

const MAP = { version: 3, sources: ['a.ts'], sourcesContent: ['let a;'], names: [], mappings: 'A' };
const BASE64 = `data:application/json;base64,${Buffer.from(JSON.stringify(MAP)).toString('base64')}`;

type Given = { script?: number; name: string; url: string };

const noted = (...streams: Given[][]) =>
  mapNotes(
    streams.map((maps) =>
      maps.map(({ script = 0, name, url }) => ({
        script,
        name: Buffer.from(name),
        url: Buffer.from(url),
      })),
    ),
  );

const parsed = (lines: Uint8Array) =>
  Buffer.from(lines)
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

const notes = (...maps: Given[]) => parsed(noted(maps).notes);

test('a source map inside a script becomes a note of the script, without sources', () => {
  const { sourcesContent: _, ...map } = MAP;
  expect(notes({ name: 'JS:*f file:///app/a.ts:1:10', url: BASE64 })).toEqual([
    { kind: 'sourceMap', url: 'file:///app/a.ts', map },
  ]);
  const url = `data:application/json,${encodeURIComponent(JSON.stringify(MAP))}`;
  expect(notes({ name: 'JS:*f /app/a.ts:1:10', url })).toEqual([
    { kind: 'sourceMap', url: '/app/a.ts', map },
  ]);
});

test('a source map that is none, or of code without a file, is left out', () => {
  expect(notes({ name: 'JS:*f /app/a.ts:1:10', url: 'data:application/json;base64,e30' })).toEqual([
    { kind: 'sourceMap', url: '/app/a.ts', map: {} },
  ]);
  expect(
    notes(
      { name: 'JS:*f /app/a.ts:1:10', url: 'data:application/json;base64,AAAA' },
      { name: 'JS:*f /app/a.ts:1:10', url: 'data:application/json' },
      { name: 'JS:*f ', url: BASE64 },
    ),
  ).toEqual([]);
});

test('scripts of one path with different maps are versions of it, in all isolates of the process', () => {
  const name = 'JS:*f /app/hot.ts:2:7';
  const url = (version: number) => `data:application/json,{"version":${version}}`;
  const { notes: lines, versions } = noted(
    [
      { script: 7, name, url: url(1) },
      { script: 9, name, url: url(2) },
      { script: 11, name, url: url(1) },
    ],
    [{ script: 3, name, url: url(2) }],
  );
  expect(parsed(lines)).toMatchObject([
    { url: '/app/hot.ts', map: { version: 1 } },
    { url: '/app/hot.ts?perf-ts-version=1', map: { version: 2 } },
  ]);
  expect(versions.map((bytes) => Buffer.from(bytes))).toEqual([
    Buffer.from(encodeVersion(9, 1)),
    Buffer.from(encodeVersion(3, 1)),
  ]);
});

test('a name is in the notes once for each of its first versions, the last of which is the latest', () => {
  const name = `JS:*f /${'a'.repeat(60_000)}.ts:1:10`;
  const maps = Array.from({ length: 200 }, (_, i) => ({
    name,
    url: `data:application/json,{"version":${i}}`,
  }));
  const found = notes(...maps);
  expect(found).toHaveLength(64);
  expect(found.at(-1)).toMatchObject({ map: { version: 199 } });
});

test('a name that is longer than a sender has names no map', () => {
  expect(splitStream([stream('b'.repeat(100)), sourceMap()]).maps[0].name.length).toBe(100);
  expect(splitStream([stream('b'.repeat(4 << 20)), sourceMap()]).maps[0].name.length).toBe(0);
});

/** The head of a stream, and code of that name. */
function stream(name: string): Buffer {
  const record = Buffer.alloc(40 + name.length);
  record.writeUInt32LE(record.length, 0);
  record.writeUInt16LE(1, 4);
  record.writeBigUInt64LE(BigInt(name.length), 32);
  record.write(name, 40);
  return Buffer.concat([Buffer.from('PTSCODE1'), Buffer.alloc(24), record]);
}

function sourceMap(): Buffer {
  const record = Buffer.alloc(24);
  record.writeUInt32LE(record.length, 0);
  record.writeUInt16LE(10, 4);
  return record;
}
