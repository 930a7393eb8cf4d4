import { UsageError } from '../../base/errors.ts';
import type { AskedOf } from '../../options/option.ts';
import type { VIEW } from '../../options/view.ts';
import type { ViewServer, ViewServerOptions } from '../../view/server.ts';
import { ThreadedFile } from '../../view/threaded-file.ts';
import { endReading, readingProgress } from '../shared/progress.ts';
import { takeThread } from './early-thread.ts';
import type { ViewThreadData } from './view-thread.ts';

/** The recordings that are looked at, and those that they are compared with. */
export type ViewSides = { readonly here: readonly string[]; readonly there: readonly string[] };

/** `perf-ts view`: the page of one recording, or of several to compare, until Ctrl-C. */
export async function runView(
  { here, there }: ViewSides,
  flags: AskedOf<typeof VIEW>,
): Promise<void> {
  const paths = [...here, ...there];
  if (paths.filter((path) => path === '-').length > 1) {
    throw new UsageError('- and -: standard input is one recording');
  }
  const wish = readPort(flags.port);
  const files: ThreadedFile[] = [];
  // The address is printed first: output on the terminal ends the line.
  let isAnnounced = false;
  const open = (path: string): ThreadedFile => {
    const data: ViewThreadData = { path, flags };
    const file = new ThreadedFile(path, takeThread(), data, {
      onProgress: (stage, share) => isAnnounced && readingProgress(path)?.(stage, share),
    });
    files.push(file);
    return file;
  };
  const given = here.map(open);
  const before = there.map(open);
  let server: ViewServer | null = null;
  try {
    const read = Promise.all([...given, ...before].map((file) => file.pageData()));
    // Told below, once the server listens.
    read.catch(() => {});
    // Loaded, and the files looked at, while the threads start.
    const { announcePage, checkIsRecording, interrupted, listenForPage } = await import(
      './serve-page.ts'
    );
    for (const path of paths) checkIsRecording(path, flags.maxUnpacked);
    // What comes through a pipe can't be looked at before it is read.
    if (paths.includes('-')) await read;
    const listening = await listenForPage(given, {
      ...wish,
      isLive: false,
      before,
      openSent: (path) => {
        checkIsRecording(path, flags.maxUnpacked);
        return open(path);
      },
    });
    server = listening.server;
    const ended = interrupted();
    await announcePage(server.url, listening.viewer, flags);
    isAnnounced = true;
    read.finally(endReading).catch(() => {});
    await Promise.race([ended, read]);
    await ended;
  } finally {
    await server?.close();
    await Promise.all(files.map((file) => file.close()));
  }
}

/** The sides of `perf-ts view [OLD] NEW`, and of `perf-ts view --baseline OLD … NEW …`. Throws `UsageError`. */
export function viewSides(
  files: readonly string[],
  baseline: readonly string[] | undefined,
): ViewSides {
  const [first = 'perf.data', second, ...rest] = files;
  if (baseline !== undefined)
    return { here: files.length === 0 ? [first] : files, there: baseline };
  if (rest.length > 0) {
    throw new UsageError(`${files.length} files: which of them are older is not clear`, [
      'name each older one: perf-ts view --baseline OLD1 --baseline OLD2 NEW1 NEW2',
    ]);
  }
  return second === undefined ? { here: [first], there: [] } : { here: [second], there: [first] };
}

/** Reads `--port`: a number, or `3000+`, which is the first free one from there on. */
export function readPort(text: string | undefined): Pick<ViewServerOptions, 'port' | 'orNext'> {
  const [, digits, plus] = /^(\d{1,5})(\+?)$/.exec(text ?? '0') ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535) {
    throw new UsageError(
      `--port ${text}: expected a number from 0 (any that is free) to 65535, or 3000+`,
    );
  }
  return { port, orNext: plus === '+' };
}
