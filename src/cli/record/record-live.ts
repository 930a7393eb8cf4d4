import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import type { AskedOf } from '../../options/option.ts';
import type { VIEW } from '../../options/view.ts';
import { makeOwnFolder } from '../../system/files/own-folder.ts';
import { symbolSources } from '../shared/load.ts';

/** The options of `view` that the recording takes. */
const LIVE_OPTIONS = [
  'pids',
  'tids',
  'systemWide',
  'events',
  'freq',
  'callGraph',
  'durationMs',
  'attachJs',
  'port',
  'open',
  'verbose',
] as const;

/** `perf-ts view --live`: records processes that run, and shows them meanwhile, read as is asked, too. */
export async function runLiveView(asked: AskedOf<typeof VIEW>): Promise<void> {
  const { pids, tids, systemWide } = asked;
  if ((pids ?? tids) === undefined && !systemWide) {
    throw new UsageError('view --live: no target: -p PID, -t TID, or -a for the whole system', [
      'a program that is to be started: perf-ts record --view -- ./app',
    ]);
  }
  // Fails before anything is recorded.
  symbolSources(asked);
  const directory = makeOwnFolder('live');
  // Also where a second Ctrl-C quits at once.
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  const { runRecord } = await import('./record.ts');
  await runRecord(
    [],
    {
      callGraph: 'fp',
      ...picked(asked, LIVE_OPTIONS),
      output: join(directory, nameOfTarget([...(pids ?? []), ...(tids ?? [])])),
      view: true,
    },
    asked,
  );
}

function picked<T, K extends keyof T>(values: T, keys: readonly K[]): Pick<T, K> {
  const given = keys.filter((key) => values[key] !== undefined);
  return Object.fromEntries(given.map((key) => [key, values[key]])) as Pick<T, K>;
}

/** The name of the recording, which is the page's title: `node-1234` of a process or thread. */
function nameOfTarget(ids: readonly number[]): string {
  if (ids.length !== 1) return 'live';
  try {
    // Kernel threads have names like `kworker/0:1`.
    const comm = readFileSync(`/proc/${ids[0]}/comm`, 'utf8').trim().replaceAll('/', '_');
    return `${comm}-${ids[0]}`;
  } catch {
    return 'live';
  }
}
