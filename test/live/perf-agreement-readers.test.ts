// Other programs of perf that read what perf-ts records: they find in it what perf-ts finds.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { findPerf, infoOf, perfTs, scratchDirectory } from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';

const scratch = scratchDirectory();
const sampled = join(scratch, 'sampled.data');
const switched = join(scratch, 'switched.data');

function perf(...args: readonly string[]): string {
  const options = { encoding: 'utf8', maxBuffer: 2 ** 28, stdio: 'pipe' } as const;
  return execFileSync('perf', args, options);
}

function record(file: string, ...flags: string[]): void {
  const workload = compileWorkload();
  const command = ['sh', '-c', `'${workload}' pf 3000; '${workload}' threads 3 0.1`];
  const outcome = perfTs(['record', '-q', '-o', file, ...flags, '--', ...command]);
  expect(outcome).toMatchObject({ status: 0 });
}

type Frame = { readonly ip: string; readonly symbol?: string | null; readonly dso?: string | null };

/** A sample of `perf data convert` or of `perf-ts script`, with the same keys. */
type Sample = {
  readonly time: string;
  readonly pid: number;
  readonly tid: number;
  readonly cpu: number;
  readonly comm: string;
  readonly callchain: readonly Frame[];
};

function ourSamples(file: string): Sample[] {
  const outcome = perfTs(['script', '--json', '--samples', '--no-inline', file]);
  expect(outcome.status).toBe(0);
  const lines = outcome.stdout.trimEnd().split('\n');
  return lines.map((line) => {
    const { timeNs, pid, tid, cpu, comm, callchain } = JSON.parse(line);
    return { time: timeNs, pid, tid, cpu, comm, callchain };
  });
}

function theirSamples(file: string): Sample[] {
  const json = join(scratch, 'samples.json');
  perf('data', 'convert', '--to-json', json, '-i', file);
  const { samples } = JSON.parse(readFileSync(json, 'utf8'));
  return samples.map(({ timestamp, ...sample }: Sample & { readonly timestamp: number }) => ({
    ...sample,
    time: String(timestamp),
  }));
}

/** The lower half of the address space. */
const USER_ADDRESS = /^0x([0-7][0-9a-f]{15}|[0-9a-f]{1,15})$/;

function isInExec({ callchain }: Sample): boolean {
  return callchain.some(
    ({ symbol, dso }) => /execve/.test(symbol ?? '') && /kernel/.test(dso ?? ''),
  );
}

/** perf has a DSO beside a symbol only, and the file's name of it. */
function nameOf({ symbol, dso }: Frame): string | null {
  return symbol ? `${symbol} ${basename(dso ?? '')}` : null;
}

describeLive('programs of perf on recordings of perf-ts', () => {
  beforeAll(() => {
    record(sampled, '-e', 'cpu-clock,page-faults', '-F', '2000', '-g');
    record(switched, '-e', 'sched:sched_switch,sched:sched_wakeup', '-c', '1', '-a');
  });
  const testWithPerf = test.skipIf(!findPerf());

  /**
   * Names may differ in four ways, all on purpose:
   *
   * - A call at the very end of a function returns to the start of the next one. perf looks up
   *   where it returns to, perf-ts where the call is.
   * - During exec the callers in user space are of the program that was. perf keeps its mappings,
   *   perf-ts drops them with the program.
   * - perf names the vDSO only where its cache has it.
   * - perf 6.1 does not know which function a PLT stub is for where relocations have no name.
   */
  testWithPerf('data convert: the same samples, and the same names in every callchain', () => {
    const ours = ourSamples(sampled);
    const theirs = theirSamples(sampled);
    const bare = ({ time, pid, tid, cpu, comm, callchain }: Sample) => ({
      ...{ time, pid, tid, cpu, comm },
      callchain: callchain.map(({ ip }) => ip),
    });
    expect(theirs.map(bare)).toEqual(ours.map(bare));

    const starts = perf('script', '-i', sampled, '-F', 'ip,sym,symoff');
    const unexplained = ours.flatMap((sample, row) =>
      sample.callchain.flatMap((frame, depth) => {
        const their = theirs[row].callchain[depth];
        if (nameOf(frame) === nameOf(their)) return [];
        // perf prints addresses in the file here: within a page they are those in the process.
        const inPage = frame.ip.slice(-3);
        if (depth > 0 && starts.includes(`${inPage} ${their.symbol}+0x0\n`)) return [];
        if (their.symbol === '@plt' && frame.symbol?.endsWith('@plt')) return [];
        if (!their.symbol && frame.dso === '[vdso]') return [];
        if (!frame.symbol && USER_ADDRESS.test(frame.ip) && isInExec(sample)) return [];
        return [`${frame.ip}: perf ${nameOf(their)}; perf-ts ${nameOf(frame)}`];
      }),
    );
    expect(unexplained).toEqual([]);
    const named = theirs.flatMap(({ callchain }) => callchain).filter(({ symbol }) => symbol);
    expect(named.length).toBeGreaterThan(ours.length);
  });

  testWithPerf('evlist: the events by their names', () => {
    for (const file of [sampled, switched]) {
      const names = perf('evlist', '-i', file)
        .split('\n')
        .filter((line) => /^\w/.test(line));
      expect(names.filter((name) => !name.startsWith('dummy'))).toEqual(
        infoOf(file)
          .events.map(({ name }) => name)
          .filter((name) => !name.startsWith('dummy')),
      );
    }
  });

  // perf-ts has build IDs in the mappings, as `perf record --buildid-mmap`, not in a list of all.
  testWithPerf('buildid-list: the build ID of the program that ran', () => {
    const workload = compileWorkload();
    const notes = execFileSync('readelf', ['-n', workload], { encoding: 'utf8' });
    const id = /Build ID: ([0-9a-f]+)/.exec(notes)?.[1];
    expect(perf('buildid-list', '--with-hits', '-i', sampled).split('\n')).toContain(
      `${id} ${workload}`,
    );
  });

  testWithPerf('sched: every context switch', () => {
    const { events } = infoOf(switched);
    const switches = events.find(({ name }) => name === 'sched:sched_switch')!.samples;
    // A line each, `   1772.796035 [0000]  perf[7698]  …`; newer perfs leave some out of the summary.
    const lines = perf('sched', 'timehist', '-i', switched).match(/^ *\d+\.\d+ +\[\d+\] /gm);
    expect(lines).toHaveLength(switches);
    expect(switches).toBeGreaterThan(0);
  });

  testWithPerf('diff: nothing, of a recording and its copy by inject', () => {
    const injected = join(scratch, 'injected.data');
    perf('inject', '-i', sampled, '-o', injected);
    const lines = perf('diff', sampled, injected)
      .split('\n')
      .filter((line) => /^\s+\d/.test(line));
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) expect(line).toMatch(/^\s+[\d.]+%\s+[+-]0\.00%/);
  });
});
