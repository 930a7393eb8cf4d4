import { basename } from 'node:path';
import { NODE } from './node-program.ts';
import { findWrapped } from './wrapped-command.ts';

/** Programs whose whole purpose is to start Node, some of them through a shell script. */
export const STARTERS = /^(?:npm|npx|pnpm|pnpx|yarn|yarnpkg|tsx|ts-node|ts-node-esm|nodemon|pm2)$/;
export const SHELLS = /^(?:sh|bash|dash|zsh|ash|ksh)$/;
/** An option of a shell after which its commands stand: `-c`, `-lc`. */
export const SHELL_COMMANDS = /^-[a-z]*c$/;

const KEYWORDS = /^(?:!|\{|if|then|elif|else|while|until|do|exec|command|builtin|eval|time)$/;
const ASSIGNMENT = /^[A-Za-z_]\w*=/;
/** `NODE_OPTIONS="--no-warnings $NODE_OPTIONS"`: one word, whatever is in it. */
const QUOTED_VALUE = /(\b[A-Za-z_]\w*=)(?:"[^"\n]*"|'[^'\n]*')/g;

/** The commands that a command takes from a file: a script, a Makefile; empty where it takes none. */
export type TextOf = (words: readonly string[]) => string;

/**
 * Whether commands for a shell start Node, as far as their words, and the files that they run, show it:
 *
 *     cd app && NODE_ENV=production exec timeout 10 node server.js
 *     timeout 60 make bench && ./smoke.sh
 *
 * All of the files are read, whichever shows it: the caller looks in them for Node's options.
 */
export function startsNodeInShell(text: string, textOf: TextOf): boolean {
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
