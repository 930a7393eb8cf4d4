import { UsageError } from '../../base/errors.ts';
import type { AskedOf } from '../../options/option.ts';
import type { VIEW } from '../../options/view.ts';
import { isStream } from '../../system/files/stream-place.ts';
import { GrowingFile } from '../../view/growing-file.ts';
import { ThreadedFile } from '../../view/threaded-file.ts';
import { notify } from '../shared/failure.ts';
import { takeThread } from './early-thread.ts';
import { announcePage, interrupted, listenForPage } from './serve-page.ts';
import { readPort } from './view.ts';
import type { ViewThreadData } from './view-thread.ts';

/** The address options of the page: its port, and whether a browser opens it. */
export type LiveViewFlags = { readonly port?: string; readonly open?: boolean };

/** Throws `UsageError` for what the page of a live recording can't be of. */
export function checkLiveView(flags: {
  readonly output?: string;
  readonly switchOutput?: unknown;
  readonly port?: string;
}): void {
  if (isStream(flags.output)) {
    throw new UsageError(`--view needs a file, and -o ${flags.output} writes a stream`);
  }
  if (flags.switchOutput !== undefined) {
    throw new UsageError('--view shows one file, and --switch-output writes many');
  }
  readPort(flags.port);
}

/**
 * Listens for the page of the recording that will be at `path`, which names and weighs as `reading` has it. Throws `FailedError` where that
 * is not possible, before anything is started.
 */
export async function openLiveView(
  path: string,
  flags: LiveViewFlags,
  reading: AskedOf<typeof VIEW> = {},
): Promise<LiveView> {
  let lastProblem = '';
  let isClosed = false;
  const growing = new GrowingFile(path, {
    open: (path, appendix) => {
      const data: ViewThreadData = { path, isLive: true, appendix, flags: reading };
      return new ThreadedFile(path, takeThread(), data, { forPage: false });
    },
    isWatched: () => server.streams.isWatched,
    onGrowth: () => server.streams.grow(),
    onProblem: ({ message }) => {
      // Each second anew, it would be the same.
      if (message !== lastProblem && !isClosed) notify(`perf-ts: the page: ${message}`);
      lastProblem = message;
    },
  });
  const options = { ...readPort(flags.port), isLive: true };
  const { server, viewer } = await listenForPage([growing], options);
  return {
    async show(appendixSoFar) {
      growing.follow(appendixSoFar);
      await announcePage(server.url, viewer, flags);
    },
    async serveFinished(finishedPath) {
      const ended = interrupted();
      const finished = growing.finish(finishedPath).then(() => {
        server.streams.end();
        if (!isClosed) notify('perf-ts: the page shows all of it, until Ctrl-C');
      });
      await Promise.race([ended, finished]);
      await ended;
    },
    async close() {
      isClosed = true;
      await server.close();
      await growing.close();
    },
  };
}

/** The page of a recording that is being written. */
export type LiveView = {
  /** The recording has begun: prints the address and follows. */
  show(appendixSoFar: () => Uint8Array): Promise<void>;
  /** The recording has ended: shows all of it, until Ctrl-C. `path`: its file; null: it is gone. */
  serveFinished(path: string | null): Promise<void>;
  /** Ends the server, whatever it does. */
  close(): Promise<void>;
};
