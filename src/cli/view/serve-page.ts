import { isImport } from '../../read/open-import.ts';
import { openRecording, withSource } from '../../read/open-recording.ts';
import { openingHint } from '../../view/browser-command.ts';
import { findViewer, openBrowser, usersOf, type Viewer } from '../../view/open-browser.ts';
import type { ServedFile } from '../../view/served-file.ts';
import { startViewServer, type ViewServer, type ViewServerOptions } from '../../view/server.ts';
import { notify } from '../shared/failure.ts';
import { isTerminal, writeOut } from '../shared/stdout.ts';

/** Fails before there is an address where the first bytes tell that it is no recording. */
export function checkIsRecording(path: string, maxUnpacked: number | undefined): void {
  if (path === '-') return;
  withSource(path, (source) => {
    if (!isImport(source)) openRecording(source, maxUnpacked);
  });
}

/** Starts the server for whoever may look. */
export async function listenForPage(
  files: readonly ServedFile[],
  options: Omit<ViewServerOptions, 'users'>,
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
  writeOut(`${url}\n`);
  if (open === false || !isTerminal(1)) return;
  const hint = openingHint(url, viewer.env);
  const onFailure = (problem: string) => notify(`perf-ts: ${problem}: ${hint}`);
  const problem = await openBrowser(url, viewer, onFailure);
  if (problem !== null) onFailure(problem);
  else notify('perf-ts: Ctrl-C ends it');
}

/** Resolves at the first signal that ends a command; more of them change nothing. */
export function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(name, () => resolve());
    }
  });
}
