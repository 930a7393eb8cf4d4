import { expect, test } from 'vitest';
import { decodeDataSource, formatDataSource } from '../../../src/kernel/perf-event/data-source.ts';

/** The value with the given fields; see the head of data-source.ts for the layout. */
function dataSource(fields: {
  op?: number;
  lvl?: number;
  snoop?: number;
  lock?: number;
  tlb?: number;
  number?: number;
  remote?: number;
  snoopx?: number;
  blk?: number;
  hops?: number;
}): bigint {
  const { op = 0, lvl = 0, snoop = 0, lock = 0, tlb = 0 } = fields;
  const { number = 0, remote = 0, snoopx = 0, blk = 0, hops = 0 } = fields;
  const parts: [number, number][] = [
    ...([
      [op, 0],
      [lvl, 5],
      [snoop, 19],
      [lock, 24],
      [tlb, 26],
    ] as [number, number][]),
    ...([
      [number, 33],
      [remote, 37],
      [snoopx, 38],
      [blk, 40],
      [hops, 43],
    ] as [number, number][]),
  ];
  return parts.reduce((sum, [value, shift]) => sum | (BigInt(value) << BigInt(shift)), 0n);
}

test.each([
  // What the kernel writes for a software event: everything not available.
  [0x1e05080021n, '|OP N/A|LVL N/A|SNP N/A|TLB N/A|LCK N/A|BLK  N/A'],
  [0n, '|OP No|LVL N/A|SNP N/A|TLB N/A|LCK No|BLK  N/A'],
  [
    dataSource({ op: 2, lvl: 0b1010, snoop: 2, lock: 2, tlb: 0b1010, blk: 1 }),
    '|OP LOAD|LVL L1 hit|SNP None|TLB L1 hit|LCK Yes|BLK  N/A',
  ],
  [
    dataSource({ op: 4, lvl: 0b101100, snoop: 0b11000, tlb: 0b111100, blk: 6 }),
    '|OP STORE|LVL L1 or L2 miss|SNP Miss or HitM|TLB L1 or L2 or Walker miss|LCK No|BLK  Data Addr',
  ],
  [
    dataSource({ op: 2, lvl: 2, number: 3, remote: 1, hops: 1, snoop: 16, snoopx: 1 }),
    '|OP LOAD|LVL Remote core, same node L3 hit|SNP HitM or Fwd|TLB N/A|LCK No|BLK  N/A',
  ],
  [
    dataSource({ op: 8, number: 13, hops: 4, snoopx: 2 }),
    '|OP PFETCH|LVL board RAM |SNP Peer|TLB N/A|LCK No|BLK  N/A',
  ],
])('data source 0x%s prints as in perf', (value, text) => {
  expect(formatDataSource(value)).toBe(text);
});

test('every level has a name, by bit and by number', () => {
  const byBit = Array.from({ length: 11 }, (_, i) => dataSource({ lvl: 8 << i }));
  expect(byBit.map((value) => decodeDataSource(value).level.trim())).toEqual([
    ...['L1', 'LFB/MAB', 'L2', 'L3', 'Local RAM', 'Remote RAM (1 hop)', 'Remote RAM (2 hops)'],
    ...['Remote Cache (1 hop)', 'Remote Cache (2 hops)', 'I/O', 'Uncached'],
  ]);
  const byNumber = Array.from({ length: 15 }, (_, i) => dataSource({ number: i + 1 }));
  expect(byNumber.map((value) => decodeDataSource(value).level.trim())).toEqual([
    ...['L1', 'L2', 'L3', 'L4', 'L2 MHB', 'Memory-side Cache', 'L0', 'Uncached', 'CXL', 'I/O'],
    ...['Any cache', 'LFB/MAB', 'RAM', 'PMEM', 'N/A'],
  ]);
});

test('every operation has a name', () => {
  const operations = [0, 1, 2, 4, 8, 16].map(
    (op) => decodeDataSource(dataSource({ op })).operation,
  );
  expect(operations).toEqual(['No', 'N/A', 'LOAD', 'STORE', 'PFETCH', 'EXEC']);
});
