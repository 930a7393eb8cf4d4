// Lines from habit that their command answers when it begins: each is run.

import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { perfTs, scratchDirectory } from '../../helpers/cli.ts';
import { NEWCOMER, OTHER_TOOLS } from './habit-table.ts';

const RECORDING = resolve(import.meta.dirname, '../../read/fixtures/arm64-group.data');
const answered = [...NEWCOMER, ...OTHER_TOOLS].filter(([, outcome]) => outcome.startsWith('? '));

test.each(answered)('perf-ts %s is answered: %s', (line, outcome) => {
  const cwd = scratchDirectory();
  copyFileSync(RECORDING, join(cwd, 'perf.data'));
  writeFileSync(join(cwd, 'app.js'), 'console.log(1);');
  const { status, stderr } = perfTs(line.split(' '), { cwd });
  expect(status).toBeGreaterThan(0);
  expect(stderr).toContain(outcome.slice(2));
  expect(readFileSync(join(cwd, 'app.js'), 'utf8')).toBe('console.log(1);');
  expect(existsSync(join(cwd, 'app.js.old'))).toBe(false);
});
