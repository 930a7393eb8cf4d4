import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { StringTable } from '../../../src/base/string-table.ts';
import { DsoTable } from '../../../src/code/process/dso-table.ts';
import { Symbolizer } from '../../../src/code/symbols/symbolizer.ts';
import { compileC } from '../../helpers/compile.ts';

const SOURCE = join(dirname(fileURLToPath(import.meta.url)), '../../helpers/workload.c');
const hasNm = spawnSync('nm', ['--version']).status === 0;
const FLAGS = ['-O1', '-pthread', '-no-pie'];

/** Names in a program that has its text at 0x400000 above its place in the file. */
function symbolizerOf(path: string, asksOnce = false) {
  const dsos = new DsoTable();
  const diagnostics = new Diagnostics();
  const dso = dsos.intern({ kind: 'user-file', path, fileId: '0:0:1' });
  const symbolizer = new Symbolizer({
    dsos,
    diagnostics,
    kernelReference: null,
    demangleCpp: null,
    asksOnce,
    provider: ({ need }) => (need === 'elf' ? memorySource(readFileSync(path)) : null),
  });
  return { dso, symbolizer, diagnostics };
}

describe.skipIf(!hasNm)('a program without symbols', () => {
  const whole = compileC(SOURCE, FLAGS);
  const stripped = compileC(SOURCE, [...FLAGS, '-s']);
  const base = 0x400000;
  const functions = execFileSync('nm', ['-S', whole], { encoding: 'utf8' })
    .split('\n')
    .map((row) => /^([0-9a-f]+) ([0-9a-f]+) [Tt] (\S+)$/.exec(row))
    .filter((row) => row !== null)
    .map(([, start, size]) => ({
      start: Number.parseInt(start, 16),
      size: Number.parseInt(size, 16),
    }));

  test('a stripped program has one function where each of its functions is, called by its start', () => {
    const { dso, symbolizer } = symbolizerOf(stripped);
    expect(functions.length).toBeGreaterThan(10);
    for (const { start, size } of functions) {
      const found = [start, start + size - 1].map((at) => symbolizer.resolve(dso, at - base));
      const place = { name: `sub_${start.toString(16)}`, symbolStart: start - base };
      expect(found).toEqual([place, place]);
    }
  });

  test('a stripped program is reported as one, although its functions are told apart', () => {
    const { dso, symbolizer, diagnostics } = symbolizerOf(stripped);
    const addresses = Float64Array.from(functions, ({ start }) => start - base).sort();
    const strings = new StringTable();
    const rows = new Int32Array(addresses.length);
    symbolizer.resolveAll(dso, addresses, strings, rows);
    expect(new Set(rows).size).toBe(functions.length);
    expect(diagnostics.entries()).toMatchObject([
      { code: 'names-missing', why: { cause: 'no-symbols' } },
    ]);
  });

  test.each([
    ['a stripped program', stripped],
    ['a program with symbols', whole],
  ])('%s has the same names where only some addresses are asked for', (_, path) => {
    const all = symbolizerOf(path);
    for (let from = 0x1000; from < 0x1040; from++) {
      // Also between functions, in stubs and behind the code.
      const addresses = Float64Array.from({ length: 48 }, (_, i) => from + 0x100 * i);
      const strings = new StringTable();
      const rows = new Int32Array(addresses.length);
      const some = symbolizerOf(path, true);
      some.symbolizer.resolveAll(some.dso, addresses, strings, rows);
      const named = Array.from(rows, (row) => (row < 0 ? null : strings.strings[row]));
      const expected = Array.from(
        addresses,
        (address) => all.symbolizer.resolve(all.dso, address)?.name ?? null,
      );
      expect(named).toEqual(expected);
    }
  });

  test('a stripped program keeps the names of what it imports', () => {
    const [mine, theirs] = [stripped, whole].map((path) => {
      const { dso, symbolizer } = symbolizerOf(path);
      const names = new Set<string>();
      for (let at = 0x1000; at < 0x4000; at += 4) {
        const name = symbolizer.resolve(dso, at)?.name ?? '';
        if (name.includes('plt')) names.add(`${name} ${at}`);
      }
      return [...names];
    });
    expect(mine.length).toBeGreaterThan(5);
    expect(mine).toEqual(theirs);
  });
});
