import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { DwarfFile, SourceFrames } from '../../../src/code/dwarf/dwarf-file.ts';
import { type ElfFile, parseElf } from '../../../src/code/elf/elf-file.ts';
import { openSection } from '../../../src/code/elf/section-bytes.ts';
import { findGoTable } from '../../../src/code/golang/find-go-table.ts';
import { GoLines } from '../../../src/code/golang/go-lines.ts';
import { GoTable } from '../../../src/code/golang/go-table.ts';
import { sectionDecoders } from '../../../src/read/files/section-decoders.ts';
import { compileGo, hasGo } from '../../helpers/compile.ts';
import { drawGoTable } from './draw-go-table.ts';

const SOURCE = join(dirname(fileURLToPath(import.meta.url)), '../../helpers/inlined-calls.go');

function elfOf(bytes: Uint8Array): ElfFile {
  const elf = parseElf(memorySource(bytes), new Diagnostics());
  if (elf === null) throw new Error('not an ELF file');
  return elf;
}

/** The file without its section headers, as packers leave it. */
function withoutSections(bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  const view = new DataView(copy.buffer);
  view.setBigUint64(40, 0n, true);
  view.setUint16(60, 0, true);
  view.setUint16(62, 0, true);
  return copy;
}

type Lines = Pick<DwarfFile, 'find' | 'strings'>;

/** The frames at an address, innermost first, as texts. */
function framesAt(lines: Lines, address: number): string[] {
  const frames = new SourceFrames();
  const count = lines.find(address, frames);
  const text = (index: number) => lines.strings.strings[index];
  return Array.from(
    { length: count },
    (_unused, row) => `${text(frames.name[row])} ${text(frames.file[row])}:${frames.line[row]}`,
  );
}

function goLines(elf: ElfFile): { table: GoTable; lines: GoLines } {
  const found = findGoTable(elf, new Diagnostics());
  if (found === null) throw new Error('no table found');
  return { table: found.table, lines: new GoLines(elf, found) };
}

/** The addresses of one function, every `step` bytes. */
function addressesOf(table: GoTable, name: string, step: number): number[] {
  for (let row = 0; row < table.functionCount; row++) {
    if (table.name(row) !== name) continue;
    const length = Math.ceil((table.entry(row + 1) - table.entry(row)) / step);
    return Array.from({ length }, (_unused, i) => table.entry(row) + i * step);
  }
  throw new Error(`no function ${name}`);
}

describe.skipIf(!hasGo)('a Go program', () => {
  const STRIPPED = '-ldflags=-s -w';
  const forms: [string, string[]][] = [
    ['as it is built', [STRIPPED]],
    ['that is loaded anywhere', [STRIPPED, '-buildmode=pie']],
    ['that another linker put together', [`${STRIPPED} -linkmode=external`]],
    [
      'that another linker put together and that is loaded anywhere',
      [`${STRIPPED} -linkmode=external`, '-buildmode=pie'],
    ],
  ];

  test.each(forms)(
    '%s has frames with inlined calls at every address of a function',
    (_form, flags) => {
      const bytes = readFileSync(compileGo(SOURCE, flags));
      for (const elf of [elfOf(bytes), elfOf(withoutSections(bytes))]) {
        const { table, lines } = goLines(elf);
        const stacks = addressesOf(table, 'main.(*grid).churn', 1).map((at) => framesAt(lines, at));
        const outermost = new Set(stacks.map((stack) => stack.at(-1)));
        // Lines of the function's body, and the bytes up to the next function.
        const body = [22, 24, 25, 27].map((line) => `main.(*grid).churn ${SOURCE}:${line}`);
        expect([...outermost].sort()).toEqual(['main.(*grid).churn :0', ...body].sort());
        expect(stacks).toContainEqual([
          `main.scramble ${SOURCE}:13`,
          `main.mix ${SOURCE}:18`,
          `main.(*grid).churn ${SOURCE}:25`,
        ]);
      }
    },
  );

  test('a Go program has the same frames by its own table as by DWARF', () => {
    const elf = elfOf(readFileSync(compileGo(SOURCE, [])));
    const { table, lines } = goLines(elf);
    const dwarf = new DwarfFile({
      sections: (name) => openSection(elf, name, new Diagnostics(), sectionDecoders),
      littleEndian: true,
      diagnostics: new Diagnostics(),
    });
    const names = ['main.(*grid).churn', 'main.main', 'fmt.(*pp).doPrintln', 'runtime.mallocgc'];
    const addresses = names.flatMap((name) => addressesOf(table, name, 3));
    const different = addresses.filter((address) => {
      const own = framesAt(lines, address);
      // DWARF has no place for what lies between two functions.
      return own.join() !== framesAt(dwarf, address).join() && !own[0].endsWith(' :0');
    });
    expect(addresses.length).toBeGreaterThan(1000);
    expect(different.map((at) => [framesAt(lines, at), framesAt(dwarf, at)])).toEqual([]);
  });
});

describe.each([2, 16, 18, 20] as const)('a table of the layout of Go 1.%i', (version) => {
  test.each([
    ['little-endian, 64 bits', true, 8],
    ['little-endian, 32 bits', true, 4],
    ['big-endian, 64 bits', false, 8],
  ] as const)('(%s) has names, files and lines', (_form, littleEndian, pointerBytes) => {
    const bytes = drawGoTable({
      version,
      littleEndian,
      pointerBytes,
      text: 0x401000,
      functions: [
        {
          name: 'main.first',
          at: 0x401000,
          file: 'a.go',
          lines: [
            [7, 0x10],
            [9, 0x18],
          ],
        },
        { name: 'main.second', at: 0x401030, file: 'b.go', lines: [[3, 0x8]] },
      ],
      end: 0x401040,
    });
    const table = GoTable.parse(bytes) as GoTable;
    const at = (address: number) => {
      const row = table.find(address);
      return row < 0 ? null : [table.name(row), table.file(row, address), table.line(row, address)];
    };
    expect(at(0x400fff)).toBeNull();
    expect(at(0x401000)).toEqual(['main.first', 'a.go', 7]);
    expect(at(0x40100f)).toEqual(['main.first', 'a.go', 7]);
    expect(at(0x401010)).toEqual(['main.first', 'a.go', 9]);
    expect(at(0x40102f)).toEqual(['main.first', '', 0]);
    expect(at(0x401037)).toEqual(['main.second', 'b.go', 3]);
    expect(at(0x401040)).toBeNull();
  });

  test('that is cut anywhere, or has one byte changed, throws nothing', () => {
    const bytes = drawGoTable({
      version,
      littleEndian: true,
      pointerBytes: 8,
      text: 0x401000,
      functions: [{ name: 'main.first', at: 0x401000, file: 'a.go', lines: [[7, 0x10]] }],
      end: 0x401010,
    });
    const look = (drawn: Uint8Array) => {
      const table = GoTable.parse(drawn);
      const row = table?.find(0x401000) ?? -1;
      if (table === null || row < 0) return;
      expect(typeof table.name(row) + typeof table.file(row, 0x401000)).toBe('stringstring');
      expect(table.line(row, 0x401000)).toBeGreaterThanOrEqual(0);
      expect(table.inlinedCall(row, 0x401000)).toBeGreaterThanOrEqual(-1);
      table.inlinedCalls(row);
    };
    for (let length = 0; length <= bytes.length; length++) look(bytes.subarray(0, length));
    for (let at = 0; at < bytes.length; at++) {
      for (const value of [0, 0x7f, 0x80, 0xff]) look(bytes.with(at, value));
    }
  });
});

test('a table that states more functions than it has room for is none', () => {
  const drawn = {
    version: 20,
    littleEndian: true,
    pointerBytes: 8,
    text: 0x401000,
    functions: [
      { name: 'main.first', at: 0x401000, file: 'a.go', lines: [[7, 0x10]] as [number, number][] },
    ],
    end: 0x401010,
  } as const;
  const bytes = drawGoTable(drawn);
  expect(GoTable.parse(bytes)?.functionCount).toBe(1);
  new DataView(bytes.buffer).setBigUint64(8, 4_999_999n, true);
  expect(GoTable.parse(bytes)).toBeNull();
});
