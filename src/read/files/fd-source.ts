import { closeSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import type { ByteSource } from '../../base/byte-source.ts';
import { type FailedError, failedBy } from '../../base/errors.ts';
import { isSystemError, systemErrorReason } from '../../base/system-error.ts';
import { readFully } from '../../system/files/read-some.ts';
import { statOrNull } from '../../system/small-file.ts';

/** Bytes of buffers kept for reuse; ordering holds about two rounds at a time. */
const MOST_SPARE_BYTES = 32 << 20;

/** An input file as bytes; `close` when nothing more will be read. */
export type FileSource = ByteSource & {
  /** The other files of a directory that `perf record --threads` wrote, where this is `data`. */
  readonly threadFiles: readonly ByteSource[];
  /** Owner of the file; absent where it is none. */
  readonly owner?: { readonly uid: number; readonly gid: number };
  close(): void;
};

/** `size` bytes of an open file, which errors call `name`; closes it. */
export function sourceOf(fd: number, size: number, name: string): FileSource {
  /** Buffers handed back, all of one length. */
  const spare: Buffer[] = [];
  return {
    size,
    threadFiles: [],
    read(offset, length) {
      const wanted = Math.max(0, Math.min(length, size - offset));
      const reusable = spare[0]?.length === wanted ? spare.pop() : undefined;
      const bytes = reusable ?? Buffer.allocUnsafeSlow(wanted);
      return bytes.subarray(
        0,
        reading(name, () => readFully(fd, bytes, offset)),
      );
    },
    recycle(bytes) {
      if (bytes.byteLength !== bytes.buffer.byteLength) return;
      if (spare.length > 0 && spare[0]?.length !== bytes.length) spare.length = 0;
      if ((spare.length + 1) * bytes.length <= MOST_SPARE_BYTES)
        spare.push(Buffer.from(bytes.buffer));
    },
    close: () => closeSync(fd),
  };
}

/** Runs `read`; what the system refuses becomes an error that names the file. */
export function reading<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw isSystemError(error) ? cannotRead(path, error) : error;
  }
}

function cannotRead(path: string, error: unknown): FailedError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') {
    const hints = [
      path.endsWith('perf.data.old')
        ? 'the next recording makes the one before it that: record again, then perf-ts diff'
        : 'record one: perf-ts record -- ./app',
    ];
    return failedBy(code, `no such file: ${path}`, hints);
  }
  if (code === 'EACCES') {
    const hints = readingHints(path, process.geteuid?.() ?? -1);
    return failedBy(code, `cannot read ${path}: permission denied`, hints);
  }
  return failedBy(error, `cannot read ${path}: ${systemErrorReason(error)}`);
}

/**
 * Hints on what `uid` can do about a file that it may not read, by whose it is. Its owner is changed only where root
 * has left it in a folder of the user, as `sudo perf record` does; other files are what they are for a reason.
 */
export function readingHints(path: string, uid: number): string[] {
  const file = statOrNull(path);
  if (file === null) return ['a folder on the way to it may not be searched by you'];
  if (file.uid === uid) {
    const isReadable = (file.mode & constants.S_IRUSR) !== 0;
    return isReadable ? [] : [`it is yours, and its mode forbids reading: chmod u+r ${word(path)}`];
  }
  if (file.uid === 0 && statOrNull(dirname(path))?.uid === uid) {
    return [`it was written by root: sudo chown "$USER" ${word(path)}`];
  }
  return [`it belongs to uid ${file.uid}, who can make it readable for you`];
}

/** `path` as one word of a shell. */
function word(path: string): string {
  return /^[\w./+@%:,=-]+$/.test(path) && !path.startsWith('-')
    ? path
    : `'${path.startsWith('-') ? './' : ''}${path.replaceAll("'", "'\\''")}'`;
}
