import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { parseElf } from '../../../src/code/elf/elf-file.ts';
import { readMiniDebugInfo } from '../../../src/code/symbols/debug-file.ts';
import { loadElfSymbols } from '../../../src/code/symbols/elf-symbols.ts';
import { describeDiagnostics } from '../../../src/findings/diagnostic-text.ts';
import { inflateXz } from '../../../src/read/files/xz.ts';

const hasXz = spawnSync('xz', ['--version']).error === undefined;
if (!hasXz) console.warn('skipped: tests of .gnu_debugdata: xz is not installed');

const folder = mkdtempSync(join(tmpdir(), 'mini-debug-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(!hasXz)('.gnu_debugdata', () => {
  const app = join(folder, 'app');
  const withData = join(folder, 'with-data');

  /** As distributions make it: the symbols of functions, compressed, in a stripped file. */
  function build(data: (symbols: Uint8Array) => Uint8Array): void {
    const text = `static __attribute__((noinline)) int hidden(int a) { return a * 7; }
      int main(int c, char **v) { return hidden(c); }`;
    execFileSync('gcc', ['-O1', '-x', 'c', '-', '-o', app], { input: text });
    const symbols = join(folder, 'symbols');
    execFileSync('objcopy', ['--only-keep-debug', app, symbols]);
    const section = join(folder, 'section');
    writeFileSync(section, data(readFileSync(symbols)));
    execFileSync('objcopy', ['-S', `--add-section=.gnu_debugdata=${section}`, app, withData]);
  }

  function open(xz: typeof inflateXz | null) {
    const diagnostics = new Diagnostics();
    const elf = parseElf(memorySource(readFileSync(withData)), diagnostics);
    if (elf === null) throw new Error('not an ELF file');
    const mini = readMiniDebugInfo(elf, xz, diagnostics);
    const table = loadElfSymbols(elf, mini, (name) => name, diagnostics);
    const names = Array.from({ length: table.length }, (_, index) => table.name(index));
    return { names, reasons: describeDiagnostics(diagnostics).map(({ reason }) => reason) };
  }

  test('the functions of a stripped file are named', () => {
    build((symbols) => execFileSync('xz', ['-c'], { input: symbols }));
    const { names, reasons } = open(inflateXz);
    expect(names).toContain('hidden');
    expect(reasons).toEqual([]);
    expect(open(null).names).not.toContain('hidden');
    expect(open(null).reasons).toEqual(['.gnu_debugdata not read, no decompressor at hand']);
  });

  test.each([
    ['damaged', () => new Uint8Array(100)],
    [
      'larger than any',
      () => execFileSync('xz', ['-c0'], { input: Buffer.alloc(65 << 20), maxBuffer: 1 << 26 }),
    ],
  ])('.gnu_debugdata that is %s is counted, and not used', (_what, data) => {
    build(data);
    expect(open(inflateXz).reasons).toEqual(['.gnu_debugdata not read']);
  });
});
