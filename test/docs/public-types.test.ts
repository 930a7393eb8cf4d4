// The part of the built package that a user's compiler reads: the declarations that index.d.ts leads to.

import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { projectRoot } from '../helpers/cli.ts';

const dist = join(projectRoot, 'dist');

/** Declarations by path in dist/, with what they import. */
function publicDeclarations(): Map<string, string> {
  const texts = new Map<string, string>();
  const open = ['index.d.ts'];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (texts.has(file)) continue;
    const text = readFileSync(join(dist, file), 'utf8');
    texts.set(file, text);
    for (const [, name] of text.matchAll(/(?:from|import\()\s*['"](\.[^'"]+)['"]/g)) {
      const path = join(dist, dirname(file), name.replace(/\.[jt]s$/, '.d.ts'));
      open.push(relative(dist, path));
    }
  }
  return texts;
}

it('the public declarations compile with TypeScript before 5.7: typed arrays take no argument', () => {
  const declarations = publicDeclarations();
  expect(declarations.size).toBeGreaterThan(100);
  const generic = /\b(?:\w+Array|DataView|Buffer)<(?:ArrayBuffer|SharedArrayBuffer)/;
  const wrong = [...declarations].filter(([, text]) => generic.test(text)).map(([file]) => file);
  expect(wrong).toEqual([]);
});

it('the public declarations import with extensions that every resolution knows', () => {
  const wrong = [...publicDeclarations()].flatMap(([file, text]) =>
    [...text.matchAll(/from ['"](\.[^'"]+)['"]/g)]
      .filter(([, name]) => !name.endsWith('.js') && !name.endsWith('.ts'))
      .map(([, name]) => `${file}: ${name}`),
  );
  expect(wrong).toEqual([]);
});
