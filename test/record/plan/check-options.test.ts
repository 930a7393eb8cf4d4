import { describe, expect, test } from 'vitest';
import { atCommand, UsageError } from '../../../src/base/errors.ts';
import type { NativeBinding } from '../../../src/native/types.ts';
import { OptionError } from '../../../src/options/option-error.ts';
import type { RecordSettings } from '../../../src/options/record.ts';
import { checkRecordOptions } from '../../../src/record/plan/check-options.ts';
import { prepareRecording } from '../../../src/record/prepare-recording.ts';
import { fakeKernel, opensEverything } from '../../system/kernel/fake-kernel.ts';

/** Options that JavaScript may pass, though the types refuse them. */
function refused(options: unknown): UsageError {
  try {
    checkRecordOptions(options as RecordSettings);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

test('options without a value are none', () => {
  expect(() => checkRecordOptions({ command: ['a'], count: undefined } as object)).not.toThrow();
});

test.each<[object, string]>([
  [{ command: 'true' }, 'command "true": expected an array of texts'],
  [{ command: ['node', null] }, 'command ["node",null]: expected an array of texts'],
  [{ events: 'cycles' }, 'events "cycles": expected an array of texts'],
  [{ pids: [] }, 'pids []: expected ids between 1 and 2147483647'],
  [{ pids: ['7'] }, 'pids ["7"]: expected ids between 1 and 2147483647'],
  [{ cpus: [-1] }, 'cpus [-1]: expected an array of CPU numbers, at least one'],
  [{ freq: '99' }, 'freq "99": expected a whole number of Hz, at least 1, or max'],
  [{ freq: 0 }, 'freq 0: expected a whole number of Hz, at least 1, or max'],
  [{ count: 1.5 }, 'count 1.5: expected a whole number of at least 1'],
  [{ callGraph: true }, "callGraph true: expected a way to record stacks, such as 'fp'"],
  [{ callGraph: 'magic' }, 'callGraph "magic": unknown way to record stacks'],
  [{ only: 'hypervisor' }, 'only "hypervisor": expected user, kernel'],
  [{ fields: { userRegs: 'ax' } }, 'userRegs "ax": expected an array of names, empty for all'],
  [{ fields: { colour: true } }, '"colour" is no option of fields'],
  [
    { ringPages: '512K' },
    'ringPages "512K": expected a whole number of pages, at least 1, or { bytes }',
  ],
  [{ switchOutput: {} }, "switchOutput {}: expected 'asked', { bytes } or { ms }"],
  [{ compressionLevel: 23 }, 'compressionLevel 23: expected a whole number from 1 to 22'],
  [{ durationMs: Number.NaN }, 'durationMs NaN: expected a number above 0'],
  [{ delayMs: -1 }, 'delayMs -1: expected a number above 0'],
  [{ signal: {} }, 'signal {}: expected an AbortSignal'],
  [{ onNotice: 'log' }, 'onNotice "log": expected a function'],
  [{ inherit: 0 }, 'inherit 0: expected true or false'],
  [{ uid: 'me' }, '"uid" is no option of a recording'],
  [null as unknown as object, 'a recording takes its options as an object, not null'],
])('a program that passes %j is refused in the words of the library', (options, message) => {
  expect(refused(options).message).toContain(message);
  expect(refused(options).code).toBe('ERR_INVALID_ARG_VALUE');
});

test.each([{}, { command: [] }, { systemWide: false }])(
  '%j: the targets that there are are named',
  (options) => {
    const { probe } = fakeKernel(opensEverything);
    const binding = { probeEvent: probe } as unknown as NativeBinding;
    expect(() => prepareRecording(options as RecordSettings, binding)).toThrow(
      'nothing to record: give a command, pids, tids, cpus or systemWide',
    );
  },
);

describe('options that exclude each other', () => {
  test.each<[object, string, string]>([
    [{ freq: 99, count: 1 }, 'freq and count exclude', '-F and -c exclude'],
    [{ pids: [1], tids: [2] }, 'pids and tids exclude', '-p and -t exclude'],
    [{ pids: [1], systemWide: true }, 'pids and systemWide exclude', '-p and -a exclude'],
    [{ perThread: true, cpus: [0] }, 'perThread and cpus exclude', '--per-thread and -C exclude'],
    [{ overwrite: true, counts: true }, 'overwrite and counts', '--overwrite and --counts'],
    [
      { command: ['a'], jitdump: true, nodeFlags: false },
      'jitdump is a flag of V8, nodeFlags: false adds none',
      '--jitdump is a flag of V8, --no-node-flags adds none',
    ],
    [{ cgroup: '/a' }, 'cgroup /a: a control group', '-G /a: a control group'],
  ])('%j: by their keys in the library, by their flags in the command', (options, keys, flags) => {
    const error = refused(options);
    expect(error.message).toContain(keys);
    expect(atCommand(error).message).toContain(flags);
  });

  test('an option that is off excludes nothing', () => {
    expect(() => checkRecordOptions({ pids: [1], systemWide: false })).not.toThrow();
  });
});

test('an error of an option has the option and the problem', () => {
  const error = refused({ freq: 0 });
  expect(error).toBeInstanceOf(OptionError);
  expect(error).toMatchObject({
    option: { inLibrary: 'freq', inCommand: '-F' },
    problem: 'expected a whole number of Hz, at least 1, or max',
  });
});

test('a command line of perf-ts is a hint for a terminal only', () => {
  const error = refused({ pids: [1], jitdump: true });
  expect(error.hints).toEqual([]);
  expect(atCommand(error).hints).toEqual(['perf-ts record --jitdump -- node app.js']);
});
