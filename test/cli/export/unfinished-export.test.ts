// An export whose file cannot be written to its end: here a limit on sizes, otherwise a full disk.

import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { perfTs, scratchDirectory } from '../../helpers/cli.ts';

const scratch = scratchDirectory();
const input = join(scratch, 'stacks.folded');
writeFileSync(input, 'main;parse;read 5\nmain;write 3\n');

function exportLimited(format: string, output: string) {
  const words = ['export', input, '--format', format, '-o', output];
  return perfTs(words, { under: ['prlimit', '--fsize=100'] });
}

test.each(['html', 'speedscope', 'firefox', 'pprof'])('%s leaves no half file', (format) => {
  const output = join(scratch, `half.${format}`);
  const { stderr, status } = exportLimited(format, output);
  expect(status).toBe(125);
  expect(stderr).toContain(`cannot write ${output}: it would be larger than files may be here`);
  expect(existsSync(output)).toBe(false);
});

test('a folder of Parquet files goes with its tables, also after some were complete', () => {
  const many = join(scratch, 'many.folded');
  writeFileSync(many, 'main;parse;read 100000\n');
  const folder = (name: string) => [
    'export',
    many,
    '--format',
    'parquet',
    '-o',
    join(scratch, name),
  ];
  expect(perfTs(folder('whole')).status).toBe(0);
  const size = (name: string) => statSync(join(scratch, 'whole', name)).size;
  const [last, ...others] = readdirSync(join(scratch, 'whole')).sort((a, b) => size(b) - size(a));
  expect(last).toBe('samples.parquet');
  const limit = `--fsize=${Math.max(...others.map(size))}`;
  expect(perfTs(folder('part'), { under: ['prlimit', limit] }).status).toBe(125);
  expect(existsSync(join(scratch, 'part'))).toBe(false);
});

test('a folder that was there before stays, empty', () => {
  const output = join(scratch, 'own');
  mkdirSync(output);
  expect(exportLimited('parquet', output).status).toBe(125);
  expect(readdirSync(output)).toEqual([]);
});

test('a link in the place of the output stays, and so does what it names', () => {
  const [file, link] = [join(scratch, 'named'), join(scratch, 'link')];
  writeFileSync(file, '');
  symlinkSync(file, link);
  expect(exportLimited('html', link).status).toBe(125);
  expect(existsSync(link)).toBe(true);
});
