import { lstatSync, readdirSync } from 'node:fs';
import { readTrimmedOrNull } from '../small-file.ts';

const SYSCTL = '/proc/sys/fs/protected_symlinks';

/**
 * A link that another user than root has put where V8 writes a perf map, `/tmp/perf-PID.map`; null if
 * there is none. V8 follows it: a Node of root's would empty the file that it leads to and write into
 * it. Where `fs.protected_symlinks` is 1, as most distributions have it, the kernel refuses that, and
 * nothing is looked for.
 *
 * A user who makes the link in the moment between the start of a Node and V8's opening of the file is
 * not seen; only the sysctl helps against that.
 */
export function findPlantedMap(folder = '/tmp', sysctl = SYSCTL): string | null {
  return readTrimmedOrNull(sysctl) === '0' ? findLink(folder, /^perf-\d+\.map$/) : null;
}

/**
 * Such a link for a jitdump, `jit-PID.dump` in the working directory. The setting protects directories
 * that are sticky and writable for all, which this one need not be.
 */
export function findPlantedDump(folder = '.'): string | null {
  return findLink(folder, /^jit-\d+\.dump$/);
}

/** A link of another user than root. */
function findLink(folder: string, pattern: RegExp): string | null {
  try {
    for (const name of readdirSync(folder)) {
      if (!pattern.test(name)) continue;
      const path = `${folder}/${name}`;
      const entry = lstatSync(path, { throwIfNoEntry: false });
      if (entry?.isSymbolicLink() && entry.uid !== 0) return path;
    }
  } catch {
    // No such folder: nothing to follow.
  }
  return null;
}
