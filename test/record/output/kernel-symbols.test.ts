import { inflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { parseHexAddress } from '../../../src/base/u64.ts';
import { collectKernelSymbols } from '../../../src/record/output/kernel-symbols.ts';

const ADDRESSES = Float64Array.of(parseHexAddress('ffffffff81000120'));
const ignore = (): void => {};

test('unreadable kernel symbols are reported and do not fail the recording', () => {
  const notices: string[] = [];
  const refuse = () => {
    throw Object.assign(new Error('open: Permission denied'), { code: 'EACCES' });
  };
  expect(collectKernelSymbols(ADDRESSES, refuse, (notice) => notices.push(notice))).toBeNull();
  expect(notices).toEqual([
    "names of the kernel's functions are not in the recording: permission denied (EACCES)",
  ]);
});

test('a kernel without a symbol list has no recorded names, and that is no notice', () => {
  const notices: string[] = [];
  const absent = () => {
    throw Object.assign(new Error('open: No such file'), { code: 'ENOENT' });
  };
  expect(collectKernelSymbols(ADDRESSES, absent, (notice) => notices.push(notice))).toBeNull();
  expect(notices).toEqual([]);
});

test('recorded kernel names are those of the lines that the addresses need', () => {
  const asked: Float64Array[] = [];
  const read = (_path: string, addresses: Float64Array): Uint8Array => {
    asked.push(addresses);
    return Buffer.from('ffffffff81000100 T do_one\nffffffff81000200 T do_two\n');
  };
  const stored = collectKernelSymbols(ADDRESSES, read, ignore);
  expect(inflateRawSync(Buffer.from(stored as string, 'base64')).toString()).toBe(
    '0xffffffff81000100 0xffffffff81000200 do_one\n',
  );
  // A return address may lie behind its caller.
  expect(asked).toEqual([Float64Array.of(ADDRESSES[0] - 1, ADDRESSES[0])]);
});

test('a recording that met no kernel address reads no symbol list', () => {
  const read = (): Uint8Array => {
    throw new Error('it is read');
  };
  expect(collectKernelSymbols(new Float64Array(), read, ignore)).toBeNull();
});
