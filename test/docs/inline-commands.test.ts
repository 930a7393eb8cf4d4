// Commands within the text and tables of the pages: each names a command that there is, with options that it
// has. Those in blocks are run by run-commands.test.ts.

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { declareProgram } from '../../src/cli/declare-program.ts';
import { blocksOf, pagesWithCommands } from '../helpers/command-blocks.ts';

const root = resolve(import.meta.dirname, '../..');
const program: Command = declareProgram();

/** Code in the running text that begins with perf-ts; a `|` is escaped in tables. */
function inlineCommandsOf(page: string): string[] {
  const text = readFileSync(join(root, page), 'utf8');
  const outside = blocksOf(root, page).reduce(
    (rest, block) => rest.replace(`\n${block.text}\n`, '\n'),
    text,
  );
  return [...outside.matchAll(/`(?:sudo )?perf-ts ([^`]+)`/g)].map(([, words]) =>
    words.replaceAll('\\|', '|'),
  );
}

/** The mistake in `words`, which stand behind `perf-ts`; null: nothing. */
function faultOf(words: string): string | null {
  // The recorded command, a pipe and what follows it are not ours.
  const ours = words.split(/ (?:-- |[|>]|&& )/)[0].replace(/'[^']*'|"[^"]*"/g, 'TEXT');
  const [name, ...rest] = ours.trim().split(/\s+/);
  if (name.startsWith('-') || /^[A-Z…]/.test(name)) return null;
  const command = program.commands.find((one) => one.name() === name);
  if (command === undefined) return `there is no command ${name}`;
  const known = new Set([...command.options, ...program.options].flatMap(flagsOf));
  const unknown = rest
    .filter((word) => /^--?[a-zA-Z]/.test(word))
    .find((word) => {
      const [flag] = word.split('=');
      return !known.has(flag) && !known.has(flag.slice(0, 2));
    });
  return unknown === undefined ? null : `${name} has no option ${unknown}`;
}

function flagsOf({ short, long }: Command['options'][number]): string[] {
  return ['-h', '--help', short, long].filter((flag) => flag !== undefined);
}

it.each(pagesWithCommands(root))('%s names commands and options that there are', (page) => {
  const faults = inlineCommandsOf(page).flatMap((words) => {
    const fault = faultOf(words);
    return fault === null ? [] : [`perf-ts ${words}: ${fault}`];
  });
  expect(faults).toEqual([]);
});

it('a command or an option that there is not is found', () => {
  expect(faultOf('reprot')).toBe('there is no command reprot');
  expect(faultOf('report --no-such')).toBe('report has no option --no-such');
  expect(faultOf('record -g -F99 -- node --inspect app.js')).toBeNull();
  expect(inlineCommandsOf('README.md').length).toBeGreaterThan(30);
});
