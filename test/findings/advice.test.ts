// Commands that a finding or a diagnostic advises: each is parsed by the parser of the command that it names. Commands
// and options in all other texts of the program exist.

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { declareProgram } from '../../src/cli/declare-program.ts';
import { TableOption } from '../../src/cli/shared/declare-options.ts';
import { STOP, STOP_NAMES } from '../../src/code/unwind/stop-reason.ts';
import { COMMANDS_AGAINST } from '../../src/findings/diagnostic-text.ts';
import { FINDING_CODES } from '../../src/findings/finding.ts';
import { inStepOption } from '../../src/period/report/in-step-words.ts';
import { adviceForCut } from '../../src/read/unwind/cut-advice.ts';
import { CHAIN_ENDS, CHAIN_IS_FULL, LBR_ENDS } from '../../src/read/unwind/stack-roots.ts';
import { faultOf } from '../helpers/known-options.ts';
import { profileFromText } from '../helpers/profile-from-text.ts';
import { sourceFiles } from '../source-files.mjs';
import { everyFinding } from './every-finding.ts';

const root = resolve(import.meta.dirname, '../..');

/** Words of capitals stand for words of the reader's own. */
const PLACEHOLDERS: Readonly<Record<string, string>> = { PID: '1', DIR: '/', FILE: 'perf.data' };

/** Parses a command as it is typed, its values included. Throws for what the command refuses. */
function parse(line: string): void {
  const [program, name, ...given] = line.split(' ');
  expect(program, line).toBe('perf-ts');
  const command = declareProgram().commands.find((each) => each.name() === name);
  if (command === undefined) throw new Error(`${line}: there is no command ${name}`);
  command.exitOverride();
  const words = given.map((word) => PLACEHOLDERS[word] ?? word);
  const end = words.indexOf('--');
  const { operands, unknown } = command.parseOptions(end < 0 ? words : words.slice(0, end));
  expect([operands, unknown], line).toEqual([[], []]);
  for (const option of command.options) {
    const source = command.getOptionValueSource(option.attributeName());
    if (option instanceof TableOption && source === 'cli') {
      option.check(command.opts()[option.attributeName()]);
    }
  }
}

const commandsOf = (all: readonly { readonly command: string | null }[]) =>
  all.flatMap(({ command }) => command ?? []);

test('a command that there is not, an option and a value that a command refuses are found', () => {
  expect(() => parse('perf-ts reprot')).toThrow('no command');
  expect(() => parse('perf-ts report --attach-js -p 1')).toThrow();
  expect(() => parse('perf-ts record -F often -- COMMAND')).toThrow(
    'expected a whole number of Hz',
  );
  parse('perf-ts record -F 99 -- COMMAND');
});

test('each kind of finding occurs, and the commands that they advise are parsed', () => {
  const found = everyFinding();
  const codes = new Set(found.map(({ code }) => code));
  expect(FINDING_CODES.filter((code) => !codes.has(code as never))).toEqual([]);
  const commands = commandsOf(found);
  expect(commands.length).toBeGreaterThan(10);
  for (const command of commands) parse(command);
});

test('commands against a diagnostic are parsed', () => {
  const commands = Object.values(COMMANDS_AGAINST);
  expect(commands.length).toBeGreaterThan(4);
  for (const command of commands) parse(command);
});

test('commands against cut stacks and samples in step are parsed', () => {
  const profile = profileFromText('main@app');
  const reasons = [CHAIN_ENDS, CHAIN_IS_FULL, LBR_ENDS, STOP_NAMES[STOP.STACK_CUT]];
  const advice = reasons.map((reason) => adviceForCut({ reason, dso: 0, samples: 1 }, profile));
  const ofCuts = commandsOf(advice.map((each) => each ?? { command: null }));
  expect(ofCuts).toHaveLength(reasons.length);
  const tasks = { kind: 'tasks', tasks: 9, share: 0.5, repeats: 1 } as const;
  const options = [
    inStepOption(tasks, { fixedPeriod: 1000, frequencyHz: null }),
    inStepOption(tasks, { fixedPeriod: null, frequencyHz: 1000 }),
  ];
  for (const command of [
    ...ofCuts,
    ...options.map((each) => `perf-ts record ${each} -- COMMAND`),
  ]) {
    parse(command);
  }
});

test('options of commands in the texts of the program exist', () => {
  const names = declareProgram().commands.map((command) => command.name());
  // Prose goes on behind the name of the program: perf-ts has no …
  const pattern = new RegExp(`perf-ts ((?:${names.join('|')})(?: [^'"\`\n;,()]*)?)`, 'g');
  const found = sourceFiles(join(root, 'src')).flatMap((file) => {
    const text = readFileSync(file, 'utf8').replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '');
    return [...text.matchAll(pattern)].map(([, words]) => words.replaceAll(/\$\{[^}]*\}/g, '1'));
  });
  expect(found.length).toBeGreaterThan(100);
  expect(found.flatMap((words) => faultOf(words) ?? [])).toEqual([]);
});
