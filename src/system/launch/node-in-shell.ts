import { basename } from 'node:path';
import { findWrapped } from './wrapped-command.ts';

/** Programs whose whole purpose is to start Node, some of them through a shell script. */
export const STARTERS = /^(?:npm|npx|pnpm|pnpx|yarn|yarnpkg|tsx|ts-node|ts-node-esm|nodemon|pm2)$/;
export const NODE = /^(?:node|nodejs)(?:-?\d[\d.]*)?$/;
export const SHELLS = /^(?:sh|bash|dash|zsh|ash|ksh)$/;
/** An option of a shell after which its commands stand: `-c`, `-lc`. */
export const SHELL_COMMANDS = /^-[a-z]*c$/;

const KEYWORDS = /^(?:!|\{|if|then|elif|else|while|until|do|exec|command|builtin|eval|time)$/;
const ASSIGNMENT = /^[A-Za-z_]\w*=/;

/**
 * Whether commands for a shell start Node, as far as their words show it:
 *
 *     cd app && NODE_ENV=production exec timeout 10 node server.js
 */
export function startsNodeInShell(text: string): boolean {
  return text
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .flatMap((line) => line.split(/[;&|(){}`]/))
    .some((command) => isNodeCommand(command.replace(/["']/g, ' ').trim().split(/\s+/)));
}

function isNodeCommand(words: readonly string[]): boolean {
  const at = words.findIndex((word) => !KEYWORDS.test(word) && !ASSIGNMENT.test(word));
  if (at < 0) return false;
  const command = words.slice(at);
  const name = basename(command[0]);
  if (NODE.test(name) || STARTERS.test(name)) return true;
  if (SHELLS.test(name)) {
    const option = command.findIndex((word) => SHELL_COMMANDS.test(word));
    return option > 0 && isNodeCommand(command.slice(option + 1));
  }
  const wrapped = findWrapped(command, false);
  return wrapped !== null && !wrapped.losesOptions && isNodeCommand(command.slice(wrapped.at));
}
