import { closeSync, constants, openSync, readSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { CommandSpec } from '../../native/types.ts';
import { fsPath } from '../files/byte-path.ts';
import { findHeldNode, NODE } from './node-program.ts';
import { realPath } from './program-file.ts';
import { findWrapped } from './wrapped-command.ts';

/** How a command comes to run Node. */
export type NodeCommand = {
  /** The program that runs the JavaScript. */
  readonly node: string;
  /** Index of that program among the command's words, before Node's own; −1 if it does not. */
  readonly at: number;
  /** True where NODE_OPTIONS of the command do not reach Node, but its words do. */
  readonly losesOptions: boolean;
  /** Text that reports how Node is started, beside its own words: a script, a Makefile. */
  readonly text: string;
};

const SHEBANG_NODE = /^#!.*[\s/](?:node|nodejs)(?:\s|$)/;
const SHEBANG_SHELL = /^#!.*[\s/](?:sh|bash|dash|zsh|ash|ksh)(?:\s|$)/;
/** A wrapper of a package manager has a kilobyte. */
const SCRIPT_BYTES = 65536;
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];
/** A chain of wrappers longer than this is none. */
const MAX_WRAPPERS = 8;
/** Files that commands of a script or a Makefile run, and theirs: some run themselves. */
const MAX_FILES = 16;

/**
 * Whether the command runs Node: by its name, by the first line of its script, by what a shell or
 * make is told to do, by Node's mark in a program of any name, or by the words that a wrapper runs
 * (`timeout 10 node x.js`); null where nothing shows it. Other programs may start Node too: the user says `--node-flags` then, and a
 * recording reports what it has seen.
 */
export function findNode(command: CommandSpec): NodeCommand | null {
  const isRoot = (command.user?.uid ?? process.geteuid?.()) === 0;
  let { path, argv } = command;
  let at = 0;
  let losesOptions = false;
  for (let depth = 0; depth < MAX_WRAPPERS; depth++) {
    const wrapped = findWrapped([path, ...argv.slice(1)], isRoot);
    if (wrapped === null) break;
    at += wrapped.at;
    losesOptions ||= wrapped.losesOptions;
    argv = argv.slice(wrapped.at);
    path = onPath(argv[0], command.env);
  }
  const found = findUnwrapped(path, argv, command.env);
  if (found === null) return null;
  return { ...found, at: found.at < 0 ? -1 : at, losesOptions };
}

type Unwrapped = Omit<NodeCommand, 'losesOptions'>;

function findUnwrapped(
  path: string,
  argv: readonly string[],
  env: readonly string[],
): Unwrapped | null {
  const name = basename(path);
  if (NODE.test(name) || NODE.test(basename(realPath(path)))) {
    // Node runs a script of the package by itself.
    const text = argv.includes('--run') ? beginning('package.json') : '';
    return { node: path, at: 0, text };
  }
  const byOther = (text: string): Unwrapped => ({ node: nodeOnPath(env), at: -1, text });
  const inShell = (text: string): Unwrapped | null => {
    const texts = [text];
    return startsNodeInShell(text, filesInto(texts)) ? byOther(texts.join('\n')) : null;
  };
  if (STARTERS.test(name)) return byOther('');
  const reported = SHELLS.test(name) ? forShell(argv) : name === 'make' ? makefile(argv) : null;
  if (reported !== null) return inShell(reported);
  const text = beginning(path);
  const first = firstLineOf(text);
  if (SHEBANG_NODE.test(first)) return byOther(text);
  if (SHEBANG_SHELL.test(first)) return inShell(text);
  const held = findHeldNode(path);
  if (held === null) return null;
  // The words of an application are its own, none of them Node's.
  return { node: path, at: held === 'application' ? -1 : 0, text: '' };
}

/** Reads the files that commands take their text from, and adds it to `texts`. */
function filesInto(texts: string[]): TextOf {
  return (words) => {
    if (texts.length > MAX_FILES) return '';
    const text = fileOf(words);
    if (text !== '') texts.push(text);
    return text;
  };
}

function fileOf(words: readonly string[]): string {
  const name = basename(words[0]);
  if (name === 'make') return makefile(words);
  if (SHELLS.test(name)) return forShell(words);
  if (!words[0].includes('/')) return '';
  const text = beginning(words[0]);
  const first = firstLineOf(text);
  if (SHEBANG_NODE.test(first) || findHeldNode(words[0]) !== null) return 'node';
  return SHEBANG_SHELL.test(first) ? text : '';
}

/** The commands that a shell is given, in its words or in a file. */
function forShell(argv: readonly string[]): string {
  const option = argv.findIndex((word, index) => index > 0 && SHELL_COMMANDS.test(word));
  if (option > 0) return argv[option + 1] ?? '';
  const file = argv.find(
    (word, index) => index > 0 && !/^[-+]/.test(word) && argv[index - 1] !== '-o',
  );
  return file === undefined ? '' : beginning(file);
}

/** The recipes of a Makefile, each line without make's own signs. */
function makefile(argv: readonly string[]): string {
  const optionValue = (pattern: RegExp): string | undefined => {
    const index = argv.findIndex((word) => pattern.test(word));
    if (index < 0) return undefined;
    return argv[index].replace(pattern, '') || argv[index + 1];
  };
  const directory = optionValue(/^(?:-C|--directory=?)/) ?? '.';
  const given = optionValue(/^(?:-f|--(?:make)?file=?)/);
  const texts = (given === undefined ? MAKEFILES : [given]).map((file) =>
    beginning(resolve(directory, file)),
  );
  const text = texts.find((found) => found !== '') ?? '';
  const recipes = text.split('\n').filter((line) => line.startsWith('\t'));
  return recipes.map((line) => line.replace(/^\t[\s@+-]*/, '')).join('\n');
}

function firstLineOf(text: string): string {
  return text.split('\n', 1)[0];
}

/** The `node` that a script's first line finds. */
export function nodeOnPath(env: readonly string[]): string {
  return onPath('node', env);
}

/** The file that a name leads to; the name where there is none. */
function onPath(name: string, env: readonly string[]): string {
  if (name.includes('/')) return name;
  const path =
    env.find((entry) => entry.startsWith('PATH='))?.slice('PATH='.length) ?? '/bin:/usr/bin';
  for (const directory of path.split(':')) {
    const file = `${directory === '' ? '.' : directory}/${name}`;
    if (beginning(file) !== '') return file;
  }
  return name;
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

/** Programs whose whole purpose is to start Node, some of them through a shell script. */
const STARTERS = /^(?:npm|npx|pnpm|pnpx|yarn|yarnpkg|tsx|ts-node|ts-node-esm|nodemon|pm2)$/;
const SHELLS = /^(?:sh|bash|dash|zsh|ash|ksh)$/;
/** An option of a shell after which its commands stand: `-c`, `-lc`. */
const SHELL_COMMANDS = /^-[a-z]*c$/;

const KEYWORDS = /^(?:!|\{|if|then|elif|else|while|until|do|exec|command|builtin|eval|time)$/;
const ASSIGNMENT = /^[A-Za-z_]\w*=/;
/** `NODE_OPTIONS="--no-warnings $NODE_OPTIONS"`: one word, whatever is in it. */
const QUOTED_VALUE = /(\b[A-Za-z_]\w*=)(?:"[^"\n]*"|'[^'\n]*')/g;

/** The commands that a command takes from a file: a script, a Makefile; empty where it takes none. */
type TextOf = (words: readonly string[]) => string;

/**
 * Whether commands for a shell start Node, as far as their words, and the files that they run, show it:
 *
 *     cd app && NODE_ENV=production exec timeout 10 node server.js
 *     timeout 60 make bench && ./smoke.sh
 *
 * All of the files are read, whichever shows it: the caller looks in them for Node's options.
 */
function startsNodeInShell(text: string, textOf: TextOf): boolean {
  if (text === '') return false;
  return text
    .replace(/\\\n/g, ' ')
    .replace(QUOTED_VALUE, '$1x')
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .flatMap((line) => line.split(/[;&|(){}`]/))
    .map((command) => isNodeCommand(command.replace(/["']/g, ' ').trim().split(/\s+/), textOf))
    .includes(true);
}

function isNodeCommand(words: readonly string[], textOf: TextOf): boolean {
  const at = words.findIndex((word) => !KEYWORDS.test(word) && !ASSIGNMENT.test(word));
  if (at < 0) return false;
  const command = words.slice(at);
  const name = basename(command[0]);
  if (NODE.test(name) || STARTERS.test(name)) return true;
  if (SHELLS.test(name)) {
    const option = command.findIndex((word) => SHELL_COMMANDS.test(word));
    if (option > 0) return isNodeCommand(command.slice(option + 1), textOf);
  }
  const wrapped = findWrapped(command, false);
  if (wrapped === null) return startsNodeInShell(textOf(command), textOf);
  return !wrapped.losesOptions && isNodeCommand(command.slice(wrapped.at), textOf);
}
