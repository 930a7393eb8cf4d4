// Compiled programs, and what addr2line says of every address of their code.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, normalize, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { DwarfFile, SourceFrames } from '../../../src/code/dwarf/dwarf-file.ts';
import { findSection, parseElf } from '../../../src/code/elf/elf-file.ts';
import { openSection } from '../../../src/code/elf/section-bytes.ts';

const C = `
#include <stdio.h>
static inline __attribute__((always_inline)) int leaf(int x) {
  volatile int y = x;
  for (int i = 0; i < 10; i++) y += i;
  return y;
}
static inline __attribute__((always_inline)) int mid(int x) { return leaf(x) * 2 + leaf(x + 1); }
__attribute__((noinline)) int outer(int x) { return mid(x) + mid(x + 3); }
int main(int c, char **v) { return outer(c) > 10 ? puts(v[0]) : 0; }
`;
const CPP = `
#include <algorithm>
#include <vector>
namespace n {
template <class T> struct S {
  std::vector<T> v;
  void add(T t) { v.push_back(t); std::sort(v.begin(), v.end()); }
  T sum() const { T s{}; for (auto &x : v) s += x; return s; }
};
namespace { int hidden(int x) { auto l = [x](int y) { return x ^ y; }; return l(x) + l(2); } }
}
int main(int c, char **v) {
  n::S<int> s;
  for (int i = 0; i < c * 10; i++) s.add(i ^ c);
  return s.sum() + n::hidden(c);
}
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'perf-ts-dwarf-'));
  writeFileSync(join(folder, 'a.c'), C);
  writeFileSync(join(folder, 'b.cc'), CPP);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function has(command: string): boolean {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** A program of binutils or LLVM that makes packages of split units. */
const DWP = ['dwp', 'llvm-dwp'].find(has) ?? null;

function build(compiler: string, flags: readonly string[], name: string): string {
  const output = join(folder, name);
  const source = compiler.includes('+') ? 'b.cc' : 'a.c';
  execFileSync(compiler, [...flags, '-o', output, source], { cwd: folder });
  return output;
}

/** `splitFiles`: whether the `.dwo` files that the compiler wrote may be opened. */
function open(path: string, { splitFiles = true } = {}) {
  const diagnostics = new Diagnostics();
  const elfOf = (file: string) => {
    const elf = parseElf(memorySource(readFileSync(file)), diagnostics)!;
    return { elf, sections: (name: string) => openSection(elf, name, diagnostics) };
  };
  const { elf, sections } = elfOf(path);
  const split = {
    dwo: ({ dwoName = '', compilationDirectory = '' }) =>
      splitFiles ? elfOf(resolve(compilationDirectory, dwoName)).sections : null,
    dwp: () => null,
    own: () => [sections],
  };
  const dwarf = new DwarfFile({ sections, littleEndian: true, diagnostics, split });
  return { dwarf, diagnostics, text: findSection(elf, '.text')! };
}

/** Frames at `address`, innermost first: function, file, line. */
function framesAt(dwarf: DwarfFile, address: number): string[] {
  const frames = new SourceFrames();
  const { strings } = dwarf.strings;
  const texts: string[] = [];
  for (let row = 0; row < dwarf.find(address, frames); row++) {
    const file = strings[frames.file[row]];
    texts.push(frameText(strings[frames.name[row]], file, frames.line[row]));
  }
  return texts;
}

function frameText(name: string, file: string, line: number): string {
  return `${name} ${file === '' ? '??' : normalize(file)}:${line}`;
}

function addr2line(path: string, addresses: readonly number[]): string[][] {
  const input = addresses.map((address) => `0x${address.toString(16)}\n`).join('');
  const output = execFileSync('addr2line', ['-afi', '-e', path], {
    input,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  const blocks: string[][] = [];
  const lines = output.trimEnd().split('\n');
  for (let i = 0; i < lines.length; ) {
    if (/^0x[0-9a-f]+$/.test(lines[i])) {
      blocks.push([]);
      i++;
      continue;
    }
    const [, file = '??', line] = /^(.*?):(\d+|\?)/.exec(lines[i + 1]) ?? [];
    blocks.at(-1)!.push(frameText(lines[i], file, Number(line) || 0));
    i += 2;
  }
  return blocks;
}

/** Of the function that exists addr2line has the symbol's name, of which there may be several. */
function withoutOutermostName(frames: readonly string[]): string[] {
  return frames.map((frame, i) => (i === frames.length - 1 ? frame.replace(/^\S+/, '') : frame));
}

function differences(path: string): { addresses: number; different: string[] } {
  const { dwarf, text, diagnostics } = open(path);
  const addresses: number[] = [];
  for (let at = 0; at < text.size; at += 3) addresses.push(text.address + at);
  const theirs = addr2line(path, addresses);
  const different: string[] = [];
  for (const [i, address] of addresses.entries()) {
    const ours = framesAt(dwarf, address);
    // Without DWARF for an address it falls back to the symbol.
    const isSymbolOnly = theirs[i].length === 1 && / [^/ ]+:0$/.test(theirs[i][0]);
    const expected = ours.length === 0 && isSymbolOnly ? [] : theirs[i];
    if (`${withoutOutermostName(ours)}` !== `${withoutOutermostName(expected)}`) {
      different.push(`0x${address.toString(16)}: ${ours} — ${expected}`);
    }
  }
  expect(diagnostics.entries()).toEqual([]);
  return { addresses: addresses.length, different };
}

describe.skipIf(!has('gcc') || !has('g++') || !has('addr2line'))('programs of gcc', () => {
  test.each([
    ['gcc', ['-g', '-O2', '-gdwarf-4']],
    ['gcc', ['-g', '-O2', '-gdwarf-5']],
    ['gcc', ['-g', '-O2', '-gdwarf-3']],
    ['gcc', ['-g', '-O0', '-gdwarf-5']],
    ['g++', ['-g', '-O2', '-gdwarf-4']],
  ] as const)('%s %j: every frame is that of addr2line', (compiler, flags) => {
    const { addresses, different } = differences(build(compiler, flags, 'program'));
    expect(addresses).toBeGreaterThan(100);
    // Of destructors inlined into others addr2line mixes names up: at most one address in 500.
    expect(different.slice(Math.floor(addresses / 500)).slice(0, 3)).toEqual([]);
  });

  const FORMATS: readonly (readonly [string, readonly string[]])[] = [
    ['the 64-bit format', ['-gdwarf64', '-gdwarf-5']],
    ['split units, version 5', ['-gsplit-dwarf', '-gdwarf-5']],
    ['split units, version 4', ['-gsplit-dwarf', '-gdwarf-4']],
    ['types apart', ['-fdebug-types-section', '-gdwarf-5', '-ffunction-sections']],
  ];
  test.each(FORMATS)('%s give the same frames as DWARF 5 in one file', (_, flags) => {
    const options = ['-g', '-O2', '-Wl,--build-id=none'];
    const plain = open(build('g++', [...options, '-gdwarf-5', ...flags.slice(2)], 'plain'));
    const other = open(build('g++', [...options, ...flags], 'other'));
    const { address, size } = plain.text;
    expect(other.text.size).toBe(size);
    const framesOf = ({ dwarf, text }: ReturnType<typeof open>) =>
      Array.from({ length: Math.floor(size / 4) }, (_, i) => framesAt(dwarf, text.address + 4 * i));
    expect(address).toBe(other.text.address);
    const expected = framesOf(plain);
    expect(expected.filter((frames) => frames.length > 1).length).toBeGreaterThan(100);
    expect(framesOf(other)).toEqual(expected);
    expect(other.diagnostics.entries()).toEqual([]);
  });

  // gcc puts it below the class, which is passed over where it lies outside of functions.
  test("code of a function's own class is found without optimization", () => {
    const path = build('g++', ['-g', '-O0'], 'local-class');
    const symbols = execFileSync('nm', [path], { encoding: 'utf8' });
    const [, address = ''] = /^([0-9a-f]+) t \S+hiddenEiENKUliE_clEi$/m.exec(symbols) ?? [];
    const [frame] = framesAt(open(path).dwarf, Number.parseInt(address, 16));
    expect(frame).toMatch(/^operator\(\) .*b\.cc:10$/);
  });

  /** Adds the sections of `from` that a file with split units has to the program `path`. */
  function embed(path: string, from: string): string {
    const listed = execFileSync('readelf', ['-SW', from], { encoding: 'utf8' });
    const names = [...listed.matchAll(/\.debug_\w+\.dwo|\.debug_[ct]u_index/g)].map(
      ([name]) => name,
    );
    expect(names).toContain('.debug_info.dwo');
    const copy = `${path}.embedded`;
    for (const name of new Set(names)) {
      const dump = join(folder, 'section');
      execFileSync('objcopy', [
        '-O',
        'binary',
        `--only-section=${name}`,
        '--set-section-flags',
        `${name}=alloc`,
        from,
        dump,
      ]);
      const input = existsSync(copy) ? copy : path;
      execFileSync('objcopy', ['--add-section', `${name}=${dump}`, input, copy]);
    }
    return copy;
  }

  const framesOf = ({ dwarf, text }: ReturnType<typeof open>) =>
    Array.from({ length: Math.floor(text.size / 4) }, (_, i) =>
      framesAt(dwarf, text.address + 4 * i),
    );

  test.each(['-gdwarf-4', '-gdwarf-5'])(
    'a split unit in the program itself is read: %s',
    (dwarf) => {
      const flags = ['-g', '-O2', '-gsplit-dwarf', dwarf, '-Wl,--build-id=none'];
      const path = build('g++', flags, `embedded${dwarf}`);
      const expected = framesOf(open(path));
      const dwo = readdirSync(folder).find(
        (name) => name.startsWith(`embedded${dwarf}`) && name.endsWith('.dwo'),
      );
      const embedded = open(embed(path, join(folder, dwo as string)), { splitFiles: false });
      expect(framesOf(embedded)).toEqual(expected);
      expect(embedded.diagnostics.entries()).toEqual([]);
    },
  );

  test.skipIf(DWP === null)('a package in the program itself is read', () => {
    const program = join(folder, 'packed');
    writeFileSync(join(folder, 'c.c'), 'int twice(int x) { volatile int y = x; return y + y; }\n');
    for (const source of ['a.c', 'c.c']) {
      const flags = ['-g', '-O2', '-gsplit-dwarf', '-gdwarf-4', '-c', '-o', `${source}.o`];
      execFileSync('gcc', [...flags, source], { cwd: folder });
    }
    execFileSync('gcc', ['-o', program, 'a.c.o', 'c.c.o'], { cwd: folder });
    execFileSync(DWP as string, ['-e', program, '-o', `${program}.dwp`], { cwd: folder });
    const expected = framesOf(open(program));
    const embedded = open(embed(program, `${program}.dwp`), { splitFiles: false });
    expect(framesOf(embedded)).toEqual(expected);
    expect(expected.flat().some((frame) => frame.startsWith('twice '))).toBe(true);
    expect(embedded.diagnostics.entries()).toEqual([]);
  });

  test('a missing split file is counted, and lines stay', () => {
    const path = build('g++', ['-g', '-O2', '-gsplit-dwarf'], 'split');
    const { dwarf: whole, text } = open(path);
    const diagnostics = new Diagnostics();
    const elf = parseElf(memorySource(readFileSync(path)), diagnostics)!;
    const dwarf = new DwarfFile({
      sections: (name) => openSection(elf, name, diagnostics),
      littleEndian: true,
      diagnostics,
      split: { dwo: () => null, dwp: () => null },
    });
    const address = text.address + Math.floor(text.size / 2);
    const [innermost] = framesAt(whole, address);
    expect(framesAt(dwarf, address)).toEqual([innermost.replace(/^\S+/, '')]);
    expect(diagnostics.entries()).toMatchObject([{ code: 'split-dwarf-missing', count: 1 }]);
  });
});
