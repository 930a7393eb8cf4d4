// Programs without frame pointers, recorded by perf with copied stacks: ours against perf's own
// unwinding of the same file, frame by frame.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compileC } from '../../helpers/compile.ts';
import { describeLive } from '../../helpers/live.ts';
import { runPerfRecord } from '../../helpers/perf-record.ts';
import { unwindRecording } from '../../helpers/unwind-recording.ts';

const FRAMES = join(import.meta.dirname, 'frames.c');
const ROUNDS = '300';
/** perf stops there. */
const MOST_FRAMES_OF_PERF = 127;

const hasPerf = spawnSync('perf', ['--version']).status === 0;
/** clang only where it is: the tests don't install it. */
const builds = [
  { compiler: 'gcc', level: '-O0' },
  { compiler: 'gcc', level: '-O3' },
  { compiler: 'clang', level: '-O2' },
].filter(({ compiler }) => spawnSync(compiler, ['--version']).status === 0);

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'perf-ts-unwind-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

/**
 * What `perf script -F tid,time,ip` says, by `tid time`: user frames innermost first. perf 6.1 prints
 * addresses relative to the file, others absolute ones, so only the last 12 bits are comparable.
 */
function perfStacks(file: string): Map<string, string> {
  const words = ['script', '--no-inline', '--ns', '-F', 'tid,time,ip', '-i', file];
  const { stdout } = spawnSync('perf', words, { encoding: 'utf8', maxBuffer: 2 ** 28 });
  const stacks = new Map<string, string>();
  for (const block of stdout.split('\n\n')) {
    const [head = '', ...lines] = block.trim().split('\n');
    const match = /^\s*(\d+)\s+(\d+)\.(\d{9}):/.exec(head);
    if (match === null) continue;
    const [, tid, seconds, nanos] = match;
    const frames = lines.map((line) => pageOffset(line.trim()));
    stacks.set(`${tid} ${BigInt(`${seconds}${nanos}`)}`, frames.join(' '));
  }
  return stacks;
}

/**
 * Whether a sample is of the first instructions of a process: `_start` of glibc's dynamic loader, which
 * has no unwind table and no caller.
 */
function isInLoaderStart(stack: { stop: string; stopModule: string; ips: string[] }): boolean {
  return (
    stack.stop === 'no unwind table' &&
    stack.ips.length === 1 &&
    stack.stopModule.includes('/ld-linux')
  );
}

function pageOffset(address: string): string {
  return address.slice(-3).padStart(3, '0');
}

describeLive('stacks of programs without frame pointers', () => {
  test.skipIf(!hasPerf).each(builds)(
    'unwound stacks are those of perf: $compiler $level',
    ({ compiler, level }) => {
      const flags = [level, '-fomit-frame-pointer', '-pthread'];
      process.env.CC = compiler;
      const program = compileC(FRAMES, flags);
      delete process.env.CC;
      const file = join(directory, `${compiler}${level}.data`);
      const recorder = ['-e', 'cpu-clock:u', '-F', '1000', '--call-graph'];
      const words = [...recorder, 'dwarf,16384', '-o', file, program, ROUNDS];
      runPerfRecord(words);
      const theirs = perfStacks(file);
      const ours = unwindRecording(file);
      expect(ours.length).toBeGreaterThan(50);
      expect(theirs.size).toBeGreaterThanOrEqual(ours.length);
      // perf ends early in code that realigns its stack. So what it has must be ours, and nearly
      // always all of ours.
      let equal = 0;
      for (const { tid, time, ips } of ours) {
        const frames = ips.slice(0, MOST_FRAMES_OF_PERF).map(pageOffset).join(' ');
        const reference = theirs.get(`${tid} ${time}`) as string;
        expect(frames.slice(0, reference.length)).toBe(reference);
        if (frames === reference) equal++;
      }
      expect(equal / ours.length).toBeGreaterThan(0.8);
      expect(ours.filter((stack) => stack.stop !== 'root' && !isInLoaderStart(stack))).toEqual([]);
    },
  );
});
