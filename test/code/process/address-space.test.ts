import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { StringTable } from '../../../src/base/string-table.ts';
import { AddressSpace } from '../../../src/code/process/address-space.ts';
import { ProcessTable } from '../../../src/code/process/process-table.ts';

describe('an address space', () => {
  test('an address space agrees with writing rows byte by byte', () => {
    const range = fc.tuple(fc.nat({ max: 190 }), fc.integer({ min: 1, max: 40 }));
    fc.assert(
      fc.property(fc.array(range, { maxLength: 60 }), (ranges) => {
        const space = new AddressSpace();
        const bytes = new Array<number>(240).fill(-1);
        for (const [row, [start, length]] of ranges.entries()) {
          space.add(start, start + length, row);
          bytes.fill(row, start, start + length);
        }
        expect(bytes.map((_, address) => space.find(address))).toEqual(bytes);
      }),
    );
  });

  test('an address space of thousands of ranges in any order finds each', () => {
    const space = new AddressSpace();
    const count = 5000;
    // 7919 is prime to 5000, so every number comes once, out of order.
    for (let i = 0; i < count; i++) {
      const k = (i * 7919) % count;
      space.add(k * 16, k * 16 + 8, k);
    }
    expect(space.size).toBe(count);
    for (let k = 0; k < count; k++) {
      expect(space.find(k * 16 + 7)).toBe(k);
      expect(space.find(k * 16 + 8)).toBe(-1);
    }
  });

  test('an address space loses every range that one over all of them covers', () => {
    const space = new AddressSpace();
    for (let k = 0; k < 2000; k++) space.add(k * 16, k * 16 + 8, k);
    space.add(8, 1999 * 16 + 4, 7777);
    expect(space.size).toBe(3);
    expect([0, 8, 16_000, 1999 * 16 + 3, 1999 * 16 + 4].map((a) => space.find(a))).toEqual([
      0, 7777, 7777, 7777, 1999,
    ]);
  });

  test('an address space ignores a range that is empty, or no range at all', () => {
    const space = new AddressSpace();
    space.add(10, 10, 1);
    space.add(20, 10, 2);
    space.add(Number.NaN, 10, 3);
    expect(space.size).toBe(0);
  });

  test('an address space and its copy change independently', () => {
    const space = new AddressSpace();
    space.add(0, 100, 1);
    const copy = space.clone();
    copy.add(50, 60, 2);
    space.add(0, 10, 3);
    expect([space.find(55), space.find(5)]).toEqual([1, 3]);
    expect([copy.find(55), copy.find(5)]).toEqual([2, 1]);
  });
});

describe('spaces that were cloned of one another', () => {
  test('a mapping added to a cloned address space stays out of its clones', () => {
    const added = fc.tuple(
      fc.nat({ max: 3 }),
      fc.nat({ max: 9_900 }),
      fc.integer({ min: 1, max: 60 }),
    );
    const cloned = fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 3 }));
    fc.assert(
      fc.property(fc.array(fc.oneof(added, cloned), { maxLength: 30 }), (steps) => {
        const first = new AddressSpace();
        const bytes = new Int32Array(10_000).fill(-1);
        for (let row = 0; row < 1200; row++) {
          first.add(row * 8, row * 8 + 6, row);
          bytes.fill(row, row * 8, row * 8 + 6);
        }
        const spaces = Array.from({ length: 4 }, () => ({ space: first.clone(), bytes }));
        for (const [row, [at, a, length]] of steps.entries()) {
          const here = spaces[at];
          if (length === undefined) {
            spaces[a] = { space: here.space.clone(), bytes: here.bytes };
            continue;
          }
          here.space.find(a);
          here.space.add(a, a + length, 5000 + row);
          here.bytes = here.bytes.slice().fill(5000 + row, a, a + length);
        }
        for (const { space, bytes: expected } of [...spaces, { space: first, bytes }]) {
          expect(Array.from(expected, (_row, address) => space.find(address))).toEqual([
            ...expected,
          ]);
        }
      }),
      { numRuns: 30 },
    );
  });
});

describe('large recordings', () => {
  test('32 000 processes with 30 mappings each are held without copying on fork', () => {
    const table = new ProcessTable(new StringTable());
    for (let i = 0; i < 30; i++) map(table, 1, i * 0x2000 + 0x1000, `/lib/lib${i}.so`);
    for (let pid = 2; pid < 32_000; pid++) table.fork(pid, pid >> 1, pid, pid >> 1);
    for (let pid = 2; pid < 32_000; pid += 1000) {
      expect(table.findMapping(pid, 29 * 0x2000 + 0x1004)).toBe(table.findMapping(1, 0x3b004));
    }
    expect(table.mappings.length).toBe(31);
  });

  test('processes that map a file each share the thousands of their parent', () => {
    const table = new ProcessTable(new StringTable());
    table.mostCopiedBytes = 16 << 20;
    for (let i = 0; i < 10_000; i++) map(table, 1, i * 0x2000 + 0x1000, `/lib/lib${i}.so`);
    for (let pid = 2; pid < 2000; pid++) {
      table.fork(pid, 1, pid, 1);
      map(table, pid, pid * 0x2000 + 0x1000, `/lib/own${pid}.so`);
    }
    expect(table.findMapping(77, 99 * 0x2000 + 0x1004)).toBe(
      table.findMapping(1, 99 * 0x2000 + 0x1004),
    );
    expect(table.findMapping(77, 77 * 0x2000 + 0x1004)).not.toBe(
      table.findMapping(1, 77 * 0x2000 + 0x1004),
    );
  });

  test('copies of mappings beyond the limit are refused, unless processes end', () => {
    const forkAll = (isExec: boolean) => {
      const table = new ProcessTable(new StringTable());
      table.mostCopiedBytes = 1 << 20;
      for (let i = 0; i < 10_000; i++) map(table, 1, i * 0x2000 + 0x1000, `/lib/lib${i}.so`);
      for (let pid = 2; pid < 2000; pid++) {
        table.fork(pid, 1, pid, 1);
        map(table, pid, 0x1000, '/lib/own.so');
        if (isExec) table.comm(pid, pid, 'other', true);
      }
    };
    expect(() => forkAll(false)).toThrow(
      /^the mappings of its \d+ processes, .* more than 1048576 bytes, .* maxUnpacked/,
    );
    forkAll(true);
  });

  test.each([
    ['threads', (table: ProcessTable, n: number): unknown => table.threadAt(1, n)],
    ['threads', (table: ProcessTable, n: number): unknown => table.comm(1, n, 'a', false)],
    ['processes', (table: ProcessTable, n: number): unknown => map(table, n, 0x1000, '/lib/a.so')],
    [
      'mapped files',
      (table: ProcessTable, n: number): unknown => map(table, 1, 0x1000, `/lib/${n}.so`),
    ],
    [
      'mapped files',
      (table: ProcessTable, n: number): unknown => table.ksymbol(-0x1000, 16, `p${n}`, false),
    ],
  ] as const)('a recording of more %s than the limit is refused', (what, add) => {
    const table = new ProcessTable(new StringTable());
    table.mostOfEach = 20;
    for (let n = 1; n < 20; n++) add(table, n);
    expect(() => {
      for (let n = 20; n < 23; n++) add(table, n);
    }).toThrow(new RegExp(`^it has more than 20 ${what}.*maxUnpacked allows it$`));
  });

  test('a quarter of a million mappings in one process, out of order, are found', () => {
    const table = new ProcessTable(new StringTable());
    const count = 250_000;
    for (let i = 0; i < count; i++) map(table, 1, ((i * 7919) % count) * 0x2000 + 0x1000, '//anon');
    for (let i = 0; i < count; i += 997) {
      const start = ((i * 7919) % count) * 0x2000 + 0x1000;
      expect(table.mappings.start(table.findMapping(1, start + 0xfff))).toBe(start);
    }
    expect(table.dsos.length).toBe(2);
  });
});

function map(table: ProcessTable, pid: number, start: number, path: string): void {
  table.mmap({
    pid,
    tid: pid,
    start,
    length: 0x1000,
    fileOffset: 0,
    path,
    executable: true,
    cpuMode: 'user',
    buildId: null,
    major: 0,
    minor: 0,
    inode: 0,
  });
}

test('ranges that reach beyond exact addresses end there', () => {
  const space = new AddressSpace();
  space.add(0x1000, 2 ** 64, 1);
  space.add(0x1000, 2 ** 63, 2);
  space.add(2 ** 60, 2 ** 61, 3);
  space.add(-(2 ** 63), 0x2000, 4);
  expect([0x1fff, 0x2000, Number.MAX_SAFE_INTEGER - 1, -5].map((at) => space.find(at))).toEqual([
    4, 2, 2, 4,
  ]);
  expect(space.size).toBe(2);
});
