// Programs without symbols: names that they have elsewhere, and functions that are told apart without any.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { perfTs, scratchDirectory } from '../helpers/cli.ts';
import { compileC, compileGo, hasGo } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';

const scratch = scratchDirectory();
const helpers = join(dirname(fileURLToPath(import.meta.url)), '../helpers');

/** Rows of `report` about a recording of a command, by the columns that are asked for. */
function record(name: string, command: readonly string[]): (columns: string) => string[] {
  const file = join(scratch, name);
  const flags = ['-q', '-g', '-e', 'cpu-clock:u', '-F', '2000', '-o', file];
  expect(perfTs(['record', ...flags, '--', ...command])).toMatchObject({ status: 0 });
  return (columns) => {
    const { stdout, status } = perfTs(['report', '-i', file, '--sort', columns, '-n', '0']);
    expect(status).toBe(0);
    return stdout
      .split('\n')
      .filter((row) => !row.startsWith('#'))
      .map((row) => row.replace(/ +/g, ' ').trim());
  };
}

describeLive('programs without symbols', () => {
  it.skipIf(!hasGo)('a stripped Go program has functions, inlined calls and lines', () => {
    const program = compileGo(join(helpers, 'inlined-calls.go'), ['-ldflags=-s -w']);
    const rows = record('go.data', [program, '6000']);
    const functions = rows('sym');
    expect(functions.some((row) => / main\.scramble$/.test(row))).toBe(true);
    expect(functions.some((row) => / main\.\(\*grid\)\.churn$/.test(row))).toBe(true);
    expect(functions.filter((row) => / \[inlined-calls/.test(row))).toEqual([]);
    expect(
      rows('sym,srcline').some((row) => / main\.scramble inlined-calls\.go:13$/.test(row)),
    ).toBe(true);
  });

  it('a stripped C program has a row for each function, called by where it begins', () => {
    const program = compileC(join(helpers, 'inlined-calls.c'), [
      '-O2',
      '-s',
      '-fno-omit-frame-pointer',
    ]);
    const rows = record('c.data', [program, '60000']);
    const file = program.slice(program.lastIndexOf('/') + 1);
    const own = rows('dso,sym').filter((row) => row.includes(` ${file} `));
    expect(own.length).toBeGreaterThan(0);
    expect(own.filter((row) => !/ (sub_[0-9a-f]+|_start|\S+@plt)$/.test(row))).toEqual([]);
  });
});

describeLive('programs whose file is gone', () => {
  const source = join(helpers, 'deleted-code.c');
  // A function of the file's own symbol table, which nothing else in it names.
  const flags = ['-O1', '-g', '-fno-omit-frame-pointer', '-ldl'];

  /** A copy of what was compiled, which the program may remove. */
  function copyOf(compiled: string, name: string): string {
    const copy = join(scratch, name);
    copyFileSync(compiled, copy);
    return copy;
  }

  it.each([
    ['removes itself', 'unlink'],
    ['runs a copy of itself that has no path', 'memfd'],
  ])('a program that %s has names and lines', (_what, mode) => {
    const program = copyOf(compileC(source, flags), mode);
    const rows = record(`${mode}.data`, [program, mode, '600']);
    expect(
      rows('sym,srcline').filter((row) => / hot_deleted deleted-code\.c:\d+$/.test(row)),
    ).not.toEqual([]);
    expect(rows('sym').filter((row) => / \[(unlink|packed|memfd)/.test(row))).toEqual([]);
  });

  it('a library that is removed when it is loaded has names', () => {
    const library = copyOf(compileC(source, [...flags, '-shared', '-fPIC'], '.so'), 'gone.so');
    const rows = record('library.data', [compileC(source, flags), 'library', '600', library]);
    expect(rows('dso,sym').filter((row) => / gone\.so.* hot_deleted$/.test(row))).not.toEqual([]);
  });

  it('a program that was removed before it is attached to has names', async () => {
    const program = copyOf(compileC(source, flags), 'attached');
    const child = spawn(program, ['unlink', '100000'], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await once(child.stdout, 'data');
      const file = join(scratch, 'attached.data');
      const flagsOfRecord = ['-q', '-g', '-e', 'cpu-clock:u', '-p', String(child.pid), '-o', file];
      expect(perfTs(['record', ...flagsOfRecord, '--duration', '0.5'])).toMatchObject({
        status: 0,
      });
      child.kill('SIGKILL');
      await once(child, 'exit');
      expect(perfTs(['report', '-i', file]).stdout).toMatch(/ hot_deleted\b/);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
