import { expect, test } from 'vitest';
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
