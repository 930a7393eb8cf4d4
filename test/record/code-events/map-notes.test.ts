import { expect, test } from 'vitest';
import { StreamSplitter } from '../../../src/code/jit/stream-splitter.ts';
import { MapNotes } from '../../../src/record/code-events/map-notes.ts';

const MAP = { version: 3, sources: ['a.ts'], sourcesContent: ['let a;'], names: [], mappings: 'A' };
const BASE64 = `data:application/json;base64,${Buffer.from(JSON.stringify(MAP)).toString('base64')}`;

function notesOf(maps: readonly { name: string; url: string }[]): MapNotes {
  const notes = new MapNotes();
  for (const { name, url } of maps) notes.add(Buffer.from(name), Buffer.from(url));
  return notes;
}

const notes = (...maps: { name: string; url: string }[]) =>
  Buffer.concat(notesOf(maps).lines)
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

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

test('a source map inside a script is read though a percent sign in it escapes nothing', () => {
  const url = 'data:application/json,{"sources":["100%.ts"]}';
  expect(notes({ name: 'JS:*f /app/a.ts:1:10', url })).toEqual([
    { kind: 'sourceMap', url: '/app/a.ts', map: { sources: ['100%.ts'] } },
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

test('scripts of one path with different maps are versions of it', () => {
  const name = Buffer.from('JS:*f /app/hot.ts:2:7');
  const url = (version: number) => Buffer.from(`data:application/json,{"version":${version}}`);
  const maps = new MapNotes();
  expect([1, 2, 1, 2].map((version) => maps.add(name, url(version)))).toEqual([0, 1, 0, 1]);
  expect(maps.lines.map((line) => JSON.parse(Buffer.from(line).toString()))).toMatchObject([
    { url: '/app/hot.ts', map: { version: 1 } },
    { url: '/app/hot.ts?perf-ts-version=1', map: { version: 2 } },
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

test('notes of source maps end where a reader takes no more of them', () => {
  const lines = Array.from({ length: 9 }, (_, i) => ({
    name: `JS:*f /${i}.ts:1:10`,
    url: `data:application/json,{"mappings":"${'A'.repeat(8 << 20)}"}`,
  }));
  expect(notesOf(lines).lines).toHaveLength(7);
});

test('a name that is longer than a sender has names no map', () => {
  const lengths: number[] = [];
  const take = (name: string) =>
    new StreamSplitter({
      onName: () => {},
      onSourceMap: (_script, { length }) => lengths.push(length),
    }).take(Buffer.concat([stream(name), sourceMap()]));
  for (const length of [100, 64 << 10, (64 << 10) + 1, 4 << 20]) take('b'.repeat(length));
  expect(lengths).toEqual([100, 64 << 10, 0, 0]);
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
