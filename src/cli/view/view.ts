import { UsageError } from '../../base/errors.ts';
import type { WeightKind } from '../../profile/types.ts';
import type { SymbolSources } from '../../read/files/symbol-files.ts';
import type { ViewServer } from '../../view/server.ts';
import { ThreadedFile } from '../../view/threaded-file.ts';
import type { ViewThreadData } from './view-thread.ts';

export type ViewFlags = {
  readonly port?: string;
  /** False: `--no-open`. */
  readonly open?: boolean;
  readonly weight?: WeightKind;
};

/** `perf-ts view`: the page of one recording, or of two to compare, until Ctrl-C. */
export async function runView(
  paths: readonly string[],
  flags: ViewFlags & SymbolSources & { strict?: boolean; verbose?: boolean },
): Promise<void> {
  if (paths.length > 2) {
    throw new UsageError(`${paths.length} files: the page shows one, or compares two`);
  }
  if (paths.length === 2 && paths.every((path) => path === '-')) {
    throw new UsageError('- and -: standard input is one recording');
  }
  const port = readPort(flags.port);
  const entry = new URL('./view-thread.js', import.meta.url);
  const files: ThreadedFile[] = [];
  const open = (path: string): ThreadedFile => {
    const data: ViewThreadData = { path, flags };
    const file = new ThreadedFile(path, entry, data);
    files.push(file);
    return file;
  };
  const given = paths.map(open);
  let server: ViewServer | null = null;
  try {
    const read = Promise.all(given.map((file) => file.pageData()));
    // Told below, once the server listens.
    read.catch(() => {});
    // Loaded, and the files looked at, while the threads start.
    const { announcePage, checkIsRecording, interrupted, listenForPage } = await import(
      './serve-page.ts'
    );
    for (const path of paths) checkIsRecording(path);
    // What comes through a pipe can't be looked at before it is read.
    if (paths.includes('-')) await read;
    const listening = await listenForPage(given, { port, isLive: false, openSent: open });
    server = listening.server;
    const ended = interrupted();
    await announcePage(server.url, listening.viewer, flags);
    await Promise.race([ended, read]);
    await ended;
  } finally {
    await server?.close();
    await Promise.all(files.map((file) => file.close()));
  }
}

export function readPort(text: string | undefined): number {
  if (text === undefined) return 0;
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) {
    throw new UsageError(`--port ${text}: expected a number from 0 (any that is free) to 65535`);
  }
  return port;
}
