// The thread of a recording that `view` shows.

import { setPriority } from 'node:os';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { printable } from '../../base/printable.ts';
import type { HeaviestSoFar } from '../../formats/export/page-profile.ts';
import type { AskedOf } from '../../options/option.ts';
import type { OnReadingProgress, ReadingStage, ReadSoFar } from '../../options/reading.ts';
import type { VIEW } from '../../options/view.ts';
import { funcLabel } from '../../profile/func-label.ts';
import { keepReadings } from '../../read/kept-profile.ts';
import { openGrowing } from '../../read/open-profile.ts';
import type { FileProgress } from '../../view/file-thread.ts';
import { answerFrom } from '../../view/file-thread.ts';
import { ViewedFile, type ViewedFileOptions } from '../../view/viewed-file.ts';
import { atTimes, heaviestSoFar } from '../shared/heaviest-so-far.ts';
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
/** Whoever waits less for the recording sees that at once. */
const FIRST_LOOK_MS = 500;
const MOST_HEAVIEST = 12;

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
      onProgress: postProgress(port, isListed),
    },
  );
  if (isListed) keepReadings();
  return new ViewedFile(path, opened, weightOf(flags));
}

/** Posts each stage as it begins, and its share some times a second, for a page with the heaviest functions so far. */
function postProgress(port: MessagePort, isListed: boolean): OnReadingProgress {
  let postedStage: ReadingStage | null = null;
  let postedMs = 0;
  const look = atTimes(FIRST_LOOK_MS);
  return (stage, share, readSoFar) => {
    const nowMs = performance.now();
    if (stage === postedStage && nowMs - postedMs < POST_MS) return;
    postedStage = stage;
    postedMs = nowMs;
    let soFar: HeaviestSoFar | null = null;
    if (!isListed && share && readSoFar !== undefined) {
      look(() => {
        const found = readSoFar();
        if (found) soFar = { part: share, heaviest: heaviestOf(found) };
      });
    }
    port.postMessage({ kind: 'progress', stage, share, soFar } satisfies FileProgress);
  };
}

function heaviestOf(found: ReadSoFar): HeaviestSoFar['heaviest'] {
  return heaviestSoFar(found, MOST_HEAVIEST).map(({ func, selfShare }) => ({
    name: printable(funcLabel(found.profile, func)),
    share: selfShare,
  }));
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
