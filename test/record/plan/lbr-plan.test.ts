import { describe, expect, it } from 'vitest';
import { atCommand, FailedError } from '../../../src/base/errors.ts';
import type { EventAttr } from '../../../src/kernel/perf-event/attr.ts';
import { PERF_SAMPLE, PERF_SAMPLE_BRANCH } from '../../../src/kernel/perf-event/constants.ts';
import type { RecordSettings } from '../../../src/options/record.ts';
import { type KernelRule, planOf } from '../../system/kernel/fake-kernel.ts';

const { USER, CALL_STACK, NO_FLAGS, NO_CYCLES, HW_INDEX, ANY } = PERF_SAMPLE_BRANCH;
const CALLS = USER | CALL_STACK;
const LBR: RecordSettings = { callGraph: 'lbr' };

/** Branch settings of each event, null where it records no branches; all have callchains. */
function branchesOf(events: string, options: RecordSettings = LBR, rule?: KernelRule) {
  const plan = planOf(events, options, rule && { rule });
  return plan.events.map(({ attr }) => {
    expect(attr.sampleType & PERF_SAMPLE.CALLCHAIN).toBe(PERF_SAMPLE.CALLCHAIN);
    expect(attr.flags.excludeCallchainUser).toBe(false);
    const hasField = (attr.sampleType & PERF_SAMPLE.BRANCH_STACK) !== 0;
    expect(hasField).toBe(attr.branchSampleType !== 0n);
    return hasField ? Number(attr.branchSampleType) : null;
  });
}

/** A kernel that finds these branch settings invalid, for not knowing them. */
const knowsNo =
  (bits: number): KernelRule =>
  ({ branchSampleType }: EventAttr) =>
    (branchSampleType & BigInt(bits)) === 0n ? '' : 'EINVAL';

describe('--call-graph lbr', () => {
  it('lbr asks for callchains and for the calls of user code, without what is not read', () => {
    expect(branchesOf('cycles')).toEqual([CALLS | NO_FLAGS | NO_CYCLES | HW_INDEX]);
    expect(branchesOf('cycles:u')).toEqual([CALLS | NO_FLAGS | NO_CYCLES | HW_INDEX]);
  });

  it('--call-graph lbr is a term of single events, too', () => {
    const events = 'cycles/call-graph=lbr/,instructions';
    const whole = CALLS | NO_FLAGS | NO_CYCLES | HW_INDEX;
    expect(branchesOf(events, { callGraph: 'fp' })).toEqual([whole, null]);
    expect(branchesOf('cycles,instructions/call-graph=fp/')).toEqual([whole, null]);
  });

  it('lbr leaves out what an older kernel does not know', () => {
    expect(branchesOf('cycles', LBR, knowsNo(HW_INDEX))).toEqual([CALLS | NO_FLAGS | NO_CYCLES]);
  });

  it('lbr leaves stacks to frame pointers where no user code is sampled, or -b has the records', () => {
    const why = (events: string, options: RecordSettings) => {
      const plan = planOf(events, options);
      return [Number(plan.events[0]?.attr.branchSampleType), ...plan.notices];
    };
    expect(why('cycles:k', LBR)).toEqual([
      0,
      'cycles:k: stacks by frame pointers, not by lbr: branch records have the calls of user code only',
    ]);
    expect(why('cycles', { ...LBR, fields: { branches: ['any'] } })).toEqual([
      ANY,
      'cycles: stacks by frame pointers, not by lbr: the branch records are taken by -b or -j',
    ]);
  });

  it.each(['ENOENT', 'EOPNOTSUPP', 'EINVAL'])(
    'lbr fails with what to do instead where the CPU has none: %s',
    (code) => {
      const rule: KernelRule = ({ branchSampleType }) => (branchSampleType === 0n ? '' : code);
      try {
        planOf('cycles', LBR, { rule });
        expect.unreachable();
      } catch (error) {
        expect(error).toBeInstanceOf(FailedError);
        const { message, hints } = error as FailedError;
        const problem = `cycles has no branch records of calls here (${code})`;
        expect(message).toBe(`callGraph: 'lbr': ${problem}`);
        expect(hints[0]).toContain("callGraph: 'auto'");
        expect(atCommand(error as FailedError).message).toBe(`--call-graph lbr: ${problem}`);
      }
    },
  );

  it('lbr takes no clock in place of cycles, which has no branch records either', () => {
    const noCounters: KernelRule = ({ type }) => (type === 0 ? 'ENOENT' : '');
    expect(() => planOf('cycles', LBR, { rule: noCounters })).toThrow('cycles has no branch');
    expect(planOf('cycles', { callGraph: 'fp' }, { rule: noCounters }).events[0]?.name).toBe(
      'cpu-clock',
    );
  });
});
