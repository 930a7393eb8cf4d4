import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openProfile } from '../../src/read/open-profile.ts';
import { startViewServer, type ViewServer } from '../../src/view/server.ts';
import { ViewedFile } from '../../src/view/viewed-file.ts';
import { scratchDirectory, whenDone } from '../helpers/scratch.ts';

/**
 * Serves these recordings until the tests of the file have ended; their texts are what `perf
 * script` or stackcollapse print. The address is that of the page.
 */
export async function serveTexts(...texts: readonly string[]): Promise<ViewServer> {
  const directory = scratchDirectory();
  const files = texts.map((text, index) => {
    const path = join(directory, `recording-${index}.txt`);
    writeFileSync(path, text);
    return path;
  });
  return serveFiles(...files);
}

/** The same of files. */
export async function serveFiles(...paths: readonly string[]): Promise<ViewServer> {
  const files: ViewedFile[] = [];
  for (const path of paths) {
    files.push(new ViewedFile(path, await openProfile(path, { lines: true })));
  }
  const server = await startViewServer(files, { port: 0, isLive: false, users: null });
  whenDone(() => server.close());
  return server;
}
