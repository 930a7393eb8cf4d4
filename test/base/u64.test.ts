import { describe, expect, test } from 'vitest';
import {
  addressBits,
  addressOf,
  compareAddresses,
  formatAddress,
  isKernelAddress,
  parseHexAddress,
  readAddress,
  readAddresses,
  signedAddress,
  writeAddress,
} from '../../src/base/u64.ts';

/** Addresses as machines have them, ascending. */
const ADDRESSES: [machine: string, address: bigint][] = [
  ['s390, kernel', 0x100123n],
  ['sparc64, kernel', 0x404567n],
  ['any, user', 0x7ffff7fe1234n],
  ['s390, high kernel', 0x3ffe0123457n],
  ['aarch64 with 52 bits, user', 0xfffffffffffffn],
  ['loongarch64, uncached', 0x8000000000200001n],
  ['loongarch64', 0x9000000000223455n],
  ['mips64, cached', 0x9800000001123457n],
  ['ia64', 0xa000000100000011n],
  ['mips64, exclusive', 0xa800000000123457n],
  ['ppc64', 0xc00000000018ae84n],
  ['ppc64, end of 48 bits', 0xc000ffffffffffffn],
  ['ppc64, vmalloc', 0xc008000000123457n],
  ['ppc64 of Linux 4, vmalloc', 0xd000000007fe1235n],
  ['aarch64 with 52 bits, kernel', 0xfff0000000000001n],
  ['sparc64, library', 0xfff8000100012345n],
  ['aarch64', 0xffff800008123457n],
  ['mips64 and riscv64', 0xffffffff80012345n],
  ['x86-64', 0xffffffff81234567n],
  ['a context marker', 0xffffffffffffff80n],
];

/** What neither is canonical nor in a segment: a double has 52 bits of it. */
const OTHERS = [0xff11000000001000n, 0xffe1000000000123n, 0xb000000000001000n];

function viewOf(bits: bigint, littleEndian: boolean): DataView {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, bits, littleEndian);
  return view;
}

describe('an address in signed form', () => {
  test.each(ADDRESSES)('a signed address keeps all bits: %s', (_, bits) => {
    for (const littleEndian of [true, false]) {
      const view = viewOf(bits, littleEndian);
      const address = readAddress(view, 0, littleEndian);
      expect(Number.isSafeInteger(address)).toBe(true);
      const several = new Float64Array(1);
      readAddresses(view, 0, 1, littleEndian, several);
      expect(several[0]).toBe(address);
      expect(formatAddress(address)).toBe(`0x${bits.toString(16)}`);
      expect(parseHexAddress(bits.toString(16))).toBe(address);
      expect(addressOf(bits)).toBe(address);
      expect(BigInt.asUintN(64, BigInt(signedAddress(address)))).toBe(bits);
      expect(isKernelAddress(address)).toBe(bits >= 2n ** 63n);
      const written = viewOf(0n, littleEndian);
      writeAddress(written, 0, address, littleEndian);
      expect(written.getBigUint64(0, littleEndian)).toBe(bits);
    }
  });

  test('signed addresses sort with user space below the kernel', () => {
    const sorted = ADDRESSES.map(([, bits]) => bits).sort((a, b) => (a < b ? -1 : 1));
    const addresses = ADDRESSES.map(([, bits]) => addressOf(bits) as number);
    expect(addresses.sort(compareAddresses).map(addressBits)).toEqual(sorted);
  });

  test('differences of signed addresses within a segment are exact', () => {
    expect(addressOf(0xc00000000018ae84n) - addressOf(0xc000000000000000n)).toBe(0x18ae84);
  });

  test.each(OTHERS)('a signed address that could lose bits is not a safe integer: %s', (bits) => {
    const address = addressOf(bits);
    expect(Number.isSafeInteger(address)).toBe(false);
    const difference = addressBits(address) - bits;
    expect(difference < 2048n && difference > -2048n).toBe(true);
  });
});
