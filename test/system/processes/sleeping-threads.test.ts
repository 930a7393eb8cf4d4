import { describe, expect, it } from 'vitest';
import {
  parseStack,
  parseStat,
  parseSyscall,
} from '../../../src/system/processes/sleeping-threads.ts';

describe('what /proc says of a thread that sleeps', () => {
  it('the state and last CPU of a sleeping thread are read, whatever its name holds', () => {
    const stat = `7 (a) R (b) S 1 7 7 0 -1 4194304 ${'0 '.repeat(28)}17 5 0 0`;
    expect(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[36]).toBe('5');
    expect(parseStat(stat)).toEqual({ state: 'S', cpu: 5 });
    expect(parseStat('')).toBe(null);
    expect(parseStat('7 (a) S 1 7')).toBe(null);
  });

  it('the kernel stack of a sleeping thread is read, innermost first, with the function and its offset', () => {
    const text =
      '[<0>] hrtimer_nanosleep+0x74/0x110\n[<0>] ext4_wait+0x1/0x20 [ext4]\n[<0>] 0xffffffff81\n';
    expect(parseStack(text)).toEqual(['hrtimer_nanosleep+0x74', 'ext4_wait+0x1']);
    expect(parseStack('')).toEqual([]);
  });

  it('the place in its own code is read, if the thread is in the kernel for a call', () => {
    expect(parseSyscall('230 0x0 0x1 0x2 0x3 0x4 0x5 0x7ffc01 0x7f12345678\n')).toBe(0x7f12345678n);
    expect(parseSyscall('-1 0x7ffc01 0x7f12345678\n')).toBe(0x7f12345678n);
    expect(parseSyscall('running\n')).toBe(null);
    expect(parseSyscall('')).toBe(null);
  });
});
