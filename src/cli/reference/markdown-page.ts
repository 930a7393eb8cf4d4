import type { CommandPage, Term } from './command-page.ts';

/** The page of a command in Markdown. */
export function markdownPage(page: CommandPage): string {
  return joined([
    `# ${page.name}`,
    escaped(sentence(page.description)),
    `    ${page.usage}`,
    ...table(
      'Examples',
      ['command line', 'purpose'],
      page.examples.map(([line, purpose]) => [code(line), escaped(purpose)]),
    ),
    ...table('Arguments', ['argument', 'meaning'], rows(page.terms)),
    ...page.groups.flatMap(({ heading, terms }) =>
      table(heading, ['option', 'meaning'], rows(terms)),
    ),
    ...(page.notes.length > 0 ? ['## Notes', ...page.notes.map(escaped)] : []),
  ]);
}

/** The page that leads to those of the commands, by their file names. */
export function markdownIndex(page: CommandPage, commands: readonly Term[]): string {
  const [heading, ...rest] = markdownPage(page).trimEnd().split('\n\n');
  const links = commands.map(({ name, text }) => [`[${name}](${name}.md)`, escaped(text)]);
  return joined([heading, ...rest, ...table('Commands', ['command', 'purpose'], links)]);
}

function joined(blocks: readonly string[]): string {
  return `${blocks.join('\n\n')}\n`;
}

/** Descriptions in lists are no sentences. */
function sentence(text: string): string {
  const first = `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  return first.endsWith('.') ? first : `${first}.`;
}

function rows(terms: readonly Term[]): string[][] {
  return terms.map(({ name, text }) => [code(name), escaped(text)]);
}

function table(
  heading: string,
  [left, right]: readonly [string, string],
  cells: readonly (readonly string[])[],
): string[] {
  if (cells.length === 0) return [];
  const lines = cells.map(([name, text]) => `| ${name} | ${text} |`);
  return [`## ${heading}`, [`| ${left} | ${right} |`, '| --- | --- |', ...lines].join('\n')];
}

/** A table's cell ends at `|`, in code as well. */
function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``;
}

function escaped(text: string): string {
  return text.replace(/[|<>*`\\]/g, '\\$&');
}
