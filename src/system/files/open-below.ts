import { closeSync, constants, fstatSync, openSync, readlinkSync } from 'node:fs';
import { noteAsked } from '../asked-files.ts';
import { partsOf } from './folder.ts';
import { MOST_LINKS, O_PATH } from './open-flags.ts';
import { codeOf, type OpenFile, openRegular } from './open-regular.ts';

const PLACE = O_PATH | constants.O_NOFOLLOW | constants.O_DIRECTORY;

/**
 * Opens the regular file that a process finds at `path`, below `root`, which is `/proc/PID/root` of
 * that process; otherwise the reason. Links, absolute ones too, lead to where they lead the process: the
 * kernel would follow an absolute one from our own root, to a file of the host that the process never
 * had. Each step is a descriptor, so that nobody can exchange one meanwhile.
 */
export function openRegularBelow(root: string, path: string, flags = 0): OpenFile | string {
  noteAsked(root);
  /** Directories from the root to the place that was reached. */
  const places: number[] = [];
  const names: string[] = [];
  try {
    places.push(openSync(root, O_PATH | constants.O_DIRECTORY));
    const steps = partsOf(path);
    let links = 0;
    while (steps.length > 0) {
      const step = steps.shift() as string;
      if (step === '..') {
        if (places.length > 1) closeSync(places.pop() as number);
        names.pop();
        continue;
      }
      const at = `/proc/self/fd/${places.at(-1)}/${step}`;
      const { link, isFile } = lookAt(at);
      if (link === null && steps.length === 0) {
        if (!isFile) return 'not a regular file';
        const file = openRegular(at, flags | constants.O_NOFOLLOW);
        return typeof file === 'string'
          ? file
          : withPath(file, `${root}/${[...names, step].join('/')}`);
      }
      if (link === null) {
        places.push(openSync(at, PLACE));
        names.push(step);
        continue;
      }
      if (++links > MOST_LINKS || (steps.length === 0 && isRefused(flags)))
        return 'a symbolic link';
      steps.unshift(...partsOf(link));
      if (!link.startsWith('/')) continue;
      for (const place of places.splice(1)) closeSync(place);
      names.length = 0;
    }
    return 'not a regular file';
  } catch (error) {
    return codeOf(error);
  } finally {
    for (const place of places) closeSync(place);
  }
}

/** The entry at `path`, without opening it: where a link leads, or else whether it is a file. */
function lookAt(path: string): { readonly link: string | null; readonly isFile: boolean } {
  const fd = openSync(path, O_PATH | constants.O_NOFOLLOW);
  try {
    const stat = fstatSync(fd);
    return { link: stat.isSymbolicLink() ? readlinkSync(path) : null, isFile: stat.isFile() };
  } finally {
    closeSync(fd);
  }
}

function isRefused(flags: number): boolean {
  return (flags & constants.O_NOFOLLOW) !== 0;
}

/** Gives the file its own path, by which its owner is known, and not that of our descriptor. */
function withPath(file: OpenFile, path: string): OpenFile {
  const { source } = file;
  if (source.file === undefined) return file;
  return { ...file, source: { ...source, file: { ...source.file, path } } };
}
