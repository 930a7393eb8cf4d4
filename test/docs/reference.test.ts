// docs/reference/commands is made of the declared commands; `npm run reference` writes it anew.

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { markdownPages } from '../../src/cli/reference/pages.ts';

const folder = resolve(import.meta.dirname, '../../docs/reference/commands');
const pages = markdownPages();

test('docs/reference/commands has a page for each command, and no other', () => {
  expect(readdirSync(folder).sort()).toEqual(pages.map(({ file }) => file).sort());
});

test.each(pages)(
  'docs/reference/commands/$file is as declared; npm run reference writes it',
  (page) => {
    expect(readFileSync(join(folder, page.file), 'utf8')).toBe(page.text);
  },
);
