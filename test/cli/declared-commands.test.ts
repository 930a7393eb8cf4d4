// The help of every command has these: examples that its options know, options in groups, defaults.

import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { declareProgram } from '../../src/cli/declare-program.ts';
import { GuidedCommand } from '../../src/cli/shared/guided-command.ts';

const program = declareProgram();
const commands = program.commands.filter((each) => each instanceof GuidedCommand);

/** Options that do nothing and restrict nothing where they are not given, so that there is no default. */
const NO_DEFAULT = new Set(
  `all-user archive baseline branch-filter build cgroup comm config control count cpu delay diff dso
  duration event explain fail-if fail-on fail-on-loss field-separator fields for-each-cgroup func insert
  by in-mark in-turns-over interval-count interval-print intr-regs json kallsyms label leaves listen load max-size new
  memory old off-cpu on pid ready repeat salt service simulate sink switch-max-files switch-output
  source-maps symbol symfs tid time uid user-regs debug-dir call-graph`.split(/\s+/),
);

function helpOf(command: Command): string {
  return command.helpInformation().replace(/\s+/g, ' ');
}

/** The words of an example that are perf-ts's own, by the command that is named. */
function ownWords(line: string): { name: string; words: string[] } | null {
  const text = /(?:^|\s)perf-ts (.*)$/.exec(line.replace(/ [|>] .*$/, ''))?.[1];
  if (text === undefined) return null;
  const [name, ...words] = text.replace(/'[^']*'|"[^"]*"/g, 'QUOTED').split(' ');
  const end = words.indexOf('--');
  return { name, words: end === -1 ? words : words.slice(0, end) };
}

describe.each(commands.map((command) => [command.name(), command] as const))('%s', (_, command) => {
  test("the help has an example that begins with the command's name", () => {
    const { examples } = command.guide;
    expect(examples.length).toBeGreaterThan(0);
    const names = examples.map(([line]) => ownWords(line)?.name);
    expect(names).toContain(command.name());
    expect(examples.filter(([, purpose]) => purpose === '')).toEqual([]);
  });

  test('the examples have only options that exist', () => {
    const unknown = command.guide.examples.flatMap(([line]) => {
      const own = ownWords(line);
      const called = program.commands.find((each) => each.name() === own?.name);
      const known = called?.options.flatMap(({ short, long }) => [short, long]) ?? [];
      const flags = own?.words.filter((word) => /^--?[a-z]/i.test(word)) ?? [];
      return flags
        .map((flag) => flag.replace(/=.*$/, ''))
        .filter((flag) => called === undefined || !known.includes(flag))
        .map((flag) => `${line}: ${flag}`);
    });
    expect(unknown).toEqual([]);
  });

  test('help shows its options in groups, examples before them', () => {
    const text = command.helpInformation();
    expect(text).not.toMatch(/^Options:$/m);
    expect(text.indexOf('\nExamples:\n')).toBeLessThan(text.indexOf('\nGeneral:\n'));
    const ungrouped = command.options
      .filter((option) => !option.hidden && option.helpGroupHeading === undefined)
      .map(({ flags }) => flags);
    expect(ungrouped).toEqual([]);
  });

  test('-h has what --help has of the options used most, on one screen', () => {
    command.isShort = true;
    const short = command.helpInformation();
    command.isShort = false;
    expect(short.split('\n').length).toBeLessThanOrEqual(50);
    const flagsIn = (help: string) => [...help.matchAll(/^ {2}(-\S+)/gm)].map(([, flag]) => flag);
    const whole = flagsIn(command.helpInformation());
    expect(whole).toEqual(expect.arrayContaining(flagsIn(short)));
    expect(short).toContain(`${command.name()} --help: all ${command.options.length} options`);
  });

  test('the command has the options that every command has', () => {
    const names = command.options.map(({ long }) => long);
    expect(names).toEqual(expect.arrayContaining(['--color', '--quiet', '--verbose']));
  });

  test('help shows the default of each option that has a value', () => {
    const help = command.createHelp();
    const silent = help
      .visibleOptions(command)
      .filter((option) => (option.required || option.optional) && !option.mandatory)
      .filter((option) => !NO_DEFAULT.has(option.name()))
      .filter((option) => !help.optionDescription(option).includes('default'))
      .map(({ flags }) => flags);
    expect(silent).toEqual([]);
  });

  test('help shows the values of each option that has a closed set of them', () => {
    const help = helpOf(command);
    const hidden = command.options.flatMap(({ argChoices, hidden }) =>
      hidden ? [] : (argChoices ?? []).filter((choice) => !help.includes(choice)),
    );
    expect(hidden).toEqual([]);
  });
});

test('no option is on the list of those without a default that has one, or that is gone', () => {
  const all = commands.flatMap((command) => {
    const help = command.createHelp();
    return help.visibleOptions(command).map((option) => ({
      name: option.name(),
      hasDefault: help.optionDescription(option).includes('default'),
    }));
  });
  const idle = [...NO_DEFAULT].filter(
    (name) => !all.some((option) => option.name === name && !option.hasDefault),
  );
  expect(idle).toEqual([]);
});

test('the purpose of an example is below it where the terminal is too narrow for both', () => {
  program.configureOutput({ getOutHelpWidth: () => 50 });
  const report = program.commands.find((each) => each.name() === 'report');
  expect(report?.helpInformation()).toContain(
    '  perf-ts report --sort comm,dso\n      by command and file\n',
  );
});
