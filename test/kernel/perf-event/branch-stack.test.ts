import { describe, expect, test } from 'vitest';
import { ByteWriter } from '../../../src/base/byte-writer.ts';
import { formatBranchFlags, readBranches } from '../../../src/kernel/perf-event/branch-stack.ts';
import { viewOf } from '../../helpers/record-builder.ts';

/** Fields of `flags` in the order of the struct, with their widths. */
const LAYOUT = [
  ...([
    ['mispred', 1],
    ['predicted', 1],
    ['in_tx', 1],
    ['abort', 1],
  ] as const),
  ...([
    ['cycles', 16],
    ['type', 4],
    ['spec', 2],
    ['new_type', 4],
    ['priv', 3],
  ] as const),
] as const;
type Flags = Partial<Record<(typeof LAYOUT)[number][0], number>>;

/** As a compiler lays the bit fields out: from the low end, or from the high one. */
function flagsWord(flags: Flags, littleEndian: boolean): bigint {
  let word = 0n;
  let first = 0;
  for (const [name, bits] of LAYOUT) {
    const shift = littleEndian ? first : 64 - first - bits;
    word |= BigInt(flags[name] ?? 0) << BigInt(shift);
    first += bits;
  }
  return word;
}

function branchesOf(entries: readonly Flags[], littleEndian: boolean, isArm64 = false) {
  const out = new ByteWriter(littleEndian);
  entries.forEach((flags, i) => {
    out
      .u64(0x401000 + i)
      .u64(0xffff_ffff_8100_0000n)
      .u64(flagsWord(flags, littleEndian));
  });
  for (let i = 0; i < entries.length; i++) out.u64(2n ** 63n + BigInt(i));
  const place = {
    branchOffset: 0,
    branchCount: entries.length,
    branchCountersOffset: 24 * entries.length,
  };
  return readBranches(viewOf(out.finish()), place, littleEndian, isArm64);
}

describe.each([true, false])('branch stack, little-endian %s', (littleEndian) => {
  test('every flag is read from its bits', () => {
    const [branch] = branchesOf(
      [{ mispred: 1, in_tx: 1, cycles: 0xabcd, type: 4, spec: 2, priv: 2 }],
      littleEndian,
    );
    expect(branch).toEqual({
      from: 0x401000,
      to: -0x7f00_0000,
      isMispredicted: true,
      isPredicted: false,
      isInTransaction: true,
      isAbort: false,
      cycles: 0xabcd,
      type: 'CALL',
      speculation: 'NON_SPEC_CORRECT_PATH',
      privilege: 'kernel',
      counters: 2n ** 63n,
    });
  });

  test('every flag alone leaves the others as they are', () => {
    const all = branchesOf(
      [{ predicted: 1 }, { abort: 1 }, { cycles: 0xffff }, { type: 14 }, { spec: 3 }, { priv: 3 }],
      littleEndian,
    );
    expect(all.map(formatBranchFlags)).toEqual([
      '/P/-/-/0//-',
      '/-/-/A/0//-',
      '/-/-/-/65535//-',
      '/-/-/-/0/NO_TX/-',
      '/-/-/-/0//SPEC_CORRECT_PATH',
      '/-/-/-/0//-',
    ]);
    expect(all.map((branch) => branch.privilege)).toEqual(['', '', '', '', '', 'hv']);
    expect(all.map((branch) => branch.counters - 2n ** 63n)).toEqual([0n, 1n, 2n, 3n, 4n, 5n]);
  });

  test('branch types beyond the first field come from the second', () => {
    const types = Array.from({ length: 8 }, (_, i) => ({ type: 15, new_type: i }));
    const faults = ['FAULT_ALGN', 'FAULT_DATA', 'FAULT_INST'];
    expect(branchesOf(types, littleEndian).map((branch) => branch.type)).toEqual([
      ...faults,
      ...['ARCH_1', 'ARCH_2', 'ARCH_3', 'ARCH_4', 'ARCH_5'],
    ]);
    expect(branchesOf(types, littleEndian, true).map((branch) => branch.type)).toEqual([
      ...faults,
      ...['ARM64_FIQ', 'ARM64_DEBUG_HALT', 'ARM64_DEBUG_EXIT'],
      ...['ARM64_DEBUG_INST', 'ARM64_DEBUG_DATA'],
    ]);
  });
});
