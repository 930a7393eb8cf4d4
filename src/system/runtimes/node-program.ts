import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { fsPath } from '../files/byte-path.ts';

/** File names of Node. */
export const NODE = /^(?:node|nodejs)(?:-?\d[\d.]*)?$/;

/** The kind of a file called `node`. */
export type NodeProgram =
  /** Node.js; `version` as `v20.20.2`, null where the file does not report it. */
  | { readonly kind: 'node'; readonly version: string | null }
  /** A script that starts the real one, as version managers install it. */
  | { readonly kind: 'script' }
  /** Another program of that name, or nothing that can be read. */
  | { readonly kind: 'other' };

const ELF_MAGIC = Buffer.from('\x7fELF', 'latin1');
const BLOCK_BYTES = 4 << 20;
/** Longer than any of the marks below with its version. */
const OVERLAP_BYTES = 128;

/**
 * `process.release.sourceUrl`, which builds of nodejs.org and most others have; the first line of
 * the REPL, which all have; and the library that holds all of Debian's `node`.
 */
const RELEASE_URL = 'nodejs.org/download/release/v';
const WELCOME = 'Welcome to Node.js';
const LIBRARY = 'libnode.so.';

/** Node's mark in a program with an application inside (SEA); a Node without one has 0 at its end. */
const SEA_FUSE = 'NODE_SEA_FUSE_';
/** No Node is smaller. */
const LEAST_SEA_BYTES = 20 << 20;

/**
 * Finds out what `path` is without running it: a program called `node` may be somebody's node of a
 * blockchain, and a recording must not start it once more, a dry run not at all.
 */
export function identifyNode(path: string): NodeProgram {
  if (isThisNode(path)) return { kind: 'node', version: process.version };
  return readRegular(path, 0, identify) ?? { kind: 'other' };
}

/** Whether `path` is a single executable application of Node, whatever its name. */
export function isSingleExecutable(path: string): boolean {
  const find = (fd: number): boolean => {
    for (const { bytes } of blocksOf(fd)) {
      if (textAfter(bytes, SEA_FUSE, /^[0-9a-f]{32}:1/) !== null) return true;
    }
    return false;
  };
  return readRegular(path, LEAST_SEA_BYTES, find) ?? false;
}

/** The kind that `read` finds in a file of so many bytes; null where there is none. */
function readRegular<T>(path: string, leastBytes: number, read: (fd: number) => T): T | null {
  let fd: number;
  try {
    fd = openSync(fsPath(path), constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const stat = fstatSync(fd);
    return stat.isFile() && stat.size >= leastBytes ? read(fd) : null;
  } catch {
    return null;
  } finally {
    closeSync(fd);
  }
}

function isThisNode(path: string): boolean {
  try {
    const [theirs, ours] = [statSync(fsPath(path)), statSync(process.execPath)];
    return theirs.dev === ours.dev && theirs.ino === ours.ino;
  } catch {
    return false;
  }
}

/** The file in blocks that overlap by more than a mark; the bytes are valid until the next block. */
function* blocksOf(fd: number): Generator<{ at: number; bytes: Buffer }> {
  const block = Buffer.alloc(BLOCK_BYTES);
  for (let at = 0; ; at += BLOCK_BYTES - OVERLAP_BYTES) {
    const bytes = block.subarray(0, readSync(fd, block, 0, block.length, at));
    yield { at, bytes };
    if (bytes.length < block.length) return;
  }
}

function identify(fd: number): NodeProgram {
  let isNode = false;
  for (const { at, bytes } of blocksOf(fd)) {
    if (at === 0 && !bytes.subarray(0, 4).equals(ELF_MAGIC)) {
      return { kind: bytes.subarray(0, 2).toString('latin1') === '#!' ? 'script' : 'other' };
    }
    const version = textAfter(bytes, RELEASE_URL, /^\d+\.\d+\.\d+/);
    if (version !== null) return { kind: 'node', version: `v${version}` };
    isNode ||= bytes.includes(WELCOME) || bytes.includes(LIBRARY);
  }
  return isNode ? { kind: 'node', version: null } : { kind: 'other' };
}

function textAfter(bytes: Buffer, mark: string, pattern: RegExp): string | null {
  const at = bytes.indexOf(mark, 0, 'latin1');
  if (at < 0) return null;
  const start = at + mark.length;
  return pattern.exec(bytes.toString('latin1', start, start + 40))?.[0] ?? null;
}
