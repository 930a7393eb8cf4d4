import { Diagnostics } from '../../base/diagnostics.ts';
import { readBuildId } from '../../code/elf/build-id.ts';
import { readDebugAltlink } from '../../code/elf/debugaltlink.ts';
import { parseElf } from '../../code/elf/elf-file.ts';
import type { ProcessTable } from '../../code/process/process-table.ts';
import type { DsoIndex, DsoKey } from '../../code/process/types.ts';
import { type DebugFile, findAltFile, findDebugFile, has } from '../../code/symbols/debug-file.ts';
import type { SymbolSources } from '../../options/reading.ts';
import type { ProfileBuilder } from '../../profile/profile-builder.ts';
import { usualPlaces } from './debug-places.ts';
import { Debuginfod } from './debuginfod.ts';
import { SymbolFiles } from './symbol-files.ts';

/** The results of reading the samples: the frames that occurred, and where they are mapped. */
export type FramesToName = {
  readonly processes: ProcessTable;
  readonly builder: ProfileBuilder;
  readonly diagnostics: Diagnostics;
};

/** Files that are on their way at one time. */
const AT_ONE_TIME = 4;

/**
 * Fetches from debuginfod servers what this machine lacks to name the frames that occurred: the
 * mapped files themselves, their debug files, and what dwz moved out of these. They are found in
 * the cache afterwards. `onShare` gets the share of the mapped files, 0 … 1, that are dealt with.
 */
export async function fetchFiles(
  { processes, builder, diagnostics }: FramesToName,
  sources: SymbolSources,
  urls: readonly string[],
  onShare: (share: number) => void = () => {},
): Promise<void> {
  const directory = usualPlaces().debuginfodDirectory;
  const server = new Debuginfod({ urls, directory, diagnostics });
  // What is missing before anything was fetched is nobody's loss.
  const uncounted = new Diagnostics();
  const files = new SymbolFiles({
    ...sources,
    diagnostics: uncounted,
    mappingsOf: (dso) => processes.mappingsOf(dso),
  });
  const waiting: DsoIndex[] = [];
  for (let index = 0; index < processes.dsos.length; index++) {
    const dso = index as DsoIndex;
    const isFile = processes.dsos.key(dso).kind === 'user-file';
    if (isFile && builder.frames.addresses(dso).frames.length > 0) waiting.push(dso);
  }
  const count = waiting.length;
  let done = 0;
  onShare(0);
  const fetchNext = async (): Promise<void> => {
    for (let dso = waiting.pop(); dso !== undefined; dso = waiting.pop()) {
      await fetchFor(processes.dsos.key(dso), processes.dsos.buildId(dso), files, server);
      onShare(++done / count);
    }
  };
  await Promise.all(Array.from({ length: AT_ONE_TIME }, fetchNext));
}

async function fetchFor(
  dso: DsoKey,
  recordedBuildId: string | null,
  files: SymbolFiles,
  server: Debuginfod,
): Promise<void> {
  const request = { need: 'elf', dso, buildId: recordedBuildId } as const;
  let source = files.provide(request);
  if (source === null && recordedBuildId !== null) {
    await server.fetch(recordedBuildId, 'executable');
    source = files.provide(request);
  }
  if (source === null) return;
  const uncounted = new Diagnostics();
  const elf = parseElf(source, uncounted);
  const buildId = elf && (recordedBuildId ?? readBuildId(elf, uncounted));
  let debug: DebugFile | null = null;
  try {
    if (elf === null || buildId === null || has(elf, 'dwarf')) return;
    debug = findDebugFile(elf, dso, files.provide, uncounted, 'dwarf');
    if (debug === null) {
      await server.fetch(buildId, 'debuginfo');
      debug = findDebugFile(elf, dso, files.provide, uncounted, 'dwarf');
    }
    if (debug === null) return;
    const link = readDebugAltlink(debug.elf, uncounted);
    if (link === null) return;
    const alt = findAltFile(debug.elf, dso, files.provide, uncounted);
    if (alt === null) await server.fetch(link.buildId, 'debuginfo');
    else alt.source.close?.();
  } finally {
    source.close?.();
    debug?.source.close?.();
  }
}
