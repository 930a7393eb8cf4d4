import { type SchemaTable, TABLE_NAMES } from '../formats/tables/schema.ts';
import { VIEW_NAMES, viewText } from '../formats/tables/views.ts';

/** Ways to reach a table without its name in the text, or to ask what tables there are. */
const HIDES_NAMES =
  /\b(query|query_table|information_schema|pragma\w*|show|describe|summarize|u&|duckdb_\w+|sqlite_\w+)\b|u&"/i;

/**
 * The tables that an answer may depend on: those whose name is anywhere in the text, or in that of a view
 * whose name is. What is not among them need not be computed.
 */
export function wantedTables(sql: string): ReadonlySet<SchemaTable> {
  if (HIDES_NAMES.test(sql)) return new Set(TABLE_NAMES);
  const wanted = new Set<SchemaTable>();
  const seen = new Set<string>();
  const look = (words: ReadonlySet<string>): void => {
    for (const table of TABLE_NAMES) if (words.has(table)) wanted.add(table);
    for (const view of VIEW_NAMES) {
      if (!words.has(view) || seen.has(view)) continue;
      seen.add(view);
      look(tablesIn(viewText(view, 'duckdb')));
    }
  };
  look(new Set(sql.toLowerCase().match(/\w+/g) ?? []));
  return wanted;
}

/**
 * The answer may depend on the intervals of totals, which cost more than those of what functions did themselves:
 * the text names the table or the view that has them.
 */
export function wantsTotals(sql: string): boolean {
  return HIDES_NAMES.test(sql) || /\b(functions|top_total)\b/i.test(sql);
}

/** Ours name a table behind `from` and `join` only; some columns are called as tables are. */
function tablesIn(text: string): ReadonlySet<string> {
  return new Set(Array.from(text.matchAll(/\b(?:from|join) (\w+)/g), ([, name]) => name));
}
