import { expect, it } from 'vitest';
import { findingText } from '../../src/findings/finding.ts';
import { judgeRun } from '../../src/findings/judge-run.ts';

const SOUND = { samples: 1000, lost: 0, lostSideband: 0, throttles: 0 };

it('a recording without stacks is found, once it has samples', () => {
  const [found, ...others] = judgeRun({ ...SOUND, hasStacks: false });
  expect(others).toEqual([]);
  expect(found).toMatchObject({ code: 'stacks-none', severity: 'note' });
  expect(findingText(found)).toBe(
    'no call stacks were recorded (perf-ts record --call-graph auto -- COMMAND)',
  );
  expect(judgeRun({ ...SOUND, samples: 0, hasStacks: false })).toEqual([]);
  expect(judgeRun({ ...SOUND, hasStacks: true })).toEqual([]);
});

it('a target that waited for the larger part of the time is found', () => {
  const [found] = judgeRun({ ...SOUND, onCpuShare: 0.017 });
  expect(found).toMatchObject({ code: 'target-waited', share: 0.983 });
  expect(findingText(found)).toBe(
    'on a CPU for 2% of the time: what it waited for is in no sample (perf-ts record --off-cpu -- COMMAND)',
  );
  expect(judgeRun({ ...SOUND, onCpuShare: 0.3, idleCpus: 0.9 })).toMatchObject([
    { code: 'target-waited', share: 0.7, command: 'perf-ts record --off-cpu -- COMMAND' },
  ]);
  const [refused] = judgeRun({ ...SOUND, onCpuShare: 0.3, isUserOnly: true });
  expect(findingText(refused)).toBe(
    'on a CPU for 30% of the time: what it waited for is in no sample; as root, this shows it (perf-ts record --off-cpu -- COMMAND)',
  );
  for (const onCpuShare of [0.5, 1, 3.2, null]) {
    expect(judgeRun({ ...SOUND, onCpuShare })).toEqual([]);
  }
});

it('a target whose CPUs others kept busy may have waited for those, too', () => {
  const [found] = judgeRun({ ...SOUND, onCpuShare: 0.33, idleCpus: 0.1 });
  expect(found).toMatchObject({ code: 'target-waited', label: 'CPUs busy' });
  expect(findingText(found)).toBe(
    'on a CPU for 33% of the time: it waited, or other programs kept the CPUs busy (perf-ts record --off-cpu -- COMMAND)',
  );
  expect(found.share).toBeCloseTo(0.67);
});

it('code of a JIT without a name is found where it is a hundredth of the weight', () => {
  const [found] = judgeRun({ ...SOUND, unnamedJitShare: 0.781 });
  expect(found).toMatchObject({ code: 'javascript-unnamed', severity: 'note', share: 0.781 });
  expect(findingText(found)).toBe(
    '78.1% of the weight is in code without a name that a JIT made as it ran: Node names it where the program imports perf-ts/register',
  );
  for (const unnamedJitShare of [0, 0.009, null]) {
    expect(judgeRun({ ...SOUND, unnamedJitShare })).toEqual([]);
  }
});
