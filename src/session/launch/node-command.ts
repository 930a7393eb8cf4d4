import { closeSync, openSync, readSync, realpathSync } from 'node:fs';
import { basename } from 'node:path';
import type { CommandSpec } from '../../native/types.ts';

/** How a command comes to run Node. */
export type NodeCommand = {
  /** The program that will be asked for its version. */
  readonly node: string;
  /** True where the command itself is that program, so that its words are Node's. */
  readonly isNode: boolean;
};

/** Programs whose whole purpose is to start Node, some of them through a shell script. */
const STARTERS = /^(?:npm|npx|pnpm|pnpx|yarn|yarnpkg|tsx|ts-node|ts-node-esm|nodemon|pm2)$/;
const NODE = /^(?:node|nodejs)(?:-?\d[\d.]*)?$/;
const SHELLS = /^(?:sh|bash|dash|zsh|ash|ksh)$/;
/** `cd app && exec node server.js`, `NODE_ENV=production npm start`. */
const NODE_IN_SHELL = /(?:^|[\s;&|(/])(?:node|nodejs|npm|npx|pnpm|yarn|tsx|ts-node)(?=[\s;&|)]|$)/;
const SHEBANG_NODE = /^#!.*[\s/](?:node|nodejs)(?:\s|$)/;
const SHEBANG_BYTES = 256;

/**
 * Whether the command runs Node, by its name, by the first line of its script, or by what a shell
 * is told to do (`sh -c`); null where nothing says so. Other programs may start Node too: the
 * caller can't know, and the user says `--node-flags`.
 */
export function findNode({ path, argv, env }: CommandSpec): NodeCommand | null {
  const name = basename(path);
  if (NODE.test(name) || NODE.test(basename(realPath(path)))) return { node: path, isNode: true };
  const onPath = { node: nodeOnPath(env), isNode: false };
  if (STARTERS.test(name)) return onPath;
  const dashC = SHELLS.test(name) ? argv.indexOf('-c') : -1;
  if (dashC > 0) return NODE_IN_SHELL.test(argv[dashC + 1] ?? '') ? onPath : null;
  return SHEBANG_NODE.test(firstLine(path)) ? onPath : null;
}

/** The `node` that a script's first line finds. */
export function nodeOnPath(env: readonly string[]): string {
  const path = env.find((entry) => entry.startsWith('PATH='))?.slice('PATH='.length) ?? '';
  for (const directory of path.split(':')) {
    const file = `${directory === '' ? '.' : directory}/node`;
    if (realPath(file) !== file || firstLine(file) !== '') return file;
  }
  return 'node';
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** The first line of a script; the beginning of any other file; empty where it can't be read. */
function firstLine(path: string): string {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return '';
  }
  try {
    const bytes = Buffer.alloc(SHEBANG_BYTES);
    const length = readSync(file, bytes, 0, SHEBANG_BYTES, 0);
    return bytes.toString('latin1', 0, length).split('\n', 1)[0] as string;
  } catch {
    return '';
  } finally {
    closeSync(file);
  }
}
