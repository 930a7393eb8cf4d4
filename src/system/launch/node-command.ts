import { closeSync, constants, openSync, readSync, realpathSync } from 'node:fs';
import { basename } from 'node:path';
import type { CommandSpec } from '../../native/types.ts';
import { fsPath } from '../files/byte-path.ts';

/** How a command comes to run Node. */
export type NodeCommand = {
  /** The program that runs the JavaScript. */
  readonly node: string;
  /** True where the command itself is that program, so that its words are Node's. */
  readonly isNode: boolean;
};

/** Programs whose whole purpose is to start Node, some of them through a shell script. */
const STARTERS = /^(?:npm|npx|pnpm|pnpx|yarn|yarnpkg|tsx|ts-node|ts-node-esm|nodemon|pm2)$/;
const NODE = /^(?:node|nodejs)(?:-?\d[\d.]*)?$/;
const SHELLS = /^(?:sh|bash|dash|zsh|ash|ksh)$/;
/** Where a shell looks for a command: `cd app && NODE_ENV=production exec node server.js`. */
const NODE_IN_SHELL =
  /(?:^|[;&|({]|\b(?:exec|env|time|nohup|then|do|else)\s)\s*(?:\w+=\S*\s+)*(?:exec\s+)?"?(?:[^\s"]*\/)?(?:node|nodejs|npm|npx|pnpm|yarn|tsx|ts-node)"?(?=[\s;&|)]|$)/m;
const SHEBANG_NODE = /^#!.*[\s/](?:node|nodejs)(?:\s|$)/;
const SHEBANG_SHELL = /^#!.*[\s/](?:sh|bash|dash|zsh|ash|ksh)(?:\s|$)/;
/** A wrapper of a package manager has a kilobyte. */
const SCRIPT_BYTES = 16384;

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
  const text = beginning(path);
  const isNode = SHEBANG_NODE.test(firstLineOf(text)) || startsNode(text);
  return isNode ? onPath : null;
}

/** Whether a shell script says so: package managers make such scripts of commands. */
function startsNode(text: string): boolean {
  if (!SHEBANG_SHELL.test(firstLineOf(text))) return false;
  return text.split('\n').some((line) => !/^\s*#/.test(line) && NODE_IN_SHELL.test(line));
}

function firstLineOf(text: string): string {
  return text.split('\n', 1)[0];
}

/** The `node` that a script's first line finds. */
export function nodeOnPath(env: readonly string[]): string {
  const path =
    env.find((entry) => entry.startsWith('PATH='))?.slice('PATH='.length) ?? '/bin:/usr/bin';
  for (const directory of path.split(':')) {
    const file = `${directory === '' ? '.' : directory}/node`;
    if (beginning(file) !== '') return file;
  }
  return 'node';
}

function realPath(path: string): string {
  try {
    return realpathSync(fsPath(path));
  } catch {
    return path;
  }
}

/** The beginning of a file, a character for each byte; empty where it can't be read. */
function beginning(path: string): string {
  let file: number;
  try {
    file = openSync(fsPath(path), constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return '';
  }
  try {
    const bytes = Buffer.alloc(SCRIPT_BYTES);
    return bytes.toString('latin1', 0, readSync(file, bytes, 0, SCRIPT_BYTES, 0));
  } catch {
    return '';
  } finally {
    closeSync(file);
  }
}
