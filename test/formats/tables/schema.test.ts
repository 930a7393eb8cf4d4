import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TABLE_NAMES, tableColumns } from '../../../src/formats/tables/schema.ts';
import { VIEW_NAMES, viewText } from '../../../src/formats/tables/views.ts';

const DOCUMENT = readFileSync(join(import.meta.dirname, '../../../docs/schema.md'), 'utf8');

/** Columns that the document lists in the section of a table, `name type`. */
function documented(table: string): string[] {
  const [, section = ''] = DOCUMENT.split(`### ${table}\n`);
  const [body] = section.split(/\n##/);
  return [...body.matchAll(/^\| (`[^|]*) \| ([a-z0-9]+\??) \|/gm)].flatMap(([, names, type]) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name]) => `${name} ${type}`),
  );
}

test.each(TABLE_NAMES)('docs/schema.md lists the columns of %s with their types', (table) => {
  const columns = tableColumns(table).map(
    ({ name, type, isNullable }) => `${name} ${type}${isNullable ? '?' : ''}`,
  );
  expect(documented(table).sort()).toEqual(columns.slice(1).sort());
});

test.each(VIEW_NAMES)('docs/schema.md lists the columns of the view %s in their order', (view) => {
  // The columns of the outermost select: each has a name of its own.
  const [select = ''] = viewText(view, 'duckdb').split(' from ');
  const columns = [...select.matchAll(/ as (\w+)/g)].map(([, name]) => name);
  expect(columns.length).toBeGreaterThan(4);
  expect(DOCUMENT).toContain(`| \`${view}\` | \`${columns.join(' ')}\` |`);
});
