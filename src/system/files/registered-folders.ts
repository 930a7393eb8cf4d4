/**
 * Folders in which processes of a user that import `perf-ts/register` listen, the one that is tried first in front:
 * `register/listen.cts`, which imports nothing of ours, has the same two.
 */
export function registeredFolders(uid: number): readonly string[] {
  return [`/run/user/${uid}/perf-ts`, `/tmp/perf-ts-${uid}`];
}
