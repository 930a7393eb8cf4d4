// Commands within the text and tables of the pages: each names a command that there is, with options that it
// has. Those in blocks are run by run-commands.test.ts.

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { blocksOf, pagesWithCommands } from '../helpers/command-blocks.ts';
import { faultOf } from '../helpers/known-options.ts';

const root = resolve(import.meta.dirname, '../..');

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
  expect(inlineCommandsOf('docs/by-task.md').length).toBeGreaterThan(30);
});
