import { expect, it } from 'vitest';
import { type Marks, type PhaseMarks, truthOf } from '../../../src/tools/selftest/marks.ts';

const phase = (name: PhaseMarks['name'], change: Partial<PhaseMarks>): PhaseMarks => ({
  name,
  startNs: '0',
  endNs: '1',
  cpuNs: 1e6,
  faults: 3,
  loopRounds: 0,
  calls: 0,
  ...change,
});

const MARKS: Marks = {
  phases: [
    phase('spin-1', { loopRounds: 100 }),
    phase('spin-3', { loopRounds: 300 }),
    phase('touch-fast', { faults: 4000 }),
    phase('calls-1', { calls: 50 }),
  ],
  endNs: '2',
};

it.each([
  ['cycles', ['spin-1 100', 'spin-3 300']],
  ['cycles:p', ['spin-1 100', 'spin-3 300']],
  ['instructions:u', ['spin-1 100', 'spin-3 300']],
  ['page-faults', ['touch-fast 4000']],
  ['raw_syscalls:sys_enter', ['calls-1 50']],
  ['cpu-clock', ['spin-1 1000000', 'spin-3 1000000', 'touch-fast 1000000', 'calls-1 1000000']],
  // User time is told by another measure there than samples do.
  ['cpu-clock:u', []],
  ['sched:sched_switch', []],
])('%s has an account of its own', (event, expected) => {
  const truth = truthOf(event, MARKS).map(({ phase: name, amount }) => `${name} ${amount}`);
  expect(truth).toEqual(expected);
});

it("one thread alone has no account of the process's figures", () => {
  const phasesOf = (event: string) => truthOf(event, MARKS, true).map(({ phase: name }) => name);
  expect(phasesOf('page-faults')).toEqual([]);
  expect(phasesOf('cpu-clock')).toEqual([]);
  expect(phasesOf('cycles')).toEqual(['spin-1', 'spin-3']);
});
