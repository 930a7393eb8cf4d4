import { expect, test } from 'vitest';
import { splitStream } from '../../../src/code/jit/code-events.ts';
import { mapNotes } from '../../../src/record/code-events/map-notes.ts';

const MAP = { version: 3, sources: ['a.ts'], sourcesContent: ['let a;'], names: [], mappings: 'A' };
const BASE64 = `data:application/json;base64,${Buffer.from(JSON.stringify(MAP)).toString('base64')}`;

const notes = (...maps: { name: string; url: string }[]) =>
  Buffer.from(
    mapNotes(maps.map(({ name, url }) => ({ name: Buffer.from(name), url: Buffer.from(url) }))),
  )
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

test('a name is in the notes once, with the latest map that came for it', () => {
  const name = `JS:*f /${'a'.repeat(60_000)}.ts:1:10`;
  const maps = Array.from({ length: 200 }, (_, i) => ({
    name,
    url: `data:application/json,{"version":${i}}`,
  }));
  expect(notes(...maps)).toMatchObject([{ map: { version: 199 } }]);
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
