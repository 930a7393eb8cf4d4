// The thread of a recording that `view` shows.

import { setPriority } from 'node:os';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { AskedOf } from '../../options/option.ts';
import type { OnReadingProgress, ReadingStage } from '../../options/reading.ts';
import type { VIEW } from '../../options/view.ts';
import { keepReadings } from '../../read/kept-profile.ts';
import { openGrowing } from '../../read/open-profile.ts';
import type { FileProgress } from '../../view/file-thread.ts';
import { answerFrom } from '../../view/file-thread.ts';
import { ViewedFile, type ViewedFileOptions } from '../../view/viewed-file.ts';
import { loadForCommand, openOptions } from '../shared/load.ts';

export type ViewThreadData = {
  readonly path: string;
  /** It is being written, by this process, and would end with the appendix. */
  readonly isLive?: boolean;
  readonly appendix?: Uint8Array;
  /** It is read for its row in a list: what is wrong with it is not printed, and the thread ends with the answer. */
  readonly isListed?: boolean;
  readonly flags: AskedOf<typeof VIEW>;
};

/** Priority on the scale from −20 to 19, where 0 is usual: what is recorded goes first. */
const LIVE_PRIORITY = 5;
const POST_MS = 100;

if (parentPort !== null) {
  const port = parentPort;
  const data = workerData as ViewThreadData | null;
  // One that began early learns what to read later.
  if (data === null) port.once('message', (late: ViewThreadData) => begin(port, late));
  else begin(port, data);
}

function begin(port: MessagePort, data: ViewThreadData): void {
  if (data.isLive) answerLive(port, data);
  else answerFrom(port, open(port, data));
}

async function open(
  port: MessagePort,
  { path, flags, isListed = false }: ViewThreadData,
): Promise<ViewedFile> {
  const opened = await loadForCommand(
    path,
    { ...flags, quiet: isListed },
    {
      lines: flags.inline !== false,
      onProgress: postProgress(port),
    },
  );
  if (isListed) keepReadings();
  return new ViewedFile(path, opened, weightOf(flags));
}

/** Posts each stage as it begins, and its share some times a second. */
function postProgress(port: MessagePort): OnReadingProgress {
  let postedStage: ReadingStage | null = null;
  let postedMs = 0;
  return (stage, share) => {
    const nowMs = performance.now();
    if (stage === postedStage && nowMs - postedMs < POST_MS) return;
    postedStage = stage;
    postedMs = nowMs;
    const message: FileProgress = { kind: 'progress', stage, share };
    port.postMessage(message);
  };
}

function answerLive(
  port: MessagePort,
  { path, flags, appendix = new Uint8Array() }: ViewThreadData,
): void {
  // Priority of this thread: Linux gives each its own.
  setPriority(LIVE_PRIORITY);
  const { cache = false, ...options } = openOptions(flags);
  // The profile is another one each time.
  const growing = { ...options, cache: cache && 'names', lines: flags.inline !== false } as const;
  const file = openGrowing(path, growing, appendix).then(
    (opened) => new ViewedFile(path, opened, { ...weightOf(flags), isLive: true }),
  );
  answerFrom(port, file, async (from, isLast, now) => {
    if (isLast) setUsualPriority();
    (await file).replace(await openGrowing(from, growing, now), { isLive: !isLast });
  });
}

function weightOf({ weight }: ViewThreadData['flags']): Pick<ViewedFileOptions, 'weight'> {
  return weight === undefined ? {} : { weight };
}

function setUsualPriority(): void {
  try {
    setPriority(0);
  } catch {
    // That takes a privilege: without, the last reading is as slow as the others.
  }
}
