import type { CommandWords, OptionWords } from './command-words.ts';

/** The completion for fish. */
export function fishCompletion(commands: readonly CommandWords[]): string {
  const lines = commands.flatMap(({ name, description, options }) => [
    `complete -c perf-ts -f -n __fish_use_subcommand -a ${name} -d ${quoted(description)}`,
    ...options.map((option) => optionLine(name, option)),
  ]);
  return `# perf-ts for fish: perf-ts completion fish | source
${lines.join('\n')}
`;
}

function optionLine(command: string, option: OptionWords): string {
  const names = option.names.map((name) =>
    name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  );
  const when = `-n '__fish_seen_subcommand_from ${command}'`;
  return `complete -c perf-ts ${when} ${names.join(' ')}${valuesOf(option)} -d ${quoted(option.description)}`;
}

function valuesOf({ takesValue, values, isEventList }: OptionWords): string {
  if (isEventList) return " -x -a '(perf-ts completion events 2> /dev/null)'";
  if (values.length > 0) return ` -x -a '${values.join(' ')}'`;
  return takesValue ? ' -r' : '';
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
