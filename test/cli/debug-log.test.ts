import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cleanEnvironment, perfTs, projectRoot, scratchDirectory } from '../helpers/cli.ts';
import { builtRecordings } from '../helpers/recordings.ts';

const LINE = /^([A-Z]+) \d+ [\d.]+ ms: (.*)$/;

const scratch = scratchDirectory();
const [[, bytes]] = builtRecordings();
const path = join(scratch, 'perf.data');
writeFileSync(path, bytes);

function report(areas: string) {
  return perfTs(['report', path], { env: { ...cleanEnvironment(), PERF_TS_DEBUG: areas } });
}

/** Debug lines of standard error as [area, message]. */
function debugLines(stderr: string): string[][] {
  return stderr.split('\n').flatMap((line) => {
    const match = LINE.exec(line);
    return match === null ? [] : [match.slice(1)];
  });
}

test('PERF_TS_DEBUG=read prints the stages of reading, and leaves the output as it is', () => {
  const plain = report('');
  const { status, stdout, stderr } = report('read');
  expect([status, stdout]).toEqual([plain.status, plain.stdout]);
  expect(debugLines(plain.stderr)).toEqual([]);
  expect(debugLines(stderr)).toEqual([
    ['READ', `${path}: ${bytes.length} bytes, 2 events, arch x86_64`],
    ['READ', `${path}: all records are read`],
    ['READ', `${path}: frames are symbolized`],
    ['READ', expect.stringMatching(/: 60 samples, the profile is complete$/)],
  ]);
});

test('PERF_TS_DEBUG=symbols prints each file that was tried for a DSO, and why it was not used', () => {
  const program = join(scratch, 'app');
  writeFileSync(program, 'not an ELF file');
  const ask = `
    import { Diagnostics } from '${projectRoot}/dist/base/diagnostics.js';
    import { SymbolFiles } from '${projectRoot}/dist/read/files/symbol-files.js';
    const files = new SymbolFiles({ diagnostics: new Diagnostics() });
    const dso = { kind: 'user-file', path: '${program}', fileId: '' };
    files.provide({ need: 'elf', dso, buildId: 'ab'.repeat(20) });`;
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', ask], {
    encoding: 'utf8',
    env: { ...cleanEnvironment(), PERF_TS_DEBUG: 'symbols' },
  });
  const messages = debugLines(stderr).map(([, message]) => message);
  expect(messages.slice(0, 3)).toEqual([
    `elf of ${program}, build ID ${'ab'.repeat(20)}`,
    `  ${program}: opened`,
    `  ${program}: not used: the build ID differs`,
  ]);
  expect(messages.at(-1)).toBe('  answer: no file');
});
