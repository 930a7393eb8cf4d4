import {
  closeSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs';

// Small files and links of /proc and /sys. The kernel makes their text when they are read and tells no size before.
// One that is absent, closed to us, or of a process that has just ended is an answer and not an error;
// the name of each function reports which.

/** Most of these files fit; a larger one doubles it. */
const FIRST_BYTES = 4 << 10;
/** A process decides itself how long its environ and cmdline are; what is beyond this is left out. */
const MOST_BYTES = 16 << 20;

/** The text as it is; null where the file cannot be read. */
export function readTextOrNull(path: string): string | null {
  let fd = -1;
  try {
    fd = openSync(path, 'r');
    return readText(fd);
  } catch {
    return null;
  } finally {
    if (fd >= 0) closeSync(fd);
  }
}

/** The text as it is; empty where the file cannot be read. */
export function readTextOrEmpty(path: string): string {
  return readTextOrNull(path) ?? '';
}

/** The text without white space at its ends; null where the file cannot be read. */
export function readTrimmedOrNull(path: string): string | null {
  return readTextOrNull(path)?.trim() ?? null;
}

/** The names in a folder; none where it cannot be listed. */
export function listOrEmpty(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The text of a link as it is, not followed; null where it cannot be read. */
export function readLinkOrNull(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

/** The facts of what is at a path, links followed; null where there is nothing, or it is closed to us. */
export function statOrNull(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

/** Text that tells the file at a path and its state; one that was written again has another. Empty: none that we can ask for. */
export function stateOfFile(path: string): string {
  const stat = statOrNull(path);
  return stat === null ? '' : stateOf(stat);
}

export function stateOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, size, mtimeMs, ctimeMs].join(' ');
}

function readText(fd: number): string {
  let bytes = Buffer.allocUnsafe(FIRST_BYTES);
  let length = 0;
  for (;;) {
    const count = readSync(fd, bytes, length, bytes.length - length, null);
    length += count;
    if (count === 0 || length >= MOST_BYTES) return bytes.toString('utf8', 0, length);
    if (length === bytes.length) bytes = Buffer.concat([bytes], 2 * length);
  }
}
