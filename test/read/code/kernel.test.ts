import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseHexAddress } from '../../../src/base/u64.ts';
import { openKernelCode, type RecordedKernel } from '../../../src/read/code/kernel-code.ts';
import { elfBytes } from '../../code/elf/elf-bytes.ts';

const directory = mkdtempSync(join(tmpdir(), 'kernel-code-'));
afterAll(() => rmSync(directory, { recursive: true }));

const TEXT = parseHexAddress('ffffffff81000000');
const HEADER_BYTES = 64 + 56;

/** A core file with one segment, as /proc/kcore has for the kernel's text. */
const kcore = join(directory, 'kcore');
const code = Uint8Array.of(0x90, 0x90, 0x0f, 0x0b, 0xc3, 0xcc, 0xcc, 0xcc);
writeFileSync(
  kcore,
  elfBytes({
    is64: true,
    littleEndian: true,
    segments: [[1, HEADER_BYTES, TEXT, code.length]],
    sections: [{ name: '.load', type: 1, bytes: code }],
  }),
);
const kallsyms = join(directory, 'kallsyms');
writeFileSync(
  kallsyms,
  'ffffffff81000000 T _text\nffffffff81000002 T do_work\nffffffff81000005 T do_more\n',
);
const places = { kcore, kallsyms };

const recorded: RecordedKernel = {
  machine: { hostname: hostname(), kernel: release() },
  buildId: null,
  reference: { symbol: '_text', address: TEXT },
};

describe('the code of the kernel', () => {
  it('kernel code is read from the memory of the kernel, by address', () => {
    const opened = openKernelCode(recorded, places);
    if (typeof opened === 'string') throw new Error(opened);
    expect(opened.architecture).toBe('x86-64');
    expect([...opened.read(TEXT + 2, 3)]).toStrictEqual([0x0f, 0x0b, 0xc3]);
    // Up to the end of the segment, and nothing outside of it.
    expect(opened.read(TEXT + 6, 100)).toHaveLength(2);
    expect(opened.read(TEXT - 8, 8)).toHaveLength(0);
    expect(opened.read(TEXT + 100, 8)).toHaveLength(0);
    expect(opened.hasFunction(TEXT + 2, TEXT + 5)).toBe(true);
    expect(opened.hasFunction(TEXT + 2, TEXT + 9)).toBe(false);
    expect(opened.nameAt(TEXT + 4)).toBe('do_work+0x2');
    opened.close();
  });

  it.each<[string, RecordedKernel, typeof places, RegExp]>([
    [
      'another machine',
      { ...recorded, machine: { hostname: 'elsewhere', kernel: '5.10.0' } },
      places,
      /recorded on another machine \(elsewhere, 5\.10\.0\)/,
    ],
    [
      'another build',
      { ...recorded, buildId: '00'.repeat(20) },
      places,
      /another build of it runs/,
    ],
    [
      'another boot',
      { ...recorded, reference: { symbol: '_text', address: TEXT + 0x1000000 } },
      places,
      /lies elsewhere since the recording \(another boot\)/,
    ],
    [
      'a kernel without kcore',
      recorded,
      { ...places, kcore: join(directory, 'none') },
      /none is not there: this kernel does not offer its memory/,
    ],
    ['what is no core file', recorded, { ...places, kcore: kallsyms }, /not the core file/],
  ])('kernel code of %s is not shown, with a reason', (_name, kernel, at, why) => {
    expect(openKernelCode(kernel, at)).toMatch(why);
  });

  it('kernel code is not shown where the kernel hides its addresses', () => {
    const hidden = join(directory, 'hidden');
    writeFileSync(hidden, '0000000000000000 T _text\n');
    expect(openKernelCode(recorded, { kcore, kallsyms: hidden })).toMatch(/kptr_restrict/);
  });
});
