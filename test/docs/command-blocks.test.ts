// The command blocks of the pages are well-formed. That they work is tested by run-commands.test.ts.

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type Block,
  blocksOf,
  commandsOf,
  exemptionOf,
  interruptsOf,
  isShell,
  pagesWithCommands,
  statusesOf,
} from '../helpers/command-blocks.ts';

const root = resolve(import.meta.dirname, '../..');
const pages = pagesWithCommands(root);
const shell = pages.flatMap((page) => blocksOf(root, page)).filter(isShell);

/** More would make the test of the others a promise that is not kept. */
const MAX_EXEMPT = 22;

const placeOf = ({ page, line }: Block): string => `${page}:${line}`;

it('a block that is not run says why, and few are', () => {
  const exempt = shell.filter((block) => exemptionOf(block) !== null);
  for (const block of exempt) {
    console.log(`not run: ${placeOf(block)}: ${exemptionOf(block)}`);
    expect(exemptionOf(block)?.split(' ').length, placeOf(block)).toBeGreaterThan(2);
  }
  expect(exempt.length).toBeLessThanOrEqual(MAX_EXEMPT);
  expect(shell.length).toBeGreaterThan(2 * exempt.length);
});

it('each command block has commands, with a status for each where statuses are given', () => {
  for (const block of shell.filter((candidate) => exemptionOf(candidate) === null)) {
    expect(commandsOf(block).length, placeOf(block)).toBeGreaterThan(0);
    expect(statusesOf(block).length, placeOf(block)).toBe(commandsOf(block).length);
  }
});

it('a comment above a block is one that the test understands', () => {
  for (const block of shell.filter(({ comment }) => comment !== null)) {
    const { comment } = block;
    const isKnown =
      exemptionOf(block) !== null ||
      interruptsOf(block).length > 0 ||
      /^statuses: \d+(?:[ |]\d+)*$/.test(comment ?? '');
    expect(isKnown, `${placeOf(block)}: ${comment}`).toBe(true);
  }
});

it.each(pages)('%s has its commands in fenced blocks of a shell', (page) => {
  const text = readFileSync(join(root, page), 'utf8');
  const fenced = blocksOf(root, page);
  const outside = fenced.reduce((rest, block) => rest.replace(`\n${block.text}\n`, '\n'), text);
  expect(outside.split('\n').filter((line) => /^ {4}(?:\$ |sudo |perf-ts )/.test(line))).toEqual(
    [],
  );
  const other = fenced.filter((block) => !isShell(block) && /^\$ /m.test(block.text));
  expect(other.map(placeOf)).toEqual([]);
});

describe('commands of a block', () => {
  const block = (language: string, text: string, comment: string | null = null): Block => ({
    page: 'page.md',
    line: 1,
    language,
    text,
    comment,
  });

  it('commands stand behind a dollar, with output between them, and may have several lines', () => {
    const text = "$ one # it's one\nits output\n$ two \\\n    three\n$ four 'a\n  b'\n$ five &";
    const expected = ["one # it's one", 'two \\\n    three', "four 'a\n  b'", 'five &'];
    expect(commandsOf(block('console', text))).toEqual(expected);
  });

  it('commands are the lines of a block of sh that are no comments', () => {
    expect(commandsOf(block('sh', '# why\none   # two\n\nthree'))).toEqual([
      'one   # two',
      'three',
    ]);
  });

  it('commands have a status each, which is 0 where none is given', () => {
    expect(statusesOf(block('sh', 'one\ntwo'))).toEqual([[0], [0]]);
    expect(statusesOf(block('sh', 'one\ntwo', 'statuses: 0 0|125'))).toEqual([[0], [0, 125]]);
  });

  it('commands are interrupted after the texts that are given', () => {
    const comment = 'Ctrl-C after: "http://", "samples of"';
    expect(interruptsOf(block('sh', 'one', comment))).toEqual(['http://', 'samples of']);
  });
});
