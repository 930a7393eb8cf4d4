import { describe, expect, test } from 'vitest';
import { printable } from '../../../src/base/printable.ts';
import { type FirefoxOptions, writeFirefox } from '../../../src/formats/export/firefox.ts';
import { breakpadId } from '../../../src/formats/export/firefox-tables.ts';
import { NO_SWITCHES, SWITCH_STATE } from '../../../src/formats/export/recording-marks.ts';
import { ProfileBuilder } from '../../../src/profile/profile-builder.ts';
import type { EventIndex, Profile, WeightKind, Weights } from '../../../src/profile/types.ts';
import { readFirefox, stackText } from '../../helpers/firefox-profile.ts';
import { HOSTILE_NAMES } from '../../helpers/hostile-names.ts';
import { EMPTY_META, profileFromText, simpleWeights } from '../../helpers/profile-from-text.ts';
import { collect } from '../../helpers/round-trip.ts';
import { withScripts } from '../../helpers/with-scripts.ts';

function firefox(
  profile: Profile,
  weights: Weights | WeightKind = 'samples',
  options: FirefoxOptions = {},
) {
  const weighed = typeof weights === 'string' ? simpleWeights(profile, weights) : weights;
  return readFirefox(collect((write) => writeFirefox(profile, weighed, options, write)));
}

describe('Firefox Profiler', () => {
  test('Firefox export has a thread per thread and event, named by the unit', () => {
    const profile = profileFromText(`
      comm    node   node         node
      tid     10     10           11
      event   cycles page-faults  cycles
      period  100    3            50
              main   main         main
              work
    `);
    const file = firefox(profile, 'period');
    expect(file.threads.map(({ name, tid, pid }) => [name, tid, pid])).toEqual([
      ['node (cycles, events)', 10, '10'],
      ['node (page-faults, events)', '10 event 1', '10'],
      ['node (cycles, events)', 11, '11'],
    ]);
    const [first, second] = file.threads;
    expect(first.samples).toEqual({
      ...{ length: 1, weightType: 'samples', stack: [1], time: [0], weight: [100] },
    });
    expect(second.samples.weight).toEqual([3]);
    expect(first.samples.stack.map((stack) => stackText(file, stack))).toEqual(['work<main']);
    expect(file.meta.initialSelectedThreads).toEqual([0]);
    const one = firefox(profile, 'period', { select: { event: 1 } });
    expect(one.threads.map(({ name }) => name)).toEqual(['node (page-faults, events)']);
  });

  test('Firefox export has the times without enabled events as pauses of each thread', () => {
    const drawn = profileFromText('main  main  main  main');
    const sampled = [
      { fromNs: -1e6, toNs: 0.5e6 },
      { fromNs: 2e6, toNs: 4e6 },
    ];
    const pauses = (profile: Profile) => firefox(profile).threads.map((each) => each.pausedRanges);
    expect(pauses({ ...drawn, meta: { ...drawn.meta, sampled } })).toEqual([
      [{ startTime: 0.5, endTime: 2, reason: 'profiler-paused' }],
    ]);
    expect(pauses(drawn)).toEqual([[]]);
  });

  test('Firefox export converts nanoseconds to milliseconds and CPU usage', () => {
    const profile = profileFromText(`
      event   cpu-clock  cpu-clock
      period  250000     500000
              main       -
    `);
    const [thread] = firefox(profile, 'period').threads;
    expect(thread.samples).toEqual({
      ...{ length: 2, weightType: 'tracing-ms', stack: [0, null], time: [0, 1] },
      ...{ weight: [0.25, 0.5], threadCPUDelta: [250_000, 500_000] },
    });
    const counted = firefox(profile, 'samples').threads[0];
    expect(counted.name).toBe('app (cpu-clock)');
    expect(counted.samples.weightType).toBe('samples');
    expect(counted.samples.threadCPUDelta).toBeUndefined();
  });

  test('kernel, user and JIT code have categories; libraries have IDs, functions their files', () => {
    const profile = withScripts(
      profileFromText(`
      main
      JS:*fib /srv/a b/fib.js:3:13@[JIT] tid 1
      read@libc.so.6
      sys_read@[kernel.kallsyms]
      lonely@
    `),
    );
    const buildId = 'e4f18d9dc1d0e6fc2b17e93e885a647b3c0a6fc1';
    const dsos = profile.dsos.map((dso) => (dso.name === 'libc.so.6' ? { ...dso, buildId } : dso));
    const file = firefox({ ...profile, dsos });
    const { frameTable, funcTable, sources, stringArray } = file.shared;
    const rows = (frameTable.func as number[]).map((func, frame) => {
      const category = file.meta.categories[Number(frameTable.category[frame])];
      return [
        stringArray[Number(funcTable.name[func])],
        `${category.name}/${category.subcategories[Number(frameTable.subcategory[frame])]}`,
        file.libs[Number(frameTable.lib[frame])]?.name ?? '-',
        Number(frameTable.address[frame]) >= 0,
        funcTable.isJS[func],
      ];
    });
    expect(rows).toEqual([
      ['main', 'User/Other', 'app', true, false],
      ['fib /srv/a b/fib.js:3', 'JIT/TurboFan', '-', false, true],
      ['read', 'User/Other', 'libc.so.6', true, false],
      ['sys_read', 'Kernel/Other', '[kernel.kallsyms]', false, false],
      ['lonely', 'Other/Other', '-', false, false],
    ]);
    expect((sources.filename as number[]).map((name) => stringArray[name])).toEqual([
      '/srv/a b/fib.js',
    ]);
    expect(funcTable.lineNumber).toEqual([null, 3, null, null, null]);
    expect(file.libs.find(({ name }) => name === 'libc.so.6')).toMatchObject({
      path: '/usr/lib/libc.so.6',
      breakpadId: '9D8DF1E4D0C1FCE62B17E93E885A647B0',
      codeId: buildId.toUpperCase(),
    });
  });

  test('Firefox export has a lost gap as a sample at its end', () => {
    const losses = [{ event: 0 as EventIndex, lostRecords: 3, lostSamples: 3 }];
    const profile = profileFromText('main  main', {}, losses);
    const weights: Weights = {
      kind: 'events',
      unit: 'events',
      values: Float64Array.of(10, 20),
      lostBefore: Float64Array.of(0, 40),
    };
    const file = firefox(profile, weights);
    const [{ samples }] = file.threads as [(typeof file.threads)[0]];
    expect(samples.stack.map((stack) => stackText(file, stack))).toEqual([
      'main',
      '[lost]',
      'main',
    ]);
    expect(samples.weight).toEqual([10, 40, 20]);
    expect(samples.time).toEqual([0, 1, 1]);
    const lost = file.shared.frameTable.category.at(-1);
    expect(file.meta.categories[Number(lost)].name).toBe('Lost');
    const named = firefox(profileFromText('[lost]', {}, losses), 'samples');
    const category = named.shared.frameTable.category[0];
    expect(named.meta.categories[Number(category)].name).toBe('User');
  });

  test('losses, throttling and re-ramps are markers of the recording', () => {
    const profile = profileFromText('main  main  main');
    const file = firefox(profile, 'samples', {
      marks: {
        losses: [{ event: -1, cpu: 3, timeNs: 1.5e6, lost: 17 }],
        throttles: [{ event: 0, stream: -1, startNs: 1e6, endNs: 2e6 }],
        reRamps: [
          {
            ...{ event: 0, streamId: '77', startNs: 5e5, endNs: null, samples: 9 },
            ...{ cause: 'gap', lowestPeriod: 1, highestPeriod: 4000 },
          },
          {
            ...{ event: 9, streamId: '78', startNs: 5e5, endNs: null, samples: 9 },
            ...{ cause: 'gap', lowestPeriod: 1, highestPeriod: 4000 },
          },
        ],
        switches: NO_SWITCHES,
      },
    });
    const { name, samples, markers } = file.threads.at(-1)!;
    expect([name, samples.length]).toEqual(['recording', 0]);
    expect(markers.data).toEqual([
      { type: 'SamplesLost', lost: 17, cpu: '3', event: 'unknown' },
      { type: 'Throttled', event: 'cycles', stream: 'unknown' },
      {
        ...{ type: 'PeriodReRamp', event: 'cycles', stream: '77', cause: 'gap', samples: 9 },
        ...{ lowest: 1, highest: 4000 },
      },
    ]);
    // Instant, interval, and one that never ended.
    expect(markers.phase).toEqual([0, 1, 2]);
    expect(markers.startTime).toEqual([1.5, 1, 0.5]);
    expect(markers.endTime).toEqual([null, 2, null]);
    expect(file.meta.initialVisibleThreads).toEqual([0, 1]);
  });

  test('a thread is off the CPU from its switch out to its switch in', () => {
    const profile = profileFromText(`
      tid    10     10    11
      event  cycles other cycles
             main   main  main
    `);
    const { IN, OUT, PREEMPTED } = SWITCH_STATE;
    const rows = [
      // [tid, cpu, ms, state]; 12 was never sampled, 0 is the idle task
      [11, 0, 1, IN],
      [10, 1, 2, OUT],
      [12, 1, 2, IN],
      [0, 1, 2, OUT],
      [10, 2, 5, IN],
      [0, 2, 5, IN],
      [11, 0, 6, PREEMPTED],
      [10, 2, 7, PREEMPTED],
      [10, 2, 8, IN],
    ];
    const column = (at: number, scale = 1) => rows.map((row) => row[at] * scale);
    const switches = {
      length: rows.length,
      pid: Int32Array.from(column(0)),
      tid: Int32Array.from(column(0)),
      cpu: Int32Array.from(column(1)),
      timeNs: Float64Array.from(column(2, 1e6)),
      state: Uint8Array.from(column(3)),
    };
    const { threads } = firefox(profile, 'samples', {
      marks: { losses: [], throttles: [], reRamps: [], switches },
    });
    const drawn = threads.map(({ tid, markers: { data, startTime, endTime } }) => [
      tid,
      ...data.map(({ why, cpu }, i) => `${why} on ${cpu}: ${startTime[i]} to ${endTime[i]}`),
    ]);
    expect(drawn).toEqual([
      [10, 'waiting on 1: 2 to 5', 'preempted on 2: 7 to 8'],
      ['10 event 1'],
      [11, 'preempted on 0: 6 to null'],
    ]);
  });

  test('Firefox export keeps reused pids apart', () => {
    const profile = profileFromText(`
      tid  10    11    12    13
           main  main  main  main
    `);
    const threads = [
      { pid: 10, tid: 10, generation: 0, comm: 'sh' },
      { pid: 10, tid: 10, generation: 1, comm: 'node' },
      { pid: 10, tid: 12, generation: 1, comm: 'worker' },
      { pid: 9, tid: 13, generation: 0, comm: 'other' },
    ];
    const file = firefox({ ...profile, threads });
    expect(file.threads.map(({ pid, tid, processName }) => [pid, tid, processName])).toEqual([
      ['10.0', 10, 'sh'],
      ['10.1', '10 use 2', 'node'],
      ['10.1', 12, 'node'],
      ['9', 13, 'other'],
    ]);
  });

  test('Firefox export escapes hostile names', () => {
    for (const name of HOSTILE_NAMES) {
      const builder = new ProfileBuilder();
      const frame = builder.frames.intern(0, 1);
      builder.frames.setFunc(frame, builder.funcs.intern(builder.strings.intern(name), 0));
      const stack = builder.stacks.intern(-1, frame);
      builder.samples.add(stack, 0, builder.strings.intern(name), 0, -1, 0, 0, 1, Number.NaN);
      const [event] = profileFromText('main').events;
      const profile = builder.finish({
        meta: { ...EMPTY_META, notes: [name], commandLine: [name], kernel: name },
        events: [{ ...event, name }],
        dsos: [{ kind: 'user', name, path: name, buildId: null }],
        threads: [{ pid: 1, tid: 1, generation: 0, comm: name }],
        streams: [],
        losses: [],
      });
      const file = firefox(profile);
      expect(file.shared.stringArray).toContain(printable(name));
      const check = (value: unknown): void => {
        if (typeof value === 'string') expect(printable(value)).toBe(value);
        else if (value !== null && typeof value === 'object') Object.values(value).forEach(check);
      };
      check(file);
    }
  });

  test('a profile without samples has no threads', () => {
    expect(firefox(profileFromText('')).threads).toEqual([]);
  });
});

test('breakpad IDs swap the first three fields; short build IDs are filled up', () => {
  expect(breakpadId('00112233445566778899aabbccddeeff')).toBe('33221100554477668899AABBCCDDEEFF0');
  expect(breakpadId('0011')).toBe('000011000000000000000000000000000');
});
