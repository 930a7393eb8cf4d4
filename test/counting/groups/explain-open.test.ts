import { describe, expect, test } from 'vitest';
import { CounterError } from '../../../src/counting/count/counter-error.ts';
import { explainFailedOpen } from '../../../src/counting/groups/explain-open.ts';
import { chooseGroupEvents } from '../../../src/counting/groups/group-events.ts';
import { checkGroupOptions, groupAttr } from '../../../src/counting/groups/open-group.ts';
import { parseEvents } from '../../../src/kernel/events/parse-events.ts';
import { encodeAttr } from '../../../src/kernel/perf-event/attr.ts';
import type { GroupOptions } from '../../../src/options/counting.ts';
import { HYBRID, INTEL } from '../../kernel/events/fake-machines.ts';
import { fakeKernel, type KernelRule, opensEverything } from '../../system/kernel/fake-kernel.ts';

const SETTINGS = {
  paranoidLevel: 2,
  maxSampleRateHz: 100_000,
  mlockKib: 516,
  memlockKib: 64,
  cpuTimeMaxPercent: 25,
  kptrRestrict: 0,
};

/** The error of a group whose event at `index` fails with `code`, on a kernel with this rule. */
function failure(
  names: readonly string[],
  code: string,
  {
    index = names.length - 1,
    rule = (() => code) as KernelRule,
    options = {} as GroupOptions,
    attrSize = 144,
  } = {},
): CounterError {
  const events = chooseGroupEvents(
    names.map((name) => [name, name]),
    options,
    INTEL,
  );
  const event = events[index];
  if (event === undefined) throw new RangeError(`no event ${index}`);
  const { probe } = fakeKernel(rule, attrSize);
  const { pid = 0, cpu = -1 } = options;
  return explainFailedOpen(
    {
      event,
      attr: groupAttr(event.spec, options, { isLeader: index === 0, hasLost: true }),
      code,
      opened: events.slice(0, index).map(({ key }) => key),
      pid,
      cpu,
    },
    {
      probe: (attr, where) =>
        where === 'own-thread' ? probe(encodeAttr(attr), 0, -1) : probe(encodeAttr(attr), pid, cpu),
      settings: SETTINGS,
    },
  );
}

describe('why an event of a group did not open', () => {
  test('an event that does not open is reported with event, field, reason and advice', () => {
    const error = failure(['cycles'], 'EACCES', {
      rule: (attr) => (attr.flags.excludeKernel ? '' : 'EACCES'),
    });
    expect(error).toBeInstanceOf(CounterError);
    expect(error.code).toBe('EACCES');
    expect(error.event).toBe('cycles');
    expect(error.field).toBe('exclude_kernel');
    expect(error.exitStatus).toBe(125);
    expect(error.message).toBe('cycles: the kernel does not allow it for kernel code (EACCES)');
    expect(error.hints.slice(0, 2)).toEqual([
      'user code alone may be counted: { excludeKernel: true }, or :u',
      'kernel.perf_event_paranoid is 2; counting kernel code needs 1 or lower, or CAP_PERFMON',
    ]);
  });

  test('a group larger than the counters is reported as such', () => {
    const error = failure(['cycles', 'instructions', 'cache-misses'], 'EINVAL', {
      rule: opensEverything,
    });
    expect(error.field).toBe('group_fd');
    expect(error.message).toBe(
      'cache-misses: opens by itself, but not in one group with cycles, instructions (EINVAL)',
    );
  });

  test('a flag that the PMU refuses is named', () => {
    const error = failure(['cycles:u'], 'EINVAL', {
      rule: (attr) => (attr.flags.excludeKernel ? 'EINVAL' : ''),
    });
    expect(error.field).toBe('exclude_kernel');
    const precise = failure(['cycles:pp'], 'EOPNOTSUPP', {
      rule: (attr) => (attr.flags.preciseIp > 0 ? 'EOPNOTSUPP' : ''),
    });
    expect(precise.field).toBe('precise_ip');
  });

  test('a kernel whose struct is too short names the field', () => {
    const error = failure(['cpu/event=0x3c,config3=1/'], 'E2BIG', { attrSize: 128 });
    expect(error.field).toBe('config3');
    expect(error.message).toContain('perf_event_attr (128 bytes) ends before config3');
  });

  test.each([
    ['ENOENT', null, 'this machine does not have it'],
    ['EOPNOTSUPP', null, 'its PMU does not count this'],
    ['EINVAL', 'config', 'the kernel finds its settings invalid'],
    ['EBUSY', 'exclusive', 'another user of the counters has them to itself'],
    ['EMFILE', null, 'too many files are open'],
    ['ENOSPC', null, 'no breakpoint left'],
    ['EOVERFLOW', null, 'larger than the kernel takes'],
    ['ENODEV', null, 'this machine does not have it'],
    ['EIO', null, 'the kernel refuses to open it'],
  ])('%s', (code, field, text) => {
    const error = failure(['cycles'], code);
    expect(error.code).toBe(code);
    expect(error.field).toBe(field);
    expect(error.message).toContain(text);
    expect(error.message).toMatch(new RegExp(`^cycles: .*\\(${code}\\)$`));
  });

  test('a thread that is gone, a CPU that is off', () => {
    const gone = failure(['cycles'], 'ESRCH', { options: { pid: 4242 } });
    expect(gone.field).toBe('pid');
    expect(gone.message).toContain('no thread 4242');
    const off = failure(['cycles'], 'ENODEV', { options: { pid: -1, cpu: 3 } });
    expect(off.field).toBe('cpu');
  });

  test('a refused thread of another user is reported as that', () => {
    const error = failure(['cycles:u'], 'EACCES', {
      rule: (_, pid) => (pid === 0 ? '' : 'EACCES'),
      options: { pid: 1 },
    });
    expect(error.field).toBe('pid');
    expect(error.message).toBe('cycles:u: the kernel does not allow it on thread 1 (EACCES)');
    expect(error.hints).toEqual([
      "another user's process needs root or CAP_PERFMON (and CAP_SYS_PTRACE)",
    ]);
  });

  test("a filter's EPERM is not blamed on the paranoid level", () => {
    const error = failure(['page-faults'], 'EPERM');
    expect(error.hints.join('\n')).toContain('seccomp');
    expect(error.field).toBeNull();
  });
});

describe('what a group is made of', () => {
  const choose = (names: readonly string[], options: GroupOptions = {}, sources = INTEL) =>
    chooseGroupEvents(
      names.map((name) => [name, name]),
      options,
      sources,
    );

  test('a group has one event per key', () => {
    expect(() => choose([])).toThrow('at least one event');
    expect(() => choose(['cs', 'cs'])).toThrow('cs: asked for twice in one group');
    expect(() => choose(['cycles,cs'])).toThrow('is 2 events, a count needs one');
    expect(() => choose(['{cycles}'])).toThrow('braces are not needed here');
    expect(() => choose(['cycles'], {}, HYBRID)).toThrow('cycles: is 2 events');
    expect(choose(['cpu_core/cycles/'], {}, HYBRID)).toHaveLength(1);
  });

  test('an event that each kind of core has is that of the CPU', () => {
    const nameOn = (cpu: number) =>
      choose(['cycles'], { pid: -1, cpu }, HYBRID).map(({ spec }) => spec.name);
    expect([0, 5].map(nameOn)).toEqual([['cpu_core/cycles/'], ['cpu_atom/cycles/']]);
    expect(() => choose(['cycles'], { pid: -1, cpu: 9 }, HYBRID)).toThrow('is 2 events');
  });

  test('a PMU of a socket counts for all tasks, on its CPU', () => {
    const reads = ['uncore_imc_0/cas_count_read/'];
    expect(() => choose(reads)).toThrow('counts for a whole socket');
    expect(choose(reads, { pid: -1, cpu: 18 })).toHaveLength(1);
    expect(() => choose(reads, { pid: -1, cpu: 1 })).toThrow('on the CPUs 0,18, not on 1');
  });

  test('places that make no sense are refused before the kernel is asked', () => {
    const check = (options: GroupOptions) => () => checkGroupOptions(options, [0, 1]);
    expect(check({ pid: -1 })).toThrow('cpu is missing');
    expect(check({ cgroup: 'a' })).toThrow('cpu is missing');
    expect(check({ cgroup: 'a', pid: 5, cpu: 0 })).toThrow('pid and cgroup');
    expect(check({ cpu: 2 })).toThrow('CPU 2 is not online; 0-1 are');
    expect(check({ pid: 1.5 })).toThrow('pid 1.5: expected a whole number');
    expect(check({ pid: -1, cpu: 1 })).not.toThrow();
  });

  test('the leader alone starts disabled, and it alone is pinned or exclusive', () => {
    const [spec] = parseEvents('cycles:u', INTEL);
    if (spec === undefined) throw new Error('no event');
    const options = { pinned: true, exclusive: true, inherit: true, excludeHv: true };
    const leader = groupAttr(spec, options, { isLeader: true, hasLost: true });
    const member = groupAttr(spec, options, { isLeader: false, hasLost: false });
    expect(leader.flags).toMatchObject({ disabled: true, pinned: true, exclusive: true });
    expect(member.flags).toMatchObject({ disabled: false, pinned: false, exclusive: false });
    for (const { flags } of [leader, member]) {
      expect(flags).toMatchObject({ inherit: true, excludeKernel: true, excludeHv: true });
    }
    expect(leader.readFormat).toBe(0b11111);
    expect(member.readFormat).toBe(0b01111);
  });
});
