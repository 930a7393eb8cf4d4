import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import type { AskedOf } from '../../options/option.ts';
import type { VIEW } from '../../options/view.ts';
import { listRecordings } from '../../read/list-recordings.ts';
import { Notebook } from '../../view/notebook.ts';
import type { ViewServer, ViewServerOptions } from '../../view/server.ts';
import { ThreadedFile } from '../../view/threaded-file.ts';
import { endReading, readingProgress } from '../shared/progress.ts';
import { takeThread } from './early-thread.ts';
import type { ViewThreadData } from './view-thread.ts';

/** The recordings that are looked at, and those that they are compared with; or a folder of them to choose from. */
export type ViewSides = {
  readonly here: readonly string[];
  readonly there: readonly string[];
  readonly folder?: string;
};

const DEFAULT_FILE = 'perf.data';

/** `perf-ts view`: the page of one recording, of several to compare, or of a folder, until Ctrl-C. */
export async function runView(
  { here, there, folder }: ViewSides,
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
  const openThread = (path: string, forPage = true): ThreadedFile => {
    const data: ViewThreadData = { path, flags, isListed: !forPage };
    return new ThreadedFile(path, takeThread(), data, {
      forPage,
      onProgress: (stage, share) => isAnnounced && readingProgress(path)?.(stage, share),
    });
  };
  const open = (path: string): ThreadedFile => {
    const file = openThread(path);
    files.push(file);
    return file;
  };
  const notebook = folder === undefined ? null : new Notebook(folder, openThread);
  const given = here.map((path) => open(path));
  const before = there.map((path) => open(path));
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
      ...(notebook !== null && { notebook }),
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
    await Promise.all([notebook, ...files].map((file) => file?.close()));
  }
}

/**
 * The sides of `perf-ts view [OLD] NEW`, and of `perf-ts view --baseline OLD … NEW …`; the folder of `perf-ts view FOLDER`,
 * and without a file this one, or its only recording, which may have its predecessor (`.old`) beside it. Throws `UsageError`.
 */
export function viewSides(
  files: readonly string[],
  baseline: readonly string[] | undefined,
): ViewSides {
  if (baseline === undefined && files.length < 2) {
    const [named] = files;
    const isFolder = named === undefined || isFolderOfRecordings(named);
    // One that can't be read is refused before there is an address.
    const names = isFolder ? listRecordings(named ?? '.').map(({ name }) => name) : [];
    if (isFolder && named !== undefined) return { here: [], there: [], folder: named };
    // Whoever records again under one name looks at the new one.
    const listed = names.filter((name) => !names.some((other) => name === `${other}.old`));
    // A link, or a folder, is not listed.
    const isListed = listed.includes(DEFAULT_FILE) || !existsSync(DEFAULT_FILE);
    if (isListed && listed.length > 1) return { here: [], there: [], folder: '.' };
    if (isListed && listed.length === 1) {
      const [only] = listed;
      // Alone, it is standard input.
      return { here: [only === '-' ? './-' : only], there: [] };
    }
  }
  const [first = DEFAULT_FILE, second, ...rest] = files;
  if (baseline !== undefined)
    return { here: files.length === 0 ? [first] : files, there: baseline };
  if (rest.length > 0) {
    throw new UsageError(`${files.length} files: which of them are older is not clear`, [
      'name each older one: perf-ts view --baseline OLD1 --baseline OLD2 NEW1 NEW2',
    ]);
  }
  return second === undefined ? { here: [first], there: [] } : { here: [second], there: [first] };
}

/** A folder that `perf record --threads` wrote is one recording. */
function isFolderOfRecordings(path: string): boolean {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder && !existsSync(join(path, 'data'));
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
