import type { Command } from 'commander';
import { listEventsHere } from '../../tools/list/list-events.ts';
import { writeOut } from '../shared/stdout.ts';
import { bashCompletion } from './bash.ts';
import { type CommandWords, commandWordsOf } from './command-words.ts';
import { fishCompletion } from './fish.ts';
import { zshCompletion } from './zsh.ts';

const SHELLS: Readonly<Record<string, (commands: readonly CommandWords[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** Names that no shell takes apart or expands. */
const PLAIN = /^[\w:./-]+$/;

/** `perf-ts completion`: a script for a shell, or the events of this machine, one a line. */
export function runCompletion(shell: string, program: Command): void {
  const script = SHELLS[shell];
  writeOut(script === undefined ? eventNames() : script(commandWordsOf(program)));
}

function eventNames(): string {
  const names = listEventsHere(undefined, { tryEach: false }).flatMap(({ events }) =>
    events.flatMap(({ name, aliases }) => [name, ...aliases]),
  );
  return names
    .filter((name) => PLAIN.test(name))
    .map((name) => `${name}\n`)
    .join('');
}
