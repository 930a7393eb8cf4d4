// The names that src/index.ts exports, with the docstrings that editors and `npm run docs` show, and their examples.

import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { projectRoot } from './cli.ts';

export type PublicName = {
  readonly name: string;
  readonly isType: boolean;
  /** The file that declares it, and its name there. */
  readonly place: string;
  /** '' without one. */
  readonly docstring: string;
};

/** A program out of a docstring, by the name that it is an example of. */
export type Example = { readonly name: string; readonly code: string };

const INDEX = join(projectRoot, 'src/index.ts');
const LIST = /^export (type )?(?:\{([^}]*)\}|\*) from '([^']+)';/gm;
const ITEM = /^(type )?(\w+)(?: as (\w+))?$/;
const DECLARATION =
  /^export (?:declare |abstract |async )*(?:type|interface|class|function\*?|const) (\w+)/gm;
const EXAMPLE = /@example\n```ts\n([\s\S]*?)```/g;

export function publicNames(): PublicName[] {
  return [...readFileSync(INDEX, 'utf8').matchAll(LIST)].flatMap(([, isTypes, list, path]) => {
    const file = join(dirname(INDEX), path);
    const docstrings = docstringsOf(file);
    const items = list === undefined ? [...docstrings.keys()] : list.split(',');
    return items
      .map((item) => ITEM.exec(item.trim()))
      .filter((match) => match !== null)
      .map(([, isType, declared, name = declared]) => ({
        name,
        isType: (isTypes ?? isType) !== undefined,
        place: `${relative(projectRoot, file)}: ${declared}`,
        docstring: docstrings.get(declared) ?? '',
      }));
  });
}

/** The examples of all names, in the order of src/index.ts. */
export function publicExamples(): Example[] {
  return publicNames().flatMap(({ name, docstring }) =>
    [...docstring.matchAll(EXAMPLE)].map(([, code]) => ({ name, code })),
  );
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
      found.set(name, comment.replace(/^ *(?:\/\*\*| \*\/| \*) ?|\*\/$/gm, '').trim());
  }
  return found;
}
