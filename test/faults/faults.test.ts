// A few of the faults of `run.mjs`, one of each kind: a call of the start, of the drain thread, of the
// forked child, of the end of a recording, of counting and of reading.

import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeLive } from '../helpers/live.ts';
import type { FaultError } from './cases.ts';
import { Bench } from './matrix.ts';
import { compileInject } from './run-fault.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';

type Try = {
  readonly scenario: string;
  /** The call: the first key of the run without a fault that this matches. */
  readonly call: RegExp;
  readonly errors: readonly FaultError[];
  /** All later calls of that key as well. */
  readonly andLater?: boolean;
  /** The last such call, and not the first. */
  readonly isLast?: boolean;
};

const TRIES: readonly Try[] = [
  // What is opened before the command is let go.
  { scenario: 'record', call: /^main perf_event_open$/, errors: ['EINTR', 'EMFILE'] },
  { scenario: 'record', call: /^main mmap .*perf_event/, errors: ['ENOMEM'] },
  { scenario: 'record', call: /^main socketpair$/, errors: ['EMFILE'] },
  { scenario: 'record', call: /^main clone$/, errors: ['EAGAIN', 'EMFILE', 'EPERM'] },
  { scenario: 'record', call: /^main epoll_create1$/, errors: ['EMFILE'] },
  { scenario: 'record', call: /^main epoll_ctl .*perf_event/, errors: ['ENOSPC'] },
  { scenario: 'record', call: /^main (read|openat) \/sys\/.*cpu\/online$/, errors: ['ENOMEM'] },
  { scenario: 'record', call: /^main openat \/proc\/kallsyms$/, errors: ['EMFILE'] },
  { scenario: 'record', call: /^main read \/proc\/kallsyms$/, errors: ['EINTR', 'ENOMEM'] },
  // The output.
  { scenario: 'record', call: /^main openat .*perf\.data/, errors: ['EMFILE', 'ENOSPC'] },
  { scenario: 'record', call: /^main (rename|renameat2?) .*perf\.data/, errors: ['EPERM'] },
  { scenario: 'record', call: /^main p?write(64)? .*perf\.data/, errors: ['ENOSPC'] },
  {
    scenario: 'record',
    call: /^drain pwritev .*perf\.data/,
    errors: ['EINTR', 'EAGAIN', 'ENOSPC'],
  },
  { scenario: 'record', call: /^drain pwrite64 .*perf\.data/, errors: ['ENOSPC'] },
  // The library that compresses, its memory, and what it writes.
  { scenario: 'record -z', call: /^main openat .*libzstd/, errors: ['EMFILE'] },
  { scenario: 'record -z', call: /^main mmap .*libzstd/, errors: ['ENOMEM'] },
  {
    scenario: 'record -z',
    call: /^drain pwritev .*perf\.data/,
    errors: ['EINTR', 'EAGAIN', 'ENOSPC'],
  },
  { scenario: 'record -z', call: /^drain pwrite64 .*perf\.data/, errors: ['ENOSPC'] },
  { scenario: 'record', call: /^main close perf\.data$/, errors: ['ENOSPC'] },
  { scenario: 'record', call: /^main pread64 perf\.data$/, errors: ['ENOMEM'] },
  { scenario: 'record', call: /^main unlink .*before/, errors: ['EPERM'] },
  // The command.
  { scenario: 'record', call: /^child execve /, errors: ['ENOMEM'] },
  { scenario: 'record', call: /^child fcntl /, errors: ['EPERM'] },
  { scenario: 'record', call: /^child prlimit64 /, errors: ['EPERM'] },
  { scenario: 'record', call: /^drain (sendto|recvfrom)$/, errors: ['EINTR'] },
  { scenario: 'record', call: /^drain sendto$/, errors: ['ENOMEM'] },
  { scenario: 'record', call: /^drain recvfrom$/, errors: ['ENOMEM'] },
  { scenario: 'record', call: /^child recvfrom$/, errors: ['ENOMEM'] },
  { scenario: 'record', call: /^drain epoll_wait$/, errors: ['EINTR'] },
  { scenario: 'record', call: /^drain epoll_wait$/, errors: ['EPERM'], andLater: true },
  { scenario: 'record', call: /^drain wait4$/, errors: ['ENOMEM'] },
  // A process that runs.
  { scenario: 'record -p', call: /^main openat \/proc\/\d+\/maps$/, errors: ['EMFILE'] },
  { scenario: 'record -p', call: /^main perf_event_open$/, errors: ['EPERM'] },
  {
    scenario: 'record -p',
    call: /^main openat \/proc\/\d+\/status$/,
    errors: ['EMFILE'],
    andLater: true,
  },
  { scenario: 'record -p', call: /^main ioctl .* 0x2400$/, errors: ['ENOMEM', 'EPERM'] },
  // Counting and reading.
  { scenario: 'record --stat', call: /^main read .*perf_event/, errors: ['EMFILE'] },
  { scenario: 'stat', call: /^main clone$/, errors: ['EAGAIN'] },
  { scenario: 'stat', call: /^main sendto$/, errors: ['ENOMEM'] },
  { scenario: 'stat', call: /^drain recvfrom$/, errors: ['ENOMEM'] },
  { scenario: 'stat', call: /^child recvfrom$/, errors: ['ENOMEM'] },
  { scenario: 'stat', call: /^main read .*perf_event/, errors: ['EINTR', 'ENOMEM'] },
  { scenario: 'report', call: /^main openat perf\.data$/, errors: ['EMFILE'] },
  { scenario: 'report', call: /^main openat .*\/libc\.so\.6$/, errors: ['EMFILE'], isLast: true },
  { scenario: 'report', call: /^main pread64 perf\.data$/, errors: ['EINTR', 'ENOMEM'] },
];

/** Whether one process may look at another's calls: not under every sandbox. */
function canTrace(): boolean {
  const words = ['-b', '/', '-o', '/dev/null', '--', '/bin/true'];
  return spawnSync(compileInject(), words).status === 0;
}

function scenarioOf(wanted: string): Scenario {
  const found = SCENARIOS.find(({ name }) => name === wanted);
  if (found === undefined) throw new Error(`no scenario ${wanted}`);
  return found;
}

describeLive('a system call that fails', () => {
  const isTraceable = canTrace();
  if (!isTraceable) console.warn('skipped: failing system calls: ptrace is not allowed here');
  let bench: Bench;
  beforeAll(() => {
    if (isTraceable) bench = new Bench();
  });
  afterAll(() => bench?.close());

  const tries = TRIES.flatMap(({ errors, ...rest }) => errors.map((error) => ({ ...rest, error })));

  it.runIf(isTraceable).each(tries)(
    'a system call that fails leaves $scenario with a line or without harm: $call $error',
    async ({ scenario: name, call, error, andLater = false, isLast = false }) => {
      const scenario = scenarioOf(name);
      const calls = await bench.calls(scenario);
      const key = [...calls.keys()].find((one) => call.test(one));
      if (key === undefined) throw new Error(`${name} makes no call ${call}`);
      const turn = isLast ? (calls.get(key) as number) : 1;
      const { run, problems } = await bench.try(scenario, { key, turn, error, andLater });
      expect(run.wasHit).toBe(true);
      expect({ problems, stderr: run.stderr }).toEqual({ problems: [], stderr: run.stderr });
    },
  );

  // That takes minutes without close_range, below a container's hard limit of 2^30.
  it.runIf(isTraceable)(
    'no fault closes descriptor after descriptor between fork and exec',
    async () => {
      for (const name of ['record', 'stat']) {
        const calls = [...(await bench.calls(scenarioOf(name)))];
        const closing = calls.filter(([key]) => /^child close/.test(key));
        expect(closing).toEqual([['child close socket', 1]]);
      }
    },
  );
});
