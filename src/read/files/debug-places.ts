import { dirname, isAbsolute, join } from 'node:path';
import { folderUnlessLeft, homeFolder } from '../../system/accounts/home-folder.ts';

/** Directories beside the recorded paths in which files are looked for. */
export type DebugPlaces = {
  /** Trees of debug files, as distributions install them: `/usr/lib/debug`. */
  readonly debugDirectories: readonly string[];
  /** perf's cache of files by build ID. */
  readonly buildIdDirectory: string;
  /** Folder in which debuginfod's client keeps what it fetched. */
  readonly debuginfodDirectory: string;
};

const BUILD_ID = /^[0-9a-f]{6,128}$/;

/** The usual places of the user who runs this. The variables are those of the tools themselves. */
export function usualPlaces(): DebugPlaces {
  // The home of whom no account names one, as containers set it.
  const home = homeFolder() ?? '/';
  const cache = process.env.XDG_CACHE_HOME || join(home, '.cache');
  return {
    debugDirectories: ['/usr/lib/debug'],
    buildIdDirectory: folderUnlessLeft(process.env.PERF_BUILDID_DIR || join(home, '.debug')),
    debuginfodDirectory: folderUnlessLeft(
      process.env.DEBUGINFOD_CACHE_PATH || join(cache, 'debuginfod_client'),
    ),
  };
}

/** Paths at which a mapped file of this build may be, other than its own. */
export function elfPlaces(buildId: string, places: DebugPlaces): string[] {
  if (!BUILD_ID.test(buildId)) return [];
  const pair = join(buildId.slice(0, 2), buildId.slice(2));
  return [
    // perf: a directory, or a link to one; before Linux 4.7 the link was to the file.
    join(places.buildIdDirectory, '.build-id', pair, 'elf'),
    join(places.buildIdDirectory, '.build-id', pair),
    ...places.debugDirectories.map((root) => join(root, '.build-id', pair)),
    join(places.debuginfodDirectory, buildId, 'executable'),
  ];
}

/** Paths at which a vDSO of this build may be: perf keeps the vDSOs that it has met. */
export function vdsoPlaces(buildId: string, places: DebugPlaces): string[] {
  if (!BUILD_ID.test(buildId)) return [];
  const pair = join(buildId.slice(0, 2), buildId.slice(2));
  return [
    join(places.buildIdDirectory, '.build-id', pair, 'vdso'),
    join(places.debuginfodDirectory, buildId, 'executable'),
  ];
}

/** Paths at which the debug file of this build may be. */
export function debugPlacesByBuildId(buildId: string, places: DebugPlaces): string[] {
  if (!BUILD_ID.test(buildId)) return [];
  const pair = join(buildId.slice(0, 2), buildId.slice(2));
  return [
    ...places.debugDirectories.map((root) => join(root, '.build-id', `${pair}.debug`)),
    join(places.buildIdDirectory, '.build-id', pair, 'debug'),
    join(places.debuginfodDirectory, buildId, 'debuginfo'),
  ];
}

/**
 * Paths at which the file that the debuglink of `path` names may be, in the order of gdb and perf:
 * beside the file, in `.debug` there, and below the trees of debug files.
 */
export function debugPlacesByLink(path: string, link: string, places: DebugPlaces): string[] {
  const folder = dirname(path);
  return [
    join(folder, link),
    join(folder, '.debug', link),
    ...places.debugDirectories.map((root) => join(root, folder, link)),
  ];
}

/**
 * Paths at which the file that dwz made out of what several debug files had in common may be. The
 * link is a path, mostly one relative to the file that has it; what comes out of it is believed
 * only if it has the build ID that the link states.
 */
export function altPlaces(
  link: string,
  buildId: string,
  linkedFrom: readonly string[],
  places: DebugPlaces,
): string[] {
  const byPath = isAbsolute(link)
    ? [link, ...underDebugDirectories(link, places)]
    : linkedFrom.map((file) => join(dirname(file), link));
  return [...debugPlacesByBuildId(buildId, places), ...byPath];
}

/** An absolute link of another machine: its tree of debug files may be one of ours. */
function underDebugDirectories(link: string, { debugDirectories }: DebugPlaces): string[] {
  const ownTree = '/usr/lib/debug/';
  const below = link.startsWith(ownTree) ? link.slice(ownTree.length) : link;
  return debugDirectories.flatMap((root) => [join(root, below), join(root, link)]);
}

/** Paths at which a split unit's `.dwo` may be: where the compiler put it, or beside the program. */
export function splitDwarfPlaces(path: string, compDir: string, name: string): string[] {
  const file = name.slice(name.lastIndexOf('/') + 1);
  if (file === '' || file === '.' || file === '..') return [];
  const byCompiler = isAbsolute(name) ? name : join(compDir, name);
  return [...(isAbsolute(byCompiler) ? [byCompiler] : []), join(dirname(path), file)];
}
