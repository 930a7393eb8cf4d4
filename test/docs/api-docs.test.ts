// Every name that the library exports is explained where it is declared: editors show that text, and
// `npm run docs` makes the pages of the API from it.

import { expect, test } from 'vitest';
import * as library from '../../src/index.ts';
import { publicExamples, publicNames } from '../helpers/public-api.ts';

const places = (names: ReturnType<typeof publicNames>) => names.map(({ place }) => place);

test('every name that src/index.ts exports has a docstring', () => {
  expect(places(publicNames().filter(({ docstring }) => docstring === ''))).toEqual([]);
});

test('the docstring of an exported name begins with its subject', () => {
  const headless = publicNames().filter(({ docstring }) =>
    /^(?:Of|What|Where|As|In) /.test(docstring),
  );
  expect(places(headless)).toEqual([]);
});

test('src/index.ts exports at least the names of the contract', () => {
  const names = publicNames().map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['record', 'live', 'openGroup', 'openProfile', 'Profile', 'EventIndex']),
  );
});

test('every value that the library exports has an example, which test/release runs', () => {
  const shown = new Set(publicExamples().map(({ name }) => name));
  expect(Object.keys(library).filter((name) => !shown.has(name))).toEqual([]);
});

test('an example imports what it is an example of', () => {
  const others = publicExamples().filter(({ name, code }) => {
    const [, list = ''] = /import \{([^}]*)\} from 'perf-ts'/.exec(code) ?? [];
    return !list.split(',').some((item) => item.trim() === name);
  });
  expect(others).toEqual([]);
});

test('every type of options that is exported occurs in an example', () => {
  const programs = publicExamples()
    .map(({ code }) => code)
    .join('\n');
  const options = publicNames().filter(({ name }) =>
    /(?:Options|Defaults|AgentConfig)$/.test(name),
  );
  const missing = options.filter(({ name }) => !new RegExp(`: ${name}\\b`).test(programs));
  expect(missing.map(({ name }) => name)).toEqual([]);
});
