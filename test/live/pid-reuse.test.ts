// One pid, many lives: each sample belongs to the program that had the pid at that moment.

import { spawnSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CLI, cleanEnvironment, perfTs, scratchDirectory } from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';

const scratch = scratchDirectory();
const PID = 5000;
const ROUNDS = 5;

type Line = {
  readonly type: string;
  readonly pid: number;
  readonly comm: string;
  readonly callchain?: readonly { readonly dso: string | null }[];
};

/** A namespace of pids whose next one may be chosen. */
const canChoosePids =
  spawnSync('unshare', ['-fp', '--mount-proc', 'sh', '-c', 'echo 9 > /proc/sys/kernel/ns_last_pid'])
    .status === 0;

describeLive('a pid that is used again', () => {
  const workload = compileWorkload();

  it.skipIf(!canChoosePids)('a reused pid never gets names of the earlier program', () => {
    const programs = ['first', 'second'].map((name) => join(scratch, name));
    for (const program of programs) copyFileSync(workload, program);
    const file = join(scratch, 'reuse.data');
    const round = programs
      .map((program) => `echo ${PID - 1} > /proc/sys/kernel/ns_last_pid; ${program} burn 1 0.03`)
      .join('; ');
    const loop = `i=0; while [ $i -lt ${ROUNDS} ]; do ${round}; i=$((i+1)); done`;
    const words = [process.execPath, CLI, 'record', '-q', '-e', 'cpu-clock', '-F', '5000'];
    const namespace = ['-fp', '--mount-proc', ...words, '-o', file, '--', 'sh', '-c', loop];
    expect(spawnSync('unshare', namespace, { env: cleanEnvironment() }).status).toBe(0);

    const script = perfTs(['script', '--json', file]).stdout.trim().split('\n');
    const lines = script.map((line) => JSON.parse(line) as Line).filter(({ pid }) => pid === PID);
    const lives = lines.filter(({ type }) => type === 'COMM').map(({ comm }) => comm);
    expect(lives).toEqual(Array.from({ length: 2 * ROUNDS }, (_, i) => ['first', 'second'][i % 2]));

    const own = { first: 0, second: 0, foreign: 0 };
    for (const { type, comm, callchain } of lines) {
      const dso = callchain?.[0]?.dso ?? '';
      if (type !== 'SAMPLE' || !programs.includes(dso)) continue;
      own[dso === join(scratch, comm) ? (comm as 'first' | 'second') : 'foreign']++;
    }
    expect(own.foreign).toBe(0);
    expect(Math.min(own.first, own.second)).toBeGreaterThan(ROUNDS);
  });
});
