import { homedir } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';

/** The command and the program that it loads are bundles of their own, with modules of their own. */
const LEFT = Symbol.for('perf-ts.leftPlaces');
const shared = globalThis as { [LEFT]?: readonly string[] };

/** Leaves folders of the user alone from now on, since a call on a path in them may not come back. */
export function leavePlaces(places: readonly string[]): void {
  shared[LEFT] = places;
}

/** Whether a path of the user lies in a folder that is left alone. */
export function isLeft(path: string): boolean {
  return (shared[LEFT] ?? []).some((place) => path === place || path.startsWith(`${place}/`));
}

/** The folder; one of that name in the root, where it is left alone. */
export function folderUnlessLeft(path: string): string {
  return isLeft(path) ? join('/', basename(path)) : path;
}

/** The user's home, as `namedHome` has it; null where it is left alone, too. */
export function homeFolder(): string | null {
  const home = namedHome();
  return home === null || isLeft(home) ? null : home;
}

/**
 * The user's home; null where neither HOME nor the accounts of this system name an absolute path. Containers
 * often run with a uid that no account has, and without HOME.
 */
export function namedHome(): string | null {
  try {
    const home = homedir();
    return isAbsolute(home) ? home : null;
  } catch {
    return null;
  }
}
