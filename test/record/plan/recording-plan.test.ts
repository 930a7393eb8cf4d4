import { describe, expect, it } from 'vitest';
import { formatCpuList, parseCpuList } from '../../../src/base/cpu-list.ts';
import { FailedError, UsageError } from '../../../src/base/errors.ts';
import { PERF_TYPE } from '../../../src/base/event-type.ts';
import { commandWords } from '../../../src/base/words.ts';
import { parseEvents } from '../../../src/kernel/events/parse-events.ts';
import { PERF_FORMAT } from '../../../src/kernel/perf-event/constants.ts';
import type { CallGraph } from '../../../src/options/call-graph.ts';
import { RECORD } from '../../../src/options/record.ts';
import { planRecording, withoutWeakGroup } from '../../../src/record/plan/recording-plan.ts';
import { settingLine } from '../../../src/system/kernel/permission-help.ts';
import { readRunPlace } from '../../../src/system/run-place.ts';
import { AMD, ARM, fakeSources, HYBRID, NO_PMU } from '../../kernel/events/fake-machines.ts';
import {
  drawPlan,
  fakeKernel,
  type KernelRule,
  NEW_KERNEL,
  planOf,
  USUAL_SETTINGS,
} from '../../system/kernel/fake-kernel.ts';

/** A machine without hardware counters. */
const noPmu: KernelRule = ({ type }) => (type === PERF_TYPE.HARDWARE ? 'ENOENT' : '');

/** A user without privileges at paranoid level 2. */
const userOnly: KernelRule = ({ flags }) => (flags.excludeKernel ? '' : 'EACCES');

function draw(...[events, options, machine]: Parameters<typeof planOf>): string[] {
  return drawPlan(planOf(events, options, machine));
}

function noticesOf(...[events, options, machine]: Parameters<typeof planOf>): readonly string[] {
  return planOf(events, options, machine).notices.map(commandWords);
}

describe('the rate of an event', () => {
  it('the rate of an event is 3989 Hz, or each one for tracepoints and breakpoints', () => {
    expect(draw('cycles,page-faults,cpu-clock,sched:sched_switch,mem:0x1000:rw')).toEqual([
      'cycles 3989 Hz PERIOD | inherit',
      'page-faults 3989 Hz PERIOD | inherit',
      'cpu-clock 3989 Hz PERIOD | inherit',
      'sched:sched_switch 1/1 PERIOD RAW | inherit',
      'mem:0x1000:rw 1/1 PERIOD | inherit',
    ]);
  });

  it('-F and -c apply to events without their own rate', () => {
    expect(
      draw('cpu-clock/period=50000/,cycles/freq=77/,instructions,sched:sched_switch', {
        freq: 999,
      }),
    ).toEqual([
      'cpu-clock/period=50000/ 1/50000 | inherit',
      'cycles/freq=77/ 77 Hz PERIOD | inherit',
      'instructions 999 Hz PERIOD | inherit',
      'sched:sched_switch 999 Hz PERIOD RAW | inherit',
    ]);
  });

  it('the plan asks for the period field only where it does not make every event a sample', () => {
    const events =
      'cycles,L1-dcache-loads,r003c,page-faults,cpu-clock,sched:sched_switch,mem:0x1000';
    expect(draw(events, { count: 20_000 })).toEqual([
      'cycles 1/20000 PERIOD | inherit',
      'L1-dcache-loads 1/20000 PERIOD | inherit',
      'r003c 1/20000 PERIOD | inherit',
      'page-faults 1/20000 | inherit',
      'cpu-clock 1/20000 | inherit',
      'sched:sched_switch 1/20000 RAW | inherit',
      'mem:0x1000 1/20000 | inherit',
    ]);
    expect(draw('page-faults,sched:sched_switch', { count: 1 })).toEqual([
      'page-faults 1/1 PERIOD | inherit',
      'sched:sched_switch 1/1 PERIOD RAW | inherit',
    ]);
  });

  it('the rate of an event is lowered to the limit of the kernel, and the notice names the sysctl', () => {
    const settings = { maxSampleRateHz: 25_000 };
    expect(draw('cycles', { freq: 30_000 }, { settings })).toEqual([
      'cycles 25000 Hz PERIOD | inherit',
    ]);
    expect(noticesOf('cycles,instructions', { freq: 30_000 }, { settings })).toEqual([
      'frequency lowered from 30000 to 25000 Hz: kernel.perf_event_max_sample_rate is 25000 Hz ' +
        `(${settingLine(readRunPlace(), 'kernel.perf_event_max_sample_rate=30000')})`,
    ]);
    expect(draw('cycles', { freq: 'max' }, { settings })).toEqual([
      'cycles 25000 Hz PERIOD | inherit',
    ]);
    expect(noticesOf('cycles', { freq: 'max' }, { settings })).toEqual([]);
    expect(draw('cycles/freq=26000/', {}, { settings })).toEqual([
      'cycles/freq=26000/ 25000 Hz PERIOD | inherit',
    ]);
  });

  it('the notice of a lowered rate names no sysctl that helps nothing', () => {
    const noticesAt = (maxSampleRateHz: number, event: string) =>
      noticesOf(event, { freq: 10 ** 12 }, { settings: { maxSampleRateHz } });
    expect(noticesAt(25_000, 'cycles')).toEqual([expect.stringContaining('_rate=2147483647)')]);
    expect(noticesAt(25_000, 'cpu-clock')).toEqual([expect.stringContaining('_rate=50000)')]);
    expect(noticesAt(100_000, 'cpu-clock')).toEqual([
      'cpu-clock: frequency lowered from 1000000000000 to 50000 Hz: a faster clock may stop the machine',
    ]);
    const settings = { maxSampleRateHz: 100_000 };
    expect(noticesOf('cpu-clock', { freq: 'max' }, { settings })).toEqual([]);
    expect(draw('cpu-clock', { freq: 'max' }, { settings })).toEqual([
      'cpu-clock 50000 Hz PERIOD | inherit',
    ]);
  });

  it('strictFreq refuses a rate above the limit', () => {
    const settings = { maxSampleRateHz: 25_000 };
    const strict = (events: string, freq?: number) => () =>
      planOf(events, { strictFreq: true, ...(freq && { freq }) }, { settings });
    expect(strict('cycles', 30_000)).toThrow(UsageError);
    expect(strict('cycles', 30_000)).toThrow(
      'freq 30000: kernel.perf_event_max_sample_rate is 25000',
    );
    expect(strict('cycles/freq=26000/')).toThrow(/^cycles\/freq=26000\/: kernel\.perf_event_max/);
    expect(strict('cycles', 25_000)).not.toThrow();
    const fast = () => planOf('cpu-clock', { strictFreq: true, freq: 60_000 }, {});
    expect(fast).toThrow('freq 60000: a faster clock may stop the machine');
  });

  it('a clock leaves the machine time for its work', () => {
    expect(draw('cpu-clock', { count: 9999 })).toEqual(['cpu-clock 1/20000 | inherit']);
    expect(noticesOf('cpu-clock', { count: 9999 })).toEqual([
      'cpu-clock: period raised from 9999 to 20000 ns: a faster clock may stop the machine',
    ]);
    expect(draw('page-faults', { count: 9999 })).toEqual(['page-faults 1/9999 | inherit']);
    const settings = { maxSampleRateHz: 400_000 };
    expect(draw('task-clock,cycles', { freq: 200_000 }, { settings })).toEqual([
      'task-clock 50000 Hz PERIOD | inherit',
      'cycles 200000 Hz PERIOD | inherit',
    ]);
  });

  it('a rate is a whole number of at least 1', () => {
    for (const count of [0, -1, 1.5, Number.NaN, 2 ** 53]) {
      expect(RECORD.count.kind.has(count)).toBe(false);
    }
    for (const freq of [0, -1, 0.5, Number.NaN]) expect(RECORD.freq.kind.has(freq)).toBe(false);
  });
});

describe('an event that does not open as asked', () => {
  it('cpu-clock replaces cycles where there is no PMU', () => {
    const machine = { sources: NO_PMU, rule: noPmu };
    expect(draw('cycles:ukppp', { freq: 99 }, machine)).toEqual([
      'cpu-clock:uk 99 Hz PERIOD | inherit excludeHv',
    ]);
    expect(noticesOf('cycles:P', {}, machine)).toEqual([
      'cycles: this machine has no hardware counters (ENOENT); recording cpu-clock instead, a ' +
        'timer at the same rate',
    ]);
    expect(draw('cycles', { count: 1_000_000 }, machine)).toEqual([
      'cpu-clock 1/1000000 | inherit',
    ]);
    expect(noticesOf('cycles', { count: 1_000_000 }, machine)).toEqual([
      'cycles: this machine has no hardware counters (ENOENT); recording cpu-clock instead, a ' +
        'timer: one sample every 1000000 ns, not cycles',
    ]);
    expect(noticesOf('cycles', { samples: false }, machine)).toEqual([
      'cycles: this machine has no hardware counters (ENOENT); recording cpu-clock instead, the ' +
        'time on a CPU, which is counted and not sampled',
    ]);
  });

  it('cpu-clock does not replace cycles that are counted, if not with these modifiers', () => {
    const rule: KernelRule = ({ flags }) => (flags.excludeIdle ? 'EINVAL' : '');
    expect(() => planOf('cycles:I', {}, { rule })).toThrow(
      'cycles:I: cannot be opened: the kernel finds its settings invalid (EINVAL)',
    );
  });

  it('other hardware events than cycles have no substitute', () => {
    const plan = () => planOf('instructions', {}, { sources: NO_PMU, rule: noPmu });
    expect(plan).toThrow(FailedError);
    expect(plan).toThrow('instructions: cannot be opened: this machine does not have it (ENOENT)');
  });

  it('an event is recorded in user space only where the kernel part is refused', () => {
    expect(draw('cycles,page-faults:pp,cpu/event=0x3c/', {}, { rule: userOnly })).toEqual([
      'cycles:u 3989 Hz PERIOD | inherit excludeKernel excludeHv',
      'page-faults:upp 3989 Hz PERIOD | preciseIp=2 inherit excludeKernel excludeHv',
      'cpu/event=0x3c/u 3989 Hz PERIOD | inherit excludeKernel excludeHv',
    ]);
    expect(noticesOf('cycles:uk', {}, { rule: userOnly })).toEqual([
      'recording user space only (cycles:u): kernel.perf_event_paranoid is 2 (help: perf-ts doctor)',
    ]);
    expect(noticesOf('cycles,page-faults:u,cpu-clock', {}, { rule: userOnly })).toEqual([
      'recording user space only (cycles:u, cpu-clock:u): kernel.perf_event_paranoid is 2 (help: perf-ts doctor)',
    ]);
    expect(noticesOf('cycles:u', {}, { rule: userOnly })).toEqual([]);
  });

  it('an event that does not open names what else is wrong with it before the permission', () => {
    const rule: KernelRule = (attr, ...place) =>
      userOnly(attr, ...place) || (attr.sampleMaxStack > 127 ? 'EOVERFLOW' : '');
    expect(() => planOf('cpu-clock/max-stack=9999/', {}, { rule })).toThrow(
      'cpu-clock/max-stack=9999/: cannot be opened: it asks for more stack frames than ' +
        'kernel.perf_event_max_stack (EOVERFLOW)',
    );
  });

  it('cpu-clock in user space replaces cycles where there is neither PMU nor right', () => {
    const rule: KernelRule = (attr, ...place) => userOnly(attr, ...place) || noPmu(attr, ...place);
    const machine = { sources: NO_PMU, rule };
    expect(draw('cycles:P', {}, machine)).toEqual([
      'cpu-clock:u 3989 Hz PERIOD | inherit excludeKernel excludeHv',
    ]);
    expect(noticesOf('cycles:P', {}, machine)).toEqual([
      'cycles: this machine has no hardware counters (ENOENT); recording cpu-clock:u instead, a ' +
        'timer at the same rate',
      'recording user space only (cpu-clock:u): kernel.perf_event_paranoid is 2 (help: perf-ts doctor)',
    ]);
  });

  it.each(['cycles:k', 'context-switches', 'cpu-migrations', 'sched:sched_switch'])(
    'an event is refused if nothing of it happens in user space: %s',
    (event) => {
      const plan = () => planOf(event, {}, { rule: userOnly });
      expect(plan).toThrow(FailedError);
      expect(plan).toThrow(`${event}: the kernel refuses to open this event (EACCES)`);
    },
  );

  it('a tracepoint that does not open names what the kernel wants to be set', () => {
    try {
      planOf('sched:sched_switch', {}, { rule: () => 'EPERM' });
      expect.unreachable();
    } catch (error) {
      expect((error as FailedError).hints[0]).toBe(
        'kernel.perf_event_paranoid is 2; recording a tracepoint needs -1 or lower, or CAP_PERFMON',
      );
    }
  });

  it.each([
    ['cycles', 'your own programs needs 2'],
    ['cycles:k', 'kernel code needs 1'],
  ])(
    "a level that lets nobody record asks for the least that %s needs, as doctor's line",
    (event, needed) => {
      const machine = { rule: () => 'EACCES', settings: { paranoidLevel: 3 } };
      try {
        planOf(event, {}, machine);
        expect.unreachable();
      } catch (error) {
        expect((error as FailedError).hints[0]).toBe(
          `kernel.perf_event_paranoid is 3; recording ${needed} or lower, or CAP_SYS_ADMIN`,
        );
      }
    },
  );

  it('an event of the kernel only with modifier u is warned of before recording', () => {
    expect(noticesOf('context-switches:u,page-faults:u,syscalls:sys_enter_openat:u')).toEqual([
      'context-switches:u: happens in the kernel only, so nothing is recorded without kernel code',
    ]);
  });

  it('modifier P takes the highest precision that opens', () => {
    const atMost =
      (most: number): KernelRule =>
      ({ flags }) =>
        flags.preciseIp > most ? 'EOPNOTSUPP' : '';
    const precision = (most: number, event: string) =>
      planOf(event, {}, { rule: atMost(most) }).events[0]?.attr.flags.preciseIp;
    expect([3, 2, 1, 0].map((most) => precision(most, 'cycles:P'))).toEqual([3, 2, 1, 0]);
    expect(() => precision(1, 'cycles:pp')).toThrow(
      'cycles:pp: cannot be opened: its PMU cannot sample, or not with these modifiers (EOPNOTSUPP)',
    );
  });

  it('modifier P gives up precision before kernel code', () => {
    const rule: KernelRule = ({ flags }) =>
      flags.preciseIp > 1 ? 'EINVAL' : flags.excludeKernel ? '' : 'EACCES';
    expect(draw('cycles:P', {}, { rule })).toEqual([
      'cycles:uP 3989 Hz PERIOD | preciseIp=1 inherit excludeKernel excludeHv',
    ]);
  });

  it('an event with a field that the kernel is too old for is refused: without the field it is another event', () => {
    expect(() => planOf('cpu/event=0x3c,config3=1/', {}, { attrSize: 128 })).toThrow(
      "cannot be opened: this kernel's perf_event_attr ends before its fields (E2BIG)",
    );
  });

  it('an event that opens in no form is refused with the reason', () => {
    const reason = (code: string) => {
      try {
        planOf('page-faults', {}, { rule: () => code });
        return 'opened';
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(['EINVAL', 'EBUSY', 'EMFILE', 'ENOSYS', 'EFAULT'].map(reason)).toEqual([
      'page-faults: cannot be opened: the kernel finds its settings invalid (EINVAL)',
      'page-faults: cannot be opened: another user of the counters has them to itself (EBUSY)',
      'page-faults: cannot be opened: too many files are open (ulimit -n) (EMFILE)',
      'page-faults: cannot be opened: this kernel has no perf events (or a seccomp filter hides ' +
        'them) (ENOSYS)',
      'page-faults: cannot be opened: EFAULT',
    ]);
  });
});

describe('what an event records', () => {
  it('an event records callchains by option or by its call-graph term', () => {
    const events = 'cycles,instructions/call-graph=no/,page-faults/call-graph=fp/';
    expect(draw(events, { callGraph: 'fp' })).toEqual([
      'cycles 3989 Hz CALLCHAIN PERIOD | inherit',
      'instructions/call-graph=no/ 3989 Hz PERIOD | inherit',
      'page-faults/call-graph=fp/ 3989 Hz CALLCHAIN PERIOD | inherit',
    ]);
    expect(draw(events)).toEqual([
      'cycles 3989 Hz PERIOD | inherit',
      'instructions/call-graph=no/ 3989 Hz PERIOD | inherit',
      'page-faults/call-graph=fp/ 3989 Hz CALLCHAIN PERIOD | inherit',
    ]);
  });

  it('the max-stack term asks for callchains of that depth', () => {
    const { events } = planOf('cycles/max-stack=5/,page-faults', { callGraph: 'fp' });
    expect(events.map(({ attr }) => attr.sampleMaxStack)).toEqual([5, 0]);
    expect(draw('cycles/max-stack=5/')).toEqual([
      'cycles/max-stack=5/ 3989 Hz CALLCHAIN PERIOD | inherit',
    ]);
  });

  it('a copy of the stack is recorded where dwarf asks for it, and the kernel walks its own part', () => {
    const stacksOf = (events: string, callGraph: CallGraph = 'fp') => {
      const plan = planOf(events, { callGraph });
      const copies = plan.events.map(({ attr }) => [
        attr.sampleStackUser,
        attr.sampleRegsUser > 0n,
        attr.flags.excludeCallchainUser,
      ]);
      return { copies, mapsData: plan.sideband.flags.mmapData };
    };
    const whole = [8192, true, true];
    const none = [0, false, false];
    expect(stacksOf('cycles', 'dwarf')).toEqual({ copies: [whole], mapsData: true });
    expect(stacksOf('cycles')).toEqual({ copies: [none], mapsData: false });
    expect(stacksOf('cycles', 'auto,4096').copies).toEqual([[4096, true, false]]);
    expect(stacksOf('cycles', 'dwarf,1001').copies).toEqual([[1008, true, true]]);
    expect(stacksOf('cycles/call-graph=fp/,page-faults', 'dwarf').copies).toEqual([none, whole]);
    expect(stacksOf('cycles/call-graph=dwarf,stack-size=1000/').copies).toEqual([
      [1000, true, true],
    ]);
  });

  it.each([
    ['cycles/stack-size=8192/', 'cycles/stack-size=8192/: stack-size belongs to call-graph=dwarf'],
  ])('refuses %s', (event, message) => {
    expect(() => planOf(event)).toThrow(UsageError);
    expect(() => planOf(event)).toThrow(message);
  });

  it('events inherit unless option, term or target forbid it', () => {
    const events = 'cycles,page-faults/inherit/,cpu-clock/no-inherit/';
    const inherit = (options: Parameters<typeof planOf>[1]) => {
      const plan = planOf(events, options);
      return [...plan.events.map(({ attr }) => attr), plan.sideband].map(
        (attr) => attr.flags.inherit,
      );
    };
    expect(inherit({})).toEqual([true, true, false, true]);
    expect(inherit({ inherit: false })).toEqual([false, true, false, true]);
    expect(inherit({ systemWide: true })).toEqual([false, false, false, false]);
  });

  it('--counts samples the counter', () => {
    expect(draw('cycles,page-faults', { counts: true, count: 1000 })).toEqual([
      'cycles 1/1000 READ PERIOD | inherit',
      'page-faults 1/1000 READ | inherit',
    ]);
    expect(noticesOf('cycles', { counts: true })).toEqual([
      'perf 6.12 and older misread the counts that this recording has of threads and children; ' +
        '--no-inherit leaves these out',
    ]);
    expect(noticesOf('cycles', { counts: true, inherit: false })).toEqual([]);
  });

  it('--counts with --per-thread reads the counter on any kernel: nothing inherits', () => {
    const features = { inheritedRead: false };
    const options = { counts: true, perThread: true };
    expect(draw('cycles', options, { features })).toEqual(['cycles 3989 Hz READ PERIOD |']);
    expect(noticesOf('cycles', options, { features })).toEqual([]);
  });

  it('--counts does not inherit where the kernel cannot read inherited counters', () => {
    const features = { inheritedRead: false };
    expect(draw('cycles,page-faults', { counts: true }, { features })).toEqual([
      'cycles 3989 Hz PERIOD | inherit',
      'page-faults 3989 Hz PERIOD | inherit',
    ]);
    expect(noticesOf('cycles,page-faults', { counts: true }, { features })).toEqual([
      "recording without --counts: this kernel can't read counters of inherited events with each " +
        'sample (Linux 6.12 can; --no-inherit keeps the counts and leaves out later threads)',
    ]);
    expect(draw('cycles', { counts: true, inherit: false }, { features })).toEqual([
      'cycles 3989 Hz READ PERIOD |',
    ]);
    expect(draw('cycles', { counts: true, systemWide: true }, { features })).toEqual([
      'cycles 3989 Hz READ PERIOD |',
    ]);
  });

  it('a kernel that writes no build IDs is reported where a file is to have them', () => {
    const features = { buildId: false };
    const output = 'perf.data';
    expect(noticesOf('cycles', { output }, { features })).toEqual([
      'recording without the build IDs of mapped files, by which a changed file is recognized: this ' +
        'kernel does not write them (Linux 5.12 can; perf-ts inject --build-ids adds them)',
    ]);
    expect(noticesOf('cycles', { output, buildIds: false }, { features })).toEqual([]);
    expect(noticesOf('cycles', {}, { features })).toEqual([]);
    expect(noticesOf('cycles', { output })).toEqual([]);
  });

  it('attrs have only the fields that the kernel knows', () => {
    const old = { lost: false, buildId: false };
    const plan = planOf('cycles', { clock: 'boottime' }, { features: old });
    expect(plan.events[0].attr.readFormat & PERF_FORMAT.LOST).toBe(0);
    expect(plan.sideband.flags.buildId).toBe(false);
    const current = planOf('cycles', { clock: 'boottime' });
    expect(current.events[0]?.attr.clockid).toBe(7);
    expect(current.sideband.clockid).toBe(7);
    expect(current.sideband.readFormat & PERF_FORMAT.LOST).toBe(PERF_FORMAT.LOST);
  });

  it('pinned and exclusive events stay so', () => {
    expect(draw('cycles:D,instructions:e')).toEqual([
      'cycles:D 3989 Hz PERIOD | inherit pinned',
      'instructions:e 3989 Hz PERIOD | inherit exclusive',
    ]);
  });
});

describe('a group', () => {
  it('samples each of its events', () => {
    expect(draw('page-faults,{cycles,instructions},{cpu-clock,task-clock}')).toEqual([
      'page-faults 3989 Hz PERIOD | inherit',
      'cycles 3989 Hz PERIOD | inherit',
      'instructions 3989 Hz PERIOD | inherit led by 1',
      'cpu-clock 3989 Hz PERIOD | inherit',
      'task-clock 3989 Hz PERIOD | inherit led by 3',
    ]);
  });

  it('a group with S is sampled and read by its leader', () => {
    const events = '{cycles,sched:sched_switch,page-faults/period=7/}:S';
    expect(draw(events, { callGraph: 'fp' })).toEqual([
      'cycles 3989 Hz READ CALLCHAIN PERIOD GROUP | inherit',
      'sched:sched_switch 1/0 READ CALLCHAIN PERIOD GROUP | inherit led by 0',
      'page-faults/period=7/ 1/0 READ CALLCHAIN PERIOD GROUP | inherit led by 0',
    ]);
    expect(draw('{page-faults,cycles}:S', { count: 100 })).toEqual([
      'page-faults 1/100 READ GROUP | inherit',
      'cycles 1/0 READ GROUP | inherit led by 0',
    ]);
  });

  it('a group of one event with S reads its own counter', () => {
    expect(draw('{cycles}:S')).toEqual(['cycles 3989 Hz READ PERIOD | inherit']);
    expect(draw('cycles:S')).toEqual(['cycles:S 3989 Hz READ PERIOD | inherit']);
  });

  it('a group with S does not inherit where the kernel cannot read inherited counters', () => {
    const features = { inheritedRead: false };
    const plan = planOf('{cycles,instructions}:S,page-faults', {}, { features });
    expect(drawPlan(plan)).toEqual([
      'cycles 3989 Hz READ PERIOD GROUP |',
      'instructions 1/0 READ PERIOD GROUP | led by 0',
      'page-faults 3989 Hz PERIOD | inherit',
    ]);
    expect(plan.notices).toEqual([
      "cycles: this kernel can't read counters of inherited events with each sample (Linux 6.12 " +
        'can), so the modifier S leaves out threads and children that are started later',
    ]);
  });

  it('a weak group is broken up if the kernel refuses one of it', () => {
    const plan = planOf('page-faults,{cycles,instructions,branches}:SW,{cpu-clock,task-clock}');
    const singly = withoutWeakGroup(plan, 3);
    expect(singly === null ? null : drawPlan(singly)).toEqual([
      'page-faults 3989 Hz PERIOD | inherit',
      'cycles 3989 Hz PERIOD | inherit',
      'instructions 3989 Hz PERIOD | inherit',
      'branches 3989 Hz PERIOD | inherit',
      'cpu-clock 3989 Hz PERIOD | inherit',
      'task-clock 3989 Hz PERIOD | inherit led by 4',
    ]);
    expect(singly?.notices.at(-1)).toBe(
      'the group {cycles,instructions,branches} does not fit the PMU: its events are recorded ' +
        'singly, as its modifier W allows',
    );
  });

  it('a group stays together if it is not weak, or if its leader itself is refused', () => {
    expect(withoutWeakGroup(planOf('{cycles,instructions}'), 1)).toBe(null);
    expect(withoutWeakGroup(planOf('{cycles,instructions}:W'), 0)).toBe(null);
    expect(withoutWeakGroup(planOf('cycles:W'), 0)).toBe(null);
    expect(withoutWeakGroup(planOf('cycles'), -1)).toBe(null);
  });
});

describe('the CPUs', () => {
  it('all recorded CPUs are opened where the PMUs count on all of them', () => {
    expect(planOf('cycles,page-faults', {}, { cpus: [2, 5] }).cpus).toEqual([2, 5]);
    const arm = { sources: ARM, cpus: [0, 1, 2, 3] };
    expect(planOf('armv8_pmuv3_0/cpu_cycles/,cpu-clock', {}, arm).cpus).toEqual([0, 1, 2, 3]);
  });

  it('the CPUs are those of the PMU where it counts on some only', () => {
    const cpus = [0, 1, 2, 3, 4, 5, 6, 7];
    const atom = planOf('cpu_atom/mem-loads/', {}, { sources: HYBRID, cpus });
    expect(atom.cpus).toEqual([4, 5, 6, 7]);
    const imc = planOf('uncore_imc_0/event=4/', { systemWide: true }, { cpus: [0, 1, 18, 19] });
    expect(imc.cpus).toEqual([0, 18]);
  });

  it('system-wide probes use a CPU of the PMU', () => {
    const places: number[][] = [];
    const rule: KernelRule = (_attr, pid, cpu) => {
      places.push([pid, cpu]);
      return '';
    };
    planOf('uncore_imc_0/event=4/', { systemWide: true }, { cpus: [17, 18], rule });
    planOf('cycles', {}, { rule });
    expect(places).toEqual([
      [-1, 18],
      [0, -1],
    ]);
  });

  it('the CPUs are those of each PMU for its event, and together all of them', () => {
    const cpus = [0, 1, 2, 3, 4, 5, 6, 7];
    const places = (events: string, recorded = cpus) => {
      const plan = planOf(events, {}, { sources: HYBRID, cpus: recorded });
      return [plan.cpus.join(), ...plan.events.map((event) => `${event.name} ${event.cpus}`)];
    };
    expect(places('cycles')).toEqual([
      '0,1,2,3,4,5,6,7',
      'cpu_core/cycles/ 0,1,2,3',
      'cpu_atom/cycles/ 4,5,6,7',
    ]);
    expect(places('cpu_atom/cycles/,page-faults')).toEqual([
      '0,1,2,3,4,5,6,7',
      'cpu_atom/cycles/ 4,5,6,7',
      'page-faults null',
    ]);
    // CPUs that are offline, or not asked for.
    expect(places('cycles', [1, 3, 6])).toEqual([
      '1,3,6',
      'cpu_core/cycles/ 1,3',
      'cpu_atom/cycles/ 6',
    ]);
  });

  it("a software event has the CPUs of its group's kind, and no others", () => {
    const machine = { sources: HYBRID, cpus: [0, 1, 4, 5] };
    const plan = planOf('{cycles,page-faults}', {}, machine);
    expect(plan.events.map(({ name, cpus }) => `${name} ${cpus}`)).toEqual([
      'cpu_core/cycles/ 0,1',
      'page-faults 0,1',
      'cpu_atom/cycles/ 4,5',
      'page-faults 4,5',
    ]);
    expect(plan.notices).toEqual([]);
    expect(planOf('{cycles,page-faults},page-faults', {}, machine).notices).toHaveLength(1);
  });

  it('a kind of core that is not recorded is left out, unless its event is asked for by name', () => {
    const onCore = { sources: HYBRID, cpus: [0, 1] };
    expect(planOf('cycles', {}, onCore).events.map(({ name }) => name)).toEqual([
      'cpu_core/cycles/',
    ]);
    expect(() => planOf('cycles,cpu_atom/cycles/', {}, onCore)).toThrow(
      'cpu_atom/cycles/: counts on the CPUs 4-7, and the recording is of 0-1',
    );
    expect(() => planOf('cycles', {}, { sources: HYBRID, cpus: [9] })).toThrow(
      'cpu_core/cycles/: counts on the CPUs 0-3, and the recording is of 9',
    );
  });

  it('the timer in place of cycles is opened on all CPUs, where no kind of core has counters', () => {
    const machine = { sources: HYBRID, cpus: [0, 3, 4, 7], rule: noPmu };
    const { events, notices } = planOf('cycles,cycles:u', {}, machine);
    expect(events.map(({ name, cpus }) => [name, cpus])).toEqual([
      ['cpu-clock', null],
      ['cpu-clock:u', null],
    ]);
    expect(notices).toHaveLength(2);
  });

  it('the CPUs are as many as the machine has, without those that are offline', () => {
    const drawn = (name: string, type: number, cpus: string) => ({ [name]: { type, cpus } });
    const sources = fakeSources({
      ...drawn('armv8_neoverse_v2', 8, '0-1023'),
      ...drawn('armv8_neoverse_n2', 9, '1024-1100'),
    });
    const online = parseCpuList('0-63,66-1090');
    const plan = planOf('cycles', {}, { sources, cpus: online });
    expect(plan.events.map(({ cpus }) => formatCpuList(cpus ?? []))).toEqual([
      '0-63,66-1023',
      '1024-1090',
    ]);
    expect(plan.cpus).toEqual(online);
  });

  it('each PMU is asked on one of its own CPUs', () => {
    const places: string[] = [];
    const rule: KernelRule = ({ config }, pid, cpu) => {
      places.push(`${config >> 32n} pid ${pid} cpu ${cpu}`);
      return '';
    };
    planOf('cycles', { systemWide: true }, { sources: HYBRID, cpus: [2, 3, 5], rule });
    expect(places).toEqual(['4 pid -1 cpu 2', '10 pid -1 cpu 5']);
  });

  it('the CPUs must include one of the PMU, and for an uncore event be recorded as a whole', () => {
    expect(() => planOf('uncore_imc_0/event=4/')).toThrow(
      'uncore_imc_0/event=4/: counts for a whole socket or device, not for a process',
    );
    const imc = () => planOf('uncore_imc_0/event=4/', { systemWide: true }, { cpus: [1, 2] });
    expect(imc).toThrow(UsageError);
    expect(imc).toThrow('counts on the CPUs 0,18, and the recording is of 1-2');
  });
});

it('the kernel is shown each event as it will be opened, but switched off', () => {
  const { probe, asked } = fakeKernel(() => '');
  const specs = parseEvents('cycles,page-faults', AMD);
  const environment = { probe, settings: USUAL_SETTINGS, features: NEW_KERNEL, cpus: [0] };
  const { events } = planRecording(specs, {}, environment);
  expect(asked.map(({ flags }) => flags.disabled)).toEqual([true, true]);
  expect(
    asked.map(({ flags, ...rest }) => ({ ...rest, size: 0, flags: { ...flags, disabled: false } })),
  ).toEqual(events.map(({ attr }) => attr));
});

describe('two events of what the kernel itself reports', () => {
  const noticesOfBoth = (events: string) =>
    noticesOf(events, {}).filter((notice) => notice.includes('happen at once'));

  it('two software events that happen at once are warned of', () => {
    expect(noticesOfBoth('page-faults,page-faults:u')).toEqual([
      expect.stringMatching(/^page-faults and page-faults:u happen at once, /),
    ]);
    expect(noticesOfBoth('cs,cpu-clock,context-switches')).toHaveLength(1);
  });

  it('no warning for events that do not happen at once, or have their own counters', () => {
    expect(noticesOfBoth('page-faults:u,page-faults:k')).toEqual([]);
    expect(noticesOfBoth('page-faults,minor-faults,context-switches')).toEqual([]);
    expect(noticesOfBoth('cpu-clock,cpu-clock:u')).toEqual([]);
    expect(noticesOfBoth('cycles,cycles:u')).toEqual([]);
  });
});
