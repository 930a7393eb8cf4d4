import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { failedBy, UsageError } from '../../base/errors.ts';
import { formatBytes, formatCount } from '../../base/numbers.ts';
import { words } from '../../base/words.ts';
import { encodeParquet } from '../../formats/tables/parquet.ts';
import { TABLE_NAMES } from '../../formats/tables/schema.ts';
import type { EXPORT } from '../../options/export.ts';
import { type AskedOf, pick } from '../../options/option.ts';
import { forLibrary } from '../../options/read-flags.ts';
import { SELECTION, WEIGHING } from '../../options/reading.ts';
import { recordingNumber, recordingTables } from '../../read/outputs/recording-tables.ts';
import { packageVersion } from '../../system/version.ts';
import { notify } from '../shared/failure.ts';
import { loadForCommand } from '../shared/load.ts';
import { closeOutput, discardOutput, openOutput } from '../shared/open-output.ts';
import { writingProgress } from '../shared/progress.ts';
import { writeTo } from '../shared/stdout.ts';

const SELECTING = { ...SELECTION, ...pick(WEIGHING, 'event', 'join') };

/** `perf-ts export --format parquet -o FOLDER`: a file for each table of docs/schema.md. */
export async function exportParquet(path: string, flags: AskedOf<typeof EXPORT>): Promise<void> {
  const [selecting] = Object.keys(forLibrary(SELECTING, flags));
  if (selecting !== undefined) {
    const option = SELECTING[selecting as keyof typeof SELECTING];
    throw new UsageError(words`${option}: Parquet holds the whole recording`, [
      'choose in SQL: perf-ts query, or any engine that reads Parquet',
    ]);
  }
  const isNew = makeFolder(flags.output);
  const opened = await loadForCommand(path, flags, { lines: true });
  const { service, build, weight } = flags;
  const labels = {
    name: path,
    ...(service !== undefined && { service }),
    ...(build !== undefined && { build }),
  };
  const recording = recordingNumber(opened);
  const tables = recordingTables(opened, labels, weight === undefined ? {} : { weight });
  // The largest comes last: its presence means that the folder is complete.
  const names = [...TABLE_NAMES.filter((name) => name !== 'samples'), 'samples' as const];
  const written: string[] = [];
  const createdBy = `perf-ts ${packageVersion()}`;
  const showWritten = writingProgress(flags.output);
  let size = 0;
  try {
    for (const table of names) {
      const file = join(flags.output, `${table}.parquet`);
      showWritten(size);
      const bytes = encodeParquet(table, recording, tables[table], createdBy, (written) =>
        showWritten(size + written),
      );
      writeTable(file, bytes);
      written.push(file);
      size += bytes.length;
    }
  } catch (error) {
    discardTables(written, isNew ? flags.output : null);
    throw error;
  }
  notify(
    `perf-ts: ${names.length} tables, ${formatCount(tables.samples.length)} samples, ${formatBytes(size)} in ${flags.output}: ` +
      'perf-ts query and what reads Parquet open it',
  );
}

function writeTable(file: string, bytes: Uint8Array): void {
  const fd = openOutput(file, 0o600);
  try {
    writeTo(fd, bytes, file);
  } catch (error) {
    discardOutput(fd, file);
    throw error;
  }
  closeOutput(fd, file);
}

/**
 * Removes the tables of an export that failed: nobody can use a part of them, and the same command refuses a
 * folder that has some. `folder`: null where it was there before. The error that led here must stay the one that
 * is reported, so nothing is thrown.
 */
function discardTables(files: readonly string[], folder: string | null): void {
  try {
    for (const file of files) rmSync(file, { force: true });
    if (folder !== null) rmdirSync(folder);
  } catch {
    // Somebody else has put a file there.
  }
}

/** Takes a new folder, which true tells, or an empty one: tables of two recordings must not mix. */
function makeFolder(folder: string): boolean {
  if (folder === '-') {
    throw new UsageError('Parquet is a folder of files: name one', ['-o app.parquet']);
  }
  if (!existsSync(folder)) {
    mkdirSync(folder, { mode: 0o700 });
    return true;
  }
  if (!statSync(folder).isDirectory() || readdirSync(folder).length > 0) {
    throw failedBy('EEXIST', `${folder}: Parquet needs a new or an empty folder (EEXIST)`);
  }
  return false;
}
