import { chmodSync, lchownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandWords } from '../../../src/base/words.ts';
import type { CommandSpec } from '../../../src/native/types.ts';
import { addNodeFlags } from '../../../src/system/runtimes/node-flags.ts';
import type { NodeProgram } from '../../../src/system/runtimes/node-program.ts';
import { findPlantedDump, findPlantedMap } from '../../../src/system/runtimes/planted-maps.ts';
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
  planted?: string | null;
  jitdump?: boolean;
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
    planted = null,
    jitdump = false,
  }: Options = {},
) {
  const path = argv[0].startsWith('/') ? argv[0] : join(root, argv[0]);
  const command: CommandSpec = {
    path,
    argv,
    env: [`PATH=${root}`, ...env],
    stdoutToStderr: false,
    ...(user !== undefined && { user }),
  };
  const {
    command: changed,
    notes,
    causesMaps,
    dumpsIn,
  } = addNodeFlags(
    command,
    wanted,
    () => program,
    () => planted,
    jitdump ? 'dump' : 'map',
  );
  const all = changed.env.filter((entry) => entry.startsWith('NODE_OPTIONS='));
  expect(all.length).toBeLessThanOrEqual(1);
  const value = all[0]
    ?.slice('NODE_OPTIONS='.length)
    .replace(/ ?--require (?:"[^"]*\.cjs"|\S+\.cjs)/, '')
    .trimStart();
  return { value, notes: notes.map(commandWords), causesMaps, dumpsIn, argv: changed.argv };
}

describe('a link of another user where a map would be', () => {
  const planted = '/tmp/perf-4711.map';
  const note =
    "JavaScript may stay without names: /tmp/perf-4711.map is a link of another user, and V8 of root's " +
    'Node would follow it; remove it, and set fs.protected_symlinks to 1';
  const user = (uid: number) => ({ uid, gid: uid, groups: [uid] });

  test.each([[undefined], [true]])(
    'a link of another user where a map would be keeps the flags from Node of root (asked for: %s)',
    (wanted) => {
      const asked = { planted, user: user(0), ...(wanted !== undefined && { wanted }) };
      expect(optionsFor(['node', 'x.js'], asked)).toMatchObject({
        value: undefined,
        notes: [note],
        causesMaps: false,
        argv: ['node', 'x.js'],
      });
    },
  );

  test("another user's link keeps flags only from root", () => {
    const { notes } = optionsFor(['node', 'x.js'], { planted, user: user(1000) });
    expect(notes).not.toContain(note);
  });

  test("another user's link does not matter with --perf-prof", () => {
    const env = ['NODE_OPTIONS=--perf-prof'];
    const { value } = optionsFor(['node', 'x.js'], { planted, user: user(0), env });
    expect(value).toContain('--interpreted-frames-native-stack --perf-prof');
  });

  test.skipIf(process.geteuid?.() !== 0)(
    "another user's link is found where the kernel would let it be followed",
    () => {
      const folder = join(root, 'tmp');
      mkdirSync(folder);
      const sysctl = (text: string): string => {
        writeFileSync(join(root, 'sysctl'), text);
        return join(root, 'sysctl');
      };
      writeFileSync(join(folder, 'perf-1.map'), '');
      symlinkSync('/nonexistent', join(folder, 'perf-2.map'));
      symlinkSync('/nonexistent', join(folder, 'other'));
      lchownSync(join(folder, 'perf-1.map'), 1000, 1000);
      lchownSync(join(folder, 'other'), 1000, 1000);
      expect(findPlantedMap(folder, sysctl('0\n'))).toBeNull();
      lchownSync(join(folder, 'perf-2.map'), 1000, 1000);
      expect(findPlantedMap(folder, sysctl('0\n'))).toBe(join(folder, 'perf-2.map'));
      expect(findPlantedMap(folder, sysctl('1\n'))).toBeNull();
      expect(findPlantedMap(folder, join(root, 'no-such-sysctl'))).toBeNull();
    },
  );
});

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
  ])('NODE_OPTIONS of %j', (argv) => {
    const { value, notes, causesMaps } = optionsFor(argv);
    expect(value).toBe(FLAGS);
    expect(causesMaps).toBe(true);
    expect(notes).toEqual([`NODE_OPTIONS got ${FLAGS}; --no-node-flags leaves it alone`]);
  });

  test.each([
    ['env A=1 node app.js', 2],
    ['env -u B -C /tmp node app.js', 5],
    ['timeout -k 5 --signal TERM 10 node app.js', 6],
    ['timeout --signal=TERM 10 node app.js', 3],
    ['nice node app.js', 1],
    ['nice -n 5 node app.js', 3],
    ['nice -5 node app.js', 2],
    ['ionice -c2 -n 0 node app.js', 4],
    ['taskset -c 0,1 node app.js', 3],
    ['taskset 3 node app.js', 2],
    ['stdbuf -o0 -e L node app.js', 4],
    ['time -f %e -v node app.js', 4],
    ['chrt -r 1 node app.js', 3],
    ['nohup node app.js', 1],
    ['setsid -w node app.js', 2],
    ['strace -f -o /dev/null node app.js', 4],
    ['xargs -n 1 node app.js', 3],
    ['env A=1 nice -n 5 timeout 10 node app.js', 7],
  ])("%s: NODE_OPTIONS get flags, and Node's words hide its log", (line, at) => {
    const { value, argv } = optionsFor(line.replace('node', node).split(' '));
    expect(value).toBe(FLAGS);
    expect(argv[at]).toBe(node);
    expect(argv.slice(at + 1)).toEqual(['--logfile=+', '--no-logfile-per-isolate', 'app.js']);
  });

  test.each([
    ['env -i node app.js'],
    ['env - node app.js'],
    ['env -u NODE_OPTIONS node app.js'],
    ['env NODE_OPTIONS=--no-warnings node app.js'],
    ['sudo -u app node app.js'],
  ])('%s: Node gets flags as words, since NODE_OPTIONS do not reach it', (line) => {
    const user = { uid: 0, gid: 0, groups: [] };
    const { value, argv } = optionsFor(line.replace('node', node).split(' '), { user });
    expect(value ?? '').toBe('');
    expect(argv.join(' ')).toBe(
      line.replace('node', `${node} ${FLAGS} --logfile=+ --no-logfile-per-isolate`),
    );
  });

  test.each([
    ['env -S'],
    ['sudo -i node app.js'],
    ['taskset -p 1 node'],
    ['timeout 10'],
    ['env A=1'],
    ['nice gcc node.c'],
  ])('%s: nothing shows that it runs Node', (line) => {
    expect(optionsFor(line.split(' ')).value).toBeUndefined();
  });

  test('a script for a shell, in whatever way it is started', () => {
    const runs = program('run', 'set -e\n  cd app &&\\\n  timeout 10 node app.js # now\n');
    const other = program('build', 'echo node app.js\ncc node.c\n');
    expect(optionsFor(['sh', '-e', runs]).value).toBe(FLAGS);
    expect(optionsFor(['bash', '-o', 'pipefail', runs]).value).toBe(FLAGS);
    expect(optionsFor(['bash', '-lc', 'nice node app.js']).value).toBe(FLAGS);
    expect(optionsFor(['sh', '-e', other]).value).toBeUndefined();
  });

  test('the flags reach what a shell runs from a file, in a chain of files', () => {
    const runs = program('chain.mk', 'all:\n\t@node app.js\n');
    const inner = program('inner.sh', `#!/bin/sh\ntimeout 9 make -f ${runs}\n`);
    const outer = program('outer.sh', `#!/bin/sh\nset -e\nexec ${inner}\n`);
    const circle = program('circle.sh');
    writeFileSync(circle, `#!/bin/sh\n${circle}\nsh ${circle}\n`);
    const refuses = program('refuses.sh', '#!/bin/sh\nnode --permission b.js\n');
    expect(optionsFor(['sh', '-c', `timeout 9 make -f ${runs}`]).value).toBe(FLAGS);
    expect(optionsFor(['sh', '-c', `sh ${inner}`]).value).toBe(FLAGS);
    expect(optionsFor([outer]).value).toBe(FLAGS);
    expect(optionsFor(['sh', '-c', npmScript]).value).toBe(FLAGS);
    expect(optionsFor([circle]).value).toBeUndefined();
    expect(optionsFor(['sh', '-c', `node a.js; ${refuses}`]).notes.join()).toMatch(
      /restricts what Node may read/,
    );
  });

  test('a Makefile whose recipes run Node', () => {
    const runs = program('Runs.mk', 'all: node.o\n\t@npm run build\n');
    const compiles = program('Compiles.mk', 'node = 1\nnode:\n\tcc node.c\n');
    expect(optionsFor(['make', '-C', root, '-f', 'Runs.mk', 'all']).value).toBe(FLAGS);
    expect(optionsFor(['make', `--file=${runs}`]).value).toBe(FLAGS);
    expect(optionsFor(['make', '-f', compiles]).value).toBeUndefined();
  });

  test.each([
    [[node, '--permission', 'app.js'], []],
    [['npx', 'app'], ['NODE_OPTIONS=--experimental-permission']],
    [['sh', '-c', 'node --experimental-policy=policy.json app.js'], []],
    [[program('start', '#!/bin/sh\nexec node --permission app.js\n')], []],
  ])('%j: a program that may not read the preload is not given it', (argv, env) => {
    const path = argv[0].startsWith('/') ? argv[0] : join(root, argv[0]);
    const command = { path, argv, env: [`PATH=${root}`, ...env], stdoutToStderr: false };
    const flagged = addNodeFlags(command, undefined, () => ({ kind: 'node', version: 'v24.0.0' }));
    const options = flagged.command.env.find((entry) => entry.startsWith('NODE_OPTIONS='));
    expect(options).toContain(FLAGS);
    expect(options).not.toContain('--require');
    expect(flagged.recordingId).toBeNull();
    expect(flagged.notes[1]).toContain('restricts what Node may read');
  });

  test('a Node whose options env gives gets the preload in that word', () => {
    const argv = ['env', 'A=1', 'NODE_OPTIONS=--no-warnings', node, 'app.js'];
    const command = { path: '/usr/bin/env', argv, env: [`PATH=${root}`], stdoutToStderr: false };
    const identify = () => ({ kind: 'node', version: 'v24.0.0' }) as const;
    const naming = { newSocket: () => '@s' };
    const flagged = addNodeFlags(command, undefined, identify, undefined, naming);
    expect(flagged.command.argv.join(' ')).toMatch(
      /^env A=1 NODE_OPTIONS= --require \S+ --no-warnings \S+ app.js$/,
    );
    expect(flagged.command.env.join(' ')).toContain('PERF_TS_SESSION=');
    expect(flagged.codeSocket).toBe('@s');
    const bare = { ...command, argv: ['env', '-i', ...argv.slice(1)] };
    expect(addNodeFlags(bare, undefined, identify, undefined, naming).codeSocket).toBeNull();
  });

  test.each([
    ['--permission', 'v24.0.0', 'restricts what Node may read'],
    ['--no-warnings', 'v16.20.2', "Node v16.20.2 does not run perf-ts's preload"],
  ])(
    'a Node that takes no preload (%s, %s) stays as it is, unless asked for',
    (flag, version, why) => {
      const argv = [node, flag, 'app.js'];
      const command = { path: node, argv, env: [`PATH=${root}`], stdoutToStderr: false };
      const identify = () => ({ kind: 'node', version }) as const;
      const flagged = addNodeFlags(command, undefined, identify, undefined, {
        newSocket: () => '@s',
      });
      expect(flagged.command).toBe(command);
      const notes = flagged.notes.map(commandWords).join();
      expect(notes).toContain(why);
      expect(notes).toContain('--node-flags');
      const asked = addNodeFlags(command, true, identify, undefined, { newSocket: () => '@s' });
      expect(asked.command.env.join()).toContain(FLAGS);
    },
  );

  test.each([
    [['gcc', 'node.c']],
    [['sh', '-c', 'cat node.txt; ./nodes; gzip -c /usr/bin/node | head; echo node']],
    [['sh', 'node.sh']],
    [[program('other', '#!/bin/sh\n# node\nexec ./nodes "$@"\n')]],
    [[program('script.py', '#!/usr/bin/python3\n# node\n')]],
  ])('flags stay as they are for %j, unless asked for', (argv) => {
    expect(optionsFor(argv).value).toBeUndefined();
    expect(optionsFor(argv, { wanted: true }).value).toBe(FLAGS);
  });

  test('flags that the user set are kept, and are not set twice', () => {
    const env = ['NODE_OPTIONS=--max-old-space-size=4096'];
    expect(optionsFor([node, 'app.js'], { env }).value).toBe(`${FLAGS} --max-old-space-size=4096`);
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

  test("V8's log goes to a temporary file by default", () => {
    const hidden = ['--logfile=+', '--no-logfile-per-isolate'];
    expect(optionsFor([node, 'app.js']).argv).toEqual([node, ...hidden, 'app.js']);
    expect(optionsFor([node, '--prof', 'app.js']).argv).toEqual([node, '--prof', 'app.js']);
    expect(optionsFor(['npx', 'something']).argv).toEqual(['npx', 'something']);
  });

  test('Node itself alone gets flags, as words, where V8 could not open its log', () => {
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

  test('NODE_OPTIONS are left alone with --no-node-flags', () => {
    expect(optionsFor([node, 'app.js'], { wanted: false }).value).toBeUndefined();
  });

  test('NODE_OPTIONS of a Node that would refuse the flags stay as they are', () => {
    const old = optionsFor([node, 'app.js'], { version: 'v10.24.1' });
    expect(old.value).toBeUndefined();
    expect(old.notes[0]).toContain('Node v10.24.1 does not take');
  });

  test('NODE_OPTIONS are given to a Node whose file does not say its version', () => {
    expect(optionsFor([node, 'app.js'], { version: null }).value).toBe(FLAGS);
  });

  test('NODE_OPTIONS are not given to another program called node, unless they are asked for', () => {
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

  test('the words of a script called node are left alone', () => {
    const program = { kind: 'script' } as const;
    expect(optionsFor([node, 'app.js'], { program })).toMatchObject({
      value: FLAGS,
      argv: [node, 'app.js'],
    });
  });
});

describe('--jitdump', () => {
  const DUMP_FLAGS = '--perf-prof --interpreted-frames-native-stack';
  const hidden = ['--logfile=+', '--no-logfile-per-isolate'];

  test.each([[[node, 'app.js']], [['npx', 'something']]])(
    '--jitdump puts the flag of the dump in place of that of the map (%j)',
    (argv) => {
      const { value, notes, causesMaps, dumpsIn } = optionsFor(argv, { jitdump: true });
      expect(value).toBe(DUMP_FLAGS);
      expect([causesMaps, dumpsIn]).toEqual([false, '.']);
      expect(notes).toEqual([
        `NODE_OPTIONS got ${DUMP_FLAGS}; --no-node-flags leaves it alone`,
        expect.stringMatching(/^--jitdump: V8 writes .*: 2 MB at the start/),
      ]);
    },
  );

  test.each([['v26.10.0'], [null]])(
    '--jitdump is a word of a Node that ends where it cannot make the file, and not inherited (%s)',
    (version) => {
      const own = optionsFor([node, 'app.js'], { jitdump: true, version });
      expect(own.value).toBe(FLAGS);
      expect(own.argv).toEqual([node, '--perf-prof', ...hidden, 'app.js']);
      expect(own.dumpsIn).toBe('.');
      const started = optionsFor(['npx', 'something'], { jitdump: true, version });
      expect([started.value, started.argv]).toEqual([FLAGS, ['npx', 'something']]);
      expect([started.causesMaps, started.dumpsIn]).toEqual([true, null]);
      expect(started.notes[1]).toContain('no jitdump, a perf map instead');
    },
  );

  test('--jitdump leaves alone what the user has set to name code', () => {
    const env = ['NODE_OPTIONS=--perf-basic-prof'];
    for (const given of [
      optionsFor([node, '--perf-prof', 'app.js'], { jitdump: true }),
      optionsFor([node, 'app.js'], { jitdump: true, env }),
    ]) {
      expect(given.dumpsIn).toBeNull();
      expect(given.notes.at(-1)).toContain('a flag for it of its own');
    }
  });

  test('--jitdump is a perf map where the working directory is closed to the command', () => {
    const closed = join(root, 'closed-to-dumps');
    mkdirSync(closed, { mode: 0o555 });
    const before = process.cwd();
    process.chdir(closed);
    try {
      const user = { uid: 65534, gid: 65534, groups: [] };
      const own = optionsFor([node, 'app.js'], { jitdump: true, user });
      expect(own.argv).toEqual([node, ...FLAGS.split(' '), ...hidden, 'app.js']);
      expect(own.dumpsIn).toBeNull();
      expect(own.notes.at(-1)).toContain('where the command may not write');
    } finally {
      process.chdir(before);
    }
  });

  test("a link of another user in the place of a dump keeps the flags from root's Node", () => {
    const folder = join(root, 'planted-dump');
    mkdirSync(folder);
    symlinkSync('/etc/passwd', join(folder, 'jit-4711.dump'));
    expect(findPlantedDump(folder)).toBe(
      process.getuid?.() === 0 ? null : join(folder, 'jit-4711.dump'),
    );
    if (process.getuid?.() !== 0) return;
    lchownSync(join(folder, 'jit-4711.dump'), 65534, 65534);
    expect(findPlantedDump(folder)).toBe(join(folder, 'jit-4711.dump'));
  });
});
