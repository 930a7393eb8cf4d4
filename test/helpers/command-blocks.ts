// The command blocks of pages: what a reader is told to type, and what the test does with it.
//
//   <!-- not run: REASON -->       the block stays out
//   <!-- statuses: 0 0|125 -->     the exit status of each command (0 where nothing is said); of the second
//                                  either: it depends on the machine
//   <!-- Ctrl-C after: "TEXT" -->  a command runs on: Ctrl-C each time it prints the next of the texts
//
// stands as a comment on the line above the block, which a reader of the page does not see.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A fenced block; `text` has none of the indentation of its fence. */
export type Block = {
  readonly page: string;
  /** The line of its fence, from 1. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** The comment above it, without the brackets; null: none. */
  readonly comment: string | null;
};

const SHELL = new Set(['console', 'sh', 'bash']);

/** The pages whose commands are run: all that an installed perf-ts has, but decisions and those made of declarations. */
export function pagesWithCommands(root: string): string[] {
  const below = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter(
      (name) => name.endsWith('.md') && !/^(?:api|decisions|reference\/commands)\//.test(name),
    )
    .map((name) => join('docs', name));
  return ['README.md', 'SECURITY.md', 'examples/README.md', ...below.sort()];
}

/** All fenced blocks of a page. */
export function blocksOf(root: string, page: string): Block[] {
  const lines = readFileSync(join(root, page), 'utf8').split('\n');
  const blocks: Block[] = [];
  for (let row = 0; row < lines.length; row++) {
    const fence = /^( *)```(\S*)$/.exec(lines[row]);
    if (fence === null) continue;
    const [, indent, language] = fence;
    const end = lines.indexOf(`${indent}\`\`\``, row + 1);
    if (end === -1) throw new Error(`${page}:${row + 1}: the block has no end`);
    const text = lines.slice(row + 1, end).map((line) => line.slice(indent.length));
    const comment = /^ *<!-- (.+) -->$/.exec(lines[row - 1] ?? '')?.[1] ?? null;
    blocks.push({ page, line: row + 1, language, text: text.join('\n'), comment });
    row = end;
  }
  return blocks;
}

export const isShell = ({ language }: Block): boolean => SHELL.has(language);

/** Why a block is not run; null: it is. */
export function exemptionOf({ comment }: Block): string | null {
  return /^not run: (.+)$/.exec(comment ?? '')?.[1] ?? null;
}

/** The texts after which Ctrl-C is pressed. */
export function interruptsOf({ comment }: Block): string[] {
  const texts = /^Ctrl-C after: (.+)$/.exec(comment ?? '')?.[1] ?? '';
  return [...texts.matchAll(/"([^"]+)"/g)].map(([, text]) => text);
}

/** The commands of a shell block. In a `console` block they stand behind `$ `, and output below them. */
export function commandsOf({ language, text }: Block): string[] {
  const commands: string[] = [];
  let unfinished = '';
  for (const line of text.split('\n')) {
    const isOutput = language === 'console' && unfinished === '' && !line.startsWith('$ ');
    if (isOutput || (unfinished === '' && /^\s*(?:#|$)/.test(line))) continue;
    const typed = unfinished === '' && language === 'console' ? line.slice(2) : line;
    unfinished += unfinished === '' ? typed : `\n${typed}`;
    if (goesOn(unfinished)) continue;
    commands.push(unfinished);
    unfinished = '';
  }
  if (unfinished !== '') throw new Error(`a command has no end: ${unfinished}`);
  return commands;
}

/** Whether the shell would ask for more: a backslash at the end, or a quote that is not closed. */
function goesOn(command: string): boolean {
  let quote = '';
  for (let i = 0; i < command.length; i++) {
    const letter = command[i];
    if (letter === '\\' && quote !== "'") i++;
    else if (quote !== '') quote = letter === quote ? '' : quote;
    else if (letter === '"' || letter === "'") quote = letter;
    else if (letter === '#' && /\s/.test(command[i - 1] ?? ' ')) {
      const end = command.indexOf('\n', i);
      if (end === -1) return false;
      i = end;
    }
  }
  return quote !== '' || /\\$/.test(command);
}

/** The exit statuses that each of the commands may have. */
export function statusesOf(block: Block): number[][] {
  const reported = /^statuses: ([\d| ]+)$/.exec(block.comment ?? '')?.[1];
  if (reported === undefined) return commandsOf(block).map(() => [0]);
  return reported.split(' ').map((choice) => choice.split('|').map(Number));
}
