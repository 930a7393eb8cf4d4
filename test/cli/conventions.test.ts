// The expectations of clig.dev of a command line, as far as the declared commands show it: examples, short and long help, names
// of options, where help is. Statuses, colours, JSON, streams, signals and progress are in test/cli/expectations.test.ts.

import type { Option } from 'commander';
import { describe, expect, test } from 'vitest';
import { declareProgram } from '../../src/cli/declare-program.ts';
import type { GuidedCommand } from '../../src/cli/shared/guided-command.ts';
import { faultOf } from '../helpers/known-options.ts';
import { typeLine } from '../helpers/typed-line.ts';

const program = declareProgram();
const commands = program.commands as readonly GuidedCommand[];
const SCREEN = 48;

function helpOf(command: GuidedCommand, isShort: boolean): readonly string[] {
  command.isShort = isShort;
  const lines = command.helpInformation().trimEnd().split('\n');
  command.isShort = false;
  return lines;
}

describe.each(commands.map((command) => [command.name(), command] as const))(
  '%s',
  (name, command) => {
    test('examples stand in front of options, and can be typed', () => {
      const help = helpOf(command, false);
      const firstOption = help.findIndex((line) => /^ {2}-/.test(line));
      expect(help.indexOf('Examples:')).toBeGreaterThan(0);
      expect(help.indexOf('Examples:')).toBeLessThan(firstOption);
      for (const [line] of command.guide.examples) {
        const typed = /perf-ts (.*)$/.exec(line)?.[1];
        if (typed === undefined || 'runs' in typeLine(typed.split(' '))) continue;
        expect([line, faultOf(typed)]).toEqual([line, null]);
      }
    });

    test('the short help is one screen, and names the long one', () => {
      const short = helpOf(command, true);
      expect(short.length).toBeLessThanOrEqual(SCREEN);
      expect(short.at(-1)).toContain(`perf-ts ${name} --help`);
    });

    test('the letters -h, -q and -v mean help, quiet and verbose', () => {
      const longOf = (letter: string) =>
        command.options.find(({ short }) => short === letter)?.long;
      expect(longOf('-q')).toBe('--quiet');
      expect(longOf('-v')).toBe('--verbose');
      expect(command.options.some(({ short }) => short === '-h')).toBe(true);
    });
  },
);

/** Options of one name that ask for different things, most of them because they do in perf. */
const TWO_FORMS: readonly string[] = [
  '--archive', // record makes what the others read
  '--call-graph', // of report the form of its tree
  '--delay', // of top the time between two tables
  '--field-separator', // -x of stat, -t of report
  '--freq', // evlist prints rates
  '--limit', // -n of report alone has no number, and no effect
  '--md', // of mcp the call that it answers
  '--pid', // -p and -t of report are other options of perf
  '--syscalls', // report prints them, whichever were recorded
  '--tid',
  '--weight', // record samples the cost that events have
];

/** Letters that perf has given to different options. */
const TWO_MEANINGS = '-D -F -I -b -c -d -g -i -k -n -s -t'.split(' ');

/** The value of an option, whatever it is called: `<hz>` is `<>`, `[=how]` is `[=]`. */
const formOf = (flags: string): string =>
  /[<[][^\s]*$/.exec(flags)?.[0].replace(/\w.*\w|\w/, '') ?? '';

/** The different answers of `of` for the options of one key that more than one command shows. */
function shapes(keyOf: (option: Option) => string, of: (option: Option) => string) {
  const shown = commands.flatMap(({ options }) => options.filter(({ hidden }) => !hidden));
  const shapesOf = new Map<string, Set<string>>();
  for (const option of shown) {
    const key = keyOf(option);
    if (key !== '') shapesOf.set(key, (shapesOf.get(key) ?? new Set()).add(of(option)));
  }
  return [...shapesOf].filter(([, set]) => set.size > 1).map(([key]) => key);
}

describe('options of several commands', () => {
  test('options of one name have one letter and one form of value in all commands, save those listed', () => {
    const shape = ({ short, flags }: Option) => `${short ?? ''} ${formOf(flags)}`;
    expect(shapes(({ long }) => long ?? '', shape).sort()).toEqual(TWO_FORMS);
  });

  test('a letter stands for one option in all commands, save those of perf', () => {
    expect(
      shapes(
        ({ short }) => short ?? '',
        ({ long }) => long ?? '',
      ).sort(),
    ).toEqual(TWO_MEANINGS);
  });

  test('switches and flags that say the same of themselves have the same name', () => {
    const helps = shapes(
      ({ description }) => description,
      ({ long }) => long ?? '',
    );
    expect(helps).toEqual([]);
  });
});

test('the help of all names a way to report a mistake, and the version has its usual letter', () => {
  const help = helpOf(program, false).join(' ');
  expect(help).toMatch(/report it .* perf-ts doctor/);
  expect(help).toContain('-V, --version');
});
