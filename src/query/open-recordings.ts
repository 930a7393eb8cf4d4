import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { AnalysedProfile } from '../read/outputs/analysed-profile.ts';
import { recordingTables, type TablesOptions } from '../read/outputs/recording-tables.ts';
import { DuckDBEngine } from './duckdb.ts';
import { wantedTables, wantsTotals } from './wanted-tables.ts';

/** A recording of a query: a file, or a folder that `export --format parquet` wrote. */
export type QueriedRecording = { readonly recording: number; readonly file: string };

/** Recordings as a query tells them apart: from 1, in their order. */
export function numbered(files: readonly string[]): QueriedRecording[] {
  return files.map((file, at) => ({ recording: at + 1, file }));
}

/**
 * Opens recordings as the tables that `sql` asks, and locks the engine. `open` reads a file as a profile.
 */
export async function openRecordings(
  recordings: readonly QueriedRecording[],
  open: (file: string) => Promise<AnalysedProfile>,
  sql: string,
  options: TablesOptions = {},
): Promise<DuckDBEngine> {
  // First, so that nobody waits for a recording before hearing that the engine is missing.
  const engine = await DuckDBEngine.open();
  const wanted = wantedTables(sql);
  for (const { recording, file } of recordings) {
    if (isParquetFolder(file)) await engine.addParquet(recording, file, wanted);
    else {
      const asked = { totals: wantsTotals(sql), ...options, wanted };
      const tables = recordingTables(await open(file), { name: file }, asked);
      await engine.add(recording, tables, wanted);
    }
  }
  await engine.lock();
  return engine;
}

/** A folder that `export --format parquet` wrote. */
export function isParquetFolder(path: string): boolean {
  return existsSync(join(path, 'samples.parquet')) && statSync(path).isDirectory();
}
