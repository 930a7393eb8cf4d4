// The words that a newcomer has to read before the first profile, and the proof of what the first page claims.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectRoot } from '../helpers/cli.ts';

const textOf = (page: string): string => readFileSync(join(projectRoot, page), 'utf8');

/** In bytes. */
const LONGEST_README = 8 * 1024;
const MOST_WORDS = 150;

/** The words of a page down to a command, output and what no reader sees left out. */
function wordsBefore(page: string, command: string): number {
  const text = textOf(page);
  const end = text.indexOf(`$ ${command}`);
  expect(end, `${page} has no ${command}`).toBeGreaterThan(0);
  const read = `${text.slice(0, end)}$ ${command}`
    .replace(/<!--.*?-->/gs, '')
    .replace(/^(?:```.*|#+ |\$ )/gm, '')
    .replace(/\]\([^)]*\)/g, ']');
  return read.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

it('README is short', () => {
  expect(Buffer.byteLength(textOf('README.md'))).toBeLessThanOrEqual(LONGEST_README);
});

it.each([
  ['README.md', 'npx perf-ts app.js'],
  ['docs/how-to/your-first-profile.md', 'perf-ts app.js'],
])('%s has its first profile within 150 words', (page, command) => {
  const words = wordsBefore(page, command);
  console.log(`${page}: ${words} words before the first profile`);
  expect(words).toBeGreaterThan(2);
  expect(words).toBeLessThanOrEqual(MOST_WORDS);
});

it('each row of the comparison in README names a test that is there', () => {
  const [, table] = textOf('README.md').split('## Why this one\n');
  const rows = table.split('\n## ')[0].match(/^\| (?!\||---).+$/gm) ?? [];
  expect(rows.length).toBeGreaterThanOrEqual(6);
  for (const row of rows) {
    const path = /`(test\/[\w/-]+\.test\.ts)` \|$/.exec(row)?.[1];
    expect(path, row).toBeDefined();
    expect(existsSync(join(projectRoot, path ?? '')), row).toBe(true);
  }
});

it('the list of pages has every page of docs/how-to', () => {
  const list = textOf('docs/README.md');
  const pages = readdirSync(join(projectRoot, 'docs/how-to'));
  expect(pages.filter((page) => !list.includes(`(how-to/${page})`))).toEqual([]);
});

it('an unreleased version is a short list of what it does, without a history of its own', () => {
  const [, unreleased] = textOf('CHANGELOG.md').split(/^## .* \(unreleased\)\n/m);
  const part = unreleased.split('\n## ')[0];
  expect(Buffer.byteLength(part)).toBeLessThanOrEqual(LONGEST_README);
  expect(part.match(/\b(?:no longer|any more|used to|had)\b.*/g)).toBeNull();
});
