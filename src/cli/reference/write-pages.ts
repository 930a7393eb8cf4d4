// Writes the pages that are made of the declared commands: `markdown` those in docs/, `man` those in dist/man.

import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
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
else writeFolder(packageFile('docs/reference/commands'), markdownPages());
