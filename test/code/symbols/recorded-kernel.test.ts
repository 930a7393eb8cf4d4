import { describe, expect, test } from 'vitest';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { parseHexAddress } from '../../../src/base/u64.ts';
import {
  parseRecordedKernel,
  recordedKernelSymbols,
} from '../../../src/code/symbols/recorded-kernel.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const at = (...digits: string[]) => Float64Array.from(digits, parseHexAddress);

const KALLSYMS = [
  'ffffffff81000000 T _text',
  'ffffffff81000100 T do_one',
  'ffffffff81000200 T do_two',
  'ffffffff81000300 t do_three',
  'ffffffffc0100000 t late	[zfs]',
  'ffffffffc0100080 t early	[zfs]',
  'ffffffffc0000000 t connect	[hid]',
  'ffffffffc0000040 t probe	[hid]',
  '',
].join('\n');

function carried(...addresses: string[]): string | null {
  return recordedKernelSymbols(bytes(KALLSYMS), at(...addresses), new Diagnostics());
}

describe('the kernel symbols that a recording carries', () => {
  test('recorded kernel symbols are those of sampled functions, with their ends', () => {
    expect(carried('ffffffff81000120', 'ffffffff810001f0', 'ffffffffc0000010')).toBe(
      [
        '0xffffffff81000100 0xffffffff81000200 do_one',
        '0xffffffffc0000000 0xffffffffc0000040 connect',
        '',
      ].join('\n'),
    );
  });

  test('recorded kernel symbols have the caller of a function that never returns, too', () => {
    expect(
      carried('ffffffff81000200')
        ?.split('\n')
        .map((line) => line.slice(38)),
    ).toEqual(['do_one', 'do_two', '']);
  });

  test('kernel symbols are not recorded without kernel samples or addresses', () => {
    expect(carried()).toBeNull();
    expect(carried('ffffffff80000000')).toBeNull();
    const hidden = bytes(KALLSYMS.replaceAll(/^f{8}.{8}/gm, '0'.repeat(16)));
    const some = at('ffffffff81000120');
    expect(recordedKernelSymbols(hidden, some, new Diagnostics())).toBeNull();
  });

  test('recorded kernel symbols name the sampled addresses only', () => {
    const table = parseRecordedKernel(
      bytes(carried('ffffffff81000120', 'ffffffffc0100090') as string),
      new Diagnostics(),
    );
    const nameAt = (digits: string) => {
      const index = table.find(parseHexAddress(digits));
      return index < 0 ? null : table.name(index);
    };
    expect(['ffffffff81000100', 'ffffffff810001ff'].map(nameAt)).toEqual(['do_one', 'do_one']);
    expect(['ffffffff810000ff', 'ffffffff81000200'].map(nameAt)).toEqual([null, null]);
    expect(nameAt('ffffffffc0100080')).toBe('early');
  });

  test('damaged recorded kernel symbols are counted; the others are used', () => {
    const diagnostics = new Diagnostics();
    const lines = ['no line', 'ffffffff81000200 ffffffff81000100 f', 'ffffffff81000100', ''];
    const good = '0xffffffff81000100 0xffffffff81000200 do_one\n';
    const table = parseRecordedKernel(bytes(lines.join('\n') + good), diagnostics);
    expect(table.length).toBe(1);
    expect(diagnostics.entries()).toMatchObject([{ count: 3 }]);
  });
});
