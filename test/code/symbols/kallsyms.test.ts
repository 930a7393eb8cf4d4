import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { parseHexAddress } from '../../../src/base/u64.ts';
import { findKallsymsAddress, parseKallsyms } from '../../../src/code/symbols/kallsyms.ts';
import { hasCorpora } from '../../helpers/corpora.ts';
import { readCorpusText } from '../../helpers/corpus-text.ts';

function parse(text: string) {
  const diagnostics = new Diagnostics();
  const table = parseKallsyms(new TextEncoder().encode(text), diagnostics);
  const nameAt = (hex: string): string | null => {
    const index = table.find(parseHexAddress(hex));
    return index < 0 ? null : table.name(index);
  };
  return { table, nameAt, codes: diagnostics.entries().map(({ code }) => code) };
}

const LIST = `0000000000000000 A fixed_percpu_data
ffffffff81000000 T _stext
ffffffff81000000 T _text
ffffffff81000080 T entry_SYSCALL_64
ffffffff81000100 t helper
ffffffff81000100 r read_only
ffffffffc0340470 t hidinput_find_field	[hid]
ffffffffc0340500 T hid_open	[hid]
ffffffffc0400000 t usb_start	[usbcore]
`;

describe('kallsyms', () => {
  test('kallsyms name the symbol before an address', () => {
    const { nameAt } = parse(LIST);
    expect(nameAt('ffffffff81000000')).toBe('_text');
    expect(nameAt('ffffffff8100007f')).toBe('_text');
    expect(nameAt('ffffffff81000080')).toBe('entry_SYSCALL_64');
    expect(nameAt('ffffffff80ffffff')).toBeNull();
  });

  test('kallsyms are kept without the text that they came from', () => {
    const bytes = new TextEncoder().encode(LIST);
    const table = parseKallsyms(bytes, new Diagnostics());
    bytes.fill(0);
    const names = ['ffffffff81000080', 'ffffffffc0340470', 'ffffffffc0400000'].map((hex) =>
      table.name(table.find(parseHexAddress(hex))),
    );
    expect(names).toEqual(['entry_SYSCALL_64', 'hidinput_find_field', 'usb_start']);
    // A module's last symbol ends with a page: the module behind its name says so.
    expect(table.find(parseHexAddress('ffffffffc0342001'))).toBe(-1);
  });

  test('the last of several kallsyms at one address is shown, as in perf', () => {
    const local = 'ffffffff81000000 t local_with_a_long_name\n';
    const global = 'ffffffff81000000 T global\n';
    const weak = 'ffffffff81000000 W weak\n';
    expect(parse(local + global).nameAt('ffffffff81000000')).toBe('global');
    expect(parse(global + local).nameAt('ffffffff81000000')).toBe('local_with_a_long_name');
    expect(parse(global + local + weak).nameAt('ffffffff81000000')).toBe('weak');
  });

  test('kallsyms of the kernel end a page after the last symbol', () => {
    const { nameAt } = parse(LIST);
    expect(nameAt('ffffffff81001fff')).toBe('helper');
    expect(nameAt('ffffffff81002000')).toBeNull();
  });

  test('kallsyms of a module lose its name, and end with the module', () => {
    const { nameAt } = parse(LIST);
    expect(nameAt('ffffffffc0340480')).toBe('hidinput_find_field');
    expect(nameAt('ffffffffc0341fff')).toBe('hid_open');
    expect(nameAt('ffffffffc0342000')).toBeNull();
    expect(nameAt('ffffffffc0400000')).toBe('usb_start');
  });

  test('kallsyms with hidden addresses give no table, with a reason', () => {
    const { table, codes } = parse('0000000000000000 T _stext\n0000000000000000 T _text\n');
    expect(table.length).toBe(0);
    expect(codes).toEqual(['kallsyms-restricted']);
  });

  test('skip and count lines that are not of their shape', () => {
    const { table, codes } = parse('ffffffff81000000 T _text\nnonsense\nffffffff8100 T\n');
    expect(table.length).toBe(1);
    expect(codes).toEqual(['kallsyms-line-malformed']);
  });

  test('kallsyms find the address of a symbol by its whole name', () => {
    const bytes = new TextEncoder().encode(LIST);
    expect(findKallsymsAddress(bytes, '_text')).toBe(parseHexAddress('ffffffff81000000'));
    expect(findKallsymsAddress(bytes, 'text')).toBeNull();
  });

  test('kallsyms of 200 000 lines are read completely', () => {
    const lines = Array.from(
      { length: 200_000 },
      (_, i) => `ffffffff${(0x81000000 + i * 64).toString(16)} T symbol_${i}\n`,
    );
    const { table, nameAt } = parse(lines.join(''));
    expect(table.length).toBe(200_000);
    expect(nameAt((0xffffffff81000000n + 199_998n * 64n + 63n).toString(16))).toBe('symbol_199998');
  });

  test.skipIf(!hasCorpora)('kallsyms of a real kernel name the ips as perf does', () => {
    const { nameAt } = parse(readCorpusText('own/kallsyms.subset'));
    const script = readCorpusText('expected/own/cpu-clock-F30000-fp.data.script.txt.gz');
    const seen = new Map<string, string>();
    for (const [, ip, name] of script.matchAll(
      /^\s+([0-9a-f]{16}) (\S+) \(\[kernel\.kallsyms\]\)$/gm,
    )) {
      seen.set(ip, name);
    }
    expect(seen.size).toBeGreaterThan(100);
    const wrong = [...seen].filter(([ip, name]) => nameAt(ip) !== name);
    expect(wrong).toEqual([]);
  });
});

test('a list read for a few addresses answers for them as the whole list does', () => {
  const types = 'TtWDdbBrRA';
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(200), fc.nat(types.length - 1)), { minLength: 1, maxLength: 60 }),
      fc.array(fc.integer({ min: -20, max: 12_500 }), { maxLength: 12 }),
      fc.boolean(),
      (steps, offsets, isLong) => {
        let address = 0xffffffff81000000n;
        const lines = steps.map(([step, type], i) => {
          address += BigInt(step);
          return `${address.toString(16)} ${types[type]} symbol_${i}\n`;
        });
        // Only in long lists are lines searched for.
        for (let i = 0; isLong && i < 1500; i++) {
          lines.push(
            `${(0xffffffff82000000n + BigInt(16 * i)).toString(16)} T padding_symbol_with_a_name_${i}\n`,
          );
        }
        lines.push('ffffffffc0000200 t second\t[late]\n', 'ffffffffc0000100 t first\t[late]\n');
        const bytes = new TextEncoder().encode(lines.join(''));
        const base = parseHexAddress('ffffffff81000000');
        const module = parseHexAddress('ffffffffc0000000');
        const wanted = Float64Array.from([...offsets.map((offset) => base + offset), module + 300]);
        wanted.sort();
        const whole = parseKallsyms(bytes, new Diagnostics());
        const part = parseKallsyms(bytes, new Diagnostics(), wanted);
        for (const at of wanted) {
          const expected = whole.find(at);
          const found = part.find(at);
          expect(found < 0 ? null : part.name(found)).toBe(
            expected < 0 ? null : whole.name(expected),
          );
        }
      },
    ),
  );
});
