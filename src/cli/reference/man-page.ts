import type { CommandPage, Term } from './command-page.ts';

/** The name of a page: `perf-ts-record` for `perf-ts record`. */
export function manName({ name }: CommandPage): string {
  return name.replaceAll(' ', '-');
}

/**
 * The page of a command in man(7) macros, section 1. `version` is that of the package; `others` are commands
 * to list, on the page of the program.
 */
export function manPage(page: CommandPage, version: string, others: readonly Term[] = []): string {
  const name = manName(page);
  const [program] = page.name.split(' ');
  const lines = [
    `.TH ${escaped(name.toUpperCase())} 1 "" "${escaped(`${program} ${version}`)}" "${escaped(program)}"`,
    // Words of command lines are neither broken nor spread.
    '.nh',
    '.ad l',
    '.SH NAME',
    `${escaped(name)} \\- ${escaped(page.description)}`,
    '.SH SYNOPSIS',
    `.B ${escaped(page.name)}`,
    line(page.usage.slice(page.name.length + 1)),
    ...section('EXAMPLES', page.examples.flatMap(exampleLines)),
    ...section('ARGUMENTS', page.terms.flatMap(termLines)),
    ...section(
      'OPTIONS',
      page.groups.flatMap(({ heading, terms }) => [
        `.SS ${escaped(heading)}`,
        ...terms.flatMap(termLines),
      ]),
    ),
    ...section('COMMANDS', others.flatMap(termLines)),
    ...section(
      'NOTES',
      page.notes.flatMap((note) => ['.PP', line(note)]),
    ),
    ...section('SEE ALSO', [seeAlso(name, program, others)]),
  ];
  return `${lines.join('\n')}\n`;
}

function section(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`.SH ${heading}`, ...lines];
}

function exampleLines([command, purpose]: CommandPage['examples'][number]): string[] {
  return ['.TP', `.B ${escaped(command)}`, line(purpose)];
}

function termLines({ name, text }: Term): string[] {
  return ['.TP', `.B ${escaped(name)}`, line(text)];
}

function seeAlso(name: string, program: string, others: readonly Term[]): string {
  const names =
    name === program ? others.map((other) => `${program}-${other.name}`) : [program, 'perf'];
  return names.map((each) => `\\fB${escaped(each)}\\fR(1)`).join(', ');
}

/** A line of text, which a control character at its beginning would make a request. */
function line(text: string): string {
  return /^[.']/.test(text) ? `\\&${escaped(text)}` : escaped(text);
}

/** `-` alone is a hyphen to roff, which searching and copying do not find; quotes end an argument of `.B`. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replace(/\P{ASCII}/gu, (sign) => `\\[u${codeOf(sign)}]`);
}

function codeOf(sign: string): string {
  return (sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}
