import { closeSync, constants, fstatSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FailedError } from '../../base/errors.ts';
import { noteAsked, noteUnrepeatable } from '../../system/asked-files.ts';
import { type FileSource, reading, sourceOf } from './fd-source.ts';
import { readPipe } from './pipe-source.ts';

const STANDARD_INPUT = 'standard input';

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
  // Another file may come to it.
  noteUnrepeatable();
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
  noteAsked(path);
  // A FIFO would block for ever in open(2).
  return reading(path, () => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
}
