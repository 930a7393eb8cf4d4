// docs/reference/json has the schemas of the types that commands print; `npm run reference` writes them.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { declareProgram } from '../../src/cli/declare-program.ts';
import { projectRoot } from '../helpers/cli.ts';
import { departures, SCHEMA_NAMES } from '../helpers/json-schema.ts';
import { FOLDER, jsonSchemas } from './json-schemas.mjs';

const schemas = jsonSchemas();

test('docs/reference/json has the schema of each document, and no other', () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
  expect(files.sort()).toEqual(schemas.map(({ file }) => file).sort());
});

test.each(schemas)('$file is that of the type; npm run reference writes it', ({ file, text }) => {
  expect(readFileSync(join(FOLDER, file), 'utf8')).toBe(text);
});

/** Lines of records, which the contract lets go without a name. */
const NAMELESS = 'script.schema.json';

test.each(schemas.filter(({ file }) => file !== NAMELESS))(
  '$file has the name and version of the document',
  ({ text }) => {
    const { properties, required } = JSON.parse(text);
    expect(properties.schema.const).toMatch(/^perf-ts\/[a-z-]+@[1-9]$/);
    expect(required).toContain('schema');
  },
);

test('each command with --json has a schema, and the page names it', () => {
  const page = readFileSync(join(projectRoot, 'docs/reference/json/README.md'), 'utf8');
  const commands = declareProgram().commands.filter(({ options }) =>
    options.some(({ long }) => long === '--json'),
  );
  expect(commands.length).toBeGreaterThan(15);
  expect(SCHEMA_NAMES).toEqual(expect.arrayContaining(commands.map((command) => command.name())));
  for (const name of SCHEMA_NAMES) expect(page).toContain(`(${name}.schema.json)`);
});

test('a document that lacks a key, has another or one of another kind departs from its schema', () => {
  const good = { schema: 'perf-ts/archive@1', path: 'a', files: 1, bytes: 2 };
  const found = (document: object) => departures('archive', JSON.stringify(document));
  expect(found(good)).toEqual([]);
  expect(found({ ...good, schema: 'perf-ts/archive@2' })).toHaveLength(1);
  expect(found({ ...good, files: '1' })).toHaveLength(1);
  expect(found({ ...good, more: 1 })).toHaveLength(1);
  const { bytes: _, ...less } = good;
  expect(found(less)).toHaveLength(1);
});
