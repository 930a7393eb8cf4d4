import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { errorText, FailedError, UsageError } from '../../../src/base/errors.ts';
import { commandWords } from '../../../src/base/words.ts';
import { hintsUnderSudo, resolveCommand } from '../../../src/system/launch/resolve-command.ts';
import { explainExecFailure } from '../../../src/system/launch/start-failure.ts';

const root = mkdtempSync(join(tmpdir(), 'perf-ts-launch-'));
afterAll(() => rmSync(root, { recursive: true }));

/** `first` has a plain file and a directory in the way of `second`'s programs. */
const first = join(root, 'first');
const second = join(root, 'second');
function file(path: string, mode: number, text = ''): string {
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}
mkdirSync(join(first, 'directory'), { recursive: true });
mkdirSync(second);
file(join(first, 'tool'), 0o644);
file(join(first, 'only-plain'), 0o644);
file(join(first, 'server.mjs'), 0o644);
file(join(second, 'tool'), 0o755);
file(join(second, 'directory'), 0o755);

const PATH = `${first}:${second}`;
const nobodySpecial = { change: null, env: {} };

function resolve(words: string[], env: Record<string, string> = { PATH }) {
  return resolveCommand(words, { env }, nobodySpecial);
}

function failure(words: string[], env?: Record<string, string>): FailedError {
  try {
    resolve(words, env);
  } catch (error) {
    if (error instanceof FailedError) return error;
    throw error;
  }
  throw new Error('it was resolved');
}

describe('the file of a command', () => {
  it('the file is searched on PATH past plain files and directories', () => {
    expect(resolve(['tool', 'a', 'b'])).toMatchObject({
      path: join(second, 'tool'),
      argv: ['tool', 'a', 'b'],
    });
    expect(resolve(['directory']).path).toBe(join(second, 'directory'));
  });

  it('the file is taken as it is when the name has a slash', () => {
    const path = relative(process.cwd(), join(second, 'tool'));
    expect(resolve([path], { PATH: '' }).path).toBe(path);
  });

  it('a folder of PATH that cannot be looked into holds no command', () => {
    const loop = join(root, 'loop');
    symlinkSync('loop', loop);
    expect(resolve(['tool'], { PATH: `${loop}:${second}` }).path).toBe(join(second, 'tool'));
    expect(failure(['dwarf'], { PATH: loop })).toMatchObject({
      message: 'command not found: dwarf',
    });
  });

  it.each([
    ['cd', 'sh -c'],
    ['export', 'sh -c'],
    ['read,write', '--syscalls=read,write'],
  ])('%s is no program: %s', (name, advice) => {
    const { hints } = errorText(failure([name]));
    expect(hints.map(commandWords).join('\n')).toContain(advice);
  });

  it('a command is searched on the PATH assigned before it', () => {
    expect(resolve([`PATH=${second}`, 'tool'], { PATH: '/nowhere' }).path).toBe(
      join(second, 'tool'),
    );
  });

  it('the file is searched in /bin and /usr/bin without PATH, and here where PATH has an empty entry', () => {
    expect(resolve(['sh'], {}).path).toBe('/bin/sh');
    const before = process.cwd();
    process.chdir(second);
    try {
      expect(resolve(['tool'], { PATH: `${root}:` }).path).toBe('./tool');
      expect(resolve(['tool'], { PATH: '' }).path).toBe('./tool');
      expect(failure(['tool'], { PATH: root })).toMatchObject({
        message: 'command not found: tool',
        hints: ['the current directory is not searched: ./tool'],
      });
    } finally {
      process.chdir(before);
    }
  });

  it.each([
    [['no-such-tool'], 'command not found: no-such-tool'],
    [[''], 'command not found: '],
    [['/no/such/tool'], 'no such file: /no/such/tool'],
    [[`${second}/tool/below-a-file`], `no such file: ${second}/tool/below-a-file`],
    [['\u001b]0;title\u0007'], 'command not found: \\x1b]0;title\\x07'],
  ])('a command that does not exist ends with 127: %j', (words, message) => {
    expect(failure(words)).toMatchObject({ message, exitStatus: 127 });
  });

  it.each([
    ['node app.js', 'leave the quotes out'],
    ['dwarf', "callGraph: 'dwarf'"],
    ['2', 'durationMs takes a time'],
    ['1ms', 'freq samples a second'],
  ])('a word that is no program has a hint: %s', (word, hint) => {
    const text = JSON.stringify(failure([word]));
    expect(text).toContain(hint);
  });

  it.each([
    [['only-plain'], `cannot execute ${first}/only-plain: permission denied`],
    [[`${first}/tool`], `cannot execute ${first}/tool: permission denied`],
    [[`${first}/directory`], `cannot execute ${first}/directory: it is a directory`],
  ])('a command that cannot be executed ends with 126: %j', (words, message) => {
    expect(failure(words)).toMatchObject({ message, exitStatus: 126 });
  });

  it('a script without execute permission comes with the way to run it', () => {
    expect(failure([`${first}/server.mjs`]).hints).toEqual([
      `run it with node: perf-ts record … -- node ${first}/server.mjs`,
    ]);
  });
});

describe('the environment of a command', () => {
  it("the environment is ours, then the user's, then the words before the command", () => {
    const spec = resolveCommand(
      ['HOME=/tmp/x', 'EMPTY=', 'EQUATION=a=b\nc', 'tool', 'LATER=argument'],
      { env: { PATH, HOME: '/root', USER: 'root', GONE: undefined } },
      { change: null, env: { HOME: '/home/alice', USER: 'alice' } },
    );
    expect(spec.env).toEqual([
      `PATH=${PATH}`,
      'HOME=/tmp/x',
      'USER=alice',
      'EMPTY=',
      'EQUATION=a=b\nc',
    ]);
    expect(spec.argv).toEqual(['tool', 'LATER=argument']);
  });

  it('the environment is this process’s where none is given', () => {
    process.env.PERF_TS_LAUNCH_TEST = 'here';
    const { env } = resolveCommand(['/bin/sh'], {}, nobodySpecial);
    delete process.env.PERF_TS_LAUNCH_TEST;
    expect(env).toContain('PERF_TS_LAUNCH_TEST=here');
  });

  it('the environment of a command takes no word for an assignment whose name a shell would refuse', () => {
    for (const word of ['1A=x', '=x', 'A-B=x', './A=x']) {
      expect(failure([word, 'tool']).exitStatus).toBe(127);
    }
  });

  it('assignments alone are not a command', () => {
    expect(() => resolve(['A=1', 'B=2'])).toThrow(UsageError);
    expect(() => resolve([])).toThrow(UsageError);
  });

  it('environment and words of a command must not contain NUL', () => {
    expect(() => resolve(['tool', 'a\0b'])).toThrow(TypeError);
    expect(() => resolve(['tool'], { PATH, A: 'a\0b' })).toThrow(TypeError);
  });
});

it('the change of user and the way of stdout go into the spec', () => {
  const change = { uid: 1000, gid: 1000, groups: [1000, 27] };
  const options = { env: { PATH }, output: '-' };
  expect(resolveCommand(['tool'], options, { change, env: {} })).toEqual({
    path: join(second, 'tool'),
    argv: ['tool'],
    env: [`PATH=${PATH}`],
    user: change,
    stdoutToStderr: true,
    // As child_process.spawn has it; the command line notes what it was started with.
    inheritedFds: [],
    blockingFds: [0, 1, 2],
    ignoredSignals: [],
    softFdLimit: 0,
  });
  const plain = resolveCommand(['tool'], { env: { PATH }, output: 'x.data' }, nobodySpecial);
  expect(plain).not.toHaveProperty('user');
  expect(plain.stdoutToStderr).toBe(false);
});

describe('a command that could not become what it should', () => {
  const user = { uid: 1000, gid: 1000, groups: [1000] };
  const orphan = file(join(second, 'orphan'), 0o755, '#! /no/such/node --flag\nrest');

  it.each([
    [
      { path: orphan },
      ['execve', 'ENOENT'],
      126,
      `cannot execute ${orphan}: its interpreter /no/such/node is missing`,
    ],
    [
      { path: '/gone' },
      ['execve', 'ENOENT'],
      127,
      'cannot execute /gone: it, or its program loader, is missing',
    ],
    [
      { path: '/root/tool', user },
      ['execve', 'EACCES'],
      126,
      'cannot execute /root/tool: permission denied for uid 1000',
    ],
    [
      { path: '/x' },
      ['execve', 'E2BIG'],
      126,
      'cannot execute /x: its arguments and environment are too long',
    ],
    [{ path: '/x' }, ['execve', 'ENOEXEC'], 126, 'cannot execute /x: ENOEXEC'],
    [
      { path: '/x' },
      ['execve', 'ELIBBAD'],
      126,
      'cannot execute /x: its program loader is not one of this machine',
    ],
    [
      { path: '/x', user },
      ['setgroups', 'EPERM'],
      125,
      'the command was not started as uid 1000: setgroups failed: not permitted (EPERM)',
    ],
  ])('%o %j: %i', (command, [step, code], exitStatus, message) => {
    const error = explainExecFailure(command, step, code);
    expect(error).toMatchObject({ message, exitStatus });
  });
});

describe('a command that is not on the PATH of sudo', () => {
  const under = (SUDO_UID: string | undefined, PATH: string | null, isRoot = true) => ({
    isRoot,
    env: { SUDO_UID },
    readCallers: () => (PATH === null ? null : { PATH }),
  });

  it("a command is found on the caller's PATH: handed over, or named by its path", () => {
    const hints = hintsUnderSudo('tool', under('1000', `/nowhere:${first}:${second}`));
    expect(hints).toEqual([
      expect.stringMatching(/^sudo has replaced your PATH; .*sudo env "PATH=\$PATH" .* … tool …$/),
      `or name it by its path: ${second}/tool`,
    ]);
  });

  it("a command may be there where the caller's PATH can't be told", () => {
    expect(hintsUnderSudo('tool', under('1000', null))).toHaveLength(1);
  });

  it('a command that is nowhere gets no hint', () => {
    expect(hintsUnderSudo('no-such-tool', under('1000', second))).toEqual([]);
    expect(hintsUnderSudo('tool', under('1000', `relative:${first}`))).toEqual([]);
  });

  it('no hint without sudo, for root who called it, and for no name', () => {
    expect(hintsUnderSudo('tool', under(undefined, second))).toEqual([]);
    expect(hintsUnderSudo('tool', under('0', second))).toEqual([]);
    expect(hintsUnderSudo('tool', under('1000', second, false))).toEqual([]);
    expect(hintsUnderSudo('', under('1000', second))).toEqual([]);
  });
});
