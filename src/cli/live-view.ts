import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../base/errors.ts';
import { GrowingFile } from '../view/growing-file.ts';
import type { ViewServer } from '../view/server.ts';
import { say } from './failure.ts';
import type { RecordFlags } from './record-flags.ts';
import { interrupted, readPort, showPage } from './view.ts';

/** The page of a recording that is being written. */
export type LiveView = {
  /** The recording has ended: shows all of it, until Ctrl-C. */
  serveFinished(): Promise<void>;
};

/** What the page of a live recording can't be of. Throws `UsageError`. */
export function checkLiveView(flags: Pick<RecordFlags, 'output' | 'switchOutput'>): void {
  if (flags.output === '-') throw new UsageError('--view needs a file, and -o - writes a stream');
  if (flags.switchOutput !== undefined) {
    throw new UsageError('--view shows one file, and --switch-output writes many');
  }
}

/** Shows the recording at `path` while it grows. */
export async function startLiveView(
  path: string,
  flags: { readonly port?: string; readonly open?: boolean },
): Promise<LiveView> {
  let server: ViewServer | null = null;
  const growing = await GrowingFile.open(path, { lines: true }, () => server?.streams.grow());
  const port = readPort(flags.port);
  server = await showPage([growing.file], { ...flags, port, isLive: true });
  growing.follow();
  return {
    async serveFinished() {
      await growing.finish();
      server.streams.end();
      say('perf-ts: the page shows all of it, until Ctrl-C');
      await interrupted();
      await server.close();
    },
  };
}

/** `perf-ts view --live`: records processes that run, and shows them meanwhile. */
export async function runLiveView(
  flags: RecordFlags & { readonly port?: string; readonly open?: boolean },
): Promise<void> {
  if (flags.pid === undefined && flags.tid === undefined && !flags.allCpus) {
    throw new UsageError('view --live: of what? -p PID, -t TID, or -a for the whole system', [
      'a program that is to be started: perf-ts record --view -- ./app',
    ]);
  }
  const directory = mkdtempSync(join(tmpdir(), 'perf-ts-'));
  // Also where a second Ctrl-C quits at once.
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  const { runRecord } = await import('./record.ts');
  const callGraph = flags.callGraph === undefined ? { g: true } : {};
  await runRecord([], { ...flags, ...callGraph, output: join(directory, 'live'), view: true });
}
