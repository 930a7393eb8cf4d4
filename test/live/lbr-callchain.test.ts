// Stacks of branch records beside perf's, over recordings that are drawn: few machines record them.

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findPerf, perfTs, scratchDirectory } from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import {
  functionsOf,
  IN_KERNEL,
  IN_USER,
  type LbrSample,
  lbrRecording,
} from '../helpers/lbr-recording.ts';
import { seededRandom } from '../helpers/random.ts';

const SYSCALL = 0xffff_ffff_8100_0010n;
const SAMPLES = 200;

/** Calls between functions of the program, at random, below a kernel's part or none. */
function drawSamples(starts: readonly number[]): LbrSample[] {
  const random = seededRandom(7);
  const below = (count: number) => Math.floor(random() * count);
  const anyStart = () => starts[below(starts.length)] as number;
  return Array.from({ length: SAMPLES }, () => {
    const calls = Array.from({ length: 1 + below(32) }, () => {
      // A call may be the first instruction of its function: one byte before is another one's.
      return [anyStart() + below(2) * 3, anyStart()] as const;
    });
    const user = [IN_USER, (calls[0]?.[1] ?? 0) + below(4), anyStart() + 1];
    const kernel = [IN_KERNEL, SYSCALL, SYSCALL + 0x40n];
    return { calls, callchain: below(2) === 0 ? user : [...kernel, ...user] };
  });
}

const chains = (text: string): string[] => text.split('\n').map((line) => line.trim());

describe.skipIf(findPerf() === null)('a recording with --call-graph lbr', () => {
  const program = compileWorkload();
  const functions = functionsOf(program);
  const file = join(scratchDirectory(), 'lbr.data');
  writeFileSync(file, lbrRecording(program, drawSamples([...functions.values()]), 32));
  const perf = (args: readonly string[]): string =>
    execFileSync('perf', [...args, '-i', file], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });

  test('has the chains of perf script', () => {
    // perf names nothing of the kernel here: the recording has no mapping of it.
    const ours = perfTs(['script', '-F', 'ip,sym', '--kallsyms', '/dev/null', '-i', file]);
    expect(ours.stderr).toBe('');
    const theirs = chains(perf(['script', '--no-inline', '-F', 'ip,sym']));
    expect(theirs.length).toBeGreaterThan(SAMPLES * 10);
    expect(chains(ours.stdout)).toEqual(theirs);
  });
});
