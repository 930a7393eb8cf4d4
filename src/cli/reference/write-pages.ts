// Writes what is made of the declared commands: `markdown` the pages in docs/ and the list of man pages in
// package.json, `man` the pages in dist/man.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFile } from '../../system/version.ts';
import { manPages, markdownPages, type Page } from './pages.ts';

/** A command that is gone takes its page with it. */
function writeFolder(folder: string, pages: readonly Page[]): void {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  for (const { file, text } of pages) writeFileSync(join(folder, file), text);
}

const [, , kind] = process.argv;
if (kind === 'man') writeFolder(packageFile('dist/man'), manPages());
else {
  writeFolder(packageFile('docs/reference/commands'), markdownPages());
  const path = packageFile('package.json');
  const man = manPages().map(({ file }) => `./dist/man/${file}`);
  const changed = { ...JSON.parse(readFileSync(path, 'utf8')), man };
  writeFileSync(path, `${JSON.stringify(changed, null, 2)}\n`);
}
