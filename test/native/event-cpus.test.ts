// Events that are opened on some of the CPUs: those of a PMU that belongs to one kind of core.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { PERF_COUNT_SW } from '../../src/base/event-type.ts';
import { PERF_RECORD } from '../../src/kernel/perf-event/constants.ts';
import type { NativeSampler, SamplerOptions, SamplerTarget } from '../../src/native/types.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { canRecord, describeLive } from '../helpers/live.ts';
import {
  CPU_CLOCK,
  commandTarget,
  countByType,
  endOf,
  onlineCpus,
  openSampler,
  PAGE_FAULTS,
  recordLive,
  softwareEvent,
  walkRecords,
} from './sampler-setup.ts';

const workload = canRecord() ? compileWorkload() : '';
const hasTwo = [0, 1].every((cpu) => onlineCpus().includes(cpu));

const samplers: NativeSampler[] = [];
const children: ChildProcess[] = [];
afterEach(() => {
  for (const sampler of samplers.splice(0)) sampler.close();
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

type Event = SamplerOptions['events'][number];

/** The instances of each event, and of the side-band. */
function instancesOf(
  target: SamplerTarget,
  events: readonly Event[],
  cpus?: readonly number[],
): number[] {
  const sampler = openSampler(target, { events, ...(cpus && { cpus }) });
  samplers.push(sampler);
  const { ids, sidebandIds } = sampler.opened;
  return [...ids.map((list) => list.length), sidebandIds.length];
}

describeLive('an event of one kind of core', () => {
  const idle = commandTarget([workload, 'exit', '0']);
  const all = onlineCpus().length;
  const on0: Event = { attr: PAGE_FAULTS, leader: -1, cpus: [0] };
  const on1: Event = { attr: PAGE_FAULTS, leader: -1, cpus: [1] };
  const anywhere: Event = { attr: CPU_CLOCK, leader: -1 };

  it.skipIf(!hasTwo)('each CPU of the event has an instance, the side-band one on all', () => {
    expect(instancesOf(idle, [on0, on1, anywhere])).toEqual([1, 1, all, all]);
    // CPUs that the machine has not, or that are offline.
    expect(instancesOf(idle, [{ ...on0, cpus: [1, 0, 4095] }])).toEqual([2, all]);
  });

  it.skipIf(!hasTwo)('the event has instances on those of its CPUs that are recorded', () => {
    expect(instancesOf({ kind: 'system' }, [on0, on1, anywhere], [1])).toEqual([0, 1, 1, all]);
  });

  it('the event has one instance for a thread on whatever CPU it runs', () => {
    const target: SamplerTarget = { kind: 'threads', tids: [process.pid] };
    const alone = { flags: { inherit: false } };
    const sampler = openSampler(target, {
      events: [{ attr: softwareEvent(PERF_COUNT_SW.PAGE_FAULTS, alone), leader: -1, cpus: [1] }],
      sideband: softwareEvent(PERF_COUNT_SW.DUMMY, alone),
      cpus: [-1],
    });
    samplers.push(sampler);
    expect(sampler.opened.ids.map((list) => list.length)).toEqual([1]);
  });

  it.skipIf(!hasTwo)(
    'an event of one kind of core takes the members of its group along, wherever these could count',
    () => {
      const member: Event = { attr: PAGE_FAULTS, leader: 0 };
      expect(instancesOf(idle, [on1, member])).toEqual([1, 1, all]);
      expect(instancesOf(idle, [on1, { ...member, cpus: [0] }])).toEqual([1, 0, all]);
    },
  );

  it.skipIf(!hasTwo)('the event is opened for every thread of a running process', async () => {
    const child = spawn(workload, ['threads', '3', '10'], { stdio: 'ignore' });
    children.push(child);
    await once(child, 'spawn');
    const target: SamplerTarget = { kind: 'processes', pids: [child.pid as number] };
    const sampler = openSampler(target, { events: [on0, on1] });
    samplers.push(sampler);
    const { ids, sidebandIds, tids } = sampler.opened;
    expect(ids.map((list) => list.length)).toEqual([tids.length, tids.length]);
    expect(sidebandIds.length).toBe(all * tids.length);
  });

  it.skipIf(!hasTwo)('samples its CPUs, and the side-band the others too', async () => {
    const faults = commandTarget([workload, 'faults-pinned', '500', '1']);
    const recordOn = async (event: Event) => {
      const sampler = openSampler(faults, { events: [event] });
      samplers.push(sampler);
      const { events, bytes } = await recordLive(sampler);
      const counts = countByType(walkRecords(bytes));
      return { samples: endOf(events).totals.samples, mappings: counts.get(PERF_RECORD.MMAP2) };
    };
    const { samples, mappings } = await recordOn(on1);
    expect(samples).toBeGreaterThanOrEqual(500);
    expect(mappings).toBeGreaterThan(0);
    const other = await recordOn(on0);
    expect(other.samples).toBeLessThan(500);
    expect(other.mappings).toBe(mappings);
  });
});
