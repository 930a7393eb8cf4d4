import { statSync } from 'node:fs';
import { fsPath } from '../files/byte-path.ts';
import { blocksOf, readRegular } from './program-file.ts';

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

/**
 * `process.release.sourceUrl`, which builds of nodejs.org and most others have; the first line of
 * the REPL, which all have; and the library that holds all of Debian's `node`.
 */
const RELEASE_URL = 'nodejs.org/download/release/v';
const WELCOME = 'Welcome to Node.js';
const LIBRARY = 'libnode.so.';

/**
 * A mark that Node has for single executable applications: 0 at its end in Node itself, 1 in a program with an
 * application inside. Runtimes that are not Node, and may have its other texts, have none.
 */
const SEA_FUSE = 'NODE_SEA_FUSE_';
/** No Node is smaller. */
const LEAST_NODE_BYTES = 20 << 20;

/**
 * Finds out what `path` is without running it: a program called `node` may be somebody's node of a
 * blockchain, and a recording must not start it once more, a dry run not at all.
 */
export function identifyNode(path: string): NodeProgram {
  if (isThisNode(path)) return { kind: 'node', version: process.version };
  return readRegular(path, 0, identify) ?? { kind: 'other' };
}

/** A file that holds Node, whatever its name: a copy of Node, or a single executable application. */
export type HeldNode = 'copy' | 'application';

/** Finds out whether a file holds Node without regard to its name; null where it does not. */
export function findHeldNode(path: string): HeldNode | null {
  const find = (fd: number): HeldNode | null => {
    let found: HeldNode | null = null;
    for (const { bytes } of blocksOf(fd)) {
      const fuse = textAfter(bytes, SEA_FUSE, /^[0-9a-f]{32}:[01]/);
      if (fuse === null) continue;
      if (fuse.endsWith('1')) return 'application';
      found = 'copy';
    }
    return found;
  };
  return readRegular(path, LEAST_NODE_BYTES, find);
}

function isThisNode(path: string): boolean {
  try {
    const [theirs, ours] = [statSync(fsPath(path)), statSync(process.execPath)];
    return theirs.dev === ours.dev && theirs.ino === ours.ino;
  } catch {
    return false;
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
