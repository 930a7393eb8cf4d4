import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import type { ByteSource } from '../base/byte-source.ts';
import { memorySource } from '../base/byte-source.ts';
import { FailedError } from '../base/errors.ts';

/** An input file as bytes; `close` when nothing more will be read. */
export type FileSource = ByteSource & { close(): void };

/** Buffers kept for reuse; ordering holds about two rounds at a time. */
const MOST_SPARE = 8;

/** Opens a recording: a regular file, or `-` for all of standard input. */
export function openFileSource(path: string): FileSource {
  if (path === '-') return { ...memorySource(readFileSync(0)), close: () => {} };
  let fd: number;
  try {
    // A FIFO would block for ever in open(2).
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw cannotRead(path, error);
  }
  const stat = fstatSync(fd);
  if (!stat.isFile()) {
    closeSync(fd);
    throw new FailedError(`cannot read ${path}: it is not a regular file`, [
      stat.isFIFO()
        ? `read it from standard input: perf-ts … - < ${path}`
        : 'name a perf.data file',
    ]);
  }
  /** Buffers handed back, all of one length. */
  const spare: Buffer[] = [];
  return {
    size: stat.size,
    read(offset, length) {
      const wanted = Math.max(0, Math.min(length, stat.size - offset));
      const reusable = spare[0]?.length === wanted ? spare.pop() : undefined;
      const bytes = reusable ?? Buffer.allocUnsafeSlow(wanted);
      let done = 0;
      while (done < wanted) {
        const count = readSync(fd, bytes, done, wanted - done, offset + done);
        if (count === 0) break;
        done += count;
      }
      return bytes.subarray(0, done);
    },
    recycle(bytes) {
      if (bytes.byteLength !== bytes.buffer.byteLength) return;
      if (spare.length > 0 && spare[0]?.length !== bytes.length) spare.length = 0;
      if (spare.length < MOST_SPARE) spare.push(Buffer.from(bytes.buffer));
    },
    close: () => closeSync(fd),
  };
}

function cannotRead(path: string, error: unknown): FailedError {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') {
    return new FailedError(`no such file: ${path}`, ['record one: perf-ts record -- ./app']);
  }
  if (code === 'EACCES') {
    return new FailedError(`cannot read ${path}: permission denied`, [
      `it was written by another user: sudo chown "$USER" ${path}`,
    ]);
  }
  return new FailedError(`cannot read ${path}: ${message}`);
}
