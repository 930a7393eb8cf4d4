// The same program as in programs.test.ts, built for i386: its stacks against its source.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { perfTs, scratchDirectory } from '../../helpers/cli.ts';
import { describeLive } from '../../helpers/live.ts';

const FRAMES = join(import.meta.dirname, 'frames.c');
const scratch = scratchDirectory();

/** Callers of each function of frames.c, by the source; libc calls those without a name here. */
const CALLERS: Readonly<Record<string, readonly string[]>> = {
  // The handler of signals ends in a jump to it, where it is optimized; the kernel's code called that.
  spin: ['recurse', 'allocate', 'realign', 'many', 'compare', 'on_signal', '[[vdso]]'],
  recurse: ['recurse', 'main', 'run_thread'],
  allocate: ['main'],
  realign: ['main'],
  many: ['main'],
  sort: ['main'],
  call_library: ['main'],
  raise_signals: ['main'],
};

function buildFor32Bits(level: string): string | null {
  const program = join(scratch, `frames${level}`);
  const flags = ['-m32', level, '-fomit-frame-pointer', '-pthread'];
  const { status } = spawnSync('gcc', [...flags, FRAMES, '-o', program]);
  return status === 0 ? program : null;
}

/** Without a C library for i386 (gcc-multilib) there is nothing to record. */
const canBuild32 = buildFor32Bits('-O0') !== null;

describeLive('stacks of 32-bit programs without frame pointers', () => {
  test.skipIf(!canBuild32).each(['-O0', '-O2'])(
    'unwound stacks are those of the source: gcc -m32 %s',
    (level) => {
      const program = buildFor32Bits(level) as string;
      const file = join(scratch, `${level}.data`);
      const options = ['-e', 'cpu-clock:u', '-F', '1000', '--call-graph', 'dwarf,16384'];
      const outcome = perfTs(['record', '-q', ...options, '-o', file, '--', program, '100']);
      expect(outcome).toMatchObject({ status: 0 });
      const text = perfTs(['export', '-i', file, '--format', 'folded', '-o', '-']).stdout;
      // One for each sample: they weigh the same.
      const stacks = text
        .trimEnd()
        .split('\n')
        .flatMap((line) => {
          const [path = '', weight] = line.split(/ (?=\d+$)/);
          const frames = path.split(';').slice(1);
          return new Array<string[]>(Number(weight) / 1_000_000).fill(frames);
        });
      expect(stacks.length).toBeGreaterThan(50);
      for (const frames of stacks) {
        for (const [i, frame] of frames.entries()) {
          const callers = CALLERS[frame];
          if (callers !== undefined) expect(callers, frames.join(';')).toContain(frames[i - 1]);
        }
      }
      // memcpy pushes a register and does not say so.
      const whole = stacks.filter(([root]) => root !== '[truncated]');
      expect(whole.length / stacks.length).toBeGreaterThan(0.9);
      expect(stacks.some((frames) => frames.includes('[[vdso]]'))).toBe(true);
    },
  );
});
