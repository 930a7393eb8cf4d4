import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { readBuildId } from '../../../src/code/elf/build-id.ts';
import { readDebuglink } from '../../../src/code/elf/debuglink.ts';
import { findDynsym, findSection, findSymtab, parseElf } from '../../../src/code/elf/elf-file.ts';
import { MAX_SYMBOLS, readSymbolColumns } from '../../../src/code/elf/symbol-columns.ts';
import { loadElfSymbols, SegmentMap } from '../../../src/code/symbols/elf-symbols.ts';
import { hasCorpora, readCorpus } from '../../helpers/corpora.ts';
import { readCorpusText } from '../../helpers/corpus-text.ts';
import { type DrawnElf, type DrawnSection, elfBytes, symbolBytes } from './elf-bytes.ts';

const NOTE = 7;
const PROGBITS = 1;
const ALLOC = 2;

function open(bytes: Uint8Array) {
  const diagnostics = new Diagnostics();
  const elf = parseElf(memorySource(bytes), diagnostics);
  return { elf, diagnostics, codes: () => diagnostics.entries().map(({ code }) => code) };
}

function parse(drawn: Partial<DrawnElf>) {
  const bytes = elfBytes({ is64: true, littleEndian: true, sections: [], ...drawn });
  const { elf, ...rest } = open(bytes);
  if (elf === null) throw new Error('not an ELF file');
  return { elf, bytes, ...rest };
}

const everything = () => true;

describe.each([
  ['64 bits, little endian', true, true],
  ['64 bits, big endian', true, false],
  ['32 bits, little endian', false, true],
  ['32 bits, big endian', false, false],
])('an ELF file of %s', (_kind, is64, littleEndian) => {
  const { symtab, strtab } = symbolBytes(is64, littleEndian, [
    { name: 'main', value: 0x1040, size: 32 },
    { name: 'größe', value: 0x2000, binding: 2, type: 10 },
  ]);
  const drawn: DrawnElf = {
    is64,
    littleEndian,
    sections: [
      { name: '.text', type: PROGBITS, flags: ALLOC, address: 0x1000, bytes: new Uint8Array(64) },
      { name: '.symtab', type: 2, link: 3, bytes: symtab },
      { name: '.strtab', type: 3, bytes: strtab },
      {
        name: '.note.gnu.build-id',
        type: NOTE,
        bytes: note('GNU\0', 3, [0xde, 0xad], littleEndian),
      },
    ],
    segments: [[1, 0x1000, 0x401000, 0x500]],
  };

  test('an ELF file shows its sections and segments', () => {
    const { elf, codes } = parse(drawn);
    expect(elf.sections.map(({ name }) => name)).toEqual([
      '',
      '.text',
      '.symtab',
      '.strtab',
      '.note.gnu.build-id',
      '.shstrtab',
    ]);
    expect(elf.sections[1]).toMatchObject({ flags: ALLOC, address: 0x1000, size: 64 });
    expect(elf.programHeaders).toMatchObject([
      { type: 1, offset: 0x1000, address: 0x401000, fileSize: 0x500, memorySize: 0x500 },
    ]);
    expect(codes()).toEqual([]);
  });

  test('an ELF file shows its symbols and its build ID', () => {
    const { elf, diagnostics } = parse(drawn);
    const section = findSymtab(elf);
    if (section === null) throw new Error('no .symtab');
    const columns = readSymbolColumns(elf, section, everything, diagnostics);
    expect(Array.from(columns.value)).toEqual([0x1040, 0x2000]);
    expect(Array.from(columns.size)).toEqual([32, 0]);
    expect(Array.from(columns.info)).toEqual([0x12, 0x2a]);
    const names = Array.from(columns.nameOffset, (offset) => columns.strings.at(offset));
    expect(names).toEqual(['main', 'größe']);
    expect(readBuildId(elf, diagnostics)).toBe('dead');
  });
});

describe('a damaged file', () => {
  test.each([
    ['empty', new Uint8Array(0)],
    ['too short', Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 2, 1)],
    ['a script', new TextEncoder().encode(`#!/bin/sh\n${' '.repeat(100)}`)],
    [
      'of class 3',
      Uint8Array.from({ length: 64 }, (_, i) => [0x7f, 0x45, 0x4c, 0x46, 3, 1][i] ?? 0),
    ],
  ])('an ELF file that is %s is refused, and counted', (_what, bytes) => {
    const { elf, codes } = open(bytes);
    expect(elf).toBeNull();
    expect(codes()).toHaveLength(1);
  });

  test('an ELF file with its section count in section 0 is read', () => {
    const { elf } = parse({
      sections: [{ name: '.text', type: PROGBITS }],
      countInSectionZero: true,
    });
    expect(elf.sections.map(({ name }) => name)).toEqual(['', '.text', '.shstrtab']);
  });

  test('an ELF file that claims 2^32 sections is read up to its end', () => {
    const bytes = elfBytes({
      is64: true,
      littleEndian: true,
      sections: [{ name: '.text', type: PROGBITS }],
      countInSectionZero: true,
    });
    const view = new DataView(bytes.buffer);
    const sectionsAt = Number(view.getBigUint64(40, true));
    view.setBigUint64(sectionsAt + 32, 2n ** 32n, true);
    const { elf, codes } = open(bytes);
    expect(elf?.sections).toHaveLength(3);
    expect(codes()).toEqual(['elf-section-headers-cut']);
  });

  test('a build ID of 2^32 − 1 bytes is ignored', () => {
    const bytes = note('GNU\0', 3, [1, 2, 3, 4], true);
    new DataView(bytes.buffer).setUint32(4, 0xffff_ffff, true);
    const { elf, diagnostics, codes } = parse({
      sections: [{ name: '.note', type: NOTE, bytes }],
    });
    expect(readBuildId(elf, diagnostics)).toBeNull();
    expect(codes()).toEqual(['elf-note-too-long']);
  });

  test('a symbol table of 1 TiB yields the symbols in the file', () => {
    const { symtab, strtab } = symbolBytes(true, true, [{ name: 'only', value: 16 }]);
    const { elf, bytes, diagnostics } = parse({
      sections: [
        { name: '.text', type: PROGBITS, flags: ALLOC },
        { name: '.symtab', type: 2, link: 3, bytes: symtab, size: 2 ** 40 },
        { name: '.strtab', type: 3, bytes: strtab },
      ],
    });
    const columns = readSymbolColumns(elf, findSymtab(elf) as never, everything, diagnostics);
    expect(columns.length).toBeLessThan(bytes.length / 24);
    expect(columns.strings.at(columns.nameOffset[0])).toBe('only');
    expect(diagnostics.entries()[0]?.code).toBe('elf-symbol-table-cut');
  });

  test.each([0, 1])(
    'a symbol table of 5 million and %i symbols is read up to the limit',
    (more) => {
      const table: DrawnSection = {
        name: '.symtab',
        type: 2,
        link: 0,
        size: (MAX_SYMBOLS + more) * 24,
      };
      const small = elfBytes({ is64: true, littleEndian: true, sections: [table] });
      // A sparse file: zeros from the table on, as a hole has. Its size is never read at once.
      let largestRead = 0;
      const source = {
        size: small.length + (MAX_SYMBOLS + 2) * 24,
        read(offset: number, length: number) {
          largestRead = Math.max(largestRead, length);
          const bytes = new Uint8Array(length);
          if (offset < small.length) bytes.set(small.subarray(offset, offset + length));
          return bytes;
        },
      };
      const diagnostics = new Diagnostics();
      const elf = parseElf(source, diagnostics);
      if (elf === null) throw new Error('not an ELF file');
      const columns = readSymbolColumns(elf, findSymtab(elf) as never, everything, diagnostics);
      expect(columns.length).toBeLessThan(100);
      expect(largestRead).toBeLessThan(2 ** 21);
      expect(diagnostics.entries().map(({ code }) => code)).toEqual(
        more === 0 ? [] : ['elf-symbol-table-cut'],
      );
    },
  );
});

describe('a debuglink', () => {
  const link = (name: string) => {
    const bytes = new Uint8Array(Math.ceil((name.length + 1) / 4) * 4 + 4);
    bytes.set(new TextEncoder().encode(name));
    new DataView(bytes.buffer).setUint32(bytes.length - 4, 0xcafe_f00d, true);
    return parse({ sections: [{ name: '.gnu_debuglink', type: PROGBITS, bytes }] }).elf;
  };

  test('a debuglink is parsed into name and checksum', () => {
    expect(readDebuglink(link('app.debug'))).toEqual({ name: 'app.debug', crc: 0xcafe_f00d });
  });

  test.each(['../../etc/shadow', '/etc/shadow', '..', ''])(
    'a debuglink to "%s" is refused',
    (name) => {
      expect(readDebuglink(link(name))).toBeNull();
    },
  );
});

describe('a file offset', () => {
  test('a file offset becomes an address by its segment', () => {
    const { elf } = parse({
      segments: [
        [1, 0, 0x400000, 0x800],
        [1, 0x800, 0x401800, 0x1000],
        [1, 0x1800, 0x403800, 0x100],
      ],
    });
    const map = new SegmentMap(elf);
    expect([0x10, 0x7ff, 0x800, 0x17ff, 0x1800, 0x5000].map((o) => map.toFileAddress(o))).toEqual([
      0x400010, 0x4007ff, 0x401800, 0x4027ff, 0x403800, 0x5000,
    ]);
  });
});

test('whatever bytes of a program are changed, everything is read without an exception', () => {
  const { symtab, strtab } = symbolBytes(true, true, [
    { name: 'main', value: 0x1040, size: 32 },
    { name: '_start', value: 0x1000 },
  ]);
  const base = elfBytes({
    is64: true,
    littleEndian: true,
    sections: [
      { name: '.text', type: PROGBITS, flags: ALLOC, address: 0x1000, bytes: new Uint8Array(128) },
      { name: '.symtab', type: 2, link: 3, bytes: symtab },
      { name: '.strtab', type: 3, bytes: strtab },
      { name: '.note.gnu.build-id', type: NOTE, bytes: note('GNU\0', 3, [1, 2], true) },
      { name: '.plt', type: PROGBITS, flags: ALLOC, address: 0x2000, bytes: new Uint8Array(64) },
      { name: '.rela.plt', type: 4, link: 2, bytes: new Uint8Array(48) },
      {
        name: '.plt.got',
        type: PROGBITS,
        flags: ALLOC,
        bytes: Uint8Array.of(0xff, 0x25, 0, 0, 0, 0, 0, 0),
      },
      { name: '.rela.dyn', type: 4, link: 2, bytes: new Uint8Array(48) },
      { name: '.gnu_debuglink', type: PROGBITS, bytes: Uint8Array.of(0x61, 0, 0, 0, 1, 2, 3, 4) },
    ],
    segments: [
      [1, 0, 0, 0x400],
      [4, 0x100, 0x100, 32],
    ],
  });
  const change = fc.tuple(
    fc.nat({ max: base.length - 1 }),
    fc.oneof(fc.constantFrom(0, 1, 0x7f, 0x80, 0xff), fc.nat({ max: 255 })),
  );
  fc.assert(
    fc.property(
      fc.array(change, { minLength: 1, maxLength: 12 }),
      fc.nat({ max: base.length }),
      (changes, cut) => {
        const bytes = base.slice(0, cut % 4 === 0 ? cut : base.length);
        for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
        readEverything(bytes);
      },
    ),
    { numRuns: 3000 },
  );
});

describe.skipIf(!hasCorpora)('real programs and libraries', () => {
  test.each([
    'w_cpu_fp',
    'w_cxx',
    'w_fault',
    'vdso.so',
    'libc.so.6',
    'ld-linux-x86-64.so.2',
    'libgcc_s.so.1',
    'libstdc++.so.6.0.30',
  ])('%s has the build ID and the symbols that readelf shows', (name) => {
    const { elf, diagnostics } = open(readCorpus(`own/bin/${name}`));
    if (elf === null) throw new Error('not an ELF file');
    const expected = JSON.parse(readCorpusText(`expected/own/bin/${name}.json`)) as {
      build_id: string;
    };
    expect(readBuildId(elf, diagnostics)).toBe(expected.build_id);

    const shown = new Map<string, string[]>();
    let table: string[] = [];
    for (const line of readCorpusText(`expected/own/bin/${name}.symbols.txt.gz`).split('\n')) {
      const section = /^Symbol table '(.*)'/.exec(line)?.[1];
      if (section !== undefined) {
        table = [];
        shown.set(section, table);
      }
      const row = /^\s*\d+: ([0-9a-f]+)\s+(\w+) \w+\s+\w+\s+\w+\s+\w+ (\S+)/.exec(line);
      if (row === null) continue;
      const [, value, size, symbol] = row as unknown as [string, string, string, string];
      // Versions are part of the name in .symtab, but not in .dynsym.
      table.push(`${Number.parseInt(value, 16)} ${Number(size)} ${symbol.replace(/@.*/, '')}`);
    }
    for (const found of [findSymtab(elf), findDynsym(elf)]) {
      if (found === null) continue;
      const columns = readSymbolColumns(elf, found, everything, diagnostics);
      const rows = Array.from(
        { length: columns.length },
        (_, i) =>
          `${columns.value[i]} ${columns.size[i]} ${columns.strings.at(columns.nameOffset[i]).replace(/@.*/, '')}`,
      );
      expect(rows).toEqual(shown.get(found.name));
    }
    expect(diagnostics.entries()).toEqual([]);
    expect(findSection(elf, '.text')?.isCompressed).toBe(false);
  });
});

/** A note: sizes, type, name and content, each padded to 4. */
function note(name: string, type: number, content: number[], little: boolean): Uint8Array {
  const bytes = new Uint8Array(12 + name.length + Math.ceil(content.length / 4) * 4);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, name.length, little);
  view.setUint32(4, content.length, little);
  view.setUint32(8, type, little);
  bytes.set(new TextEncoder().encode(name), 12);
  bytes.set(content, 12 + name.length);
  return bytes;
}

function readEverything(bytes: Uint8Array): void {
  const { elf, diagnostics } = open(bytes);
  if (elf === null) return;
  readBuildId(elf, diagnostics);
  readDebuglink(elf);
  const table = loadElfSymbols(elf, null, (name) => name, diagnostics);
  for (let i = 0; i < table.length; i++) {
    table.name(i);
    table.find(table.start(i));
  }
  new SegmentMap(elf).toFileAddress(0x40);
}
