import { expect, test } from 'vitest';
import { UsageError } from '../../../src/base/errors.ts';
import { declareProgram } from '../../../src/cli/declare-program.ts';
import { helpOn } from '../../../src/cli/run/help-on.ts';
import { TOPICS } from '../../../src/cli/run/help-topics.ts';
import { faultOf } from '../../helpers/known-options.ts';

const program = declareProgram();
const COLUMNS = 80;
const LINES = 24;

test.each(Object.entries(TOPICS))(
  'help on %s fits a screen, and names lines that can be typed',
  (name, topic) => {
    const help = helpOn(name, program, COLUMNS);
    const lines = ('text' in help ? help.text : '').split('\n');
    expect(lines.length).toBeLessThanOrEqual(LINES);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(COLUMNS);
    for (const [typed] of topic.lines) {
      const words = typed.replace(/^(?:sudo |PERF_TS_\w+=\w+ )?perf-ts /, '');
      expect([typed, faultOf(words)]).toEqual([typed, null]);
    }
  },
);

test('help on a command is that of the command, by the names of other profilers, too', () => {
  expect(helpOn('report', program, COLUMNS)).toEqual({ command: 'report' });
  expect(helpOn('flame', program, COLUMNS)).toEqual({ command: 'view' });
  const view = program.commands.find((command) => command.name() === 'view');
  expect(view?.helpInformation()).toContain('flame graph');
});

test('help on all has a line for each command', () => {
  const help = helpOn('all', program, COLUMNS);
  for (const { name } of program.commands.map((each) => ({ name: each.name() }))) {
    expect('text' in help ? help.text : '').toMatch(new RegExp(`^ {2}${name} `, 'm'));
  }
});

test('help on another word is refused with the nearest name, and with all topics', () => {
  const hintsOf = (word: string): readonly unknown[] => {
    try {
      helpOn(word, program, COLUMNS);
    } catch (error) {
      if (error instanceof UsageError) return error.hints;
      throw error;
    }
    return [];
  };
  expect(hintsOf('evnts')).toEqual([
    'did you mean perf-ts help events?',
    expect.stringContaining(`topics: ${Object.keys(TOPICS).join(', ')}`),
  ]);
  expect(hintsOf('trace')[0]).toContain('--syscalls');
  expect(hintsOf('leak')[0]).toContain('--memory=live');
});
