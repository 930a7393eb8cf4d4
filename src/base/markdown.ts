import { printable } from './printable.ts';

/**
 * A stranger's text as code in Markdown: no markup, no link and no mention comes of it, also within a
 * table. The fence is longer than any in the text.
 */
export function markdownCode(text: string): string {
  const shown = printable(text);
  const runs = shown.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(0, ...runs.map((run) => run.length)) + 1);
  const space = shown.startsWith('`') || shown.endsWith('`') ? ' ' : '';
  return shown === '' ? '' : `${fence}${space}${shown.replaceAll('|', '\\|')}${space}${fence}`;
}

/** Lines of a table; cells are Markdown already. Columns in `right` hold numbers. */
export function markdownTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  right: ReadonlySet<number> = new Set(),
): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = header.map((_, column) => (right.has(column) ? '---:' : '---'));
  return [line(header), line(rule), ...rows.map(line)];
}
