import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openProfile } from '../../src/read/open-profile.ts';
import { LBR_ENDS, LBR_IS_FULL } from '../../src/read/unwind/stack-roots.ts';
import { compileWorkload } from '../helpers/compile.ts';
import {
  functionsOf,
  IN_KERNEL,
  IN_USER,
  type LbrSample,
  lbrRecording,
} from '../helpers/lbr-recording.ts';

const folder = mkdtempSync(join(tmpdir(), 'lbr-stacks-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const program = compileWorkload();
const functions = functionsOf(program);
const at = (name: string): number => functions.get(name) as number;

/** A call of each function by the next one, innermost first: `calls('leaf', 'deep', 'main')`. */
function calls(...names: string[]): LbrSample['calls'] {
  return names.slice(1).map((name, i) => [at(name), at(names[i])] as const);
}

/** Stacks, root first, and why stacks are cut. */
async function stacksOf(samples: readonly LbrSample[], depth?: number) {
  const path = join(folder, 'perf.data');
  writeFileSync(path, lbrRecording(program, samples, depth));
  const { profile, completeness } = await openProfile(path, { kallsyms: '/dev/null' });
  const { stacks, frames, funcs, strings } = profile;
  const names = Array.from(profile.samples.stack, (sample) => {
    const words: string[] = [];
    for (let row = sample; row >= 0; row = stacks.prefix[row]) {
      const func = frames.func[stacks.frame[row]];
      words.unshift(strings[funcs.name[func]]);
    }
    return words.join(' ');
  });
  return { names, completeness, profile };
}

describe('stacks of branch records', () => {
  test("branch record stacks have the calls and the sample's ip", async () => {
    const ip = at('leaf') + 5;
    const { names, completeness, profile } = await stacksOf([
      { callchain: [IN_USER, ip, at('now')], calls: calls('leaf', 'deep', 'main', '_start') },
      {
        callchain: [IN_KERNEL, 0xffff_ffff_8100_0010n, IN_USER, ip, at('now')],
        calls: calls('leaf', 'main', '_start'),
      },
    ]);
    expect(names).toEqual(['_start main deep leaf', '_start main leaf [unknown]']);
    const { samples, stacks, frames } = profile;
    expect(frames.address[stacks.frame[samples.stack[0]]]).toBe(ip);
    expect(completeness).toMatchObject({ samples: 2, complete: 2, cut: [] });
  });

  test('stacks are marked as cut where the CPU had no room for more branches', async () => {
    const four = calls('leaf', 'deep', 'burn_thread', 'deep', 'main');
    const whole = calls('leaf', 'deep', 'burn_thread', 'main', '_start');
    const drawn = (list: LbrSample['calls']): LbrSample => ({
      callchain: [IN_USER, at('leaf') + 1],
      calls: list,
    });
    const { names, completeness } = await stacksOf([drawn(four), drawn(whole)], 4);
    expect(names).toEqual([
      '[truncated] main deep burn_thread deep leaf',
      // The program's start is a start, however deep.
      '_start main burn_thread deep leaf',
    ]);
    expect(completeness).toMatchObject({ samples: 2, complete: 1 });
    expect(completeness?.cut.map(({ reason, samples }) => [reason, samples])).toEqual([
      [LBR_IS_FULL, 1],
    ]);
  });

  test.each([
    [15, undefined, LBR_ENDS],
    [16, undefined, LBR_IS_FULL],
    [32, undefined, LBR_IS_FULL],
    [16, 32, LBR_ENDS],
    [32, 32, LBR_IS_FULL],
  ])('%i calls of a CPU with %s are cut because %s', async (count, depth, reason) => {
    const list = calls(...Array.from({ length: count + 1 }, () => 'deep'));
    const { names, completeness } = await stacksOf(
      [{ callchain: [IN_USER, at('deep') + 1], calls: list }],
      depth,
    );
    const marker = reason === LBR_IS_FULL ? ['[truncated]'] : [];
    expect(names).toEqual([[...marker, ...Array(count + 1).fill('deep')].join(' ')]);
    expect(completeness?.cut.map((cut) => cut.reason)).toEqual([reason]);
  });

  test("a sample without branch records keeps the kernel's callchain", async () => {
    const { names } = await stacksOf([
      { callchain: [IN_USER, at('leaf') + 1, at('main') + 5], calls: [] },
    ]);
    expect(names).toEqual(['main leaf']);
  });
});
