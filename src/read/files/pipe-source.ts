import { closeSync, constants, openSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FailedError, failedBy } from '../../base/errors.ts';
import { lateModules } from '../../base/late-modules.ts';
import { systemErrorReason } from '../../base/system-error.ts';
import { readSome } from '../../system/files/read-some.ts';
import { type FileSource, sourceOf } from './fd-source.ts';

/** Bytes of a pipe that are kept in memory; the whole of a longer one goes to a file. */
const MOST_IN_MEMORY = 64 << 20;
const BLOCK_BYTES = 1 << 20;

/**
 * All that comes through the pipe `fd`, which can't be read twice. What is longer than `mostInMemory`
 * is put into a file in TMPDIR, which has no name there any more and is gone with the process.
 */
export function readPipe(fd: number, mostInMemory = MOST_IN_MEMORY): FileSource {
  const blocks: Buffer[] = [];
  let size = 0;
  while (size <= mostInMemory) {
    const block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    const count = readBlock(fd, block);
    if (count === 0) return inMemory(blocks, size);
    blocks.push(block.subarray(0, count));
    size += count;
  }
  return spill(fd, blocks);
}

function inMemory(blocks: readonly Buffer[], size: number): FileSource {
  const bytes = Buffer.concat(blocks, size);
  return {
    size,
    threadFiles: [],
    read: (offset, length) => bytes.subarray(offset, offset + length),
    close: () => {},
  };
}

function spill(pipe: number, blocks: Buffer[]): FileSource {
  const directory = tmpdir();
  const file = openUnnamed(directory);
  let size = 0;
  const append = (bytes: Buffer): void => {
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(file, bytes, done, bytes.length - done, size + done);
    }
    size += bytes.length;
  };
  try {
    for (const block of blocks.splice(0)) append(block);
    const block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    for (let count = readBlock(pipe, block); count > 0; count = readBlock(pipe, block)) {
      append(block.subarray(0, count));
    }
  } catch (error) {
    closeSync(file);
    if ((error as NodeJS.ErrnoException).syscall !== 'write') throw error;
    throw noRoom(directory, size, error);
  }
  return sourceOf(file, size, `the copy of standard input in ${directory}`);
}

/** Nobody else can open it: it is made new, for us alone, and its name removed at once. */
function openUnnamed(directory: string): number {
  const path = join(
    directory,
    `perf-ts-${process.pid}-${lateModules.crypto.randomBytes(8).toString('hex')}`,
  );
  try {
    const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    const fd = openSync(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    unlinkSync(path);
    return fd;
  } catch (error) {
    throw noRoom(directory, 0, error);
  }
}

function noRoom(directory: string, size: number, error: unknown): FailedError {
  const reason = systemErrorReason(error);
  return failedBy(
    error,
    `cannot keep what comes from standard input in ${directory}, after ${size} bytes: ${reason}`,
    [
      'name a directory with room for all of it: TMPDIR=/var/tmp perf-ts …',
      'or put it into a file first: cat > perf.data',
    ],
  );
}

function readBlock(fd: number, block: Buffer): number {
  return readSome(fd, block, 0, block.length, null);
}
