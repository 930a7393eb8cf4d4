import { closeSync, constants, fstatSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ByteSource } from '../../../base/byte-source.ts';
import { FailedError } from '../../../base/errors.ts';
import { isSystemError, systemErrorReason } from '../../../base/system-error.ts';
import { readPipe } from './pipe-source.ts';
import { readFully } from './read-some.ts';

/** An input file as bytes; `close` when nothing more will be read. */
export type FileSource = ByteSource & {
  /** Of a directory that `perf record --threads` wrote, where this is the file `data`: the others. */
  readonly threadFiles: readonly ByteSource[];
  /** Whose file it is; absent where it is none. */
  readonly owner?: { readonly uid: number; readonly gid: number };
  close(): void;
};

const STANDARD_INPUT = 'standard input';

/** Of buffers kept for reuse; ordering holds about two rounds at a time. */
const MOST_SPARE_BYTES = 32 << 20;

/** Opens a recording: a regular file, a directory of them, or `-` for all of standard input. */
export function openFileSource(path: string): FileSource {
  if (path === '-') return openStandardInput();
  const fd = openForReading(path);
  const stat = reading(path, () => fstatSync(fd));
  if (stat.isFile()) return { ...sourceOf(fd, stat.size, path), owner: stat };
  closeSync(fd);
  if (stat.isDirectory()) return openDirectory(path);
  throw new FailedError(`cannot read ${path}: it is not a regular file`, [
    stat.isFIFO() ? `read it from standard input: perf-ts … - < ${path}` : 'name a perf.data file',
  ]);
}

/** A redirected file is read piece by piece; of a pipe all is kept (pipe-source.ts). */
function openStandardInput(): FileSource {
  return reading(STANDARD_INPUT, () => {
    const stat = fstatSync(0);
    if (!stat.isFile()) return readPipe(0);
    return { ...sourceOf(0, stat.size, STANDARD_INPUT), close: () => {} };
  });
}

/** The file `data` has the header, `data.0` and so on the records of one recording thread each. */
function openDirectory(path: string): FileSource {
  const names = reading(path, () => readdirSync(path));
  if (!names.includes('data')) {
    throw new FailedError(`cannot read ${path}: it is a directory without a file named data`, [
      'name a perf.data file, or a directory that perf record --threads wrote',
    ]);
  }
  const header = openFileSource(join(path, 'data'));
  const threadFiles = names
    .filter((name) => /^data\.\d+$/.test(name))
    .sort((a, b) => Number(a.slice(5)) - Number(b.slice(5)))
    .map((name) => openFileSource(join(path, name)));
  return {
    ...header,
    threadFiles,
    close() {
      for (const source of [header, ...threadFiles]) source.close();
    },
  };
}

function openForReading(path: string): number {
  // A FIFO would block for ever in open(2).
  return reading(path, () => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
}

/** Runs `read`; what the system refuses becomes an error that names the file. */
function reading<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw isSystemError(error) ? cannotRead(path, error) : error;
  }
}

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

function cannotRead(path: string, error: unknown): FailedError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') {
    return new FailedError(`no such file: ${path}`, ['record one: perf-ts record -- ./app']);
  }
  if (code === 'EACCES') {
    return new FailedError(`cannot read ${path}: permission denied`, [
      `it was written by another user: sudo chown "$USER" ${path}`,
    ]);
  }
  return new FailedError(`cannot read ${path}: ${systemErrorReason(error)}`);
}
