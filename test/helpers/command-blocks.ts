// The command blocks of pages: what a reader is told to type, what the page claims that it prints, and what the test does.
//
//   <!-- not run: REASON -->          the block stays out; one with figures names the test that shows them
//   <!-- as: a user -->               root runs it as an ordinary user
//   <!-- statuses: 0 0|125 -->        the exit status of each command, 0 without this line; the second may have either, and
//                                     what the page shows of it is compared where it has the first
//   <!-- Ctrl-C after: "TEXT" -->     a command runs on: Ctrl-C each time it prints the next of the texts
//   <!-- example: REASON -->          what the block shows is of one day, and only the claims are compared
//   <!-- prints: TEXT -->             a line of the last command's output, in the notation of `printed-line.ts`
//   <!-- "query top" prints: TEXT --> the same of the command that has these words
//   <!-- self of mix: 60–95% -->      the share of a row that the block shows, where the program is made for it (`total of`)
//   <!-- solve : checksum = 2 : 1 --> the ratio of two functions' totals, by the program's construction; `within 25%`
//                                     where stacks lack callers, which leaves out as much at most
//
// stand as comments on the lines above the block, which a reader of the page does not see. Output that the block shows
// is compared without any (`compare-output.ts`).

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A fenced block; `text` has none of the indentation of its fence. */
export type Block = {
  readonly page: string;
  /** The line of its fence, from 1. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** The comments above it, one a line, without the brackets. */
  readonly comments: readonly string[];
};

/** A command that a block has typed, and the lines that the page shows below it. */
export type Typed = { readonly command: string; readonly shown: readonly string[] };

/** A claim about the output of one command of a block. */
export type Claim =
  | { readonly kind: 'line'; readonly pattern: string }
  | {
      readonly kind: 'share';
      readonly column: 'self' | 'total';
      readonly name: string;
      /** In percent. */
      readonly low: number;
      readonly high: number;
    }
  | {
      readonly kind: 'ratio';
      readonly names: readonly string[];
      readonly parts: readonly number[];
      /** In percent of the ratio. */
      readonly within: number;
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
    const comments = commentsAbove(lines, row);
    blocks.push({ page, line: row + 1, language, text: text.join('\n'), comments });
    row = end;
  }
  return blocks;
}

function commentsAbove(lines: readonly string[], row: number): string[] {
  const comments: string[] = [];
  for (let above = row - 1; above >= 0; above--) {
    const comment = /^ *<!-- (.+) -->$/.exec(lines[above])?.[1];
    if (comment === undefined) break;
    comments.unshift(comment);
  }
  return comments;
}

export const isShell = ({ language }: Block): boolean => SHELL.has(language);

/** The rest of the first comment that matches. */
const commentOf = ({ comments }: Block, kind: RegExp): string | undefined =>
  comments.map((comment) => kind.exec(comment)?.[1]).find((rest) => rest !== undefined);

/** Why a block is not run; null: it is. */
export const exemptionOf = (block: Block): string | null =>
  commentOf(block, /^not run: (.+)$/) ?? null;

/** Why what the block shows is not compared; null: it is. */
export const exampleOf = (block: Block): string | null =>
  commentOf(block, /^example: (.+)$/) ?? null;

/** Whether the page has it typed by an ordinary user. */
export const isOfUser = ({ comments }: Block): boolean => comments.includes('as: a user');

/** The texts after which Ctrl-C is pressed. */
export function interruptsOf(block: Block): string[] {
  const texts = commentOf(block, /^Ctrl-C after: (.+)$/) ?? '';
  return [...texts.matchAll(/"([^"]+)"/g)].map(([, text]) => text);
}

/** The claims of the comments, by the index of the command whose output they are about. */
export function claimsOf(block: Block): { readonly command: number; readonly claim: Claim }[] {
  const commands = commandsOf(block);
  return block.comments.flatMap((comment) => {
    const [, words, rest] = /^(?:"([^"]+)" )?(.+)$/.exec(comment) ?? [];
    const claim = parseClaim(rest ?? '');
    if (claim === null) return [];
    const named = commands.flatMap((each, index) =>
      words === undefined || each.includes(words) ? [index] : [],
    );
    if (named.length === 0 || (words !== undefined && named.length > 1))
      throw new Error(`${block.page}:${block.line}: ${named.length} commands have "${words}"`);
    return [{ command: named[named.length - 1], claim }];
  });
}

const FIGURE = '(\\d+(?:\\.\\d+)?)';
const SHARE = new RegExp(`^(self|total) of (.+): ${FIGURE}–${FIGURE}%$`);
const RATIO = new RegExp(`^(.+) : (.+) = ${FIGURE} : ${FIGURE}(?: within ${FIGURE}%)?$`);

function parseClaim(text: string): Claim | null {
  const line = /^prints: (.+)$/.exec(text);
  if (line !== null) return { kind: 'line', pattern: line[1] };
  const share = SHARE.exec(text);
  if (share !== null) {
    const [, column, name, low, high] = share;
    return {
      kind: 'share',
      column: column as 'self' | 'total',
      name,
      low: Number(low),
      high: Number(high),
    };
  }
  const ratio = RATIO.exec(text);
  if (ratio === null) return null;
  const [, one, other, left, right, within] = ratio;
  const parts = [Number(left), Number(right)];
  return { kind: 'ratio', names: [one, other], parts, within: Number(within ?? 0) };
}

/** The commands of a shell block. In a `console` block they stand behind `$ `, and output below them. */
export const commandsOf = (block: Block): string[] => typedOf(block).map(({ command }) => command);

/** The commands of a shell block, each with the output that the page shows. */
export function typedOf({ language, text }: Block): Typed[] {
  const typed: { command: string; shown: string[] }[] = [];
  let unfinished = '';
  for (const line of text.split('\n')) {
    const isOutput = language === 'console' && unfinished === '' && !line.startsWith('$ ');
    if (isOutput) typed.at(-1)?.shown.push(line);
    if (isOutput || (unfinished === '' && /^\s*(?:#|$)/.test(line))) continue;
    const words = unfinished === '' && language === 'console' ? line.slice(2) : line;
    unfinished += unfinished === '' ? words : `\n${words}`;
    if (goesOn(unfinished)) continue;
    typed.push({ command: unfinished, shown: [] });
    unfinished = '';
  }
  if (unfinished !== '') throw new Error(`a command has no end: ${unfinished}`);
  return typed;
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
  const reported = commentOf(block, /^statuses: (\d+(?:[ |]\d+)*)$/);
  if (reported === undefined) return commandsOf(block).map(() => [0]);
  return reported.split(' ').map((choice) => choice.split('|').map(Number));
}

/** Whether each comment of a block is one of the notation. */
export const isUnderstood = (block: Block, comment: string): boolean => {
  const alone = { ...block, comments: [comment] };
  return (
    exemptionOf(alone) !== null ||
    isOfUser(alone) ||
    exampleOf(alone) !== null ||
    interruptsOf(alone).length > 0 ||
    /^statuses: \d+(?:[ |]\d+)*$/.test(comment) ||
    claimsOf(alone).length > 0
  );
};
