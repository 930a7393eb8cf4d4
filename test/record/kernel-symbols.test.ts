import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { formatAddress } from '../../src/base/u64.ts';
import { collectKernelSymbols, findKernelAddresses } from '../../src/record/kernel-symbols.ts';

const folder = mkdtempSync(join(tmpdir(), 'perf-ts-kernel-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The kernel addresses found among bytes [from, to) of a file with u64 words at these offsets. */
function found(words: Record<number, bigint>, size: number, from = 0, to = size): string[] {
  const bytes = Buffer.alloc(size);
  for (const [offset, word] of Object.entries(words)) {
    bytes.writeBigUInt64LE(word, Number(offset));
  }
  const path = join(folder, 'data');
  writeFileSync(path, bytes);
  const fd = openSync(path, 'r');
  try {
    return Array.from(findKernelAddresses(fd, from, to), formatAddress);
  } finally {
    closeSync(fd);
  }
}

test('unreadable kernel symbols are reported and do not fail the recording', () => {
  const notices: string[] = [];
  // A folder can be opened, and not be read.
  const fd = openSync(folder, 'r');
  try {
    const symbols = collectKernelSymbols({ fd, from: 0, to: 64 }, (notice) => notices.push(notice));
    expect(symbols).toBeNull();
  } finally {
    closeSync(fd);
  }
  expect(notices).toEqual([
    "names of the kernel's functions are not in the recording: it is a directory (EISDIR)",
  ]);
});

describe('kernel addresses in a recording', () => {
  test('are found at any multiple of four bytes, each once', () => {
    const words = { 8: 0xffffffff81000120n, 20: 0xffffffffc0000010n, 40: 0xffffffff81000120n };
    expect(found(words, 64)).toEqual(['0xffffffff81000120', '0xffffffffc0000010']);
  });

  test('are those of arm64 as well, and no user addresses, markers or numbers', () => {
    const words = {
      0: 0xffff800080010000n,
      16: 0x00007f1234567890n,
      32: 0xffffffffffffff80n,
      48: 0xffffffffffffffffn,
    };
    // Halves of two neighbours may look like an address; these are none of a kernel's code.
    const addresses = found(words, 64).filter((address) => !address.endsWith('00000000'));
    expect(addresses).toEqual(['0xffff800080010000']);
  });

  test('are found where a window of the reading ends in them', () => {
    const edge = 1 << 20;
    expect(found({ [edge - 4]: 0xffffffff81000120n }, edge + 64)).toEqual(['0xffffffff81000120']);
    const words = { [edge - 8]: 0xffffffff81000120n, [edge]: 0xffffffff81000220n };
    expect(found(words, edge + 64)).toHaveLength(2);
  });

  test('outside the range that is asked for are left out', () => {
    const words = { 8: 0xffffffff81000120n, 40: 0xffffffff81000220n };
    expect(found(words, 64, 16, 64)).toEqual(['0xffffffff81000220']);
    expect(found(words, 64, 0, 32)).toEqual(['0xffffffff81000120']);
  });
});
