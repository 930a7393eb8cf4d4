import { UsageError } from '../base/errors.ts';
import type { WeightKind } from '../profile/types.ts';
import type { SymbolSources } from '../session/read/symbol-files.ts';
import { findViewer, openBrowser, usersOf } from '../view/open-browser.ts';
import { startViewServer, type ViewServer } from '../view/server.ts';
import { ViewedFile } from '../view/viewed-file.ts';
import { say } from './failure.ts';
import { loadForCommand } from './load.ts';

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
  const port = readPort(flags.port);
  const files: ViewedFile[] = [];
  for (const path of paths) {
    const opened = await loadForCommand(path, { ...flags, lines: flags.inline !== false });
    // Now, and not when the page asks: what fails is to fail the command.
    const file = new ViewedFile(path, opened, flags);
    file.pageData();
    files.push(file);
  }
  const server = await showPage(files, { ...flags, port, isLive: false });
  await interrupted();
  await server.close();
}

/** Starts the server, prints its address and opens the browser. */
export async function showPage(
  files: readonly ViewedFile[],
  options: { port: number; open?: boolean; isLive: boolean },
): Promise<ViewServer> {
  const viewer = findViewer();
  const users = usersOf(viewer);
  const server = await startViewServer(files, { ...options, users });
  process.stdout.write(`${server.url}\n`);
  if (options.open === false || !process.stdout.isTTY) return server;
  const problem = await openBrowser(server.url, viewer);
  if (problem !== null) say(`perf-ts: ${problem}: open the address above yourself`);
  else say('perf-ts: Ctrl-C ends it');
  return server;
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
