import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { HeldMaps } from '../../../src/record/code-events/held-maps.ts';
import { scratchDirectory } from '../../helpers/cli.ts';

const scratch = scratchDirectory();
const HEADER = Buffer.concat([Buffer.from('PTSCODE1'), Buffer.alloc(24)]);
const ADDED = 1;
const FIXED = 40;

/** A record of code that was added: `size, type, code_type, time, start, length, name_length, name`. */
function added(name: string): Buffer {
  const bytes = Buffer.alloc(FIXED + name.length);
  bytes.writeUInt32LE(bytes.length, 0);
  bytes.writeUInt16LE(ADDED, 4);
  bytes.writeBigUInt64LE(BigInt(name.length), 32);
  bytes.write(name, FIXED, 'latin1');
  return bytes;
}

function file(name: string, text: string): string {
  const path = join(scratch, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const mapOf = (source: string) => ({ version: 3, sources: [source], names: [], mappings: 'AAAA' });

function built(name: string, source: string): string {
  file(`${name}.map`, JSON.stringify({ ...mapOf(source), sourcesContent: ['f()'] }));
  return file(name, `f();\n//# sourceMappingURL=${name.split('/').at(-1)}.map\n`);
}

const notesOf = (maps: HeldMaps, pid: number) =>
  Buffer.from(maps.notes(pid))
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

test('the map of a script that was removed is kept as it was, without sources; one that is there is not', () => {
  const maps = new HeldMaps([]);
  const [gone, kept] = [built('gone.mjs', 'gone.ts'), built('kept.mjs', 'kept.ts')];
  const watch = maps.watch(7);
  watch(HEADER);
  watch(added(`JS:*f file://${gone}:1:10`));
  watch(added(`Script:~ ${kept}:1:1`));
  for (const path of [gone, `${gone}.map`]) rmSync(path);
  expect(notesOf(maps, 7)).toEqual([{ kind: 'sourceMap', url: gone, map: mapOf('gone.ts') }]);
  expect(notesOf(maps, 8)).toEqual([]);
});

test('each process has the map with which it ran a script that is written again meanwhile', () => {
  const maps = new HeldMaps([]);
  const script = built('again.js', 'first.ts');
  maps.watch(1)(Buffer.concat([HEADER, added(`JS:~f ${script}:1:10`)]));
  built('again.js', 'second version.ts');
  maps.watch(2)(Buffer.concat([HEADER, added(`JS:~f ${script}:1:10`)]));
  expect(notesOf(maps, 1).map(({ map }) => map.sources)).toEqual([['first.ts']]);
  expect(notesOf(maps, 2).map(({ map }) => map.sources)).toEqual([['second version.ts']]);
});

test('records are found wherever the stream is cut, and a damaged one ends it', () => {
  const script = built('cut.js', 'cut.ts');
  const stream = Buffer.concat([HEADER, added('Builtin:ArrayMap'), added(`JS:~f ${script}:1:10`)]);
  const ofStream = (parts: readonly Buffer[]) => {
    const maps = new HeldMaps([]);
    const watch = maps.watch(1);
    built('cut.js', 'cut.ts');
    for (const part of parts) watch(part);
    rmSync(`${script}.map`);
    return notesOf(maps, 1).length;
  };
  for (let at = 0; at <= stream.length; at++) {
    expect(ofStream([stream.subarray(0, at), stream.subarray(at)])).toBe(1);
  }
  expect(ofStream([...stream].map((byte) => Buffer.from([byte])))).toBe(1);
  expect(ofStream([HEADER, Buffer.alloc(16), added(`JS:~f ${script}:1:10`)])).toBe(0);
});

test('a map in another folder keeps its sources, and dependencies, foreign schemes and large maps are left out', () => {
  const maps = new HeldMaps([]);
  file('maps/far.js.map', JSON.stringify(mapOf('../src/far.ts')));
  const far = file('out/far.js', '//# sourceMappingURL=../maps/far.js.map');
  const others = [
    built('node_modules/dep/index.js', 'index.ts'),
    file('web.js', '//# sourceMappingURL=https://example.org/web.js.map'),
    file('large.js', '//# sourceMappingURL=large.js.map'),
  ];
  file('large.js.map', 'x'.repeat((16 << 20) + 1));
  const watch = maps.watch(1);
  watch(HEADER);
  for (const path of [far, ...others]) watch(added(`JS:~f ${path}:1:10`));
  for (const path of [far, ...others]) rmSync(path);
  expect(notesOf(maps, 1)).toEqual([
    {
      kind: 'sourceMap',
      url: far,
      map: { ...mapOf('../src/far.ts'), sourceRoot: `${join(scratch, 'maps')}/` },
    },
  ]);
});
