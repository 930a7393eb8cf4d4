// The expectations of clig.dev of a command line, as far as the declared commands show it: examples, short and long help, names
// of options, where help is. Statuses, colours, JSON, streams, signals and progress are in test/cli/expectations.test.ts.

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

test.each(['output', 'input', 'quiet', 'verbose', 'freq', 'event', 'pid', 'limit'])(
  'commands that have --%s have one letter for it',
  (name) => {
    const letters = commands.flatMap(({ options }) =>
      options.flatMap(({ long, short }) => (long === `--${name}` && short != null ? [short] : [])),
    );
    expect(letters.length).toBeGreaterThan(0);
    expect(new Set(letters).size).toBe(1);
  },
);

test('the help of all names a way to report a mistake, and the version has its usual letter', () => {
  const help = helpOf(program, false).join(' ');
  expect(help).toMatch(/report it .* perf-ts doctor/);
  expect(help).toContain('-V, --version');
});
