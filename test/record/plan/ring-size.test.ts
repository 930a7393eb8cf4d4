import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { pages } from '../../../src/options/kinds.ts';
import {
  askedRingPages,
  chooseRingSize,
  ringsPerThread,
} from '../../../src/record/plan/ring-size.ts';
import type { Privileges } from '../../../src/system/kernel/kernel-settings.ts';
import { readPageBytes } from '../../../src/system/kernel/page-bytes.ts';
import { USUAL_SETTINGS } from '../../system/kernel/fake-kernel.ts';

/** The pages that `-m` asks for by these words. */
function parseRingPages(text: string, pageBytes = readPageBytes()): number | null {
  return askedRingPages(pages.read(text), pageBytes, () => {});
}

const NOBODY = { perfmon: false, ipcLock: false };
const ROOT = { perfmon: true, ipcLock: true };

const MACHINE = { cpus: 2, pageBytes: 4096 };

/** `ring + side-band` pages that a user gets under limits in KiB. */
function ringsWithin(mlockKib: number | null, memlockKib: number | null, cpus = 2): string {
  const settings = { ...USUAL_SETTINGS, mlockKib, memlockKib };
  const { ringPages, sidebandPages } = chooseRingSize(settings, NOBODY, null, { ...MACHINE, cpus });
  return `${ringPages} + ${sidebandPages}`;
}

describe('the rings of a CPU', () => {
  it('rings are 4 MiB and half a MiB for the privileged', () => {
    const large = { ringPages: 1024, sidebandPages: 128, mostPages: null };
    expect(chooseRingSize(USUAL_SETTINGS, ROOT, null)).toEqual(large);
    const open = { ...USUAL_SETTINGS, paranoidLevel: -1 };
    expect(chooseRingSize(open, NOBODY, null)).toEqual(large);
    const unlimited = { ...USUAL_SETTINGS, memlockKib: Number.POSITIVE_INFINITY };
    expect(chooseRingSize(unlimited, NOBODY, null)).toEqual(large);
    const perfmonOnly = { perfmon: true, ipcLock: false };
    expect(chooseRingSize(USUAL_SETTINGS, perfmonOnly, null)).not.toEqual(large);
  });

  it('rings are the largest that both fit the limit, a control page each', () => {
    expect([516, 1028, 584, 580, 328, null].map((kib) => ringsWithin(kib, 0))).toEqual([
      '64 + 16',
      '128 + 16',
      '128 + 16',
      '64 + 16',
      '64 + 16',
      '64 + 16',
    ]);
  });

  it('rings shrink with the limit, down to a page', () => {
    expect([324, 200, 76, 4, 0].map((kib) => ringsWithin(kib, 0))).toEqual([
      '32 + 16',
      '32 + 16',
      '1 + 16',
      '1 + 16',
      '1 + 16',
    ]);
  });

  it('the memory that a process may lock is shared by the rings of all CPUs', () => {
    expect([1, 2, 8, 16, 128].map((cpus) => ringsWithin(516, 8192, cpus))).toEqual([
      '1024 + 16',
      '1024 + 16',
      '256 + 16',
      '128 + 16',
      '64 + 16',
    ]);
    expect(ringsWithin(516, null)).toBe('64 + 16');
  });

  it.each([...Array(60).keys()].map((step) => 80 + step * 37))(
    'rings fit %i KiB, and twice the sample ring would not',
    (kib) => {
      const settings = { ...USUAL_SETTINGS, mlockKib: kib, memlockKib: 0 };
      const { ringPages, sidebandPages, mostPages } = chooseRingSize(settings, NOBODY, null);
      expect(mostPages).toBe(ringPages);
      const kibOf = (pages: number) => (pages + 1 + sidebandPages + 1) * 4;
      expect(kibOf(ringPages)).toBeLessThanOrEqual(kib);
      expect(kibOf(ringPages * 2)).toBeGreaterThan(kib);
    },
  );

  it('rings have the size that the user gives, and the side-band an eighth where that is more', () => {
    const chosen = (privileges: Privileges, asked: number) => {
      const settings = { ...USUAL_SETTINGS, memlockKib: 0 };
      const { ringPages, sidebandPages } = chooseRingSize(settings, privileges, asked, MACHINE);
      return `${ringPages} + ${sidebandPages}`;
    };
    expect([8, 4096].map((asked) => chosen(NOBODY, asked))).toEqual(['8 + 16', '4096 + 512']);
    expect([8, 4096].map((asked) => chosen(ROOT, asked))).toEqual(['8 + 128', '4096 + 512']);
  });
});

describe('with pages of 64 KiB', () => {
  const PAGE = 64 << 10;
  const settings = { ...USUAL_SETTINGS, mlockKib: 576, memlockKib: 0 };
  const machine = { cpus: 2, pageBytes: PAGE };

  it('rings with pages of 64 KiB have as many bytes and fewer pages', () => {
    const large = { ringPages: 64, sidebandPages: 8, mostPages: null };
    expect(chooseRingSize(settings, ROOT, null, machine)).toEqual(large);
    // Nine pages: two control pages, one of the side-band, and the power of two below the rest.
    const small = { ringPages: 4, sidebandPages: 1, mostPages: 4 };
    expect(chooseRingSize(settings, NOBODY, null, machine)).toEqual(small);
    expect(chooseRingSize({ ...settings, mlockKib: null }, NOBODY, null, machine)).toEqual(small);
    expect(ringsPerThread(large, null, PAGE)).toEqual({ ...large, ringPages: 8, sidebandPages: 1 });
  });

  it.each([
    ['512K', 8],
    ['16M', 256],
    ['1', 1],
    ['4G', 1 << 16],
  ])('-m %s is %i of them', (text, pages) => {
    expect(parseRingPages(text, PAGE)).toBe(pages);
  });

  it('-m refuses more than 4 GiB', () => {
    expect(() => parseRingPages('131072', PAGE)).toThrow('more than 4 GiB a ring');
  });
});

it('the page size is that of the auxiliary vector', () => {
  expect(readPageBytes()).toBe(Number(execFileSync('getconf', ['PAGESIZE'])));
  const vector = Buffer.alloc(48);
  for (const [at, word] of [0x10n, 7n, 6n, 65536n, 0n, 0n].entries()) {
    vector.writeBigUInt64LE(word, 8 * at);
  }
  expect(readPageBytes(vector)).toBe(65536);
  expect(readPageBytes(Buffer.alloc(0))).toBe(4096);
});

describe('-m', () => {
  it.each([
    ['1', 1],
    ['128', 128],
    ['100', 128],
    ['4096B', 1],
    ['5000b', 2],
    ['512K', 128],
    ['513k', 256],
    ['16M', 4096],
    ['4G', 1 << 20],
    [' 64 ', 64],
  ])('takes %s as pages or a size, rounded up to a power of two pages', (text, pages) => {
    expect(parseRingPages(text)).toBe(pages);
  });

  it.each(['', '0', '0K', '-4', '1.5M', '8X', 'many', '1e3', '8 K'])(
    'a ring size of "%s" is refused',
    (text) => {
      expect(pages.read(text)).toBe(undefined);
    },
  );

  it.each(['5G', '4096G', '99999999999999999999'])(
    'a ring size of %s is refused: no ring is that large',
    (text) => {
      expect(() => parseRingPages(text)).toThrow('more than 4 GiB a ring');
    },
  );
});
