import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { AnalysedProfile } from '../read/analysed-profile.ts';
import { recordingTables, type TablesOptions } from '../read/recording-tables.ts';
import { DuckDBEngine } from './duckdb.ts';

/** A recording of a query: a file, or a folder that `export --format parquet` wrote. */
export type QueriedRecording = { readonly recording: number; readonly file: string };

/**
 * Opens recordings as tables, numbered from 1 in their order, and locks the engine. `open` reads a file as
 * a profile.
 */
export async function openRecordings(
  files: readonly string[],
  open: (file: string) => Promise<AnalysedProfile>,
  options: TablesOptions = {},
): Promise<{ readonly engine: DuckDBEngine; readonly recordings: readonly QueriedRecording[] }> {
  // First, so that nobody waits for a recording before hearing that the engine is missing.
  const engine = await DuckDBEngine.open();
  const recordings = files.map((file, at) => ({ recording: at + 1, file }));
  for (const { recording, file } of recordings) {
    if (isParquetFolder(file)) await engine.addParquet(recording, file);
    else await engine.add(recording, recordingTables(await open(file), { name: file }, options));
  }
  await engine.lock();
  return { engine, recordings };
}

function isParquetFolder(path: string): boolean {
  return existsSync(join(path, 'samples.parquet')) && statSync(path).isDirectory();
}
