import { expect, test } from 'vitest';
import { ByteWriter } from '../../../src/base/byte-writer.ts';
import {
  amdFamilyAndModel,
  describeIbs,
  type IbsMachine,
  ibsKindOf,
} from '../../../src/kernel/perf-event/ibs.ts';
import { viewOf } from '../../helpers/record-builder.ts';

const ZEN4: IbsMachine = { family: 25, model: 0x61, hasZen4Extensions: true, hasLoadLatency: true };
const ZEN3: IbsMachine = { family: 25, model: 1, hasZen4Extensions: false, hasLoadLatency: false };

function raw(registers: readonly bigint[]): Uint8Array {
  const out = new ByteWriter().u32(0x1ff);
  for (const register of registers) out.u64(register);
  return out.finish();
}

function describe(kind: 'op' | 'fetch', registers: readonly bigint[], machine = ZEN4) {
  const bytes = raw(registers);
  return describeIbs(viewOf(bytes), 0, bytes.length, kind, machine);
}

test("an IBS fetch sample prints as in perf's documentation", () => {
  // perf-amd-ibs(1): perf record -c 130 -a -e ibs_fetch/l3missonly=1/
  expect(describe('fetch', [0x3c1f_00c7_0008_0008n, 0x401000n, 0x1234n, 0x20n])).toEqual([
    'ibs_fetch_ctl:\t3c1f00c700080008 MaxCnt     128 Cnt     128 Lat   199 En 1 Val 1 Comp 1' +
      ' IcMiss 1 PhyAddrValid 1 L1TlbPgSz 4KB L1TlbMiss 0 L2TlbMiss 0 RandEn 0 L2Miss 1' +
      ' L3MissOnly 1 FetchOcMiss 1 FetchL3Miss 1',
    'IbsFetchLinAd:\t0000000000401000',
    'IbsFetchPhysAd:\t0000000000001234',
    'ic_ibs_ext_ctl:\t0000000000000020 IbsItlbRefillLat  32',
  ]);
});

test('an op sample names its data source, by the generation of the CPU', () => {
  const control = (3n << 17n) | (1n << 19n) | (0xfn << 59n) | (1n << 63n);
  const cache = (1n << 5n) | 2n;
  const registers = [control, 0x401000n, 1n << 37n, cache, 0n, 0n, 0n, 0x402000n];
  expect(describe('op', registers)).toEqual([
    `ibs_op_ctl:\t${control.toString(16)} MaxCnt         0 L3MissOnly 0 En 1 Val 1` +
      ' CntCtl 1=uOps CurCnt         0 LdLatThrsh 15 LdLatEn 1',
    'IbsOpRip:\t0000000000401000',
    'ibs_op_data:\t0000002000000000 CompToRetCtr     0 TagToRetCtr     0 OpReturn 0 OpBrnTaken 0' +
      ' OpBrnMisp 0 BrnRet 1  RipInvalid 0 BrnFuse 0 Microcode 0',
    'ibs_op_data2:\t0000000000000022 CacheHitSt 1=O-State RmtNode 0' +
      ' DataSrc 2=Another CCX cache in the same NUMA node',
    expect.stringContaining('ibs_op_data3:\t0000000000000000 LdOp 0'),
    'IbsBrTarget:\t0000000000402000',
  ]);
  const zen3 = describe('op', registers, ZEN3)?.find((line) => line.startsWith('ibs_op_data2'));
  expect(zen3).toContain('DataSrc 2=Local node cache');
  const extended = describe('op', registers.with(3, (1n << 6n) | 4n));
  expect(extended?.[3]).toContain('DataSrc 12=Coherent Memory of a different processor type');
});

test('IBS fields that are invalid or truncated are left out', () => {
  expect(describe('op', new Array(8).fill(0n))).toBeNull();
  expect(describe('fetch', [1n << 48n, 0n, 0n, 0n])).toBeNull();
  expect(describe('fetch', [3n << 48n, 0n, 0n])).toBeNull();
});

test("IBS kind and machine follow from the recording's header", () => {
  expect(['ibs_op', 'ibs_fetch', 'cpu'].map(ibsKindOf)).toEqual(['op', 'fetch', null]);
  expect(amdFamilyAndModel('AuthenticAMD,25,97,2')).toEqual({ family: 25, model: 97 });
  expect(amdFamilyAndModel('GenuineIntel-6-8E-A')).toBeNull();
});
