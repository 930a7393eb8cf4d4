import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CommandSpec } from '../../../src/native/types.ts';
import { addNodeFlags } from '../../../src/session/launch/node-flags.ts';
import type { NodeProgram } from '../../../src/session/launch/node-program.ts';
import { scratchDirectory } from '../../helpers/cli.ts';

const FLAGS = '--perf-basic-prof --interpreted-frames-native-stack';
const root = scratchDirectory();
mkdirSync(root, { recursive: true });

function program(name: string, text = ''): string {
  const path = join(root, name);
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

const node = program('node', '\x7fELF');
const npmScript = program('npm-cli.js', '#!/usr/bin/env node\nrun();\n');
symlinkSync(npmScript, join(root, 'linked'));

type Options = {
  env?: string[];
  wanted?: boolean;
  version?: string | null;
  program?: NodeProgram;
  user?: NonNullable<CommandSpec['user']>;
};

/** The NODE_OPTIONS of a command, without the preload, which lies where the package lies. */
function optionsFor(
  argv: string[],
  {
    env = [],
    wanted,
    version = 'v20.20.2',
    program = { kind: 'node', version },
    user,
  }: Options = {},
) {
  const path = argv[0]!.startsWith('/') ? argv[0]! : join(root, argv[0]!);
  const command: CommandSpec = {
    path,
    argv,
    env: [`PATH=${root}`, ...env],
    stdoutToStderr: false,
    ...(user !== undefined && { user }),
  };
  const { command: changed, notes, causesMaps } = addNodeFlags(command, wanted, () => program);
  const all = changed.env.filter((entry) => entry.startsWith('NODE_OPTIONS='));
  expect(all.length).toBeLessThanOrEqual(1);
  const value = all[0]
    ?.slice('NODE_OPTIONS='.length)
    .replace(/ ?--require=(?:"[^"]*preload\.cjs"|\S+preload\.cjs)/, '');
  return { value, notes, causesMaps, argv: changed.argv };
}

describe('NODE_OPTIONS', () => {
  test.each([
    [[node, 'app.js']],
    [[npmScript, 'run', 'dev']],
    [[join(root, 'linked')]],
    [['npx', 'something']],
    [['tsx', 'app.ts']],
    [['sh', '-c', 'cd app && NODE_ENV=production node server.js']],
    [['bash', '-c', 'npm start']],
    [[program('pnpm-tsx', '#!/bin/sh\nexec "$basedir/node" "$basedir/tsx.mjs" "$@"\n')]],
  ])('of %j', (argv) => {
    const { value, notes, causesMaps } = optionsFor(argv);
    expect(value).toBe(FLAGS);
    expect(causesMaps).toBe(true);
    expect(notes).toEqual([`NODE_OPTIONS got ${FLAGS}; --no-node-flags leaves it alone`]);
  });

  test.each([
    [['gcc', 'node.c']],
    [['sh', '-c', 'cat node.txt; ./nodes; gzip -c /usr/bin/node | head; echo node']],
    [['sh', 'node.sh']],
    [[program('other', '#!/bin/sh\n# node\nexec ./nodes "$@"\n')]],
    [[program('script.py', '#!/usr/bin/python3\n# node\n')]],
  ])('stay as they are for %j, unless asked for', (argv) => {
    expect(optionsFor(argv).value).toBeUndefined();
    expect(optionsFor(argv, { wanted: true }).value).toBe(FLAGS);
  });

  test('keep what the user set, and are not set twice', () => {
    const env = ['NODE_OPTIONS=--max-old-space-size=4096'];
    expect(optionsFor([node, 'app.js'], { env }).value).toBe(`--max-old-space-size=4096 ${FLAGS}`);
    const interpreted = '--interpreted-frames-native-stack';
    const given = optionsFor([node, '--perf-prof', 'app.js']);
    expect(given.value).toBe(interpreted);
    expect(given.causesMaps).toBe(false);
    expect(optionsFor([node, 'app.js', '--perf-prof']).value).toBe(FLAGS);
    expect(
      optionsFor([node, '--perf_basic_prof', '--no-interpreted-frames-native-stack', 'a.js']),
    ).toMatchObject({ value: '--perf-basic-prof', causesMaps: false });
    const all = { env: [`NODE_OPTIONS=${FLAGS}`] };
    expect(optionsFor([node, 'app.js'], all)).toMatchObject({ value: FLAGS, notes: [] });
  });

  test("V8's log goes where nobody sees it, unless the user wants it", () => {
    const hidden = ['--logfile=+', '--no-logfile-per-isolate'];
    expect(optionsFor([node, 'app.js']).argv).toEqual([node, ...hidden, 'app.js']);
    expect(optionsFor([node, '--prof', 'app.js']).argv).toEqual([node, '--prof', 'app.js']);
    expect(optionsFor(['npx', 'something']).argv).toEqual(['npx', 'something']);
  });

  test('where V8 could not open its log, only Node itself gets flags, as words', () => {
    const closed = join(root, 'closed');
    mkdirSync(closed, { mode: 0o555 });
    const before = process.cwd();
    process.chdir(closed);
    try {
      const user = { uid: 65534, gid: 65534, groups: [] };
      const own = optionsFor([node, 'app.js'], { user });
      expect(own.value ?? '').toBe('');
      expect(own.argv).toEqual([
        ...[node, ...FLAGS.split(' '), '--logfile=+', '--no-logfile-per-isolate', 'app.js'],
      ]);
      const runner = optionsFor(['npx', 'something'], { user });
      expect(runner.value ?? '').toBe('');
      expect(runner.notes[0]).toContain('V8 would log to standard output');
    } finally {
      process.chdir(before);
    }
  });

  test('are left alone with --no-node-flags', () => {
    expect(optionsFor([node, 'app.js'], { wanted: false }).value).toBeUndefined();
  });

  test('of a Node that would refuse them', () => {
    const old = optionsFor([node, 'app.js'], { version: 'v10.24.1' });
    expect(old.value).toBeUndefined();
    expect(old.notes[0]).toContain('Node v10.24.1 does not take');
  });

  test('are given to a Node whose file does not say its version', () => {
    expect(optionsFor([node, 'app.js'], { version: null }).value).toBe(FLAGS);
  });

  test('are not given to another program called node, unless they are asked for', () => {
    const program = { kind: 'other' } as const;
    expect(optionsFor([node, 'app.js'], { program })).toMatchObject({
      value: undefined,
      notes: [],
      argv: [node, 'app.js'],
    });
    expect(optionsFor([node, 'app.js'], { program, wanted: true })).toMatchObject({
      value: FLAGS,
      argv: [node, 'app.js'],
    });
  });

  test('leave the words of a script called node alone', () => {
    const program = { kind: 'script' } as const;
    expect(optionsFor([node, 'app.js'], { program })).toMatchObject({
      value: FLAGS,
      argv: [node, 'app.js'],
    });
  });
});
