import { expect, test } from 'vitest';
import { RecordEncoder } from '../../../src/kernel/perf-event/encode.ts';
import { findPrograms } from '../../../src/record/output/held-programs.ts';

const encoder = new RecordEncoder({ littleEndian: true, sampleType: 0, sampleIdAll: false });

function mapped(pid: number, filename: string, address: number, length = 0x1000): Uint8Array {
  const place = { address: BigInt(address), length: BigInt(length), fileOffset: 0n };
  return encoder.mmap2({ pid, tid: pid, ...place, prot: 5, flags: 2, filename });
}

const found = (...records: readonly Uint8Array[]) =>
  findPrograms(Buffer.concat(records)).map(({ start, end, program }) => [
    program.path,
    program.pid,
    start,
    end,
  ]);

test('programs are found at each place where they were mapped, once', () => {
  const again = Array.from({ length: 1000 }, () => mapped(7, '/home/a', 0x1000));
  expect(
    found(
      ...again,
      mapped(8, '/home/b', 0x1000),
      mapped(9, '/home/a', 0x5000),
      mapped(9, '/home/a', 0x1000, 0x2000),
      ...again,
    ),
  ).toEqual([
    ['/home/a', 7, 0x1000, 0x2000],
    ['/home/b', 8, 0x1000, 0x2000],
    ['/home/a', 7, 0x5000, 0x6000],
    ['/home/a', 7, 0x1000, 0x3000],
  ]);
});

test('files that packages install, runtimes and mappings without a file are no programs, unless the file is gone', () => {
  const paths = ['/usr/bin/perl', '/opt/node', '//anon', '[vdso]', '/usr/bin/perl (deleted)'];
  expect(found(...paths.map((path) => mapped(7, path, 0x1000))).map(([path]) => path)).toEqual([
    '/usr/bin/perl (deleted)',
  ]);
});
