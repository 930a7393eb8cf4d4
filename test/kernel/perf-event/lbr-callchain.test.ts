import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addressOf } from '../../../src/base/u64.ts';
import { hasLbrCallchain, newAttr } from '../../../src/kernel/perf-event/attr.ts';
import { isContextMarker } from '../../../src/kernel/perf-event/callchain.ts';
import {
  PERF_CONTEXT,
  PERF_SAMPLE,
  PERF_SAMPLE_BRANCH,
} from '../../../src/kernel/perf-event/constants.ts';
import {
  joinLbrCallchain,
  type LbrInnermost,
} from '../../../src/kernel/perf-event/lbr-callchain.ts';
import { computeParseInfo } from '../../../src/kernel/perf-event/parse-info.ts';
import { decodeSample, SampleView } from '../../../src/kernel/perf-event/sample.ts';
import {
  IN_KERNEL,
  IN_USER,
  LBR_ATTR,
  type LbrSample,
  lbrSample,
} from '../../helpers/lbr-recording.ts';
import { recordOf } from '../../helpers/record-builder.ts';

const { KERNEL, USER } = PERF_CONTEXT;
const SYSCALL = 0xffff_ffff_8100_0010n;
const SYSCALL_SIGNED = -(2 ** 32) + 0x8100_0010;

/** The callchain afterwards, and whether it was joined. */
function join(drawn: LbrSample, innermost: LbrInnermost = 'ip') {
  const bytes = lbrSample(drawn);
  const sample = new SampleView({ high: 0, low: 0 });
  const info = computeParseInfo(LBR_ATTR, true);
  expect(decodeSample(recordOf(bytes), info, sample)).toBe(true);
  const isJoined = joinLbrCallchain(sample, true, innermost);
  return { isJoined, chain: [...sample.callchain.subarray(0, sample.callchainLength)] };
}

/** main calls work at 0x1105, which calls leaf at 0x1210; frame pointers lead to 0x9999. */
const CALLS = [
  [0x1210, 0x1300],
  [0x1105, 0x1200],
] as const;

describe('a callchain of branch records', () => {
  test('a branch record callchain has the ip, then the address of each call', () => {
    expect(join({ callchain: [IN_USER, 0x1304, 0x9999], calls: CALLS })).toEqual({
      isJoined: true,
      chain: [USER, 0x1304, USER, 0x1210, USER, 0x1105],
    });
  });

  test('a callchain of branch records begins as perf prints it with the entry of the function that was called last', () => {
    const { chain } = join({ callchain: [IN_USER, 0x1304, 0x9999], calls: CALLS }, 'entry');
    expect(chain).toEqual([USER, 0x1300, USER, 0x1210, USER, 0x1105]);
  });

  test("a callchain of branch records keeps the kernel's part above, and the ip from which the kernel was entered", () => {
    const callchain = [IN_KERNEL, SYSCALL, SYSCALL + 8n, IN_USER, 0x1304, 0x9999];
    expect(join({ callchain, calls: CALLS }).chain).toEqual([
      ...[KERNEL, SYSCALL_SIGNED, SYSCALL_SIGNED + 8],
      ...[USER, 0x1304, USER, 0x1210, USER, 0x1105],
    ]);
  });

  test('a callchain of branch records begins with the entry where the kernel had no room for the ip', () => {
    expect(join({ callchain: [IN_KERNEL, SYSCALL, IN_USER], calls: CALLS }).chain).toEqual([
      ...[KERNEL, SYSCALL_SIGNED, USER, 0x1300, USER, 0x1210, USER, 0x1105],
    ]);
  });

  test.each<[string, LbrSample]>([
    ['of a kernel thread', { callchain: [IN_KERNEL, SYSCALL], calls: CALLS }],
    ['without calls', { callchain: [IN_USER, 0x1304, 0x9999], calls: [] }],
    ['that is empty', { callchain: [], calls: CALLS }],
  ])('%s stays as it is', (_, drawn) => {
    const before = drawn.callchain.map((entry) => Number(BigInt.asIntN(64, BigInt(entry))));
    expect(join(drawn)).toEqual({ isJoined: false, chain: before });
  });

  test('a branch record callchain ends at impossible addresses', () => {
    const ends = (from: bigint) =>
      join({ callchain: [IN_USER, 0x1304], calls: [[0x1210, 0x1300], [from, 0], CALLS[1]] }).chain;
    const whole = [USER, 0x1304, USER, 0x1210];
    expect([ends(2n ** 62n + 1n), ends(IN_KERNEL), ends(IN_USER)]).toEqual([whole, whole, whole]);
  });

  test('a branch record callchain of any input is the kernel part, then exact addresses', () => {
    const u64 = fc.oneof(fc.bigInt(0n, 2n ** 64n - 1n), fc.bigInt(0n, 2n ** 48n));
    const entry = fc.oneof(u64, fc.constantFrom(IN_KERNEL, IN_USER));
    const drawn = fc.record({
      callchain: fc.array(entry, { maxLength: 10 }),
      calls: fc.array(fc.tuple(u64, u64), { maxLength: 40 }),
    });
    fc.assert(
      fc.property(drawn, fc.constantFrom<LbrInnermost>('ip', 'entry'), (sample, innermost) => {
        const before = sample.callchain.map((bits): number => addressOf(BigInt(bits)));
        const { isJoined, chain } = join(sample, innermost);
        if (!isJoined) {
          expect(chain).toEqual(before);
          return;
        }
        const firstUser = before.indexOf(USER) + 1;
        expect(chain.slice(0, firstUser)).toEqual(before.slice(0, firstUser));
        const joined = chain.slice(firstUser - 1);
        expect(joined.length).toBeLessThanOrEqual(2 * (1 + sample.calls.length));
        joined.forEach((value, i) => {
          if (i % 2 === 0) expect(value).toBe(USER);
          else expect(Number.isSafeInteger(value) && !isContextMarker(value)).toBe(true);
        });
      }),
    );
  });

  test('a callchain of branch records has room for as many calls as a record can have', () => {
    const calls = Array.from({ length: 2700 }, (_, i) => [0x1000 + i, 0x1300] as const);
    const { chain } = join({ callchain: [IN_USER, 0x1304], calls });
    expect(chain.length).toBe(2 * (1 + calls.length));
    expect(chain.at(-1)).toBe(0x1000 + 2699);
  });
});

describe('whose branch stacks are callchains', () => {
  const { CALLCHAIN, BRANCH_STACK } = PERF_SAMPLE;
  const { CALL_STACK, ANY } = PERF_SAMPLE_BRANCH;
  test.each([
    [CALLCHAIN | BRANCH_STACK, CALL_STACK, true],
    [CALLCHAIN | BRANCH_STACK, ANY, false],
    // Branches alone, as of `-j stack`, are no wish for stacks.
    [BRANCH_STACK, CALL_STACK, false],
    [CALLCHAIN, CALL_STACK, false],
  ])('sample_type 0x%x, branch_sample_type 0x%x: %s', (sampleType, branches, expected) => {
    const attr = newAttr({ sampleType, branchSampleType: BigInt(branches) });
    expect(hasLbrCallchain(attr)).toBe(expected);
    expect(computeParseInfo(attr, true).hasLbrCallchain).toBe(expected);
  });
});
