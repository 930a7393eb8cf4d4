import { UsageError } from '../base/errors.ts';
import { DETECT_BYTES, detectText } from '../import/detect-text.ts';
import type { WeightKind } from '../profile/types.ts';
import type { SymbolSources } from '../session/read/files/symbol-files.ts';
import { openRecording, withSource } from '../session/read/open-recording.ts';
import { openingHint } from '../view/browser-command.ts';
import { findViewer, openBrowser, usersOf, type Viewer } from '../view/open-browser.ts';
import type { ServedFile } from '../view/served-file.ts';
import { startViewServer, type ViewServer } from '../view/server.ts';
import { ThreadedFile } from '../view/threaded-file.ts';
import { say } from './failure.ts';
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
  const files = paths.map((path) => {
    const data: ViewThreadData = { path, flags };
    return new ThreadedFile(path, entry, data);
  });
  let server: ViewServer | null = null;
  try {
    const read = Promise.all(files.map((file) => file.pageData()));
    // Told below, once the server listens.
    read.catch(() => {});
    // Looked at while the threads start.
    for (const path of paths) checkIsRecording(path);
    // What comes through a pipe can't be looked at before it is read.
    if (paths.includes('-')) await read;
    const listening = await listenForPage(files, { port, isLive: false });
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

/** What can be told from its first bytes fails before there is an address. */
function checkIsRecording(path: string): void {
  if (path === '-') return;
  withSource(path, (source) => {
    if (detectText(source.read(0, DETECT_BYTES)) === null) openRecording(source);
  });
}

/** Starts the server for whoever may look. */
export async function listenForPage(
  files: readonly ServedFile[],
  options: { readonly port: number; readonly isLive: boolean },
): Promise<{ readonly server: ViewServer; readonly viewer: Viewer }> {
  const viewer = findViewer();
  const users = usersOf(viewer);
  return { server: await startViewServer(files, { ...options, users }), viewer };
}

/** Prints the address and opens the browser; `open` false: only prints. */
export async function announcePage(
  url: string,
  viewer: Viewer,
  { open }: { readonly open?: boolean },
): Promise<void> {
  process.stdout.write(`${url}\n`);
  if (open === false || !process.stdout.isTTY) return;
  const hint = openingHint(url, viewer.env);
  const onFailure = (problem: string) => say(`perf-ts: ${problem}: ${hint}`);
  const problem = await openBrowser(url, viewer, onFailure);
  if (problem !== null) onFailure(problem);
  else say('perf-ts: Ctrl-C ends it');
}

export function readPort(text: string | undefined): number {
  if (text === undefined) return 0;
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) {
    throw new UsageError(`--port ${text}: expected a number from 0 (any that is free) to 65535`);
  }
  return port;
}

/** Resolves at the first signal that ends a command; more of them change nothing. */
export function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(name, () => resolve());
    }
  });
}
