import { readTextOrNull } from '../small-file.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Text of a file of /proc; null where there is none, or it is not ours to read. */
export type ReadProc = (path: string) => string | null;

/** Shells, sudo's own two processes, npm and its like are fewer. */
const MOST_ANCESTORS = 32;

/**
 * The environment in which sudo was called: sudo keeps little of it, and a browser needs where the
 * desktop is (WAYLAND_DISPLAY, XDG_…, DBUS_…). The kernel keeps what each process was started with;
 * the first one above us that does not have our SUDO_UID is sudo itself, started by its caller.
 *
 * Null where it is not known: that process has ended, or /proc is not there.
 */
export function findCallerEnvironment(
  env: Environment,
  parentPid: number,
  read: ReadProc = readTextOrNull,
): Environment | null {
  let pid = parentPid;
  for (let steps = 0; steps < MOST_ANCESTORS && pid > 1; steps++) {
    const text = read(`/proc/${pid}/environ`);
    if (text === null) return null;
    const above = parseEnvironment(text);
    if (above.SUDO_UID !== env.SUDO_UID) return above;
    pid = Number(/^PPid:\s*(\d+)$/m.exec(read(`/proc/${pid}/status`) ?? '')?.[1] ?? 0);
  }
  return null;
}

/** `NAME=value`, each ended by a NUL. */
function parseEnvironment(text: string): Environment {
  const entries = text.split('\0').filter((entry) => entry.indexOf('=') > 0);
  return Object.fromEntries(
    entries.map((entry) => {
      const at = entry.indexOf('=');
      return [entry.slice(0, at), entry.slice(at + 1)];
    }),
  );
}
