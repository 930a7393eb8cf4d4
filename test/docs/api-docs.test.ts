// Every name that the library exports is explained where it is declared: editors show that text, and
// `npm run docs` makes the pages of the API from it.

import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const INDEX = join(ROOT, 'src/index.ts');
const LIST = /^export (?:type )?(?:\{([^}]*)\}|\*) from '([^']+)';/gm;
const DECLARATION =
  /^export (?:declare |abstract |async )*(?:type|interface|class|function\*?|const) (\w+)/gm;

/** The names that one statement of index.ts exports, and the file that declares them. */
type Statement = { readonly file: string; readonly names: readonly string[] };

function exportedStatements(): Statement[] {
  return [...readFileSync(INDEX, 'utf8').matchAll(LIST)].map(([, list, path]) => {
    const file = join(dirname(INDEX), path);
    return { file, names: list === undefined ? [...docstringsOf(file).keys()] : namesIn(list) };
  });
}

/** `{ type A, b as c }` declares A and b. */
function namesIn(list: string): string[] {
  const items = list.split(',').map((item) => item.trim());
  return items.filter((item) => item !== '').map((item) => item.replace(/^type | as .*/g, ''));
}

/** The declarations of a file with the docstrings above them; '' without one. */
function docstringsOf(file: string): Map<string, string> {
  const text = readFileSync(file, 'utf8');
  const found = new Map<string, string>();
  for (const { 1: name, index } of text.matchAll(DECLARATION)) {
    const before = text.slice(0, index).trimEnd();
    const comment = before.endsWith('*/') ? before.slice(before.lastIndexOf('/**')) : '';
    // Overloads after the first are explained by the first.
    if (!found.has(name))
      found.set(name, comment.replace(/^\s*(?:\/\*\*| \*\/?)|\*\/$/gm, '').trim());
  }
  return found;
}

test('every name that src/index.ts exports has a docstring', () => {
  const undocumented = exportedStatements().flatMap(({ file, names }) => {
    const docstrings = docstringsOf(file);
    const without = names.filter((name) => !docstrings.get(name));
    return without.map((name) => `${relative(ROOT, file)}: ${name}`);
  });
  expect(undocumented).toEqual([]);
});

test('the docstring of an exported name begins with its subject', () => {
  const headless = exportedStatements().flatMap(({ file, names }) => {
    const docstrings = docstringsOf(file);
    const wrong = names.filter((name) =>
      /^(?:Of|What|Where|As|In) /.test(docstrings.get(name) ?? ''),
    );
    return wrong.map((name) => `${relative(ROOT, file)}: ${name}`);
  });
  expect(headless).toEqual([]);
});

test('src/index.ts exports at least the names of the contract', () => {
  const names = exportedStatements().flatMap((statement) => statement.names);
  expect(names).toEqual(
    expect.arrayContaining(['record', 'live', 'openGroup', 'openProfile', 'Profile', 'EventIndex']),
  );
});
