import { describe, expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { PerfDataError } from '../../../src/base/errors.ts';
import { finish } from '../../../src/base/slices.ts';
import { withOwners } from '../../../src/code/javascript/owners.ts';
import { writeSpeedscope } from '../../../src/formats/export/speedscope.ts';
import { detectText } from '../../../src/formats/import/detect-text.ts';
import { ImportedProfileBuilder, NO_LIMITS } from '../../../src/formats/import/imported-profile.ts';
import { importSpeedscope } from '../../../src/formats/import/speedscope.ts';
import { computeFlatReport } from '../../../src/profile/analysis/flat-report.ts';
import { selectSamples } from '../../../src/profile/analysis/select/filter.ts';
import { funcLabel } from '../../../src/profile/func-label.ts';
import { FUNC_CATEGORIES, type Profile } from '../../../src/profile/types.ts';
import { checkProfile } from '../../helpers/check-profile.ts';
import { hasCorpora, readCorpus } from '../../helpers/corpora.ts';
import { profileFromText, simpleWeights } from '../../helpers/profile-from-text.ts';
import { collect } from '../../helpers/round-trip.ts';
import { withScripts } from '../../helpers/with-scripts.ts';

const SCHEMA = 'https://www.speedscope.app/file-format-schema.json';
const FRAMES = ['a', 'b', 'c', 'd'].map((name) => ({ name }));

function imported(file: unknown): Profile {
  const bytes = file instanceof Uint8Array ? file : Buffer.from(JSON.stringify(file));
  expect(detectText(bytes)).toBe('speedscope');
  const { profile } = importSpeedscope(memorySource(bytes));
  checkProfile(profile);
  return profile;
}

const fileOf = (profiles: unknown, frames: unknown = FRAMES, more: object = {}) => ({
  $schema: SCHEMA,
  shared: { frames },
  profiles,
  ...more,
});

const sampled = (samples: unknown, weights: unknown, more: object = {}) => ({
  type: 'sampled',
  name: 'one',
  unit: 'none',
  startValue: 0,
  endValue: 9,
  samples,
  weights,
  ...more,
});

/** Events as `O0@1`: the frame and the time. */
const evented = (events: string, more: object = {}) => ({
  type: 'evented',
  name: 'one',
  unit: 'microseconds',
  startValue: 0,
  endValue: 9,
  events: events.split(' ').map((text) => {
    const [, type, frame, at] = /^(.)(-?\d+)@(-?[\d.]+)$/.exec(text) ?? [];
    return { type, frame: Number(frame), at: Number(at) };
  }),
  ...more,
});

/** `comm event period stack` of each sample, with its time where there are any. */
function lines(profile: Profile): string[] {
  const { samples, events, threads, stacks, frames } = profile;
  const paths: string[] = [];
  for (let row = 0; row < stacks.length; row++) {
    const label = funcLabel(profile, frames.func[stacks.frame[row]]);
    paths.push(stacks.prefix[row] < 0 ? label : `${paths[stacks.prefix[row]]};${label}`);
  }
  return Array.from({ length: samples.length }, (_, i) => {
    const time = samples.timeNs.some((ns) => ns > 0) ? `@${samples.timeNs[i]} ` : '';
    const { comm } = threads[samples.thread[i]];
    const event = events[samples.event[i]].name;
    return `${time}${comm} ${event} ${samples.periodEvents[i]} ${paths[samples.stack[i]] ?? '-'}`;
  });
}

/** Self and total of each function, by event, thread, name and DSO. */
function sums(profile: Profile): Record<string, number[]> {
  const all: Record<string, number[]> = {};
  for (const [event, { name }] of profile.events.entries()) {
    for (const { tid } of profile.threads) {
      const rows = finish(selectSamples(profile, { event, tids: new Set([tid]) }));
      const { bySymbol } = computeFlatReport(profile, simpleWeights(profile, 'period'), rows);
      for (const { func, self, total } of bySymbol) {
        const dso = profile.dsos[profile.funcs.dso[func]]?.path ?? '';
        all[`${name} ${tid} ${funcLabel(profile, func)} ${dso}`] = [self, total];
      }
    }
  }
  return all;
}

describe('a speedscope file', () => {
  test('a sampled profile: each sample weighs its weight, an empty one has no stack', () => {
    const profile = imported(fileOf([sampled([[0, 1, 2], [], [0, 1]], [3, 1.5, 2])]));
    expect(lines(profile)).toEqual(['one event 3 a;b;c', 'one event 1.5 -', 'one event 2 a;b']);
    expect(profile.events[0]).toMatchObject({ unit: 'events', mode: 'period' });
  });

  test('weights of time are nanoseconds, which follow each other from the start value on', () => {
    const more = { unit: 'seconds', startValue: 100 };
    expect(lines(imported(fileOf([sampled([[0], [0, 1]], [1, 0.5], more)])))).toEqual([
      '@0 one time 1000000000 a',
      '@500000000 one time 500000000 a;b',
    ]);
    for (const [unit, ns] of [
      ['nanoseconds', 2],
      ['microseconds', 2e3],
      ['milliseconds', 2e6],
    ] as const) {
      const { samples, events } = imported(fileOf([sampled([[0]], [2], { unit })]));
      expect([samples.periodEvents[0], events[0].unit]).toEqual([ns, 'nanoseconds']);
    }
  });

  test('an evented profile: each stretch of the same open frames is a sample, a gap is none', () => {
    const profile = imported(fileOf([evented('O0@1 O1@1 O2@2 C2@5 C1@5 C0@6.5 O3@8 C3@9')]));
    expect(lines(profile)).toEqual([
      '@0 one time 1000 a;b',
      '@3000 one time 3000 a;b;c',
      '@4500 one time 1500 a',
      '@7000 one time 1000 d',
    ]);
    expect(profile.meta.notes.join('\n')).toContain('calls with a begin and an end');
  });

  test('several profiles are several threads, also where they have one name, and units are events', () => {
    const profiles = [
      sampled([[0]], [1]),
      sampled([[0]], [2], { unit: 'bytes' }),
      sampled([[1]], [3], { name: 'two' }),
    ];
    const profile = imported(fileOf(profiles));
    expect(profile.events.map(({ unit }) => unit)).toEqual(['events', 'bytes']);
    expect(lines(profile)).toEqual(['one event 1 a', 'one (2) bytes 2 a', 'two event 3 b']);
  });

  test('a frame with a file has its line; one of a script has the name and place that V8 has', () => {
    const frames = [
      { name: 'step', file: '/srv/a.py', line: 12 },
      { name: 'handle', file: 'file:///srv/a.js', line: 8, col: 23 },
      { name: 'step', file: '/srv/a.py', line: 14 },
    ];
    const profile = withScripts(imported(fileOf([sampled([[0, 1], [2]], [1, 1])], frames)));
    expect(lines(profile)).toEqual(['one event 1 step;handle /srv/a.js:8', 'one event 1 step']);
    const { frames: rows, strings } = profile;
    const places = Array.from(rows.line, (line, row) => `${strings[rows.file[row]] ?? ''}:${line}`);
    expect(places).toEqual(['/srv/a.py:12', ':0', '/srv/a.py:14']);
    expect(profile.funcs.length).toBe(2);
  });

  test('functions of JavaScript come back from an export with the script that tells whose they are', () => {
    const drawn = withOwners(
      withScripts(
        profileFromText(`
          JS:*f /srv/a.js:1:1@[JIT] 1  JS:*f /srv/a.js:1:1@[JIT] 1                 JS:*emit node:events:471:9@[JIT] 1
                                       JS:*d /srv/node_modules/d/d.js:2:3@[JIT] 1
        `),
      ),
    );
    const text = collect((write) =>
      writeSpeedscope(drawn, simpleWeights(drawn, 'samples'), {}, write),
    );
    const back = withOwners(withScripts(imported(JSON.parse(text))));
    const list = ({ funcs, strings }: Profile) =>
      Array.from({ length: funcs.length }, (_, func) => [
        strings[funcs.name[func]],
        strings[funcs.file[func]],
        FUNC_CATEGORIES[funcs.category[func]],
      ]).sort();
    expect(list(back)).toEqual(list(drawn));
    expect(list(drawn).map(([, , owner]) => owner)).toEqual([
      'dependency',
      'node internal',
      'user code',
    ]);
  });

  test('the export of a profile comes back with the same functions, threads, events and sums', () => {
    const drawn = profileFromText(`
      event   cpu-clock  page-faults  cpu-clock            cpu-clock
      comm    node       node         worker               node
      tid     10         11           20                   10
      period  4          6            5                    100000000
              main       main         main@gzip            main
              work       work         [unknown]@libc.so.6  read@[kernel.kallsyms]
              work                                         [unknown]@
    `);
    const odd = 'a (tid 4) b, c';
    const threads = drawn.threads.map((at) => (at.tid === 20 ? { ...at, comm: odd } : at));
    const profile = { ...drawn, threads };
    const write = (of: Profile) =>
      collect((text) => writeSpeedscope(of, simpleWeights(of, 'period'), {}, text));
    const text = write(profile);
    const again = imported(Buffer.from(text));
    expect(sums(again)).toEqual(sums(profile));
    expect(again.threads.map(({ comm, tid }) => [comm, tid])).toEqual(
      expect.arrayContaining([
        ['node', 10],
        [odd, 20],
      ]),
    );
    expect(again.events.map(({ name }) => name)).toEqual(['cpu-clock', 'page-faults']);
    expect(sums(imported(Buffer.from(write(again))))).toEqual(sums(profile));
  });

  test.each([
    ['samples without weights', [sampled([[0], [1]], [])], 'has 2 samples and 0 weights'],
    ['a frame behind the last', [sampled([[0, 4]], [1])], 'frames that are not there'],
    ['a frame below 0', [sampled([[-1]], [1])], 'frames that are not there'],
    ['half a frame', [sampled([[0.5]], [1])], 'frames that are not there'],
    ['a sample that is no list', [sampled([0], [1])], 'frames that are not there'],
    ['a negative weight', [sampled([[0]], [-1])], 'no number from 0 up'],
    ['a weight that is a text', [sampled([[0]], ['1'])], 'no number from 0 up'],
    ['an endless weight', [sampled([[0]], [1e300], { unit: 'seconds' })], 'too large'],
    ['an unknown type', [{ ...sampled([], []), type: 'x' }], 'neither sampled nor evented'],
    ['a profile that is a number', [7], 'profile 1 of 1 is no object'],
    ['a frame closed that is not open', [evented('C0@1')], 'not the innermost'],
    ['times that run backwards', [evented('O0@5 C0@4')], 'earlier than the one before'],
    ['an event of an unknown frame', [evented('O9@1 C9@2')], 'opens a frame that is not there'],
    ['an event of another type', [evented('X0@1')], 'neither opens nor closes'],
  ])('%s: refused with a reason', (_, profiles, reason) => {
    const bytes = Buffer.from(JSON.stringify(fileOf(profiles)));
    const read = () => importSpeedscope(memorySource(bytes));
    expect(read).toThrow(PerfDataError);
    expect(read).toThrow(reason);
  });

  test.each([
    ['a sample of no frame', [sampled([[0], [9], [1]], [1, 2, 3])], 'frames that are not there'],
    ['a sample without a weight', [sampled([[0], [1], [2]], [1, 3])], '3 samples and 2 weights'],
    ['a profile of nothing', [sampled([[0], [1]], [1, 3]), 7], 'profile 2 of 2 is no object'],
    ['a call that is never closed', [evented('O0@1 C0@2 O1@2 C1@5 O2@5')], 'opens 1 frames'],
    ['a call closed too early', [evented('O0@1 C0@2 O1@2 O2@5 C1@7')], 'not the innermost'],
  ])('%s is left out and counted, the rest is read', (_, profiles, reason) => {
    const profile = imported(fileOf(profiles));
    const weights = Array.from(profile.samples.periodEvents);
    const isTimed = profile.events[0].unit === 'nanoseconds';
    expect(weights.slice(0, 2)).toEqual(isTimed ? [1000, 3000] : [1, 3]);
    const notes = profile.meta.notes.filter((note) => /contradicts? the file/.test(note));
    expect(notes).toHaveLength(1);
    expect(notes[0]).toMatch(/^1 part /);
    expect(notes[0]).toContain(reason);
  });

  test('a unit that speedscope has not is the event, and asked of no profile without samples', () => {
    const own = { unit: 'samples' };
    expect(lines(imported(fileOf([sampled([[0]], [7], own)])))).toEqual(['one samples 7 a']);
    const withEmpty = imported(fileOf([sampled([], [], own), sampled([[1]], [7])]));
    expect(withEmpty.events.map(({ name }) => name)).toEqual(['event']);
  });

  test('a row of a frame in a list of its own is that frame, as speedscope looks it up', () => {
    expect(lines(imported(fileOf([sampled([[[0], [1]]], [7])])))).toEqual(['one event 7 a;b']);
  });

  test('a file that was cut is no complete JSON; one without profiles is refused', () => {
    const bytes = Buffer.from(JSON.stringify(fileOf([sampled([[0]], [1])])));
    const cut = bytes.subarray(0, bytes.length - 9);
    expect(() => importSpeedscope(memorySource(cut))).toThrow('no complete JSON');
    const without = Buffer.from(JSON.stringify({ $schema: SCHEMA }));
    expect(() => importSpeedscope(memorySource(without))).toThrow('no "profiles"');
  });

  test('limits are asked while stacks, threads and events are met', () => {
    const bytes = Buffer.from(JSON.stringify(fileOf([sampled([[0, 1, 2]], [1])])));
    for (const limit of ['checkStacks', 'checkThreads', 'checkEvents', 'checkJson'] as const) {
      const limits = {
        ...NO_LIMITS,
        [limit]: () => {
          throw new PerfDataError('too-large', limit);
        },
      };
      expect(() =>
        importSpeedscope(memorySource(bytes), new ImportedProfileBuilder(undefined, limits)),
      ).toThrow(limit);
    }
  });

  test.runIf(hasCorpora)("speedscope's own samples are read with their weights", () => {
    const read = (name: string) => imported(readCorpus(`jlfwong+speedscope/${name}`));
    const expected = ['a;b;c 2', 'a;b;d 4', 'a;b;c 3', 'a;b 5'];
    const seconds = (profile: Profile, ns: number) =>
      lines(profile).map((line) => {
        const [, period, path] = / (\d+) (\S+)$/.exec(line) ?? [];
        return `${path} ${Number(period) / ns}`;
      });
    expect(seconds(read('simple.speedscope.json'), 1)).toEqual(expected);
    const profile = read('two-sampled.speedscope.json');
    expect(seconds(profile, 1e9)).toHaveLength(10);
    expect(profile.threads.map(({ comm }) => comm)).toEqual(['one', 'two']);
  });
});
