import { describe, expect, it } from 'vitest';
import { pairSwitches } from '../../../src/profile/off-cpu/switch-pairs.ts';

/**
 * Time goes from left to right, one column a nanosecond; a thread per line. `o` a sample taken as it
 * leaves its CPU, `w` one of its wake-up, `i` the record of its coming back, `-` and space nothing.
 */
function draw(...lines: readonly string[]) {
  const outs: { tid: number; timeNs: number; isWakeUp: boolean }[] = [];
  const ins: typeof outs = [];
  lines.forEach((line, tid) => {
    [...line].forEach((mark, timeNs) => {
      const isWakeUp = mark === 'w';
      if (mark === 'o' || isWakeUp) outs.push({ tid, timeNs, isWakeUp });
      if (mark === 'i') ins.push({ tid, timeNs, isWakeUp });
    });
  });
  const columns = (rows: typeof outs) => {
    rows.sort((a, b) => a.timeNs - b.timeNs || a.tid - b.tid);
    return {
      length: rows.length,
      isWakeUp: Uint8Array.from(rows, ({ isWakeUp }) => Number(isWakeUp)),
      tid: Int32Array.from(rows, ({ tid }) => tid),
      timeNs: Float64Array.from(rows, ({ timeNs }) => timeNs),
    };
  };
  const end = Math.max(...lines.map((line) => line.length));
  const switches = columns(ins);
  const isIn = new Uint8Array(switches.length).fill(1);
  const pairs = pairSwitches(columns(outs), { ...switches, isIn }, end);
  return { ...pairs, offCpuNs: [...pairs.offCpuNs] };
}

describe('the time off the CPU', () => {
  it("off-CPU time runs from a switch out to the thread's next switch in", () => {
    expect(draw('  o---i   o-i ')).toEqual({ offCpuNs: [4, 2], unpaired: 0, cut: 0 });
  });

  it('off-CPU time is split at the wake-up', () => {
    expect(draw('  o---w--i   o-i ')).toEqual({ offCpuNs: [4, 3, 2], unpaired: 0, cut: 0 });
    expect(draw('  o---w-')).toEqual({ offCpuNs: [4, 2], unpaired: 0, cut: 1 });
    expect(draw('  o-w--o-w-i')).toEqual({ offCpuNs: [2, 0, 2, 2], unpaired: 1, cut: 0 });
  });

  it('off-CPU time is separate per thread', () => {
    const { offCpuNs } = draw(
      '  o-------i    o-i', //
      '     o-i    o------i',
    );
    expect(offCpuNs).toEqual([8, 2, 7, 2]);
  });

  it('off-CPU time counts up to the end of the recording', () => {
    expect(draw('    o-----')).toEqual({ offCpuNs: [6], unpaired: 0, cut: 1 });
    expect(draw(' o-i  ', '   o--')).toEqual({ offCpuNs: [2, 3], unpaired: 0, cut: 1 });
  });

  it('a switch out without a time begins no wait', () => {
    const outs = {
      length: 1,
      isWakeUp: new Uint8Array(1),
      tid: Int32Array.of(1),
      timeNs: Float64Array.of(Number.NaN),
    };
    const none = { length: 0, isIn: new Uint8Array(0), timeNs: new Float64Array(0) };
    const pairs = pairSwitches(outs, { ...none, tid: new Int32Array(0) }, 9);
    expect([...pairs.offCpuNs, pairs.unpaired]).toEqual([0, 1]);
  });

  it('a switch in whose time is none, or before that of the switch out, ends no wait', () => {
    const outs = {
      length: 2,
      isWakeUp: new Uint8Array(2),
      tid: Int32Array.of(1, 2),
      timeNs: Float64Array.of(5, 5),
    };
    const ins = {
      length: 3,
      isIn: new Uint8Array(3).fill(1),
      // Out of order: all that left their CPU before 9 have done so.
      timeNs: Float64Array.of(9, 4, Number.NaN),
      tid: Int32Array.of(3, 1, 2),
    };
    const { offCpuNs, unpaired } = pairSwitches(outs, ins, 9);
    expect([...offCpuNs]).toEqual([0, 0]);
    expect(unpaired).toBe(2);
  });

  it('off-CPU time is unknown where the switch in was lost', () => {
    expect(draw(' o---   o--i ')).toEqual({ offCpuNs: [0, 3], unpaired: 1, cut: 0 });
    expect(draw(' o---   o---  ')).toEqual({ offCpuNs: [0, 6], unpaired: 1, cut: 1 });
  });

  it('off-CPU time does not begin with a switch in', () => {
    expect(draw('  i  o--i ', 'i')).toEqual({ offCpuNs: [3], unpaired: 0, cut: 0 });
  });

  it('no switches give no off-CPU time', () => {
    expect(draw('   ')).toEqual({ offCpuNs: [], unpaired: 0, cut: 0 });
  });

  it("off-CPU times of all switches sum to the thread's waiting time", () => {
    // A thread that is now on the CPU and now off, of lengths that repeat by different primes.
    let line = '';
    let expected = 0;
    for (let i = 0; i < 300; i++) {
      const off = 1 + (i % 7);
      line += `${' '.repeat(i % 5)}o${'-'.repeat(off - 1)}i`;
      expected += off;
    }
    const { offCpuNs, unpaired, cut } = draw(line);
    expect([offCpuNs.reduce((sum, ns) => sum + ns), unpaired, cut]).toEqual([expected, 0, 0]);
  });
});
