// Stacks of branch records beside perf's, over recordings that are drawn: few machines record them.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PERF_SAMPLE_BRANCH, sampleTypeNames } from '../../src/kernel/perf-event/constants.ts';
import { findPerf, perfTs, scratchDirectory } from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import {
  functionsOf,
  IN_KERNEL,
  IN_USER,
  type LbrSample,
  lbrRecording,
} from '../helpers/lbr-recording.ts';
import { describeLive } from '../helpers/live.ts';
import { seededRandom } from '../helpers/random.ts';
import { planOf } from '../system/kernel/fake-kernel.ts';

const SYSCALL = 0xffff_ffff_8100_0010n;
const SAMPLES = 200;

/** Calls between functions of the program, at random, below a kernel's part or none. */
function drawSamples(starts: readonly number[]): LbrSample[] {
  const random = seededRandom(7);
  const below = (count: number) => Math.floor(random() * count);
  const anyStart = () => starts[below(starts.length)];
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

const scratch = scratchDirectory();
const chains = (text: string): string[] => text.split('\n').map((line) => line.trim());

describeLive('recording with --call-graph lbr', () => {
  test('--call-graph lbr fails before the command starts where the event has no such records', () => {
    const [marker, output] = [join(scratch, 'started'), join(scratch, 'never.data')];
    const options = ['-e', 'cpu-clock', '--call-graph', 'lbr', '-o', output];
    const { status, stderr } = perfTs(['record', ...options, '--', 'touch', marker]);
    expect(stderr).toContain(
      '--call-graph lbr: cpu-clock has no branch records of calls here (EOPNOTSUPP)',
    );
    expect(stderr).toContain('--call-graph auto');
    expect([status, existsSync(marker), existsSync(output)]).toEqual([125, false, false]);
  });
});

describe.skipIf(findPerf() === null)('a recording with --call-graph lbr', () => {
  const program = compileWorkload();
  const functions = functionsOf(program);
  const file = join(scratch, 'lbr.data');
  writeFileSync(file, lbrRecording(program, drawSamples([...functions.values()]), 32));
  const perf = (args: readonly string[]): string =>
    execFileSync('perf', [...args, '-i', file], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 2 ** 26,
    });

  test('--call-graph lbr asks the kernel for what perf asks it for', () => {
    const { stderr } = spawnSync(
      'perf',
      ['record', '-vv', '-e', 'cycles', '--call-graph', 'lbr', '-o', join(scratch, 'x'), 'true'],
      { encoding: 'utf8' },
    );
    const wanted = (field: string) =>
      new RegExp(`^ {2}${field} +(.*)$`, 'm').exec(stderr)?.[1]?.split('|');
    const { attr } = planOf('cycles', { callGraph: 'lbr' }).events[0];
    const names = Object.entries(PERF_SAMPLE_BRANCH)
      .filter(([, bit]) => (attr.branchSampleType & BigInt(bit)) !== 0n)
      .map(([name]) => name);
    expect(names.sort()).toEqual(wanted('branch_sample_type')?.sort());
    expect(sampleTypeNames(attr.sampleType)).toEqual(
      expect.arrayContaining(wanted('sample_type')!),
    );
    expect(wanted('exclude_callchain_user')).toBe(undefined);
    expect(attr.flags.excludeCallchainUser).toBe(false);
  });

  test('the recording has the chains of perf script', () => {
    // perf names nothing of the kernel here: the recording has no mapping of it.
    const ours = perfTs([
      ...['script', '--no-inline', '-F', 'ip,sym'],
      ...['--kallsyms', '/dev/null', '-i', file],
    ]);
    expect(ours.stderr).toBe('');
    const theirs = chains(perf(['script', '--no-inline', '-F', 'ip,sym']));
    expect(theirs.length).toBeGreaterThan(SAMPLES * 10);
    expect(chains(ours.stdout)).toEqual(theirs);
  });

  test('the recording is dumped as perf script -D does', () => {
    const chainLines = (text: string) =>
      text.split('\n').filter((line) => /^\.{3} .* (chain|callstack): |^\.{5} /.test(line));
    const theirs = chainLines(perf(['script', '-D']));
    expect(theirs.filter((line) => line.startsWith('... LBR call chain:')).length).toBe(SAMPLES);
    expect(chainLines(perfTs(['script', '-D', '-i', file]).stdout)).toEqual(theirs);
  });

  test('the recording has the self weights of perf report, of the function where the ip is', () => {
    const perfShares = perf([
      'report',
      '--stdio',
      '--no-children',
      '-g',
      'none',
      '-F',
      'sample,sym',
    ])
      .split('\n')
      .flatMap((line) => {
        const [, samples, symbol] = /^ *(\d+) +\[\.\] (\S+)/.exec(line) ?? [];
        return samples === undefined ? [] : [`${symbol} ${samples}`];
      });
    const text = perfTs([
      'export',
      '-i',
      file,
      '--no-inline',
      '--format',
      'folded',
      '-o',
      '-',
    ]).stdout;
    const selves = new Map<string, number>();
    for (const line of text.trimEnd().split('\n')) {
      const [stack = '', count] = line.split(/ (?=\d+$)/);
      const leaf = stack.slice(stack.lastIndexOf(';') + 1);
      selves.set(leaf, (selves.get(leaf) ?? 0) + Number(count));
    }
    const ours = perfShares.map((share) => {
      const name = share.split(' ')[0];
      return `${name} ${selves.get(name)}`;
    });
    expect(perfShares.length).toBeGreaterThan(5);
    expect(ours).toEqual(perfShares);
  });
});
