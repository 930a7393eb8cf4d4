import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import { makeOwnFolder } from '../../system/files/own-folder.ts';
import type { ReadingFlags } from '../shared/load.ts';
import { symbolSources } from '../shared/load.ts';
import { taskIds } from '../shared/option-values.ts';
import type { RecordFlags } from './record-flags.ts';

/** The options of `view --live`: those of recording, and those of reading. */
type LiveRunFlags = Pick<
  RecordFlags,
  | 'pid'
  | 'tid'
  | 'allCpus'
  | 'event'
  | 'freq'
  | 'callGraph'
  | 'duration'
  | 'port'
  | 'open'
  | 'verbose'
> &
  ReadingFlags;

/** `perf-ts view --live`: records processes that run, and shows them meanwhile. */
export async function runLiveView(flags: LiveRunFlags): Promise<void> {
  if (flags.pid === undefined && flags.tid === undefined && !flags.allCpus) {
    throw new UsageError('view --live: no target: -p PID, -t TID, or -a for the whole system', [
      'a program that is to be started: perf-ts record --view -- ./app',
    ]);
  }
  // Fails before anything is recorded.
  symbolSources(flags);
  const directory = makeOwnFolder('live');
  // Also where a second Ctrl-C quits at once.
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  const { runRecord } = await import('./record.ts');
  await runRecord([], {
    ...flags,
    ...(flags.callGraph === undefined && { g: true }),
    // `record` means others by these names: the cost of an event, and the files that name samples.
    weight: false,
    archive: false,
    inherit: true,
    output: join(directory, nameOfTarget(flags)),
    view: true,
    reading: flags,
  });
}

/** The name of the recording, which is the page's title: `node-1234` of a process or thread. */
function nameOfTarget({ pid, tid }: LiveRunFlags): string {
  const ids = [
    ...(pid === undefined ? [] : taskIds('-p', pid)),
    ...(tid === undefined ? [] : taskIds('-t', tid)),
  ];
  if (ids.length !== 1) return 'live';
  try {
    // Kernel threads have names like `kworker/0:1`.
    const comm = readFileSync(`/proc/${ids[0]}/comm`, 'utf8').trim().replaceAll('/', '_');
    return `${comm}-${ids[0]}`;
  } catch {
    return 'live';
  }
}
