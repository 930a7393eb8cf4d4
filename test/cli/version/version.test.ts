import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cleanEnvironment, perfTs, projectRoot, scratchDirectory } from '../../helpers/cli.ts';

const scratch = scratchDirectory();
const preload = join(scratch, 'note-modules.cjs');
writeFileSync(
  preload,
  `process.on('exit', () =>
  require('node:fs').writeFileSync(process.env.NOTED, process.moduleLoadList.join('\\n')));\n`,
);

/** The modules of Node that a run of perf-ts has loaded, and what it printed. */
function modulesOf(words: readonly string[], expected = 0) {
  const noted = join(scratch, 'modules');
  const env = { ...cleanEnvironment(), NODE_OPTIONS: `--require ${preload}`, NOTED: noted };
  const { status, stdout } = perfTs(words, { env });
  expect(status).toBe(expected);
  return { stdout, modules: readFileSync(noted, 'utf8').split('\n') };
}

test('--version prints the version of the package and does not load the program', () => {
  const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
  // The program reads numbers of the system's calls and signals there.
  const ofProgram = 'NativeModule os';
  expect(modulesOf(['--help']).modules).toContain(ofProgram);
  for (const word of ['--version', '-V']) {
    const { stdout, modules } = modulesOf([word]);
    expect(stdout).toBe(`${version}\n`);
    expect(modules).not.toContain(ofProgram);
  }
});

test('a recording loads none of the modules that only connections, terminals and threads need', () => {
  const data = join(scratch, 'perf.data');
  const { modules } = modulesOf(['record', '-q', '-e', 'page-faults', '-o', data, '--', 'true']);
  for (const name of [
    'child_process',
    'crypto',
    'http',
    'inspector',
    'net',
    'readline',
    'worker_threads',
  ])
    expect(modules).not.toContain(`NativeModule ${name}`);
});

test.each([
  ['--help', 0],
  ['report --help', 0],
  ['report no-such-file', 125],
])('%s loads none of the modules that take long to load', (line, status) => {
  const { modules } = modulesOf(line.split(' '), status);
  for (const name of ['child_process', 'crypto', 'dns', 'net', 'stream', 'tty', 'zlib'])
    expect(modules).not.toContain(`NativeModule ${name}`);
});
