// Programs without symbols: names that they have elsewhere, and functions that are told apart without any.

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
    return stdout.split('\n').map((row) => row.replace(/ +/g, ' ').trim());
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
