// --color, -q, -v and the signs of the locale, in the command as it is built.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cleanEnvironment, perfTs, scratchDirectory } from '../helpers/cli.ts';
import { builtRecordings } from '../helpers/recordings.ts';

const scratch = scratchDirectory();
const [[, bytes]] = builtRecordings();
const recording = join(scratch, 'perf.data');
writeFileSync(recording, bytes);
const cut = join(scratch, 'cut.data');
writeFileSync(cut, bytes.subarray(0, bytes.length - 900));

const folded = join(scratch, 'stacks.folded');
writeFileSync(folded, 'main;parse;read 5\nmain;write 3\n');

const ESCAPE = '\x1b[';
const { NO_COLOR: _no, FORCE_COLOR: _force, ...plain } = cleanEnvironment();

function run(words: readonly string[], variables: NodeJS.ProcessEnv = {}) {
  const outcome = perfTs(words, { env: { ...plain, LC_ALL: 'C.UTF-8', ...variables } });
  expect(outcome.status).toBe(0);
  return outcome;
}

describe('--color', () => {
  const isColoured = (words: readonly string[], variables?: NodeJS.ProcessEnv) =>
    run(['report', recording, ...words], variables).stdout.includes(ESCAPE);

  test('auto has no colours on a pipe, and always has them', () => {
    expect(isColoured([])).toBe(false);
    expect(isColoured(['--color', 'auto'])).toBe(false);
    expect(isColoured(['--color', 'always'])).toBe(true);
  });

  test('FORCE_COLOR colours a pipe, but for 0', () => {
    expect(isColoured([], { FORCE_COLOR: '1' })).toBe(true);
    expect(isColoured([], { FORCE_COLOR: '0' })).toBe(false);
  });

  test('the option has precedence over the environment', () => {
    expect(isColoured(['--color', 'never'], { FORCE_COLOR: '1' })).toBe(false);
    expect(isColoured(['--color', 'always'], { NO_COLOR: '1' })).toBe(true);
  });

  test('another value is refused with those that there are', () => {
    const { status, stderr } = perfTs(['report', recording, '--color', 'blue']);
    expect(status).toBe(2);
    expect(stderr).toContain('auto, always, never');
  });
});

describe('-q and -v', () => {
  const output = join(scratch, 'out.folded');
  const exporting = ['export', '--format', 'folded', '-o', output];

  test('-q prints no message, and the result is the same', () => {
    expect(run(['info', cut]).stderr).toContain('cut off at byte');
    const quiet = run(['info', '-q', cut]);
    expect(quiet.stderr).toBe('');
    expect(quiet.stdout).toBe(run(['info', cut]).stdout);
    expect(run([...exporting, recording]).stderr).not.toBe('');
    expect(run([...exporting, '-q', recording]).stderr).toBe('');
  });

  test('-q leaves failures, and results whose place is standard error', () => {
    const { status, stderr } = perfTs(['info', '-q', join(scratch, 'none.data')]);
    expect(status).toBe(125);
    expect(stderr).toMatch(/^perf-ts: .*none\.data/);
    const json = run([...exporting, '-q', '--json', recording]).stderr;
    expect(JSON.parse(json)).toHaveProperty('events');
  });

  test('-v prints the versions', () => {
    expect(run(['completion', '-v', 'fish']).stderr).toContain(`Node ${process.version}`);
    expect(run(['completion', 'fish']).stderr).toBe('');
  });

  test('an option of the command that is measured is not taken for one of perf-ts', () => {
    const words = ['stat', '-e', 'none-such', '--', 'true', '--verbose'];
    expect(perfTs(words).stderr).not.toMatch(/^\s+at /m);
    expect(perfTs([...words.slice(0, 1), '-v', ...words.slice(1)]).stderr).toMatch(/^\s+at /m);
  });
});

describe('the signs of the locale', () => {
  const beyondAscii = /[^\n\x20-\x7e]/;
  const lines = [
    ['report', '-n', '2', recording],
    ['report', '--tree', folded],
    ['info', recording],
    ['periods', recording],
    ['top', '--help'],
  ];

  test.each(lines)('perf-ts %s %s is ASCII with LC_ALL=C', (...words) => {
    const { stdout, stderr } = run(words, { LC_ALL: 'C' });
    expect(stdout).not.toMatch(beyondAscii);
    expect(stderr).not.toMatch(beyondAscii);
    const { stdout: other } = run(words);
    expect(other).toMatch(beyondAscii);
  });

  test('JSON is the same in every locale', () => {
    const words = ['report', '--json', recording];
    expect(run(words, { LC_ALL: 'C' }).stdout).toBe(run(words).stdout);
  });
});
