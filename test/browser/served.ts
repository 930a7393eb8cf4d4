import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openProfile } from '../../src/read/open-profile.ts';
import { startViewServer, type ViewServer } from '../../src/view/server.ts';
import { ViewedFile } from '../../src/view/viewed-file.ts';
import { scratchDirectory, whenDone } from '../helpers/scratch.ts';

/**
 * Serves these recordings until the tests of the file have ended; their texts are what `perf
 * script` or stackcollapse print. The address is that of the page. The first is compared with the others.
 */
export async function serveTexts(...texts: readonly string[]): Promise<ViewServer> {
  return serveSides(texts.slice(0, 1), texts.slice(1));
}

/** The same of several a side. */
export async function serveSides(
  texts: readonly string[],
  before: readonly string[],
): Promise<ViewServer> {
  const directory = scratchDirectory();
  const paths = [...texts, ...before].map((text, index) => {
    const path = join(directory, `recording-${index}.txt`);
    writeFileSync(path, text);
    return path;
  });
  return servePaths(paths.slice(0, texts.length), paths.slice(texts.length));
}

/** A recording that is a file. */
export async function serveFile(path: string): Promise<ViewServer> {
  return servePaths([path], []);
}

async function servePaths(
  paths: readonly string[],
  pathsBefore: readonly string[],
): Promise<ViewServer> {
  const view = async (path: string) =>
    new ViewedFile(path, await openProfile(path, { lines: true }));
  const files = await Promise.all(paths.map(view));
  const before = await Promise.all(pathsBefore.map(view));
  const server = await startViewServer(files, { port: 0, isLive: false, users: null, before });
  whenDone(() => server.close());
  return server;
}
