// An export whose file cannot be written to its end: here a limit on sizes, otherwise a full disk.

import { existsSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { perfTs, scratchDirectory } from '../helpers/cli.ts';

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

test('a folder of Parquet files has none that is half written', () => {
  const output = join(scratch, 'tables');
  expect(exportLimited('parquet', output).status).toBe(125);
  expect(readdirSync(output).filter((name) => statSync(join(output, name)).size <= 100)).toEqual(
    [],
  );
});

test('a link in the place of the output stays, and so does what it names', () => {
  const [file, link] = [join(scratch, 'named'), join(scratch, 'link')];
  writeFileSync(file, '');
  symlinkSync(file, link);
  expect(exportLimited('html', link).status).toBe(125);
  expect(existsSync(link)).toBe(true);
});
