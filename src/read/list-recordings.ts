import { lstatSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { FailedError, PerfDataError } from '../base/errors.ts';
import { checkArguments } from '../options/arguments.ts';
import { reading } from './files/fd-source.ts';
import { openRecording, withSource } from './open-recording.ts';

/** A recording of a folder, as far as the beginning of its file tells: no sample is read. */
export type ListedRecording = {
  /** Absolute. */
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
  /** Milliseconds since 1970 of the last change of the file. */
  readonly changedMs: number;
  /** The command that recorded it; empty where the file has none. */
  readonly commandLine: readonly string[];
  /** Nanoseconds from the first sample to the last; null where the file does not have both in front. */
  readonly lengthNs: number | null;
};

/** Files that are looked at, and recordings that are listed, the newest of either. */
const MOST_FILES = 2000;
const MOST_LISTED = 200;

/** Files of other tools go by their endings: to look into each text of a folder would take its time. */
const OF_OTHERS =
  /\.(?:cpuprofile|heapprofile|folded|collapsed|speedscope\.json|pprof|pb\.gz|profile\.json(?:\.gz)?)$/i;
const MAGICS: readonly string[] = ['PERFILE2', '2ELIFREP', 'PERFFILE'];

/**
 * Lists the recordings in a folder, the newest first: at most 200 of its 2 000 newest files. Links and folders are
 * passed over. Throws `FailedError` where the folder can't be read.
 *
 * @example
 * ```ts
 * import { listRecordings } from 'perf-ts';
 *
 * for (const { name, commandLine } of listRecordings('.')) console.log(name, commandLine.join(' '));
 * ```
 */
export function listRecordings(path: string): ListedRecording[] {
  checkArguments({ path });
  const entries = reading(path, () => readdirSync(path, { withFileTypes: true }));
  // A file may be called `-`, which is standard input where it stands alone.
  const folder = resolve(path);
  const files = entries
    .filter((entry) => entry.isFile())
    .flatMap(({ name }) => {
      const stat = lstatSync(join(folder, name), { throwIfNoEntry: false });
      if (stat === undefined || !stat.isFile() || stat.size === 0) return [];
      return [{ path: join(folder, name), name, bytes: stat.size, changedMs: stat.mtimeMs }];
    })
    .sort((a, b) => b.changedMs - a.changedMs || (a.name < b.name ? -1 : 1));
  const listed: ListedRecording[] = [];
  for (const file of files.slice(0, MOST_FILES)) {
    if (listed.length === MOST_LISTED) break;
    const facts = factsOf(file.path);
    if (facts !== null) listed.push({ ...file, ...facts });
  }
  return listed;
}

type Facts = Pick<ListedRecording, 'commandLine' | 'lengthNs'>;

/** Null for a file that is no recording, or that may not be read. */
function factsOf(path: string): Facts | null {
  const unknown: Facts = { commandLine: [], lengthNs: null };
  try {
    return withSource(path, (source) => {
      const magic = new TextDecoder('latin1').decode(source.read(0, 8));
      if (!MAGICS.includes(magic)) return OF_OTHERS.test(path) ? unknown : null;
      const { commandLine, sampleTime } = openRecording(source).features;
      const lengthNs = sampleTime === null ? null : Number(sampleTime.last - sampleTime.first);
      return { commandLine: commandLine ?? [], lengthNs };
    });
  } catch (error) {
    // A damaged one is listed: who opens it is told what is wrong.
    if (error instanceof PerfDataError) return unknown;
    if (error instanceof FailedError) return null;
    throw error;
  }
}
