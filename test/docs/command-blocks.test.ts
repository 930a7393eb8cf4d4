// The command blocks of the pages are well-formed. That they work is tested by run-commands.test.ts.

import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type Block,
  blocksOf,
  claimsOf,
  commandsOf,
  exampleOf,
  exemptionOf,
  interruptsOf,
  isShell,
  isUnderstood,
  pagesWithCommands,
  statusesOf,
  typedOf,
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
  const unknown = shell.flatMap((block) =>
    block.comments
      .filter((comment) => !isUnderstood(block, comment))
      .map((comment) => `${placeOf(block)}: ${comment}`),
  );
  expect(unknown).toEqual([]);
});

it('a block that is not run and shows figures names a test that shows them', () => {
  const unproven = shell.filter((block) => {
    const reason = exemptionOf(block);
    const shown = typedOf(block).flatMap((typed) => typed.shown);
    if (reason === null || !shown.some((line) => /\d/.test(line))) return false;
    const tests = reason.match(/\btest\/[\w/-]+\.test\.ts\b/g) ?? [];
    return tests.length === 0 || !tests.every((path) => existsSync(join(root, path)));
  });
  expect(unproven.map(placeOf)).toEqual([]);
});

it('a block whose output is of one day has claims that are compared', () => {
  const unproven = shell.filter(
    (block) => exampleOf(block) !== null && claimsOf(block).length === 0,
  );
  expect(unproven.map(placeOf)).toEqual([]);
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
  const block = (language: string, text: string, ...comments: string[]): Block => ({
    page: 'page.md',
    line: 1,
    language,
    text,
    comments,
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

  it('commands have the output that is shown below them', () => {
    expect(typedOf(block('console', '$ one\n1\n\n$ one\n2'))).toEqual([
      { command: 'one', shown: ['1', ''] },
      { command: 'one', shown: ['2'] },
    ]);
  });

  it('claims are of the last command, or of the one that has their words', () => {
    const comments = ['prints: {1–2} rows', '"one" self of mix: 60–95%', 'a : b = 2 : 1'];
    expect(claimsOf(block('sh', 'one\ntwo', ...comments))).toEqual([
      { command: 1, claim: { kind: 'line', pattern: '{1–2} rows' } },
      { command: 0, claim: { kind: 'share', column: 'self', name: 'mix', low: 60, high: 95 } },
      { command: 1, claim: { kind: 'ratio', names: ['a', 'b'], parts: [2, 1], within: 0 } },
    ]);
    expect(() => claimsOf(block('sh', 'one\ntwo', '"none" prints: 1'))).toThrow('0 commands');
  });

  it('commands are interrupted after the texts that are given', () => {
    const comment = 'Ctrl-C after: "http://", "samples of"';
    expect(interruptsOf(block('sh', 'one', comment))).toEqual(['http://', 'samples of']);
  });
});
