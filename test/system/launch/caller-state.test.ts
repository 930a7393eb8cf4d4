import { expect, test } from 'vitest';
import {
  fdLimitNotice,
  guessStartState,
  type ProcessView,
} from '../../../src/system/launch/caller-state.ts';

/** A signal set as /proc has it. */
const set = (...signals: number[]): bigint =>
  signals.reduce((bits, signal) => bits | (1n << BigInt(signal - 1)), 0n);

const shell: ProcessView = {
  parent: 1,
  comm: 'bash',
  program: 'bash',
  ignored: 0n,
  softFds: 1024,
  hardFds: 20_000,
};
/** Node has raised the limit. */
const self: ProcessView = {
  parent: 100,
  comm: 'node',
  program: 'node',
  ignored: set(13),
  softFds: 20_000,
  hardFds: 20_000,
};

function guess(
  processes: Record<number, ProcessView>,
  more: { startedProgram?: string; hasNohupInput?: boolean; self?: ProcessView } = {},
) {
  return guessStartState({
    self,
    view: (pid) => processes[pid] ?? null,
    startedProgram: undefined,
    hasNohupInput: false,
    ...more,
  });
}

test('the soft limit is the parent’s where the hard limits agree', () => {
  expect(guess({ 100: shell }).softFdLimit).toBe(1024);
  // `ulimit -n 256; exec perf-ts` sets both.
  const lowered = { ...self, softFds: 256, hardFds: 256 };
  expect(guess({ 100: shell }, { self: lowered }).softFdLimit).toBe(0);
  expect(guess({}).softFdLimit).toBe(0);
});

test('limits that the parent does not have are told of where Node has raised the soft one', () => {
  // `prlimit --nofile=1000:20000` under a shell of 1024 and 524288.
  expect(guess({ 100: { ...shell, hardFds: 524_288 } }).hasOwnFdLimits).toBe(true);
  expect(guess({ 100: shell }).hasOwnFdLimits).toBe(false);
  // Not raised, so it is what perf-ts got.
  const kept = { ...self, softFds: 1000 };
  expect(guess({ 100: { ...shell, hardFds: 524_288 } }, { self: kept }).hasOwnFdLimits).toBe(false);
  expect(fdLimitNotice(20_000)).toBe(
    'the soft limit of open files is not known here, and the command gets the hard one, 20000; ' +
      `to set it: -- sh -c 'ulimit -Sn 1024; exec "$@"' sh COMMAND`,
  );
});

test('caller state is read past sudo and the like', () => {
  const sudo = { ...shell, comm: 'sudo', program: '', softFds: 20_000 };
  const state = guess({
    100: { ...sudo, parent: 101 },
    101: { ...sudo, parent: 102 },
    102: { ...shell, ignored: set(1) },
  });
  expect(state).toEqual({ softFdLimit: 1024, ignoredSignals: [1], hasOwnFdLimits: false });
});

test('signals that a script ignores are ignored in the command', () => {
  expect(guess({ 100: { ...shell, ignored: set(1, 2, 3, 13, 25, 40) } }).ignoredSignals).toEqual([
    1, 2, 3, 40,
  ]);
});

test('the signals that are believed of a shell with job control are SIGHUP and SIGINT', () => {
  const interactive = set(3, 15, 20, 21, 22);
  expect(guess({ 100: { ...shell, ignored: interactive } }).ignoredSignals).toEqual([]);
  expect(guess({ 100: { ...shell, ignored: interactive | set(1) } }).ignoredSignals).toEqual([1]);
});

test('Node resets all signals in its children', () => {
  const node = { ...shell, program: 'node', ignored: set(1, 13) };
  expect(guess({ 100: node }).ignoredSignals).toEqual([]);
});

test('nohup is known by what the shell calls it, or by the input that it leaves', () => {
  expect(guess({ 100: shell }, { startedProgram: '/usr/bin/nohup' }).ignoredSignals).toEqual([1]);
  expect(guess({ 100: shell }, { hasNohupInput: true }).ignoredSignals).toEqual([1]);
  expect(guess({ 100: shell }, { startedProgram: '/usr/bin/perf-ts' }).ignoredSignals).toEqual([]);
});
