import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cleanEnvironment, perfTs, scratchDirectory } from '../helpers/cli.ts';
import { NOBODY } from '../helpers/nobody.ts';

const scratch = scratchDirectory();
const folded = join(scratch, 'few.folded');
writeFileSync(folded, 'main;work 3\n');

const env = {
  ...cleanEnvironment(),
  SUDO_UID: `${NOBODY}`,
  SUDO_GID: `${NOBODY}`,
  SUDO_USER: 'nobody',
};
const testAsRoot = test.skipIf(process.geteuid?.() !== 0);

function exportTo(output: string): void {
  const words = ['export', '--format', 'folded', '-o', output, folded];
  expect(perfTs(words, { env })).toMatchObject({ status: 0 });
}

testAsRoot('an export under sudo belongs to who called it', () => {
  exportTo(join(scratch, 'mine.folded'));
  const made = readdirSync(scratch).filter((name) => name.startsWith('mine.'));
  expect(made.sort()).toEqual(['mine.folded', 'mine.folded.provenance.json']);
  for (const name of made) expect(statSync(join(scratch, name)).uid).toBe(NOBODY);
});

testAsRoot('a file that stood there keeps its owner, behind a link too', () => {
  const folder = mkdtempSync(join(scratch, 'linked-'));
  const system = join(folder, 'system');
  writeFileSync(system, 'root: secret');
  const link = join(folder, 'link.folded');
  symlinkSync(system, link);
  exportTo(link);
  expect(readFileSync(system, 'utf8')).toBe('main;work 3\n');
  expect(statSync(system).uid).toBe(0);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
});
