import { statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { formatBytes } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import { listOrEmpty } from '../../system/small-file.ts';

/** A recording that a client may show to choose from. */
export type Resource = {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly mimeType: string;
};

const MOST_RESOURCES = 100;

/** The recordings in a folder, the newest first. */
export function recordingsIn(folder: string): (Resource & { readonly path: string })[] {
  return listOrEmpty(folder)
    .filter((name) => name.endsWith('.data'))
    .map((name) => join(folder, name))
    .map((path) => ({ path, stat: statSync(path, { throwIfNoEntry: false }) }))
    .filter(({ stat }) => stat?.isFile() === true)
    .sort((a, b) => b.stat!.mtimeMs - a.stat!.mtimeMs)
    .slice(0, MOST_RESOURCES)
    .map(({ path, stat }) => ({
      path,
      uri: pathToFileURL(path).href,
      name: printable(path.slice(folder.length + 1)),
      description: `${formatBytes(stat!.size)}, ${stat!.mtime.toISOString()}`,
      mimeType: 'text/markdown',
    }));
}
