import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Seen from here and from the bundle, which lies as deep. */
const repository = join(dirname(fileURLToPath(import.meta.url)), '../..');

export function repositoryPath(path: string): string {
  return join(repository, path);
}

/** The files of a folder whose names end so. */
export function repositoryFiles(folder: string, end: string): { name: string; text: string }[] {
  return readdirSync(repositoryPath(folder))
    .filter((name) => name.endsWith(end))
    .sort()
    .map((name) => ({ name, text: readFileSync(join(repositoryPath(folder), name), 'utf8') }));
}
