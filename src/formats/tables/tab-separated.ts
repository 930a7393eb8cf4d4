// Hot: once per row.

import { type ColumnData, type SchemaTable, tableColumns } from './schema.ts';

/** The statement that every ClickHouse takes rows by, also servers that know no JSON of one line a row. */
export function insertStatement(table: SchemaTable): string {
  const names = tableColumns(table).map(({ name }) => name);
  return `insert into ${table} (${names.join(', ')}) format TabSeparated`;
}

/** A row without its line end. */
export function tabSeparated(
  recording: bigint | number,
  columns: readonly ColumnData[],
  row: number,
): string {
  let line = String(recording);
  for (let at = 0; at < columns.length; at++) line += `\t${fieldOf(columns[at][row])}`;
  return line;
}

function fieldOf(value: number | string | null): string {
  if (value === null) return '\\N';
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : '\\N';
  return NEEDS_ESCAPE.test(value) ? value.replace(ESCAPED, escaped) : value;
}

const NEEDS_ESCAPE = /[\\\t\n\r\0]/;
const ESCAPED = /[\\\t\n\r\0]/g;
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '\0': '\\0',
};

function escaped(char: string): string {
  return ESCAPES[char] ?? char;
}
