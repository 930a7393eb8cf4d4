// SECURITY.md names the files that keep its promises, and the tests that hold them.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../helpers/cli.ts';

const page = readFileSync(join(projectRoot, 'SECURITY.md'), 'utf8');

/** `path`: "title", "title" in the last column of a row. */
function heldBy(): { path: string; title: string }[] {
  return page
    .split('\n')
    .filter((line) => line.startsWith('| ') && line.includes('test/'))
    .flatMap((line) => (line.split(' | ').at(-1) as string).split(/; (?=`test\/)/))
    .flatMap((part) => {
      const path = /^`([^`]+)`/.exec(part)?.[1] as string;
      return [...part.matchAll(/"([^"]+)"/g)].map(([, title]) => ({
        path,
        title: title,
      }));
    });
}

test('every file that the page names exists', () => {
  const paths = [...page.matchAll(/`((?:src|native|test)\/[^`]*)`/g)].map(([, path]) => path);
  expect(paths.length).toBeGreaterThan(40);
  expect(paths.filter((path) => !existsSync(join(projectRoot, path)))).toEqual([]);
});

test('every test that holds a promise is in the file that the page names', () => {
  const tests = heldBy();
  expect(tests.length).toBeGreaterThan(35);
  const missing = tests.filter(
    ({ path, title }) => !readFileSync(join(projectRoot, path), 'utf8').includes(title),
  );
  expect(missing).toEqual([]);
});

test('every promise names a file and a test', () => {
  const rows = page.split('\n').filter((line) => /^\| (?!promise|---)/.test(line));
  expect(rows.length).toBeGreaterThan(15);
  expect(rows.filter((row) => !/\| `(src|native)\/.*\| `(native\/)?test\//.test(row))).toEqual([]);
});
