import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { declareProgram } from '../../../src/cli/declare-program.ts';
import { applyDefaults } from '../../../src/cli/defaults/apply-defaults.ts';
import { parseConfig } from '../../../src/cli/defaults/config-file.ts';
import { configurableOptions } from '../../../src/cli/defaults/find-default.ts';

/** The options of a command line, with these defaults of the user's. */
function parse(
  line: string,
  { env = {}, file = {} }: { env?: NodeJS.ProcessEnv; file?: object } = {},
) {
  const program = declareProgram((bare) => bare.exitOverride());
  const [name, ...words] = line.split(' ');
  const command = program.commands.find((each) => each.name() === name) as Command;
  let result: ReturnType<typeof applyDefaults> | undefined;
  const config = parseConfig(JSON.stringify(file), '/home/ann/config.json');
  program.hook('preAction', (_program, called) => {
    result = applyDefaults(called, env, { kind: 'config', config });
  });
  command.action(() => {});
  program.parse([name, ...words], { from: 'user' });
  return { options: command.opts(), ...(result as NonNullable<typeof result>) };
}

describe('the precedence of defaults', () => {
  const file = { freq: 1, record: { freq: 2 } };

  it('the command line precedes the environment, which precedes the file, each by command before all', () => {
    const env = { PERF_TS_FREQ: '3', PERF_TS_RECORD_FREQ: '4' };
    expect(parse('record -F 5 -- true', { env, file }).options.freq).toBe('5');
    expect(parse('record -- true', { env, file }).options.freq).toBe('4');
    expect(parse('top -- true', { env, file }).options.freq).toBe('3');
    expect(parse('record -- true', { file }).options.freq).toBe('2');
    expect(parse('top -- true', { file }).options.freq).toBe('1');
    expect(parse('record -- true').options.freq).toBeUndefined();
  });

  it('each default is reported with its place', () => {
    const { applied } = parse('record -- true', { env: { PERF_TS_COLOR: 'never' }, file });
    expect(applied).toEqual([
      { words: '--freq 2', from: '/home/ann/config.json' },
      { words: '--color never', from: 'PERF_TS_COLOR' },
    ]);
  });

  it('a default is void where the command line asks for the same in another way', () => {
    expect(parse('record -c 100 -- true', { file }).options.freq).toBeUndefined();
    const env = { PERF_TS_FRAMES: 'own', PERF_TS_LIMIT: '3' };
    expect(parse('report', { env }).options).toMatchObject({ frames: 'own', limit: '3' });
    expect(parse('report --json', { env }).options).not.toHaveProperty('frames');
    expect(parse('report --json', { env }).options).not.toHaveProperty('limit');
  });
});

describe('values of defaults', () => {
  it('values of defaults are the texts that the command line would have', () => {
    const file = { record: { event: ['cycles', 'faults'], 'fail-on-loss': 0.01 } };
    expect(parse('record -- true', { file }).options).toMatchObject({
      event: ['cycles', 'faults'],
      failOnLoss: '0.01',
    });
    expect(parse('record -- true', { env: { PERF_TS_EVENT: 'faults' } }).options.event).toEqual([
      'faults',
    ]);
  });

  it('switch options that stand alone, also those that begin with no', () => {
    expect(parse('view', { file: { 'no-open': true } }).options.open).toBe(false);
    expect(parse('view', { env: { PERF_TS_NO_OPEN: '1' } }).options.open).toBe(false);
    expect(parse('view', { env: { PERF_TS_NO_OPEN: 'off' } }).options.open).toBe(true);
    const file = { quiet: true, report: { quiet: false } };
    expect(parse('report', { file }).options.quiet).toBeUndefined();
    expect(parse('info', { file }).options.quiet).toBe(true);
  });

  it('values of defaults replace what is built in', () => {
    expect(parse('periods').options.streams).toBeUndefined();
    expect(parse('periods', { env: { PERF_TS_STREAMS: 'all' } }).options.streams).toBe('all');
  });

  it.each([
    [{ color: 'blue' }, /config\.json: color blue: .*auto, always, never/],
    [{ color: true }, /config\.json: color true: expected a value/],
    [{ report: { limit: 'x' } }, /config\.json: report\.limit x: expected a whole number/],
    [{ quiet: 'yes' }, /config\.json: quiet yes: expected true or false/],
  ])('%j is refused with its place', (file, message) => {
    expect(() => parse('report', { file })).toThrow(message);
  });

  it.each([['[1]'], ['{'], ['{"record": {"freq": null}}'], ['{"record": {"freq": {}}}']])(
    'the file %s is refused with its path',
    (text) => {
      expect(() => parseConfig(text, '/x/config.json')).toThrow(/^\/x\/config\.json: /);
    },
  );
});

it('keys that no command has are named, and the rest applies', () => {
  const file = { frq: 1, record: { freq: 2, pid: 3 }, recrod: { freq: 1 } };
  const { options, notices } = parse('record -- true', { file });
  expect(options.freq).toBe('2');
  expect(options.pid).toBeUndefined();
  expect(notices.map((notice) => notice.split(' ').at(-1))).toEqual([
    'frq',
    'record.pid',
    'recrod.freq',
  ]);
});

it('every option that can have a default is declared, and named in docs/reference/configuration.md', () => {
  const path = resolve(import.meta.dirname, '../../../docs/reference/configuration.md');
  const page = readFileSync(path, 'utf8');
  const general = ['color', 'quiet', 'verbose'];
  expect(page).toContain('| every command | `color`, `quiet`, `verbose` |');
  for (const command of declareProgram().commands) {
    const own = configurableOptions(command).map((option) => option.name());
    const names = command.options.map(({ long }) => long?.slice(2));
    expect(names).toEqual(expect.arrayContaining([...own]));
    const rest = own.filter((name) => !general.includes(name)).map((name) => `\`${name}\``);
    if (rest.length > 0) expect(page).toContain(`| \`${command.name()}\` | ${rest.join(', ')} |`);
  }
});
