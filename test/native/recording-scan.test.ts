import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.ts';
import { formatAddress, parseHexAddress } from '../../src/base/u64.ts';
import { parseKallsyms } from '../../src/code/symbols/kallsyms.ts';
import { addressesToName, recordedKernelSymbols } from '../../src/code/symbols/recorded-kernel.ts';
import { scanRecords } from '../../src/formats/perf-data/scan-records.ts';
import { RecordEncoder } from '../../src/kernel/perf-event/encode.ts';
import { loadBinding } from '../../src/native/binding.ts';
import { seededRandom } from '../helpers/random.ts';
import { scratchDirectory } from '../helpers/scratch.ts';

const scratch = scratchDirectory();
const binding = loadBinding();

function inFile<T>(bytes: Uint8Array, use: (fd: number) => T): T {
  const path = join(scratch, 'data');
  writeFileSync(path, bytes);
  const fd = openSync(path, 'r');
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}

/** The kernel addresses found among bytes [from, to) of a file with u64 words at these offsets. */
function kernelAddresses(words: Record<number, bigint>, size: number, from = 0, to = size) {
  const bytes = Buffer.alloc(size);
  for (const [offset, word] of Object.entries(words)) bytes.writeBigUInt64LE(word, Number(offset));
  const { kernelAddresses } = inFile(bytes, (fd) =>
    binding.scanRecording(fd, from, to, false, from),
  );
  return Array.from(kernelAddresses, formatAddress);
}

const at = (...digits: string[]) => Float64Array.from(digits, parseHexAddress);
/** A list of the kernel, as root sees it. */
const KERNEL = [
  '0000000000000000 A fixed_percpu_data',
  'ffffffff81000000 T _stext',
  'ffffffff81000000 T _text',
  'ffffffff81000100 T one',
  'ffffffff81000200 r table',
  'ffffffff81000300 t two',
  'ffffffff81000400 T three',
];

describe('kernel addresses in a recording', () => {
  test('kernel addresses are found at any multiple of four bytes, each once', () => {
    const words = { 8: 0xffffffff81000120n, 20: 0xffffffffc0000010n, 40: 0xffffffff81000120n };
    expect(kernelAddresses(words, 64)).toEqual(['0xffffffff81000120', '0xffffffffc0000010']);
  });

  test('kernel addresses are those of arm64 as well, and no user addresses, markers or numbers', () => {
    const words = {
      0: 0xffff800080010000n,
      16: 0x00007f1234567890n,
      32: 0xffffffffffffff80n,
      48: 0xffffffffffffffffn,
    };
    // Halves of two neighbours may look like an address; these are none of a kernel's code.
    const found = kernelAddresses(words, 64).filter((address) => !address.endsWith('00000000'));
    expect(found).toEqual(['0xffff800080010000']);
  });

  test('kernel addresses are found where a window of the reading ends in them', () => {
    for (const edge of [1 << 18, 1 << 20]) {
      for (const at of [edge - 8, edge - 4, edge, edge + 4]) {
        expect(kernelAddresses({ [at]: 0xffffffff81000120n }, edge + 64)).toEqual([
          '0xffffffff81000120',
        ]);
      }
    }
  });

  test('outside the range that is asked for are left out', () => {
    const words = { 8: 0xffffffff81000120n, 40: 0xffffffff81000220n };
    expect(kernelAddresses(words, 64, 16, 64)).toEqual(['0xffffffff81000220']);
    expect(kernelAddresses(words, 64, 0, 32)).toEqual(['0xffffffff81000120']);
  });

  test('kernel addresses are as many as there are, each once', () => {
    const count = 50_000;
    const bytes = Buffer.alloc(count * 16);
    for (let i = 0; i < count; i++) {
      const word = 0xffffffff81000000n + BigInt((i % 20_000) * 16);
      bytes.writeBigUInt64LE(word, i * 16);
    }
    const { kernelAddresses: found } = inFile(bytes, (fd) =>
      binding.scanRecording(fd, 0, bytes.length, false, 0),
    );
    expect(found).toHaveLength(20_000);
    expect(new Set(found).size).toBe(20_000);
  });

  test('a file that cannot be read is an error with its reason', () => {
    const fd = openSync(scratch, 'r');
    try {
      expect(() => binding.scanRecording(fd, 0, 64, false, 0)).toThrow(/pread: Is a directory/);
    } finally {
      closeSync(fd);
    }
  });
});

const encoder = new RecordEncoder({ littleEndian: true, sampleType: 0, sampleIdAll: false });

function mmap2(pid: number, filename: string, prot: number, cpuMode = 2): Uint8Array {
  const place = { address: 0x400000n, length: 0x1000n, fileOffset: 0n };
  return encoder.mmap2({ pid, tid: pid, ...place, prot, flags: 2, filename, cpuMode });
}

/** A sample of words that nobody decodes. */
function sample(...words: bigint[]): Uint8Array {
  const bytes = Buffer.alloc(8 + words.length * 8);
  bytes.writeUInt32LE(9, 0);
  bytes.writeUInt16LE(bytes.length, 6);
  words.forEach((word, i) => {
    bytes.writeBigUInt64LE(word, 8 + i * 8);
  });
  return bytes;
}

const EXECUTABLE = 5;
const READABLE = 1;

describe('the mappings of code in a recording', () => {
  test('mappings of code are the MMAP2 records of executable user mappings, wherever a window ends', () => {
    const filler = Array.from({ length: 3000 }, () => sample(...Array(30).fill(7n)));
    const wanted = [3, 4, 5, 6].map((pid) => mmap2(pid, `/opt/app-${pid}`, EXECUTABLE));
    const records = [
      wanted[0],
      mmap2(7, '/opt/data', READABLE),
      ...filler.slice(0, 1500),
      wanted[1],
      mmap2(8, '[module]', EXECUTABLE, 1),
      ...filler.slice(1500),
      wanted[2],
      wanted[3],
    ];
    const bytes = Buffer.concat(records);
    const { codeMappings } = inFile(bytes, (fd) =>
      binding.scanRecording(fd, 0, bytes.length, false, 0),
    );
    expect(Buffer.from(codeMappings)).toEqual(Buffer.concat(wanted));
    const pids: number[] = [];
    scanRecords(codeMappings, (view, offset) => pids.push(view.getInt32(offset + 8, true)));
    expect(pids).toEqual([3, 4, 5, 6]);
  });

  test('mappings of code end where a record makes no sense, and kernel addresses are still found behind it', () => {
    const first = mmap2(3, '/opt/app', EXECUTABLE);
    const word = Buffer.alloc(8);
    word.writeBigUInt64LE(0xffffffff81000120n);
    const rest = [Buffer.alloc(16), mmap2(4, '/opt/b', EXECUTABLE), word];
    const bytes = Buffer.concat([first, ...rest]);
    const found = inFile(bytes, (fd) => binding.scanRecording(fd, 0, bytes.length, false, 0));
    expect(Buffer.from(found.codeMappings)).toEqual(Buffer.from(first));
    expect(Array.from(found.kernelAddresses, formatAddress)).toEqual(['0xffffffff81000120']);
  });
});

describe('programs that samples were taken in', () => {
  const ranges = {
    starts: Float64Array.of(0x5000, 0x1000, 0x1000, 0x9000),
    ends: Float64Array.of(0x6000, 0x2000, 0x3000, 0xa000),
    owners: Uint32Array.of(0, 1, 2, 0),
  };
  const met = (...records: Uint8Array[]): number[] => {
    const bytes = Buffer.concat(records);
    const { starts, ends, owners } = ranges;
    return inFile(bytes, (fd) =>
      Array.from(binding.findMetOwners(fd, 0, bytes.length, false, starts, ends, owners)),
    );
  };

  test('programs with samples are those with an address in a range of theirs', () => {
    expect(met(sample(1n, 0x5fffn))).toEqual([1, 0, 0]);
    expect(met(sample(0x6000n), sample(0x9000n))).toEqual([1, 0, 0]);
    expect(met(sample(0x6000n, 0xfffn, 0xa000n))).toEqual([0, 0, 0]);
  });

  test('programs of several processes at the same address are all met', () => {
    expect(met(sample(0x1800n))).toEqual([0, 1, 1]);
    expect(met(sample(0x2800n))).toEqual([0, 0, 1]);
  });

  test('programs are found by samples only, wherever a window ends', () => {
    expect(
      met(mmap2(1, '/opt/app', EXECUTABLE), encoder.comm({ pid: 0x5000, tid: 0x5000, comm: 'x' })),
    ).toEqual([0, 0, 0]);
    const filler = Array.from({ length: 3000 }, () => sample(...Array(30).fill(7n)));
    expect(met(...filler, sample(0x5000n), ...filler, sample(0x1000n))).toEqual([1, 1, 1]);
  });

  test('programs with owners that are none are refused', () => {
    expect(() =>
      binding.findMetOwners(0, 0, 0, false, ranges.starts, ranges.ends, Uint32Array.of(9, 9, 9, 9)),
    ).toThrow(RangeError);
    expect(() =>
      binding.findMetOwners(0, 0, 0, false, ranges.starts, ranges.ends, Uint32Array.of(0)),
    ).toThrow(TypeError);
  });
});

/** Names by the lines that were read are those by the whole list. */
function expectSameNames(path: string, list: Uint8Array, addresses: Float64Array): number {
  const lines = binding.readKernelLines(path, addressesToName(addresses));
  const named = recordedKernelSymbols(lines, addresses, new Diagnostics());
  expect(named).toBe(recordedKernelSymbols(list, addresses, new Diagnostics()));
  return named === null ? 0 : named.split('\n').length - 1;
}

describe('lines of the list of kernel symbols', () => {
  const path = join(scratch, 'kallsyms');
  const lines = (list: string, ...digits: string[]): string[] => {
    writeFileSync(path, list);
    const read = Buffer.from(binding.readKernelLines(path, at(...digits))).toString();
    return read.split('\n').filter((line) => line !== '');
  };
  const MODULES = ['ffffffffc0100000 t late\t[zfs]', 'ffffffffc0000000 t connect\t[hid]'];
  const LIST = `${[...KERNEL, ...MODULES].join('\n')}\n`;

  test('lines of kernel symbols are the symbol of an address with its aliases, and the next one that is a symbol', () => {
    expect(lines(LIST, 'ffffffff81000080')).toEqual(KERNEL.slice(1, 4));
    expect(lines(LIST, 'ffffffff81000280')).toEqual([KERNEL[3], KERNEL[5]]);
  });

  test('lines of kernel symbols are those of modules as well where an address may be in one', () => {
    expect(lines(LIST, 'ffffffff81000480')).toEqual([KERNEL[6], ...MODULES]);
    expect(lines(LIST, 'ffffffff80000000', 'ffffffff81000080')).toEqual([
      ...KERNEL.slice(1, 4),
      ...MODULES,
    ]);
  });

  test('lines of a kernel that hides its addresses are one line, which says so', () => {
    const hidden = LIST.replaceAll(/^f{8}.{8}/gm, '0'.repeat(16));
    expect(lines(hidden, 'ffffffff81000080')).toEqual([
      '0000000000000000 T _stext',
      ...MODULES.map((line) => line.replace(/^\w+/, '0'.repeat(16))),
    ]);
    const diagnostics = new Diagnostics();
    parseKallsyms(binding.readKernelLines(path, at('ffffffff81000080')), diagnostics);
    expect([...diagnostics.entries()].map(({ code }) => code)).toEqual(['kallsyms-restricted']);
  });

  test('lists that are empty, missing or without a newline at the end are handled', () => {
    expect(lines(KERNEL.slice(0, 4).join('\n'), 'ffffffff81000180')).toEqual([KERNEL[3]]);
    expect(lines('', 'ffffffff81000180')).toEqual([]);
    expect(() => binding.readKernelLines(join(scratch, 'none'), at())).toThrow(
      expect.objectContaining({ code: 'ENOENT' }),
    );
  });

  test('lines of kernel symbols name random addresses as the whole list does', () => {
    const random = seededRandom(18);
    const integer = (from: number, to: number) => from + Math.floor(random() * (to - from + 1));
    for (let round = 0; round < 40; round++) {
      let address = 0xffffffff81000000n;
      const kernel = Array.from({ length: 3000 }, (_, i) => {
        address += BigInt(integer(0, 3) * 16);
        const type = 'TtWwDdBbrRA'[integer(0, 10)];
        return `${address.toString(16)} ${type} ${integer(0, 9) === 0 ? '$x' : `f${i}`}`;
      });
      const modules = Array.from(
        { length: integer(0, 5) },
        (_, i) => `${(0xffffffffc0000000n + BigInt(i * 64)).toString(16)} t m${i}\t[mod${i % 2}]`,
      );
      const list = Buffer.from([...kernel, ...modules, ''].join('\n'));
      writeFileSync(path, list);
      const span = Number(address - 0xffffffff81000000n) + 64;
      const from = parseHexAddress('ffffffff81000000') - (round % 2) * 64;
      const addresses = Float64Array.from(
        { length: integer(1, 40) },
        () => from + integer(0, span),
      );
      expectSameNames(path, list, addresses);
    }
  });

  test('lines of the running kernel name addresses of it as the whole list does', () => {
    const list = readFileSync('/proc/kallsyms');
    // Trampolines and BPF programs come and go.
    const kernel = list.subarray(0, list.lastIndexOf('\n', list.indexOf('\t')) + 1);
    const starts = Float64Array.from(parseKallsyms(kernel, new Diagnostics()).starts);
    const addresses = starts.filter((_, i) => i % 500 === 0).map((address) => address + 1);
    const named = expectSameNames('/proc/kallsyms', list, addresses);
    // All start at 0 where the kernel hides them.
    expect(named > 0).toBe(starts.length > 0);
  });
});

describe('kept symbols of the kernel', () => {
  const path = join(scratch, 'kallsyms-kept');
  const BOOT = 'one-boot';
  const MODULES = ['ffffffffc0000000 t connect\t[hid]'];
  const textOf = (...lines: string[]) => `${lines.join('\n')}\n`;
  /** The kept part of a list; null where nothing is kept. */
  const keep = (...list: string[]): Uint8Array | null => {
    writeFileSync(path, textOf(...list));
    return binding.keepKernel(path, BOOT);
  };
  const find = (kept: Uint8Array | null, addresses: Float64Array, key = BOOT) => {
    const { isCurrent, lines } = binding.findKeptKernelLines(path, key, kept!, addresses);
    return { isCurrent, lines: lines === null ? null : Buffer.from(lines).toString() };
  };

  test('kept kernel symbols give the lines of an address and of what follows it, each once', () => {
    const kept = keep(...KERNEL, ...MODULES);
    expect(find(kept, at('ffffffff81000080', 'ffffffff81000000'))).toEqual({
      isCurrent: true,
      lines: textOf(...KERNEL.slice(1, 4)),
    });
    expect(find(kept, at('ffffffff81000280', 'ffffffff810003ff', 'ffffffff81000100')).lines).toBe(
      textOf(KERNEL[3], KERNEL[5], KERNEL[6]),
    );
    expect(find(kept, at()).lines).toBe('');
  });

  test('kept kernel symbols do not answer for what may be a module', () => {
    const kept = keep(...KERNEL, ...MODULES);
    for (const outside of ['ffffffff81000400', 'ffffffffc0000010', 'ffffffff80ffffff']) {
      expect(find(kept, at('ffffffff81000080', outside))).toEqual({ isCurrent: true, lines: null });
    }
  });

  test.runIf(process.arch === 'x64')('kept symbols answer beside words that are not code', () => {
    const kept = keep(...KERNEL);
    const words = at('fffffe0000000000', 'ffffffff00408001', 'ffffffffff600000');
    expect(find(kept, words).lines).toBe('');
    expect(find(kept, at('fffffe0000000000', 'ffffffff81000080')).lines).toBe(
      textOf(...KERNEL.slice(1, 4)),
    );
  });

  test('kept kernel symbols are none where the kernel hides its addresses, or does not sort them', () => {
    expect(keep(...KERNEL.map((line) => line.replace(/^\w+/, '0'.repeat(16))))).toBeNull();
    expect(keep(KERNEL[3], KERNEL[1])).toBeNull();
    expect(keep(...MODULES)).toBeNull();
    expect(() => binding.keepKernel(join(scratch, 'none'), BOOT)).toThrow(
      expect.objectContaining({ code: 'ENOENT' }),
    );
  });

  test('kept kernel symbols are not those of another boot, of a list that begins otherwise, or of a damaged file', () => {
    const kept = keep(...KERNEL);
    const asked = at('ffffffff81000080');
    const refused = { isCurrent: false, lines: null };
    expect(find(kept, asked, 'other-boo')).toEqual(refused);
    expect(find(kept, asked, 'one')).toEqual(refused);
    for (let byte = 0; byte < kept!.length; byte++) {
      const damaged = kept!.slice();
      damaged[byte] ^= 1;
      expect(find(damaged, asked)).toEqual(refused);
      expect(find(kept!.slice(0, byte), asked)).toEqual(refused);
    }
    expect(find(kept, asked).isCurrent).toBe(true);
    writeFileSync(path, textOf(...KERNEL.map((line) => line.replace('ffffffff8', '000000000'))));
    expect(find(kept, asked)).toEqual(refused);
    writeFileSync(path, textOf(...KERNEL.map((line) => line.replace('_stext', '_btext'))));
    expect(find(kept, asked)).toEqual(refused);
  });

  test('kept kernel symbols name addresses of the running kernel as its list does', () => {
    const kept = binding.keepKernel('/proc/kallsyms', BOOT);
    const list = readFileSync('/proc/kallsyms');
    const starts = Float64Array.from(parseKallsyms(list, new Diagnostics()).starts);
    // Null where the kernel hides them.
    expect(kept === null).toBe(starts.length === 0);
    if (kept === null) return;
    const addresses = starts
      .filter((address) => address < 0)
      .filter((_, i) => i % 97 === 0)
      .slice(0, -20)
      .map((address) => address + 1);
    const { lines } = binding.findKeptKernelLines('/proc/kallsyms', BOOT, kept, addresses);
    const named = recordedKernelSymbols(lines!, addresses, new Diagnostics());
    expect(named).toBe(recordedKernelSymbols(list, addresses, new Diagnostics()));
    expect(named?.length).toBeGreaterThan(addresses.length);
  });
});
