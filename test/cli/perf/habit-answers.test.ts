// Lines from habit that their command answers when it begins: each is run.

import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { perfTs, scratchDirectory } from '../../helpers/cli.ts';
import { CORPORA } from '../../helpers/corpora.ts';
import { NEWCOMER, OTHER_TOOLS } from './habit-table.ts';

const answered = [...NEWCOMER, ...OTHER_TOOLS].filter(([, outcome]) => outcome.startsWith('? '));

test.each(answered)('perf-ts %s is answered: %s', (line, outcome) => {
  const cwd = scratchDirectory();
  copyFileSync(join(CORPORA, 'own/cpu-clock-F30000-fp.data'), join(cwd, 'perf.data'));
  writeFileSync(join(cwd, 'app.js'), 'console.log(1);');
  const { status, stderr } = perfTs(line.split(' '), { cwd });
  expect(status).toBeGreaterThan(0);
  expect(stderr).toContain(outcome.slice(2));
  expect(readFileSync(join(cwd, 'app.js'), 'utf8')).toBe('console.log(1);');
  expect(existsSync(join(cwd, 'app.js.old'))).toBe(false);
});
