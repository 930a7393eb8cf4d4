// Threads that are started while others are being attached to: each is counted exactly once.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { PERF_COUNT_SW, PERF_TYPE } from '../../src/base/event-type.ts';
import { encodeAttr, newAttr } from '../../src/kernel/perf-event/attr.ts';
import { loadBinding } from '../../src/native/binding.ts';
import type { NativeCounterGroup } from '../../src/native/types.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { canRecord, describeLive } from '../helpers/live.ts';
import { until } from '../helpers/tasks.ts';
import { onlineCpus } from './sampler-setup.ts';

const workload = canRecord() ? compileWorkload() : '';
const FAULTS = 1000;
const THREADS = 3;

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

/** A process whose first thread starts others when it is asked to. */
async function startAsked() {
  const child = spawn(workload, ['threads-asked', String(FAULTS)], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  running.push(child);
  await once(child, 'spawn');
  const pid = child.pid as number;
  const count = () => readdirSync(`/proc/${pid}/task`).length;
  child.stdin.write('\n'.repeat(THREADS));
  await until(() => count() === 1 + THREADS);
  return {
    pid,
    /** Returns when it is there: what attaches is not interrupted by anything else of ours. */
    startThread: () => {
      const before = count();
      child.stdin.write('\n');
      while (count() === before);
    },
    finish: async () => {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}

function openCounter(pid: number, inherit: boolean): NativeCounterGroup {
  const attr = newAttr({
    type: PERF_TYPE.SOFTWARE,
    config: BigInt(PERF_COUNT_SW.PAGE_FAULTS),
    flags: { disabled: true, inherit },
  });
  return new (loadBinding().CounterGroup)({ events: [encodeAttr(attr)], pid, cpu: -1 });
}

function faultsOf(counter: NativeCounterGroup): number {
  const words = new BigUint64Array(1);
  counter.read(words);
  return Number(words[0]);
}

/** When the first thread is asked for one more: its own counters being opened, or those of another. */
type Moment = 'before' | 'between' | 'after' | 'at another';

describeLive('attaching to a process that starts threads meanwhile', () => {
  it.each<{ when: Moment; inherits: boolean }>([
    { when: 'before', inherits: true },
    { when: 'between', inherits: true },
    { when: 'after', inherits: true },
    { when: 'at another', inherits: true },
    { when: 'before', inherits: false },
    { when: 'after', inherits: false },
  ])('counts each thread once: $when, inherited: $inherits', async ({ when, inherits }) => {
    const target = await startAsked();
    /** Two of each thread. */
    const counters = new Map<number, NativeCounterGroup[]>();
    // Once when all seems quiet, once when it is known that threads are started.
    let left = inherits ? 2 : 1;
    const perhaps = (moment: Moment, tid: number): void => {
      const isTurn = (tid === target.pid) === (when !== 'at another');
      if (left === 0 || !isTurn || (moment !== when && when !== 'at another')) return;
      left--;
      target.startThread();
    };
    const isSettled = loadBinding().attachThreads(
      { pids: [target.pid], tids: [], cpus: onlineCpus(), inherits },
      (tid) => {
        perhaps('before', tid);
        const first = openCounter(tid, inherits);
        counters.set(tid, [first]);
        perhaps('between', tid);
        counters.set(tid, [first, openCounter(tid, inherits)]);
        perhaps('after', tid);
        return true;
      },
      (tid) => {
        for (const counter of counters.get(tid) ?? []) counter.close();
        counters.delete(tid);
      },
    );
    expect(left).toBe(0);
    expect(isSettled).toBe(true);
    for (const group of counters.values()) for (const counter of group) counter.enable();
    await target.finish();
    const started = THREADS + (inherits ? 2 : 1);
    for (const which of [0, 1]) {
      const sum = [...counters.values()].reduce(
        (total, group) => total + faultsOf(group[which]),
        0,
      );
      // Whatever else they touch is far less than one thread's share.
      expect(Math.round(sum / FAULTS)).toBe(started);
    }
    for (const group of counters.values()) for (const counter of group) counter.close();
  });

  it('an exception of the callback ends attaching', async () => {
    const target = await startAsked();
    const attach = (): boolean =>
      loadBinding().attachThreads(
        { pids: [target.pid], tids: [], cpus: onlineCpus(), inherits: true },
        () => {
          throw new Error('not this one');
        },
        () => {},
      );
    expect(attach).toThrow('not this one');
  });

  it('attaching names the process that does not exist', () => {
    const attach = (): boolean =>
      loadBinding().attachThreads(
        { pids: [4194303], tids: [], cpus: onlineCpus(), inherits: true },
        () => true,
        () => {},
      );
    expect(attach).toThrow(expect.objectContaining({ code: 'ESRCH', pid: 4194303 }));
  });
});
