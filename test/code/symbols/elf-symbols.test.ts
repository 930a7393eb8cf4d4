import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { parseElf } from '../../../src/code/elf/elf-file.ts';
import { loadElfSymbols } from '../../../src/code/symbols/elf-symbols.ts';
import type { SymbolTable } from '../../../src/code/symbols/symbol-table.ts';
import { compileC } from '../../helpers/compile.ts';
import { type DrawnSymbol, elfBytes, symbolBytes } from '../elf/elf-bytes.ts';

const buildDirectory = fileURLToPath(new URL('../../build', import.meta.url));
const has = (tool: string) => spawnSync(tool, ['--version']).status === 0;

const SOURCE = `
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int helper(int x) { return x * 3; }
int visible(int x) { return helper(x) + 1; }
__attribute__((weak)) int weak_one(int x) { return x - 1; }
int alias_of(int) __attribute__((alias("visible")));
__asm__(".text\\n.globl bare_label\\nbare_label:\\n nop\\n ret\\n");
int main(int c, char **v) { puts(v[0]); free(malloc(c)); return visible(c) + weak_one(atoi(v[0])); }
`;

function program(name: string, flags: readonly string[]): string {
  mkdirSync(buildDirectory, { recursive: true });
  const source = join(buildDirectory, `symbols-${name}.c`);
  if (!existsSync(source) || readFileSync(source, 'utf8') !== SOURCE) writeFileSync(source, SOURCE);
  return compileC(source, ['-O1', '-fno-inline', ...flags]);
}

function load(bytes: Uint8Array, debug: Uint8Array | null = null): SymbolTable {
  const diagnostics = new Diagnostics();
  const elf = parseElf(memorySource(bytes), diagnostics);
  if (elf === null) throw new Error('not an ELF file');
  const debugElf = debug === null ? null : parseElf(memorySource(debug), diagnostics);
  return loadElfSymbols(elf, debugElf, (name) => name, diagnostics);
}

function nameAt(table: SymbolTable, address: number): string | null {
  const index = table.find(address);
  return index < 0 ? null : table.name(index);
}

describe.skipIf(!has('gcc') || !has('nm'))('a compiled program', () => {
  test.each([
    ['pie', ['-pie', '-fPIE']],
    ['fixed', ['-no-pie']],
    ['static', ['-static']],
  ])('(%s) has a name at the address of every function that nm lists', (name, flags) => {
    const path = program(name, flags);
    const table = load(readFileSync(path));
    const functions = execFileSync('nm', ['-S', path], { encoding: 'utf8' })
      .split('\n')
      .map((line) => /^([0-9a-f]+) ([0-9a-f]+) [TtWi] (\S+)$/.exec(line))
      .filter((row) => row !== null)
      .map(([, address, size, symbol]) => ({
        address: Number.parseInt(address, 16),
        size: Number.parseInt(size, 16),
        symbol: symbol,
      }));
    expect(functions.map(({ symbol }) => symbol)).toEqual(
      expect.arrayContaining(['main', 'helper', 'visible', 'weak_one', 'alias_of']),
    );
    for (const { address, size } of functions.filter((f) => f.size > 0)) {
      const aliases = functions.filter((f) => f.address === address).map(({ symbol }) => symbol);
      expect(aliases).toContain(nameAt(table, address));
      // Inside, a label or a nested symbol may be nearer, but something is named.
      expect(nameAt(table, address + size - 1)).not.toBeNull();
    }
    expect(nameAt(table, functions.find((f) => f.symbol === 'visible')?.address as number)).toBe(
      'alias_of',
    );
    const label = execFileSync('nm', [path], { encoding: 'utf8' });
    const bare = Number.parseInt(/^([0-9a-f]+) T bare_label$/m.exec(label)?.[1] as string, 16);
    expect(nameAt(table, bare + 1)).toBe('bare_label');
  });

  test.skipIf(!has('strip') || !has('objcopy'))(
    'a stripped program keeps its dynamic names, and gets all from its debug file',
    () => {
      const path = program('stripped', ['-pie', '-rdynamic', '-g']);
      const debug = `${path}.debug`;
      const stripped = `${path}.stripped`;
      execFileSync('objcopy', ['--only-keep-debug', path, debug]);
      execFileSync('strip', ['-o', stripped, path]);
      const whole = load(readFileSync(path));
      const addressOf = (name: string): number => {
        for (let i = 0; i < whole.length; i++) if (whole.name(i) === name) return whole.start(i);
        throw new Error(`no ${name}`);
      };
      const bare = load(readFileSync(stripped));
      expect(nameAt(bare, addressOf('main'))).toBe('main');
      expect(nameAt(bare, addressOf('helper'))).not.toBe('helper');
      const joined = load(readFileSync(stripped), readFileSync(debug));
      expect(nameAt(joined, addressOf('helper'))).toBe('helper');
    },
  );

  test.skipIf(!has('objdump') || process.arch !== 'x64').each([
    ['lazy', ['-no-pie', '-Wl,-z,lazy']],
    ['ibt', ['-pie', '-fPIE', '-fcf-protection', '-Wl,-z,ibtplt', '-Wl,-z,lazy']],
    ['libc', null],
  ])('(%s) has the PLT stubs that objdump shows', (name, flags) => {
    const path = flags === null ? libcPath() : program(`plt-${name}`, flags);
    const table = load(readFileSync(path));
    const listing = spawnSync('objdump', ['-d', '-j.plt', '-j.plt.sec', '-j.plt.got', path], {
      encoding: 'utf8',
    }).stdout;
    const stubs = [...listing.matchAll(/^([0-9a-f]+) <(?:\*ABS\*\+0x([0-9a-f]+)|(\w+))@plt>:$/gm)];
    expect(stubs.length).toBeGreaterThan(1);
    for (const [, address, resolver, target] of stubs) {
      // objdump gives an IFUNC by its address, where we may know its name.
      const ifunc = resolver === undefined ? null : nameAt(table, Number.parseInt(resolver, 16));
      const start = Number.parseInt(address, 16);
      const names =
        target === undefined
          ? [`${ifunc}@plt`, `offset_0x${start.toString(16)}@plt`]
          : [`${target}@plt`];
      expect(names).toContain(nameAt(table, start + 6));
    }
  });

  test.skipIf(process.arch !== 'x64')('a static program names the stubs of its IFUNCs', () => {
    const bytes = readFileSync(program('plt-static', ['-static']));
    // Relocations with and without a link to a symbol table: GNU ld before and since 2.44.
    for (const variant of [bytes, withoutSymbolLink(bytes, '.rela.plt')]) {
      const table = load(variant);
      const stubs = Array.from({ length: table.length }, (_, i) => table.name(i)).filter((name) =>
        name.endsWith('@plt'),
      );
      expect(stubs).toContain('strlen@plt');
      expect(stubs.filter((name) => name.startsWith('offset_'))).toEqual([]);
    }
  });
});

/** The same little-endian ELF64 file, with 0 as the `sh_link` of a section. */
function withoutSymbolLink(bytes: Buffer, name: string): Buffer {
  const index = parseElf(memorySource(bytes), new Diagnostics())?.sections.findIndex(
    (section) => section.name === name,
  );
  if (index === undefined || index < 0) throw new Error(`no section ${name}`);
  const changed = Buffer.from(bytes);
  const sectionHeaders = Number(bytes.readBigUInt64LE(40));
  changed.writeUInt32LE(0, sectionHeaders + 64 * index + 40);
  return changed;
}

/** The C library that this process runs with. */
function libcPath(): string {
  const path = /\s(\/\S*\/libc\S*\.so\S*)$/m.exec(readFileSync('/proc/self/maps', 'utf8'))?.[1];
  if (path === undefined) throw new Error('no C library mapped');
  return path;
}

describe('a drawn symbol table', () => {
  const ALLOC = 2;
  const AARCH64 = 183;

  function table(machine: number, symbols: readonly DrawnSymbol[]): string[] {
    const { symtab, strtab } = symbolBytes(true, true, symbols);
    const loaded = load(
      elfBytes({
        is64: true,
        littleEndian: true,
        machine,
        sections: [
          { name: '.text', type: 1, flags: ALLOC, address: 0x1000 },
          { name: '.symtab', type: 2, link: 3, bytes: symtab },
          { name: '.strtab', type: 3, bytes: strtab },
          { name: '.init_array', type: 1, flags: ALLOC },
          { name: '.gnu.warning.gets', type: 1 },
        ],
      }),
    );
    return Array.from({ length: loaded.length }, (_, i) => loaded.name(i));
  }

  test('a drawn symbol table keeps functions, IFUNCs, objects and labels in text', () => {
    expect(
      table(62, [
        { name: 'function', value: 0x1000, type: 2 },
        { name: 'ifunc', value: 0x1010, type: 10 },
        { name: 'object', value: 0x1020, type: 1 },
        { name: 'label', value: 0x1030, type: 0 },
      ]),
    ).toEqual(['function', 'ifunc', 'object', 'label']);
  });

  test('a drawn symbol table drops undefined, absolute, hidden-label, section, file and unloaded symbols', () => {
    expect(
      table(62, [
        { name: 'undefined', value: 0, section: 0 },
        { name: 'absolute', value: 1, section: 0xfff1 },
        { name: 'hidden_label', value: 0x1000, type: 0, visibility: 2 },
        { name: 'label_elsewhere', value: 0x1004, type: 0, section: 4 },
        { name: 'section', value: 0x1000, type: 3 },
        { name: 'file.c', value: 0x1000, type: 4 },
        { name: 'warning', value: 0x1008, section: 5 },
        { name: 'no_such_section', value: 0x1008, section: 77 },
      ]),
    ).toEqual([]);
  });

  test('mapping symbols of arm64 are dropped from the symbol table', () => {
    const symbols = [
      { name: '$x', value: 0x1000, type: 0 },
      { name: '$d.12', value: 0x1008, type: 0 },
      { name: '$start', value: 0x1010, type: 0 },
    ];
    expect(table(AARCH64, symbols)).toEqual(['$start']);
    expect(table(62, symbols)).toEqual(['$x', '$d.12', '$start']);
  });
});

describe('a symbol without a size', () => {
  const symbols: DrawnSymbol[] = [
    { name: '_init', value: 0x1000 },
    { name: 'main', value: 0x3000, size: 16 },
    { name: 'label', value: 0x3020 },
    { name: '_fini', value: 0x5000 },
  ];
  const { symtab, strtab } = symbolBytes(true, true, symbols);
  const code = (name: string, address: number) => ({
    name,
    type: 1,
    flags: 6,
    address,
    bytes: new Uint8Array(64),
  });
  const table = load(
    elfBytes({
      is64: true,
      littleEndian: true,
      sections: [
        code('.init.text', 0x1000),
        code('.text', 0x3000),
        code('.fini.text', 0x5000),
        { name: '.symtab', type: 2, link: 5, bytes: symtab },
        { name: '.strtab', type: 3, bytes: strtab },
      ],
    }),
  );

  test('an unsized symbol reaches to the end of its section', () => {
    const names = [0x1000, 0x103f, 0x1040, 0x2000].map((address) => nameAt(table, address));
    expect(names).toEqual(['_init', '_init', null, null]);
    expect([0x503f, 0x5040].map((address) => nameAt(table, address))).toEqual(['_fini', null]);
  });

  test('an unsized symbol does not cover the gap before it', () => {
    const addresses = [0x300f, 0x3010, 0x3020, 0x303f, 0x3040];
    const names = addresses.map((address) => nameAt(table, address));
    expect(names).toEqual(['main', null, 'label', 'label', null]);
  });
});
