import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ATTR_SIZES,
  type AttrFlags,
  encodeAttr,
  newAttr,
  parseAttr,
} from '../../../src/kernel/perf-event/attr.ts';
import { viewOf } from '../../helpers/record-builder.ts';

const u32 = fc.integer({ min: 0, max: 0xffffffff });
const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const count = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

const flagNames = Object.keys(newAttr().flags).filter((name) => name !== 'preciseIp');
const anyFlags = fc
  .tuple(
    fc.record(Object.fromEntries(flagNames.map((name) => [name, fc.boolean()]))),
    fc.integer({ min: 0, max: 3 }),
  )
  .map(([flags, preciseIp]) => ({ ...flags, preciseIp }) as AttrFlags);

const anyAttr = fc
  .record({
    type: u32,
    config: u64,
    config1: u64,
    config2: u64,
    config3: u64,
    config4: u64,
    samplePeriod: count,
    sampleType: count,
    readFormat: count,
    flags: anyFlags,
    wakeup: u32,
    bpType: u32,
    branchSampleType: u64,
    sampleRegsUser: u64,
    sampleRegsIntr: u64,
    sampleStackUser: u32,
    clockid: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    auxWatermark: u32,
    sampleMaxStack: fc.integer({ min: 0, max: 0xffff }),
    auxSampleSize: u32,
    auxAction: u32,
    sigData: u64,
  })
  .map(newAttr);

describe('attr', () => {
  test('an encoded attr is parsed back, in both byte orders', () => {
    fc.assert(
      fc.property(anyAttr, fc.boolean(), (attr, littleEndian) => {
        const bytes = encodeAttr(attr, littleEndian);
        const parsed = parseAttr(viewOf(bytes), bytes.length, littleEndian);
        expect(parsed).toEqual({ ...attr, size: bytes.length });
      }),
    );
  });

  test('every flag has the bit of the kernel header', () => {
    // Bit of each flag in the u64 at offset 40, little-endian.
    const bits: Partial<Record<keyof AttrFlags, number>> = {
      disabled: 0,
      inherit: 1,
      excludeUser: 4,
      excludeKernel: 5,
      excludeHv: 6,
      mmap: 8,
      comm: 9,
      freq: 10,
      enableOnExec: 12,
      task: 13,
      watermark: 14,
      mmapData: 17,
      sampleIdAll: 18,
      excludeGuest: 20,
      mmap2: 23,
      commExec: 24,
      useClockid: 25,
      contextSwitch: 26,
      ksymbol: 29,
      bpfEvent: 30,
      cgroup: 32,
      buildId: 34,
      sigtrap: 37,
    };
    for (const [name, bit] of Object.entries(bits)) {
      const attr = newAttr({ flags: { [name]: true } });
      expect(viewOf(encodeAttr(attr)).getBigUint64(40, true), name).toBe(1n << BigInt(bit));
      const bigEndian = viewOf(encodeAttr(attr, false)).getBigUint64(40, false);
      expect(bigEndian, `${name}, big-endian`).toBe(1n << BigInt(63 - bit));
    }
  });

  test('precise_ip takes bits 15 and 16, from the top on big-endian machines', () => {
    const attr = newAttr({ flags: { preciseIp: 2 } });
    expect(viewOf(encodeAttr(attr)).getBigUint64(40, true)).toBe(2n << 15n);
    expect(viewOf(encodeAttr(attr, false)).getBigUint64(40, false)).toBe(2n << 47n);
  });

  test('the smallest version of the struct that holds the bits is written', () => {
    const sizeOf = (fields: Parameters<typeof newAttr>[0]) => encodeAttr(newAttr(fields)).length;
    expect(sizeOf({})).toBe(64);
    expect(sizeOf({ config1: 1n })).toBe(64);
    expect(sizeOf({ config2: 1n })).toBe(72);
    expect(sizeOf({ branchSampleType: 1n })).toBe(80);
    expect(sizeOf({ sampleRegsUser: 1n })).toBe(96);
    expect(sizeOf({ clockid: 1 })).toBe(96);
    expect(sizeOf({ sampleRegsIntr: 1n << 63n })).toBe(104);
    expect(sizeOf({ sampleMaxStack: 127 })).toBe(112);
    expect(sizeOf({ auxSampleSize: 1 })).toBe(120);
    expect(sizeOf({ sigData: 1n })).toBe(128);
    expect(sizeOf({ config3: 1n })).toBe(136);
    expect(sizeOf({ config4: 1n })).toBe(144);
    expect(encodeAttr(newAttr(), true, 112).length).toBe(112);
  });

  test('an older struct leaves newer fields at zero, a newer one is read as far as it is known', () => {
    const full = newAttr({
      type: 1,
      config: 2n,
      config2: 3n,
      clockid: 4,
      sigData: 5n,
      config3: 6n,
    });
    const bytes = encodeAttr(full);
    for (const size of ATTR_SIZES.filter((size) => size <= bytes.length)) {
      const cut = bytes.slice(0, size);
      viewOf(cut).setUint32(4, size, true);
      const parsed = parseAttr(viewOf(cut), size, true);
      expect(parsed).toEqual({
        ...full,
        size,
        config2: size >= 72 ? 3n : 0n,
        clockid: size >= 96 ? 4 : 0,
        sigData: size >= 128 ? 5n : 0n,
        config3: size >= 136 ? 6n : 0n,
      });
    }
    const newer = new Uint8Array(400).fill(0xff);
    newer.set(bytes);
    viewOf(newer).setUint32(4, 400, true);
    expect(parseAttr(viewOf(newer), 400, true)).toMatchObject({ size: 400, config3: 6n });
  });

  test('fields beyond the size that the attr itself gives are not its own', () => {
    const bytes = encodeAttr(newAttr({ config2: 7n }));
    viewOf(bytes).setUint32(4, 64, true);
    expect(parseAttr(viewOf(bytes), bytes.length, true).config2).toBe(0n);
  });

  test('an attr smaller than PERF_ATTR_SIZE_VER0 is refused', () => {
    expect(() => parseAttr(viewOf(new Uint8Array(63)), 63, true)).toThrow(RangeError);
  });
});
