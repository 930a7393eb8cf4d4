import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseHexAddress } from '../../../src/base/u64.ts';
import { loadBinding } from '../../../src/native/binding.ts';
import { keptKernelLines } from '../../../src/record/output/kept-kernel.ts';
import { scratchDirectory } from '../../helpers/scratch.ts';

const scratch = scratchDirectory();
const binding = loadBinding();
const LINES = [
  'ffffffff81000000 T _text',
  'ffffffff81000100 T one',
  'ffffffff81000200 T two',
  'ffffffff81000300 T three',
];
const MODULE = 'ffffffffc0000000 t connect\t[hid]';
const IN_ONE = Float64Array.of(parseHexAddress('ffffffff81000180'));
const IN_MODULE = Float64Array.of(parseHexAddress('ffffffffc0000008'));

/** A user without caches yet, a kernel's list, and how often all of it was read. */
function machine() {
  const home = join(mkdtempSync(join(scratch, 'user-')), '.cache');
  mkdirSync(home, { mode: 0o700 });
  const list = join(home, '../kallsyms');
  const show = (...lines: string[]) => writeFileSync(list, `${lines.join('\n')}\n`);
  show(...LINES, MODULE);
  const reads = { whole: 0, kept: 0 };
  const counted = {
    readKernelLines: (path: string, addresses: Float64Array) => {
      reads.whole++;
      return binding.readKernelLines(path, addresses);
    },
    keepKernel: (path: string, key: string) => {
      reads.kept++;
      return binding.keepKernel(path, key);
    },
    findKeptKernelLines: binding.findKeptKernelLines,
  };
  const read = keptKernelLines(counted, home);
  const lines = (addresses: Float64Array) => Buffer.from(read(list, addresses)).toString();
  return { home, own: join(home, 'perf-ts'), show, reads, lines };
}

describe('the kernel symbols that are kept', () => {
  test('kept kernel symbols are made of the first list that is read, and spare the next reading', () => {
    const { own, reads, lines } = machine();
    const expected = `${LINES[1]}\n${LINES[2]}\n`;
    expect(lines(IN_ONE)).toBe(expected);
    expect(readdirSync(own)).toEqual(['kernel']);
    expect(lines(IN_ONE)).toBe(expected);
    expect(reads).toEqual({ whole: 0, kept: 1 });
  });

  test('kept kernel symbols leave modules to the list, as they are now', () => {
    const { show, reads, lines } = machine();
    lines(IN_ONE);
    expect(lines(IN_MODULE)).toContain(MODULE);
    show(...LINES, MODULE.replace('connect', 'other'));
    expect(lines(IN_MODULE)).toContain('other');
    expect(reads).toEqual({ whole: 2, kept: 1 });
  });

  test('kept kernel symbols are made anew where the list begins otherwise, and not used where it is hidden', () => {
    const { show, reads, lines } = machine();
    lines(IN_ONE);
    const moved = LINES.map((line) => line.replace('81000', '82000'));
    show(...moved);
    expect(lines(Float64Array.of(parseHexAddress('ffffffff82000180')))).toBe(
      `${moved[1]}\n${moved[2]}\n`,
    );
    expect(reads).toEqual({ whole: 0, kept: 2 });
    show(...LINES.map((line) => line.replace(/^\w+/, '0'.repeat(16))));
    expect(lines(IN_ONE)).toBe(`${'0'.repeat(16)} T _text\n`);
    expect(reads.whole).toBe(1);
  });

  test('kept kernel symbols are neither read nor made in a folder that others may write to', () => {
    const { own, reads, lines } = machine();
    lines(IN_ONE);
    chmodSync(own, 0o777);
    expect(lines(IN_ONE)).toBe(`${LINES[1]}\n${LINES[2]}\n`);
    expect(reads).toEqual({ whole: 1, kept: 1 });
  });

  test('kept kernel symbols are not needed where a user has no folder of caches', () => {
    const { home } = machine();
    const list = join(home, '../kallsyms');
    const read = keptKernelLines(binding, null);
    expect(Buffer.from(read(list, IN_ONE)).toString()).toBe(`${LINES[1]}\n${LINES[2]}\n`);
    expect(existsSync(join(home, 'perf-ts'))).toBe(false);
  });
});
