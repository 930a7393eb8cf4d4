import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandWords } from '../../../src/base/words.ts';
import type { CommandSpec } from '../../../src/native/types.ts';
import { addNamingFlags } from '../../../src/system/runtimes/naming-flags.ts';
import { findOtherRuntime } from '../../../src/system/runtimes/other-runtimes.ts';
import { scratchDirectory } from '../../helpers/cli.ts';

const root = scratchDirectory();
mkdirSync(root, { recursive: true });

function program(name: string, text: string): string {
  const path = join(root, name);
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

const bun = program('bun', `\x7fELF${'x'.repeat(5 << 20)}BUN_JSC_useJIT`);
const deno = program('deno', '\x7fELF DENO_V8_FLAGS');
mkdirSync(join(root, 'other'));

function flagged(path: string, env: string[] = [], options: { jitdump?: boolean } = {}) {
  const command: CommandSpec = { path, argv: [path, 'app.ts'], env, stdoutToStderr: false };
  const { command: changed, notes, causesMaps, dumpsIn } = addNamingFlags(command, options);
  expect(changed.argv).toEqual(command.argv);
  return { env: changed.env, notes: notes.map(commandWords), causesMaps, dumpsIn };
}

describe('a command that is', () => {
  test('Bun or Deno is known by its name and its bytes', () => {
    expect(findOtherRuntime({ path: bun })).toBe('bun');
    expect(findOtherRuntime({ path: deno })).toBe('deno');
    const linked = join(root, 'runtime');
    symlinkSync(bun, linked);
    expect(findOtherRuntime({ path: linked })).toBe('bun');
    expect(findOtherRuntime({ path: program('bunx', '#!/usr/bin/env node') })).toBe('bun');
    expect(findOtherRuntime({ path: program('other/bun', '\x7fELF') })).toBeNull();
    expect(findOtherRuntime({ path: program('bunny', '\x7fELF BUN_JSC_') })).toBeNull();
    const application = program('application', `\x7fELF${'x'.repeat(40 << 20)}BUN_JSC_useJIT`);
    expect(findOtherRuntime({ path: application })).toBe('bun');
    expect(findOtherRuntime({ path: join(root, 'gone/bun') })).toBeNull();
  });

  test('Bun gets the variable for its jitdump', () => {
    expect(flagged(bun, ['A=1'])).toEqual({
      env: ['A=1', 'BUN_JSC_useJITDump=1'],
      notes: ['BUN_JSC_useJITDump=1 is set for Bun; --no-node-flags leaves it alone'],
      causesMaps: false,
      dumpsIn: '/tmp',
    });
    expect(flagged(bun, [`TMPDIR=${root}`]).dumpsIn).toBe(root);
    for (const closed of [join(root, 'none'), 'relative']) {
      const { env, notes } = flagged(bun, [`TMPDIR=${closed}`]);
      expect(env).toEqual([`TMPDIR=${closed}`]);
      expect(notes).toEqual([expect.stringContaining(closed)]);
    }
    const own = flagged(bun, ['BUN_JSC_useJITDump=0']);
    expect(own).toEqual({
      env: ['BUN_JSC_useJITDump=0'],
      notes: [],
      causesMaps: false,
      dumpsIn: null,
    });
  });

  test('Deno gets the flags of V8 behind its own', () => {
    const { env, causesMaps, dumpsIn } = flagged(deno, ['DENO_V8_FLAGS=--stack-size=4000']);
    expect(env).toEqual([
      'DENO_V8_FLAGS=--stack-size=4000,--perf-basic-prof,--interpreted-frames-native-stack,' +
        '--logfile=+,--no-logfile-per-isolate',
    ]);
    expect([causesMaps, dumpsIn]).toEqual([true, null]);
    const own = flagged(deno, ['DENO_V8_FLAGS=--perf-prof']);
    expect(own).toMatchObject({ env: ['DENO_V8_FLAGS=--perf-prof'], causesMaps: false });
  });

  test('Deno gets no jitdump, since its V8 ends where it cannot make the file', () => {
    const { env, notes } = flagged(deno, [], { jitdump: true });
    expect(env[0]).toContain('--perf-basic-prof');
    expect(notes[1]).toMatch(/^--jitdump: no jitdump, a perf map instead/);
  });

  test('any other program is reported with --jitdump, which has no effect on it', () => {
    const { notes } = flagged(program('gcc', '\x7fELF'), [], { jitdump: true });
    expect(notes).toEqual([expect.stringContaining('not seen to run Node')]);
  });
});
