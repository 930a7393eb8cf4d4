import { describe, expect, test } from 'vitest';
import { NONE } from '../../../src/base/brand.ts';
import { sortedOrder } from '../../../src/base/sorted-order.ts';
import {
  buildSymbolTable,
  endOfPageAfter,
  type SymbolRows,
} from '../../../src/code/symbols/symbol-rules.ts';
import type { SymbolTable } from '../../../src/code/symbols/symbol-table.ts';

const LOCAL = 0;
const GLOBAL = 1;
const WEAK = 2;
const KERNEL = -(2 ** 31);

type Drawn = [start: number, size: number, binding: number, name: string];

/** The table of symbols drawn as rows, unsized ones reaching to the next. */
function tableOf(...drawn: Drawn[]): SymbolTable {
  const rows: SymbolRows = {
    length: drawn.length,
    start: Float64Array.from(drawn, ([start]) => start),
    end: Float64Array.from(drawn, ([start, size]) => start + size),
    binding: Uint8Array.from(drawn, ([, , binding]) => binding),
    nameOf: (row) => drawn[row][3],
    shownNameOf: (row) => drawn[row][3],
  };
  return buildSymbolTable(rows, (row, next) =>
    next === NONE ? endOfPageAfter(rows.start[row]) : rows.start[next],
  );
}

/** `start-end name` for each row. */
function show(table: SymbolTable): string[] {
  return Array.from(
    { length: table.length },
    (_, i) => `${table.starts[i]}-${table.ends[i]} ${table.name(i)}`,
  );
}

function nameAt(table: SymbolTable, address: number): string | null {
  const index = table.find(address);
  return index < 0 ? null : table.name(index);
}

describe('a lookup', () => {
  test('a lookup finds the symbol from its first byte to its last, and nothing between symbols', () => {
    const table = tableOf([200, 10, GLOBAL, 'b'], [100, 50, GLOBAL, 'a']);
    expect([99, 100, 149, 150, 199, 200, 209, 210].map((a) => nameAt(table, a))).toEqual([
      null,
      'a',
      'a',
      null,
      null,
      'b',
      'b',
      null,
    ]);
  });

  test('past the end of nested symbols finds the one around them', () => {
    const table = tableOf(
      [100, 100, GLOBAL, 'outer'],
      [120, 40, LOCAL, 'middle'],
      [130, 10, LOCAL, 'inner'],
      [170, 10, LOCAL, 'late'],
    );
    expect([110, 125, 135, 145, 165, 175, 185, 200].map((a) => nameAt(table, a))).toEqual([
      'outer',
      'middle',
      'inner',
      'middle',
      'outer',
      'late',
      'outer',
      null,
    ]);
  });

  test('a lookup works in the kernel’s half, where addresses are negative', () => {
    const table = tableOf([KERNEL, 16, GLOBAL, 'a'], [KERNEL + 16, 16, GLOBAL, 'b']);
    expect(nameAt(table, KERNEL + 15)).toBe('a');
    expect(nameAt(table, KERNEL + 16)).toBe('b');
    expect(nameAt(table, KERNEL - 1)).toBeNull();
  });
});

describe('an unsized symbol', () => {
  test('an unsized symbol reaches to the next one', () => {
    expect(show(tableOf([16, 0, GLOBAL, 'a'], [64, 8, GLOBAL, 'b']))).toEqual([
      '16-64 a',
      '64-72 b',
    ]);
  });

  test('inside a sized one is a label, and its code is the function’s', () => {
    const table = tableOf([100, 100, GLOBAL, 'f'], [150, 0, LOCAL, 'label'], [300, 8, GLOBAL, 'g']);
    expect([149, 150, 199, 200, 250].map((a) => nameAt(table, a))).toEqual([
      'f',
      'f',
      'f',
      null,
      null,
    ]);
  });

  test('an unsized symbol at the end reaches one page beyond its page', () => {
    expect(show(tableOf([16, 0, GLOBAL, 'a']))).toEqual(['16-8192 a']);
  });
});

describe('of several symbols at one address is shown', () => {
  test.each<[string, Drawn[], string]>([
    [
      'the sized one',
      [
        [8, 0, GLOBAL, 'label'],
        [8, 4, LOCAL, 'sized'],
      ],
      'sized',
    ],
    [
      'the strong one',
      [
        [8, 4, WEAK, 'weak'],
        [8, 4, LOCAL, 'strong'],
      ],
      'strong',
    ],
    [
      'the global one',
      [
        [8, 4, LOCAL, 'local_long_name'],
        [8, 4, GLOBAL, 'global'],
      ],
      'global',
    ],
    [
      'the one with fewer leading underscores',
      [
        [8, 4, GLOBAL, '__libc_read'],
        [8, 4, GLOBAL, 'read'],
      ],
      'read',
    ],
    [
      'the longest',
      [
        [8, 4, GLOBAL, 'read'],
        [8, 4, GLOBAL, 'read_all'],
      ],
      'read_all',
    ],
    [
      'the first of equals',
      [
        [8, 4, GLOBAL, 'one'],
        [8, 4, GLOBAL, 'two'],
      ],
      'one',
    ],
    [
      'not an old syscall alias',
      [
        [8, 4, GLOBAL, 'SyS_read'],
        [8, 4, GLOBAL, 'sys_read'],
      ],
      'sys_read',
    ],
    [
      'the last where none is sized',
      [
        [8, 0, GLOBAL, '_stext'],
        [8, 0, GLOBAL, '_text'],
      ],
      '_text',
    ],
  ])('%s', (_rule, drawn, expected) => {
    expect(show(tableOf(...drawn)).map((row) => row.split(' ')[1])).toEqual([expected]);
  });
});

test('aliases that differ only in a constructor’s variant are not demangled to compare them', () => {
  const asked: number[] = [];
  const names = ['_ZN3FooC1Ev', '_ZN3FooC2Ev', '_ZN3FooC2Ev', '_ZN3BarC2Ev'];
  const start = new Float64Array(4).fill(16);
  const table = buildSymbolTable(
    {
      length: 4,
      start,
      end: new Float64Array(4).fill(32),
      binding: new Uint8Array(4).fill(GLOBAL),
      nameOf: (row) => names[row],
      shownNameOf: (row) => {
        asked.push(row);
        return row === 3 ? 'Bar::Bar(much longer)' : 'Foo::Foo()';
      },
    },
    (_row, next) => start[next],
  );
  expect(asked).toEqual([]);
  expect(show(table)).toEqual(['16-32 _ZN3BarC2Ev']);
  expect(asked).toEqual([0, 3]);
});

describe('sorted order', () => {
  test.each([10, 5000])('sorted order of %i values is stable', (length) => {
    const values = Float64Array.from({ length }, (_, i) => ((i * 7919) % 97) * 2 ** 33 - 2 ** 39);
    const expected = Array.from(values.keys()).sort((a, b) => values[a] - values[b] || a - b);
    expect(Array.from(sortedOrder(values))).toEqual(expected);
  });
});
