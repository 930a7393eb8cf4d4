import { lstatSync, statSync } from 'node:fs';
import type { SymbolSources } from '../../options/reading.ts';
import { noteAsked } from '../../system/asked-files.ts';

/** The path at which `perf-ts archive` puts what names the recording at `path`, unless told otherwise. */
export function archiveOf(path: string): string {
  return `${path}.symbols`;
}

/**
 * `sources` with the archive that lies beside the recording, if there is one and the sources name
 * none. It must be a directory, no link to one, of root's, ours, or whoever owns the recording:
 * names in a report are not to be chosen by somebody who merely can write beside it.
 */
export function withArchive<T extends SymbolSources>(path: string, sources: T): T {
  if (sources.archive !== undefined || path === '-') return sources;
  const archive = archiveOf(path);
  noteAsked(archive, false);
  try {
    const { uid } = lstatSync(archive);
    const isOurs = uid === 0 || uid === process.geteuid?.() || uid === statSync(path).uid;
    return isOurs && lstatSync(archive).isDirectory() ? { ...sources, archive } : sources;
  } catch {
    return sources;
  }
}
