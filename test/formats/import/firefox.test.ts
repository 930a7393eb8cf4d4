import { describe, expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { writeFirefox } from '../../../src/formats/export/firefox.ts';
import { detectText } from '../../../src/formats/import/detect-text.ts';
import { importFirefox } from '../../../src/formats/import/firefox.ts';
import type { Profile } from '../../../src/profile/types.ts';
import { checkProfile } from '../../helpers/check-profile.ts';
import { profileFromText, simpleWeights } from '../../helpers/profile-from-text.ts';
import { collect } from '../../helpers/round-trip.ts';

function imported(file: unknown): Profile {
  const bytes = Buffer.from(JSON.stringify(file));
  expect(detectText(bytes)).toBe('firefox');
  const { profile } = importFirefox(memorySource(bytes));
  checkProfile(profile);
  return profile;
}

/** `event, comm pid/tid, ns, period, outermost;…;innermost` for each sample. */
function samplesOf(profile: Profile): string[] {
  const { samples, events, threads, stacks, frames, funcs, strings, dsos } = profile;
  const paths: string[] = [];
  for (let row = 0; row < stacks.length; row++) {
    const func = frames.func[stacks.frame[row]];
    const dso = funcs.dso[func] < 0 ? '' : `@${dsos[funcs.dso[func]].path}`;
    const name = `${strings[funcs.name[func]]}${dso}`;
    const prefix = stacks.prefix[row];
    paths.push(prefix < 0 ? name : `${paths[prefix]};${name}`);
  }
  return Array.from({ length: samples.length }, (_, i) => {
    const { comm, pid, tid } = threads[samples.thread[i]];
    const { name } = events[samples.event[i]];
    const figures = `${samples.timeNs[i]} ${samples.periodEvents[i]}`;
    return `${name} ${comm} ${pid}/${tid} ${figures} ${paths[samples.stack[i]] ?? ''}`;
  });
}

const STRINGS = ['main', '0x1234', 'handle', 'libc', 'file:///srv/a.js', '/src/main.c'];
/** main of a program, code without a name that it calls, and a function of a script. */
const FUNCS = {
  length: 3,
  name: [0, 1, 2],
  isJS: [false, false, true],
  resource: [0, 1, -1],
  fileName: [5, null, 4],
  lineNumber: [1, null, 3],
  columnNumber: [1, null, 9],
};
const FRAMES = {
  length: 3,
  func: [0, 1, 2],
  address: [16, 0x1234, -1],
  line: [12, null, null],
  column: [3, null, null],
};
const STACKS = { length: 3, frame: [0, 1, 2], prefix: [null, 0, 0] };
const RESOURCES = { length: 2, lib: [0, 1], name: [0, 3], host: [null, null], type: [1, 1] };
const LIBS = [
  { name: 'app', path: '/srv/app' },
  { name: 'libc.so.6', path: '/lib/libc.so.6' },
];

/** As samply writes it: tables in each thread. */
const thread = (samples: object) => ({
  ...{ name: 'app', pid: '7', tid: 9, samples, stringArray: STRINGS },
  ...{ stackTable: STACKS, frameTable: FRAMES, funcTable: FUNCS, resourceTable: RESOURCES },
});
const META = { interval: 0.5, preprocessedProfileVersion: 49, product: 'app' };

const CALLED = '[unknown]@/lib/libc.so.6';
const SCRIPT = 'JS:handle file:///srv/a.js:3:9@[JIT] scripts';

describe('a profile of profiler.firefox.com', () => {
  test('samply: CPU time first, samples with their weights, code without a name as such', () => {
    const samples = {
      ...{ length: 3, weightType: 'samples', weight: [1, 1, 2], stack: [1, 2, null] },
      ...{ time: [10, 10.5, 11], threadCPUDelta: [0, 480, 20] },
    };
    const profile = imported({
      meta: { ...META, sampleUnits: { time: 'ms', threadCPUDelta: 'µs' } },
      libs: LIBS,
      threads: [thread(samples)],
    });
    expect(samplesOf(profile)).toEqual([
      `samples app 7/9 0 1 main@/srv/app;${CALLED}`,
      `samples app 7/9 500000 1 main@/srv/app;${SCRIPT}`,
      `cpu app 7/9 500000 480000 main@/srv/app;${SCRIPT}`,
      'samples app 7/9 1000000 2 ',
      'cpu app 7/9 1000000 20000 ',
    ]);
    expect(profile.events.map(({ name, unit, frequencyHz }) => [name, unit, frequencyHz])).toEqual([
      ['cpu', 'nanoseconds', 2000],
      ['samples', 'events', 2000],
    ]);
    const { frames, strings } = profile;
    expect([strings[frames.file[0]], frames.line[0], frames.column[0]]).toEqual([
      '/src/main.c',
      12,
      3,
    ]);
  });

  test('later versions: tables of all threads, sources apart, times as differences', () => {
    const { fileName: _, ...funcs } = FUNCS;
    const profile = imported({
      meta: META,
      libs: LIBS,
      threads: [
        {
          ...{ name: 'GeckoMain', pid: '7', tid: 7 },
          samples: { length: 2, weight: null, stack: [2, 1], timeDeltas: [1, 2] },
        },
      ],
      shared: {
        stringArray: STRINGS,
        stackTable: { length: 3, frame: [0, 1, 2], prefixOffset: [0, 1, 2] },
        frameTable: { ...FRAMES, lib: [0, 1, -1] },
        funcTable: { ...funcs, source: [1, null, 0] },
        resourceTable: { length: 2, name: [0, 3], host: [null, null], type: [1, 1] },
        sources: { length: 2, filename: [4, 5] },
      },
    });
    expect(samplesOf(profile)).toEqual([
      `samples GeckoMain 7/7 0 1 main@/srv/app;${SCRIPT}`,
      `samples GeckoMain 7/7 2000000 1 main@/srv/app;${CALLED}`,
    ]);
  });

  test('an export of perf-ts comes back with its threads, events, times, weights and names', () => {
    const profile = profileFromText(`
      comm    node       node       gzip
      tid     10         10         20
      event   cpu-clock  faults     cpu-clock
      period  1000       20         3000
              main       main       main
              work       read@libc
    `);
    const text = collect((write) =>
      writeFirefox(profile, simpleWeights(profile, 'period'), { exporter: 'perf-ts 1' }, write),
    );
    const again = imported(JSON.parse(text));
    const whole = (sample: string) => sample.replaceAll(/@[^;]*/g, '').replace(/-?\d+\//, '');
    expect(samplesOf(again).map(whole).sort()).toEqual(samplesOf(profile).map(whole).sort());
    expect(again.events.map(({ name, unit }) => [name, unit])).toEqual(
      expect.arrayContaining(profile.events.map(({ name, unit }) => [name, unit])),
    );
  });

  test('samples of rows that are not there, or later than what they call, are left out and counted', () => {
    const file = {
      meta: META,
      libs: LIBS,
      threads: [
        {
          ...thread({ length: 4, stack: [0, 77, 1, 'x'], time: [1, 2, 3, 4] }),
          stackTable: { length: 3, frame: [0, 1, 2], prefix: [null, 2, 0] },
        },
      ],
    };
    const profile = imported(file);
    expect(samplesOf(profile)).toEqual(['samples app 7/9 0 1 main@/srv/app']);
    expect(profile.meta.notes).toContain('3 samples that contradict the file were left out');
    const none = { ...file, threads: [thread({ length: 1, stack: [9], time: [1] })] };
    const bytes = Buffer.from(JSON.stringify(none));
    expect(() => importFirefox(memorySource(bytes))).toThrow('each of its samples contradicts');
  });

  test('a profile as Firefox hands it over is refused with what to do', () => {
    const bytes = Buffer.from('{"meta":{"version":31,"markerSchema":[]},"threads":[]}');
    expect(detectText(bytes)).toBe('firefox');
    expect(() => importFirefox(memorySource(bytes))).toThrow('profiler.firefox.com saves');
  });
});
