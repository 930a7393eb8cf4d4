// A program of its own, which `StrangerReads` starts: reads what processes of others hold and serve, and may be
// held by the kernel at any of these reads.

import { closeSync, constants, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fieldOf, numberField, textField } from '../../base/foreign-json.ts';
import { openRegularBelow } from '../files/open-below.ts';
import { readLinkOrNull } from '../small-file.ts';
import { serveQuestions } from './serve-questions.ts';

const MOST_PATH_CHARS = 4096;
const MOST_FOLDERS = 12;

await serveQuestions((question) => {
  const pid = numberField(question, 'pid') ?? 0;
  const most = numberField(question, 'most') ?? 0;
  const path = textField(question, 'path', MOST_PATH_CHARS) ?? '';
  switch (fieldOf(question, 'read')) {
    case 'environ':
    case 'cmdline':
      return readHead(`/proc/${pid}/${fieldOf(question, 'read')}`, most);
    case 'identity':
      return readIdentity(pid, question);
    case 'mem':
      return readMemory(
        pid,
        BigInt(`0x${textField(question, 'address', 16) || '0'}`),
        most,
      )?.toString('base64');
    case 'cwd':
      return readLinkOrNull(`/proc/${pid}/cwd`);
    case 'folder':
      return hasAnswered(path);
    case 'file-above':
      return fileAbove(`/proc/${pid}/root`, path, textField(question, 'name', 256) ?? '', most);
  }
  return null;
});

/** The variables of these names, the words and, where a line of it has `mapped`, the map of a process. */
function readIdentity(pid: number, question: unknown): object {
  const names = fieldOf(question, 'names');
  const mostBytes = fieldOf(question, 'mostBytes');
  const [environ, words, maps] = ['environ', 'cmdline', 'maps'].map(
    (file, i) =>
      readHead(`/proc/${pid}/${file}`, Array.isArray(mostBytes) ? mostBytes[i] : 0) ?? '',
  );
  const isAsked = (variable: string) =>
    Array.isArray(names) && names.includes(variable.slice(0, variable.indexOf('=')));
  return {
    variables: environ.split('\0').filter(isAsked).join('\0'),
    words,
    maps: maps.includes(textField(question, 'mapped', MOST_PATH_CHARS) ?? '\0') ? maps : '',
  };
}

/** The first bytes of a file of /proc as text; null where it cannot be read. */
function readHead(path: string, most: number): string | null {
  return withFile(path, (fd) => {
    const bytes = Buffer.alloc(most);
    let length = 0;
    while (length < most) {
      const count = readSync(fd, bytes, length, most - length, null);
      if (count === 0) break;
      length += count;
    }
    return bytes.toString('utf8', 0, length);
  });
}

function readMemory(pid: number, address: bigint, length: number): Buffer | null {
  return withFile(`/proc/${pid}/mem`, (fd) => {
    const bytes = Buffer.alloc(length);
    return readSync(fd, bytes, 0, length, address) === length ? bytes : null;
  });
}

function withFile<Result>(path: string, use: (fd: number) => Result | null): Result | null {
  let fd = -1;
  try {
    fd = openSync(path, constants.O_RDONLY);
    return use(fd);
  } catch {
    return null;
  } finally {
    if (fd >= 0) closeSync(fd);
  }
}

/** True when what is asked of a folder, its attributes, a list and a name, has come back, with whatever. */
function hasAnswered(path: string): true {
  for (const ask of [
    () => lstatSync(path),
    () => readdirSync(path),
    () => lstatSync(join(path, 'perf-0.map')),
  ]) {
    try {
      ask();
    } catch {
      // That is an answer as well.
    }
  }
  return true;
}

/** The files of that name in the folder and those above it, nearest first. */
function fileAbove(root: string, folder: string, name: string, most: number): string[] {
  const found: string[] = [];
  let around = folder;
  for (let i = 0; i < MOST_FOLDERS; i++) {
    const text = readFileBelow(root, `${around === '/' ? '' : around}/${name}`, most);
    if (text !== null) found.push(text);
    if (around === '/' || found.length >= 3) break;
    around = dirname(around);
  }
  return found;
}

function readFileBelow(root: string, path: string, most: number): string | null {
  const file = openRegularBelow(root, path);
  if (typeof file === 'string') return null;
  try {
    const { size } = file.source;
    return size > most ? null : Buffer.from(file.source.read(0, size)).toString('utf8');
  } catch {
    return null;
  } finally {
    file.source.close?.();
  }
}
