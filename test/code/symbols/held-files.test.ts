// Names that stay in their files: what is open, and what becomes of a file that somebody changes.

import { readdirSync, readlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { StringTable } from '../../../src/base/string-table.ts';
import { type ElfFile, parseElf } from '../../../src/code/elf/elf-file.ts';
import { DsoTable } from '../../../src/code/process/dso-table.ts';
import { loadElfSymbols } from '../../../src/code/symbols/elf-symbols.ts';
import { OpenSymbolFile } from '../../../src/code/symbols/open-symbol-file.ts';
import { type LoadedSymbols, Symbolizer } from '../../../src/code/symbols/symbolizer.ts';
import { openRegular } from '../../../src/system/files/open-regular.ts';
import { scratchDirectory } from '../../helpers/scratch.ts';
import { elfBytes, symbolBytes } from '../elf/elf-bytes.ts';
import { drawGoTable } from '../golang/draw-go-table.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** So many make the table of names larger than 256 KiB. */
const SYMBOLS = 6000;
const TEXT = 0x401000;

/** Lengths of name and content, the type, "GNU", the build ID. */
const buildIdNote = (id: number): Uint8Array =>
  Uint8Array.of(4, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 71, 78, 85, 0, id, 0x12, 0, 0);

/** A program whose symbol `i` is 16 bytes at TEXT + 16 · i; one name in a hundred is long. */
function program(prefix: string, symbols = SYMBOLS, machine = 62, id = 0xab): Uint8Array {
  const { symtab, strtab } = symbolBytes(
    true,
    true,
    Array.from({ length: symbols }, (_, i) => ({
      name: nameOf(prefix, i),
      value: TEXT + 16 * i,
      size: 16,
    })),
  );
  return elfBytes({
    is64: true,
    littleEndian: true,
    machine,
    sections: [
      { name: '.text', type: 1, flags: 2, address: TEXT },
      { name: '.symtab', type: 2, link: 3, bytes: symtab },
      { name: '.strtab', type: 3, bytes: strtab },
      { name: '.note.gnu.build-id', type: 7, bytes: buildIdNote(id) },
    ],
    segments: [[1, 0x1000, TEXT, 16 * symbols]],
  });
}

const asItIs = (name: string): string => name;

/** A scope of its own, which the functions of what it gives do not refer to. */
const giving =
  <T>(given: T) =>
  (): T =>
    given;

const nameOf = (prefix: string, i: number): string =>
  `${prefix}_${i}_${'x'.repeat(i % 100 === 0 ? 700 : 50)}`;

/** A symbolizer of the program at `path`, and of others. */
function symbolizerOf(path: string, loaded: LoadedSymbols = new Map()) {
  const dsos = new DsoTable();
  const strings = new StringTable();
  const symbolizer = new Symbolizer({
    dsos,
    diagnostics: new Diagnostics(),
    kernelReference: null,
    demangleCpp: null,
    holdsFiles: true,
    loaded,
    provider: ({ dso }) => {
      const file = openRegular(dso.kind === 'user-file' ? dso.path : '');
      return typeof file === 'string' ? null : file.source;
    },
  });
  const dsoOf = (path: string) => dsos.intern({ kind: 'user-file', path, fileId: '' });
  const name = (i: number, of = path) =>
    symbolizer.resolve(dsoOf(of), 0x1000 + 16 * i + 3)?.name ?? null;
  const namesAt = (rows: readonly number[], of = path) => {
    const found = new Int32Array(rows.length);
    const addresses = Float64Array.from(rows, (i) => 0x1000 + 16 * i + 3);
    symbolizer.resolveAll(dsoOf(of), addresses, strings, found);
    return Array.from(found, (index) => (index < 0 ? null : strings.strings[index]));
  };
  return { symbolizer, name, namesAt, buildId: () => symbolizer.buildIdOf(dsoOf(path)) };
}

/** How often this process has the file open. */
const timesOpen = (path: string): number =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(path);
    } catch {
      return false;
    }
  }).length;

function drawnProgram(prefix: string, symbols?: number, machine?: number, id?: number): string {
  const path = join(scratchDirectory(), 'app');
  writeFileSync(path, program(prefix, symbols, machine, id));
  return path;
}

it.each([
  ['x86-64', 62],
  ['arm64, where names tell which symbols count', 183],
])('names are read from the file that stays open: %s', (_, machine) => {
  const path = drawnProgram('first', SYMBOLS, machine);
  const { symbolizer, name } = symbolizerOf(path);
  for (const i of [0, 1, 100, 4321, SYMBOLS - 1]) expect(name(i)).toBe(nameOf('first', i));
  expect(timesOpen(path)).toBe(1);
  symbolizer.close();
  expect(timesOpen(path)).toBe(0);
});

it('a small file is read as a whole, and closed', () => {
  const path = drawnProgram('small', 50);
  const { name } = symbolizerOf(path);
  expect(name(7)).toBe(nameOf('small', 7));
  expect(timesOpen(path)).toBe(0);
});

it('a deleted file is closed, and its names stay', () => {
  const path = drawnProgram('old');
  const { symbolizer, name } = symbolizerOf(path);
  expect(name(1)).toBe(nameOf('old', 1));
  unlinkSync(path);
  writeFileSync(path, program('new'));
  symbolizer.refreshFiles();
  expect(timesOpen(path)).toBe(0);
  for (const i of [2, 100, SYMBOLS - 1]) expect(name(i)).toBe(nameOf('old', i));
});

it('a file that was written into is read anew', () => {
  const path = drawnProgram('before');
  const { symbolizer, name } = symbolizerOf(path);
  expect(name(1)).toBe(nameOf('before', 1));
  writeFileSync(path, program('after'));
  utimesSync(path, 1e9, 1e9);
  symbolizer.refreshFiles();
  expect(name(1)).toBe(nameOf('after', 1));
  expect(name(2)).toBe(nameOf('after', 2));
  expect(timesOpen(path)).toBe(1);
  symbolizer.close();
});

it('a file of which nothing is asked any more is closed, and read anew for the next name', () => {
  const path = drawnProgram('quiet');
  const { symbolizer, name, buildId } = symbolizerOf(path);
  const ROUNDS = 13;
  for (let round = 0; round < 2 * ROUNDS; round++) {
    expect(name(1)).toBe(nameOf('quiet', 1));
    symbolizer.refreshFiles();
  }
  expect(timesOpen(path)).toBe(1);
  for (let round = 0; round < ROUNDS; round++) symbolizer.refreshFiles();
  expect([timesOpen(path), buildId()]).toEqual([0, 'ab12']);
  expect(name(2)).toBe(nameOf('quiet', 2));
  expect(timesOpen(path)).toBe(1);
  unlinkSync(path);
  for (let round = 0; round <= ROUNDS; round++) symbolizer.refreshFiles();
  expect(timesOpen(path)).toBe(0);
  expect(name(3)).toBe(nameOf('quiet', 3));
});

it('another symbolizer takes over what was read, and closes what it has no use for', () => {
  const path = drawnProgram('kept');
  const first = symbolizerOf(path);
  expect(first.name(1)).toBe(nameOf('kept', 1));
  const second = symbolizerOf(path, first.symbolizer.handOver());
  expect(second.name(2)).toBe(nameOf('kept', 2));
  expect(timesOpen(path)).toBe(1);
  const third = symbolizerOf(path, second.symbolizer.handOver());
  expect(timesOpen(path)).toBe(1);
  expect(third.symbolizer.handOver().size).toBe(0);
  expect(timesOpen(path)).toBe(0);
});

it('copies of one build have one table, which is forgotten for all of them', () => {
  const path = drawnProgram('one');
  const copy = drawnProgram('one');
  const { symbolizer, name } = symbolizerOf(path);
  expect([name(1), name(2, copy)]).toEqual([nameOf('one', 1), nameOf('one', 2)]);
  expect([timesOpen(path), timesOpen(copy)]).toEqual([1, 0]);
  utimesSync(path, 1e9, 1e9);
  symbolizer.refreshFiles();
  expect(timesOpen(path)).toBe(0);
  expect([name(3, copy), name(4)]).toEqual([nameOf('one', 3), nameOf('one', 4)]);
  expect([timesOpen(path), timesOpen(copy)]).toEqual([0, 1]);
  symbolizer.close();
  expect(timesOpen(copy)).toBe(0);
});

it('tables that were asked for longest ago are forgotten while all together are too large', () => {
  const MANY = 100_000;
  const paths = Array.from({ length: 6 }, (_, i) => {
    const path = join(scratchDirectory(), 'app');
    writeFileSync(path, program(`p${i}`, MANY, 62, i));
    return path;
  });
  const { symbolizer, name } = symbolizerOf(paths[0]);
  for (const [i, path] of paths.entries()) expect(name(1, path)).toBe(nameOf(`p${i}`, 1));
  symbolizer.refreshFiles();
  // 2.6 MB each, of which 8 MiB stay.
  expect(paths.map(timesOpen)).toEqual([0, 0, 0, 1, 1, 1]);
  expect(name(2)).toBe(nameOf('p0', 2));
  expect(name(2, paths[5])).toBe(nameOf('p5', 2));
  symbolizer.refreshFiles();
  expect(paths.map(timesOpen)).toEqual([1, 0, 0, 0, 1, 1]);
  symbolizer.close();
});

it('the table of a file is kept where it is asked for often, and read for the addresses at hand elsewhere', () => {
  const paths = [drawnProgram('often'), drawnProgram('far', SYMBOLS, 62, 0xcd)];
  const { symbolizer, namesAt } = symbolizerOf(paths[0]);
  const inFiles = () => paths.map(timesOpen);
  expect(namesAt([1, 7, 3])).toEqual([1, 7, 3].map((i) => nameOf('often', i)));
  expect(namesAt([5999])).toEqual([nameOf('often', 5999)]);
  expect(inFiles()).toEqual([0, 0]);
  expect(namesAt([2])).toEqual([nameOf('often', 2)]);
  expect(inFiles()).toEqual([1, 0]);
  // Another file of the build that has a table, whose names are other ones here.
  expect(namesAt([8], drawnProgram('copy'))).toEqual([nameOf('often', 8)]);
  // Whoever has mapped it may be gone the next time.
  expect(namesAt([4], `/proc/self/root${paths[1]}`)).toEqual([nameOf('far', 4)]);
  expect(inFiles()).toEqual([1, 1]);
  symbolizer.close();
  expect(inFiles()).toEqual([0, 0]);
});

it('the table of a file for which there is no room is kept until the next round where the file is asked for often', () => {
  const large = Array.from({ length: 3 }, (_, i) => {
    const path = join(scratchDirectory(), 'app');
    writeFileSync(path, program(`large${i}`, 130_000, 62, i));
    return path;
  });
  const path = drawnProgram('other');
  const { symbolizer, name, namesAt } = symbolizerOf(path);
  for (const of of large) expect(name(1, of)).not.toBeNull();
  const keptAfter = [1, 2, 3, 4, 5].map((i) => {
    expect(namesAt([i])).toEqual([nameOf('other', i)]);
    return timesOpen(path);
  });
  expect(keptAfter).toEqual([0, 0, 0, 0, 1]);
  symbolizer.close();
});

it('tables that were handed over do not keep whoever has read them', async () => {
  const paths = [drawnProgram('first'), drawnProgram('small', 50)];
  const read = () => {
    const { symbolizer, name } = symbolizerOf(paths[0]);
    for (const path of paths) expect(name(1, path)).not.toBeNull();
    return { loaded: symbolizer.handOver(), reader: new WeakRef(symbolizer) };
  };
  const { loaded, reader } = read();
  // A reference that was made in a job is held until that one ends.
  await sleep(0);
  collectGarbage();
  expect(reader.deref()).toBeUndefined();
  const { symbolizer, name } = symbolizerOf(paths[0], loaded);
  expect(name(2)).toBe(nameOf('first', 2));
  symbolizer.close();
});

it('names of a Go program without symbols are read from its own table in the file that stays open', () => {
  const path = join(scratchDirectory(), 'app');
  const functions = Array.from({ length: SYMBOLS }, (_, i) => ({
    name: nameOf('go', i),
    at: TEXT + 16 * i,
    file: 'main.go',
    lines: [[1, 16]] as const,
  }));
  const table = drawGoTable({
    version: 16,
    littleEndian: true,
    pointerBytes: 8,
    text: 0,
    functions,
    end: TEXT + 16 * SYMBOLS,
  });
  const sections = [
    { name: '.text', type: 1, flags: 2, address: TEXT },
    { name: '.gopclntab', type: 1, flags: 2, bytes: table },
  ];
  const segments = [[1, 0x1000, TEXT, 16 * SYMBOLS]] as const;
  writeFileSync(path, elfBytes({ is64: true, littleEndian: true, sections, segments }));
  const { symbolizer, name } = symbolizerOf(path);
  for (const i of [0, 100, SYMBOLS - 1]) expect(name(i)).toBe(nameOf('go', i));
  expect(timesOpen(path)).toBe(1);
  unlinkSync(path);
  symbolizer.refreshFiles();
  expect(timesOpen(path)).toBe(0);
  expect(name(1)).toBe(nameOf('go', 1));
});

it('a table of symbols keeps the names of functions that have no symbol, and not their columns', async () => {
  const elf = parseElf(memorySource(program('few', 10)), new Diagnostics()) as ElfFile;
  const load = () => {
    const start = Float64Array.of(TEXT + 0x1000, TEXT + 0x1100);
    const end = start.map((at) => at + 16);
    const others = { start, end, nameOf: (row: number) => `other_${row}` };
    const table = loadElfSymbols(elf, null, asItIs, new Diagnostics(), null, giving(others));
    return { table, columns: [start, end, others].map((column) => new WeakRef(column)) };
  };
  const { table, columns } = load();
  await sleep(0);
  collectGarbage();
  expect(columns.map((ref) => ref.deref())).toEqual([undefined, undefined, undefined]);
  expect(table.name(table.find(TEXT + 0x1104))).toBe('other_1');
  expect(table.name(table.find(TEXT + 3))).toBe(nameOf('few', 0));
});

it('bytes that are kept of a deleted file stay as they were when they are handed back', () => {
  const path = join(scratchDirectory(), 'program');
  writeFileSync(path, 'names of it');
  const file = openRegular(path);
  if (typeof file === 'string') throw new Error(file);
  const held = OpenSymbolFile.of(file.source) as OpenSymbolFile;
  held.hold(0, 11);
  unlinkSync(path);
  expect([held.check(), held.isOpen]).toEqual([true, false]);
  held.recycle(held.read(0, 11));
  writeFileSync(path, 'other words');
  const other = openRegular(path);
  if (typeof other === 'string') throw new Error(other);
  other.source.read(0, 11);
  other.source.close?.();
  expect(new TextDecoder().decode(held.read(0, 11))).toBe('names of it');
});
