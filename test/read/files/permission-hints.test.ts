import { chmodSync, chownSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readingHints } from '../../../src/read/files/fd-source.ts';
import { scratchDirectory } from '../../helpers/cli.ts';

const scratch = scratchDirectory();
const own = process.geteuid?.() ?? -1;
const USER = 61_001;

function fileIn(folderOwner: number, owner: number, mode: number, name = 'a.data'): string {
  const folder = mkdtempSync(join(scratch, 'folder-'));
  const path = join(folder, name);
  writeFileSync(path, '');
  chmodSync(path, mode);
  if (owner !== own) chownSync(path, owner, owner);
  if (folderOwner !== own) chownSync(folder, folderOwner, folderOwner);
  return path;
}

test('an own file without the right to read gets chmod', () => {
  const path = fileIn(own, own, 0);
  expect(readingHints(path, own)).toEqual([
    `it is yours, and its mode forbids reading: chmod u+r ${path}`,
  ]);
});

test('a path is one word of the command, whatever is in it', () => {
  const path = fileIn(own, own, 0, "it's $(id).data");
  expect(readingHints(path, own)[0]).toContain("'\\''s $(id).data'");
});

test('a file on whose way a folder is missing or closed gets no command', () => {
  expect(readingHints(join(scratch, 'none', 'a.data'), USER)).toEqual([
    'a folder on the way to it may not be searched by you',
  ]);
});

test('a file of root outside the folders of the user gets no command', () => {
  expect(readingHints('/etc/shadow', USER)).toEqual([
    'it belongs to uid 0, who can make it readable for you',
  ]);
});

test.runIf(own === 0)('a file that root has left in a folder of the user gets chown', () => {
  const path = fileIn(USER, 0, 0o600);
  expect(readingHints(path, USER)).toEqual([`it was written by root: sudo chown "$USER" ${path}`]);
});

test.runIf(own === 0)('a file of a third user gets no command', () => {
  expect(readingHints(fileIn(USER, USER + 1, 0o600), USER)).toEqual([
    `it belongs to uid ${USER + 1}, who can make it readable for you`,
  ]);
});
