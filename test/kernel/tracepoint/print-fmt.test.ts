import { describe, expect, test } from 'vitest';
import {
  characters,
  type DrawnField,
  type DrawnOptions,
  drawSample,
  integer,
} from '../../helpers/tracepoint-samples.ts';

/** What `"%d", REC->a` makes of the fields. */
function textOf(
  printFmt: string,
  fields: readonly DrawnField[] = [],
  options: DrawnOptions = {},
): string {
  const { format, text } = drawSample(fields, printFmt, options);
  expect(format.notEvaluated).toBeNull();
  return text;
}

const s32 = (value: number): DrawnField => ['int a', integer(value, 4), true];
const u32 = (value: number): DrawnField => ['unsigned int a', integer(value, 4)];
const s64 = (value: bigint): DrawnField => ['long a', integer(value, 8), true];
const u64 = (value: bigint): DrawnField => ['u64 a', integer(value, 8)];
const u8s = (...bytes: number[]): DrawnField => [`u8 a[${bytes.length}]`, Uint8Array.from(bytes)];

describe('conversions', () => {
  test.each([
    ['"%d"', s32(-5), '-5'],
    ['"%u"', s32(-5), '4294967291'],
    ['"%x"', s32(-1), 'ffffffff'],
    ['"%5d|"', s32(-5), '   -5|'],
    ['"%-5d|"', s32(7), '7    |'],
    ['"%05d"', s32(-5), '-0005'],
    ['"%+d"', s32(5), '+5'],
    ['"%.3d"', s32(5), '005'],
    ['"%#x"', u32(255), '0xff'],
    ['"%#x"', u32(0), '0'],
    ['"%#010x"', u32(255), '0x000000ff'],
    ['"%#o"', u32(8), '010'],
    ['"%X"', u32(0xabc), 'ABC'],
    ['"%hhd"', s32(0x1ff), '-1'],
    ['"%hu"', s32(-1), '65535'],
    ['"%ld"', s32(-1), '-1'],
    ['"%lx"', s32(-1), 'ffffffffffffffff'],
    ['"%ld"', s64(-(2n ** 63n)), '-9223372036854775808'],
    ['"%llu"', u64(2n ** 64n - 1n), '18446744073709551615'],
    ['"0x%08lx"', s64(-1n), '0xffffffffffffffff'],
    ['"%d"', u64(2n ** 32n + 3n), '3'],
    ['"%c%%"', u32(0x41), 'A%'],
    ['"%p"', u64(0xffff888100000000n), '0xffff888100000000'],
    ['"%p"', u64(0n), '(nil)'],
  ])('%s of %j', (format, field, expected) => {
    expect(textOf(`${format}, REC->a`, [field])).toBe(expected);
  });

  test('print fmt: width and precision from arguments', () => {
    expect(textOf('"%*d|%-*d|%.*s", 4, REC->a, 3, REC->a, 2, "abc"', [s32(7)])).toBe('   7|7  |ab');
  });

  test('print fmt: escapes and adjacent strings', () => {
    expect(textOf('"a\\t\\"b\\"\\n" "c"')).toBe('a\t"b"\nc');
  });

  test('print fmt: long of a 32-bit machine', () => {
    const options = { longSize: 4 };
    const field: DrawnField = ['unsigned long a', integer(0xfffffff0, 4)];
    expect(textOf('"%ld %lx %zu", REC->a, REC->a, sizeof(long)', [field], options)).toBe(
      '-16 fffffff0 4',
    );
  });

  test('print fmt: big endian', () => {
    const options = { littleEndian: false };
    const fields: DrawnField[] = [
      ['int a', integer(-2, 4, false), true],
      ['u64 b', integer(0x0102030405060708n, 8, false)],
      ['__data_loc char[] c', integer((3 << 16) | 24, 4, false)],
    ];
    const tail = characters('hi', 3);
    expect(textOf('"%d %llx %s", REC->a, REC->b, __get_str(c)', fields, { ...options, tail })).toBe(
      '-2 102030405060708 hi',
    );
  });
});

describe('expressions', () => {
  test.each([
    ['1 + 2 * 3', '7'],
    ['(1 + 2) * 3', '9'],
    ['10 - 4 - 3', '3'],
    ['1 << 4 | 1', '17'],
    ['6 & 3 == 3', '0'],
    ['~0', '-1'],
    ['!5', '0'],
    ['-7 / 2', '-3'],
    ['-7 % 4', '-3'],
    ['7 / 0', '0'],
    ['-1 < 0', '1'],
    ['-1 < 0U', '0'],
    ['-1 >> 1', '-1'],
    ['0x10', '16'],
    ['010', '8'],
    ["'A'", '65'],
    ['1 ? 2 : 0 ? 3 : 4', '2'],
    ['0 ? 2 : 0 ? 3 : 4', '4'],
    ['5 ?: 6', '5'],
    ['(u8)0x1ff', '255'],
    ['(int)(char)0xff', '-1'],
    ['(unsigned int) ((0x801005) >> 20)', '8'],
    ['sizeof(u64) + sizeof(int)', '12'],
    ['__builtin_expect(!!(3), 1)', '1'],
    ['true && !false', '1'],
  ])('%s is %s', (expression, expected) => {
    expect(textOf(`"%d", ${expression}`)).toBe(expected);
  });

  test('a negative field stays negative', () => {
    expect(textOf('"%s", REC->a < 0 ? "below" : "above"', [s32(-3)])).toBe('below');
    expect(textOf('"%d", REC->a / 2', [s32(-8)])).toBe('-4');
  });

  test('print fmt: REC->field, elements and common fields', () => {
    const words: DrawnField = ['unsigned long a[2]', Buffer.concat([integer(5, 8), integer(6, 8)])];
    expect(textOf('"%ld %ld %d", (REC)->a[1], REC->a[0], REC->common_pid', [words])).toBe('6 5 0');
  });

  test('print fmt: casts with attributes', () => {
    const cast = '((const char __attribute__((btf_type_tag("user"))) *)(REC->a))';
    expect(textOf(`"0x%08lx", ((unsigned long)${cast})`, [u64(0x7ffen)])).toBe('0x00007ffe');
  });

  test('print fmt: a value that only the kernel knew is a question mark', () => {
    expect(textOf('"%lu %d %s", jiffies - REC->a, REC->a, FOO ? "x" : "y"', [s32(3)])).toBe(
      '? 3 ?',
    );
  });
});

describe('helpers', () => {
  const FLAGS = '{ 0x1, "one" }, { 0x2, "two" }, { 0x6, "six" }, { 0, "none" }';
  test.each([
    [0, ''],
    [3, 'one|two'],
    [7, 'one|two|0x4'],
    [8, '0x8'],
  ])('__print_flags of %i', (value, expected) => {
    expect(textOf(`"%s", __print_flags(REC->a, "|", ${FLAGS})`, [u32(value)])).toBe(expected);
  });

  test.each([
    [1, 'one'],
    [-1, 'minus'],
    [9, '0x9'],
    [-2, '0xfffffffffffffffe'],
  ])('__print_symbolic of %i', (value, expected) => {
    const table = '{ 1, "one" }, { UNKNOWN_NAME, "no" }, { -1, "minus" }, { -1, ((void *)0) }';
    expect(textOf(`"%s", __print_symbolic(REC->a, ${table})`, [s32(value)])).toBe(expected);
  });

  test('print fmt: softirqs have the names of old kernels', () => {
    const table = '{ HI_SOFTIRQ, "HI" }, { RCU_SOFTIRQ, "RCU" }';
    expect(textOf(`"%s", __print_symbolic(REC->a, ${table})`, [u32(9)])).toBe('RCU');
  });

  test('print fmt: arrays', () => {
    expect(textOf('"%s", __print_hex(REC->a, 3)', [u8s(1, 0xab, 3)])).toBe('01 ab 03');
    expect(textOf('"%s", __print_hex_str(REC->a, 2)', [u8s(1, 0xab, 3)])).toBe('01ab');
    expect(textOf('"%s", __print_array(REC->a, 2, 1)', [u8s(1, 0xab, 3)])).toBe('{0x1,0xab}');
    const words = Buffer.concat([integer(5, 4), integer(260, 4)]);
    const location: DrawnField = ['__data_loc u32[] a', integer((8 << 16) | 12, 4)];
    const shown =
      '"%s %d", __print_array(__get_dynamic_array(a), __get_dynamic_array_len(a) / 4, 4), ' +
      '((u32 *)__get_dynamic_array(a))[1]';
    expect(textOf(shown, [location], { tail: words })).toBe('{0x5,0x104} 260');
  });

  test('strings behind the fields, counted from the start and from the field', () => {
    const tail = characters('hello', 6);
    const data: DrawnField = ['__data_loc char[] a', integer((6 << 16) | 12, 4)];
    expect(textOf('"%s|%-7s|", __get_str(a), __get_str(a)', [data], { tail })).toBe(
      'hello|hello  |',
    );
    const relative: DrawnField = ['__rel_loc char[] a', integer(6 << 16, 4)];
    expect(textOf('"%s", __get_rel_str(a)', [relative], { tail })).toBe('hello');
  });

  test('print fmt: bitmaps', () => {
    const location: DrawnField = ['__data_loc unsigned long[] a', integer((16 << 16) | 12, 4)];
    const tail = Buffer.concat([integer(0x8000_0000_0000_000fn, 8), integer(1, 8)]);
    expect(textOf('"%s", __get_cpumask(a)', [location], { tail })).toBe(
      '00000000,00000001,80000000,0000000f',
    );
    expect(textOf('"%*pbl", 66, __get_dynamic_array(a)', [location], { tail })).toBe('0-3,63-64');
  });

  test('print fmt: network addresses', () => {
    expect(textOf('"%pI4 %pi4", REC->a, REC->a', [u8s(10, 0, 0, 7)])).toBe(
      '10.0.0.7 010.000.000.007',
    );
    expect(textOf('"%pM", REC->a', [u8s(0, 21, 93, 1, 2, 255)])).toBe('00:15:5d:01:02:ff');
    const v6 = u8s(0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
    expect(textOf('"%pI6c %pI6", REC->a, REC->a', [v6])).toBe(
      '2001:db8::1 2001:0db8:0000:0000:0000:0000:0000:0001',
    );
    const none = u8s(...new Array<number>(16).fill(0));
    expect(textOf('"%pI6c", REC->a', [none])).toBe('::');
    const mapped = u8s(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1);
    expect(textOf('"%pI6c", REC->a', [mapped])).toBe('::ffff:127.0.0.1');
    const socket = u8s(2, 0, 0x1f, 0x90, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0);
    expect(textOf('"%pISpc", REC->a', [socket])).toBe('127.0.0.1:8080');
    const socket6 = u8s(10, 0, 0, 80, 0, 0, 0, 0, ...new Array<number>(15).fill(0), 1, 0, 0, 0, 0);
    expect(textOf('"%pISpc", REC->a', [socket6])).toBe('[::1]:80');
  });

  test('print fmt: UUIDs and buffers', () => {
    const bytes = u8s(...Array.from({ length: 16 }, (_, i) => i));
    expect(textOf('"%pU", REC->a', [bytes])).toBe('00010203-0405-0607-0809-0a0b0c0d0e0f');
    expect(textOf('"%pUl", REC->a', [bytes])).toBe('03020100-0504-0706-0809-0a0b0c0d0e0f');
    expect(textOf('"%4phC", REC->a', [bytes])).toBe('00:01:02:03');
    expect(textOf('"%*phN", 3, REC->a', [bytes])).toBe('000102');
  });

  test('functions by symbol, and by address without one', () => {
    const symbolOf = (address: number) => (address < -1 ? { name: 'do_idle', offset: 0x10 } : null);
    const kernel = u64(0xffffffff81000010n);
    expect(textOf('"%pS %ps", REC->a, (void *)REC->a', [kernel], { symbolOf })).toBe(
      'do_idle+0x10 do_idle',
    );
    expect(textOf('"%pS", REC->a', [u64(0x1234n)], { symbolOf })).toBe('0x1234');
  });

  test('a string of the kernel by printk_formats, its address where it has none', () => {
    const printkFormats = '0xffffffff82000000 : "Start scheduler-tick"\n';
    const field: DrawnField = ['const char * a', integer(0xffffffff82000000n, 8)];
    expect(textOf('"%s", REC->a', [field], { printkFormats })).toBe('Start scheduler-tick');
    expect(textOf('"%s", REC->a', [field])).toBe('ffffffff82000000');
    expect(textOf('"%s", REC->a ? "x" : ((void *)0)', [u64(0n)])).toBe('(null)');
  });
});

describe('what cannot be evaluated', () => {
  test.each([
    ['a statement', '"%d", ({ int x = 1; x; })'],
    ['a function of the kernel', '"%u", jiffies_to_msecs(REC->a)'],
    ['no format string', 'REC->a'],
    ['too few arguments', '"%d %d", REC->a'],
    ['a field that is not there', '"%d", REC->b'],
    ['an unknown conversion', '"%pd", REC->a'],
    ['an unfinished expression', '"%d", (1 +'],
    ['a character that is not C', '"%d", REC->a @ 2'],
    ['nesting without end', `"%d", ${'('.repeat(5000)}1${')'.repeat(5000)}`],
    ['operators without end', `"%d", 1${'+1'.repeat(5000)}`],
    ['nothing', ''],
  ])('a print fmt that cannot be evaluated prints name=value, with a reason: %s', (_, printFmt) => {
    const { format, text } = drawSample([s32(-3)], printFmt);
    expect(format.notEvaluated).toMatch(/\w/);
    expect(text).toBe('[FAILED TO PARSE] a=-3');
  });

  test("name=value pairs have libtraceevent's form", () => {
    const { text } = drawSample(
      [
        ['char comm[4]', characters('ab', 4)],
        ['short b', integer(0, 2), true],
        ['void * c', integer(0xffff0000n, 8)],
        ['unsigned long d', integer(20, 8)],
        ['u8 e[2]', Uint8Array.from([1, 0xff])],
        ['char f[2]', Uint8Array.from([7, 0])],
        ['u64 g', integer(20, 8)],
      ],
      '@',
    );
    expect(text).toBe(
      '[FAILED TO PARSE] comm=ab b= 0 c=0xffff0000 d=0x14 e=ARRAY[01, ff] f=ARRAY[07, 00] g=20',
    );
  });
});
