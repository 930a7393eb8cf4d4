// The thread of a recording that `view` shows.

import { parentPort, workerData } from 'node:worker_threads';
import type { WeightKind } from '../profile/types.ts';
import type { SymbolSources } from '../session/read/symbol-files.ts';
import { answerFrom } from '../view/file-thread.ts';
import { ViewedFile } from '../view/viewed-file.ts';
import { loadForCommand } from './load.ts';

export type ViewThreadData = {
  readonly path: string;
  readonly flags: SymbolSources & {
    readonly strict?: boolean;
    readonly verbose?: boolean;
    readonly weight?: WeightKind;
  };
};

if (parentPort !== null) answerFrom(parentPort, open(workerData as ViewThreadData));

async function open({ path, flags }: ViewThreadData): Promise<ViewedFile> {
  const opened = await loadForCommand(path, { ...flags, lines: flags.inline !== false });
  return new ViewedFile(path, opened, flags);
}
