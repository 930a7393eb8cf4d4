import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { PerfDataError } from '../../../src/base/errors.ts';
import { finish } from '../../../src/base/slices.ts';
import { importDevTools } from '../../../src/formats/import/cpuprofile.ts';
import { detectText } from '../../../src/formats/import/detect-text.ts';
import { ImportedProfileBuilder, NO_LIMITS } from '../../../src/formats/import/imported-profile.ts';
import { computeFlatReport } from '../../../src/profile/analysis/flat-report.ts';
import { selectSamples } from '../../../src/profile/analysis/select/filter.ts';
import { FUNC_CATEGORIES, type Profile } from '../../../src/profile/types.ts';
import { checkProfile } from '../../helpers/check-profile.ts';
import { simpleWeights } from '../../helpers/profile-from-text.ts';
import { withScripts } from '../../helpers/with-scripts.ts';

const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}`, import.meta.url));

function imported(file: unknown): Profile {
  const bytes = file instanceof Uint8Array ? file : Buffer.from(JSON.stringify(file));
  expect(detectText(bytes)).toBe('devtools');
  const { profile } = importDevTools(memorySource(bytes));
  checkProfile(profile);
  return withScripts(profile);
}

const frame = (functionName: string, url = '', lineNumber = -1, columnNumber = -1) => ({
  functionName,
  scriptId: '0',
  url,
  lineNumber,
  columnNumber,
});

/** Root, a function, idle; as V8 writes them. */
const NODES = [
  { id: 1, callFrame: frame('(root)'), children: [2, 3] },
  { id: 2, callFrame: frame('handle', 'file:///srv/a%20b.js', 7, 22), children: [4] },
  { id: 3, callFrame: frame('(idle)') },
  { id: 4, callFrame: frame('(garbage collector)') },
];

/** `event, µs of the end of the interval, µs, outermost;…;innermost` for each sample. */
function spans(profile: Profile): string[] {
  const { samples, events, stacks, frames, funcs, strings } = profile;
  const paths: string[] = [];
  for (let row = 0; row < stacks.length; row++) {
    const name = strings[funcs.name[frames.func[stacks.frame[row]]]];
    const prefix = stacks.prefix[row];
    paths.push(prefix < 0 ? name : `${paths[prefix]};${name}`);
  }
  return Array.from({ length: samples.length }, (_, i) => {
    const figures = [samples.timeNs[i], samples.periodEvents[i]].map((ns) => ns / 1000).join(' ');
    return `${events[samples.event[i]].name} ${figures} ${paths[samples.stack[i]] ?? ''}`;
  });
}

/** Self of each function in milliseconds, largest first. */
function selves(profile: Profile, event = 0): [string, number][] {
  const rows = finish(selectSamples(profile, { event }));
  const report = computeFlatReport(profile, simpleWeights(profile, 'period'), rows);
  return report.bySymbol
    .filter(({ self }) => self > 0)
    .map(({ func, self }) => [profile.strings[profile.funcs.name[func]], Math.round(self / 1e6)]);
}

describe('a .cpuprofile', () => {
  test('a sample lasts until the next one, the last until the end; idle time waits', () => {
    const profile = imported({
      nodes: NODES,
      startTime: 1000,
      endTime: 1900,
      samples: [2, 4, 3, 2],
      timeDeltas: [100, 200, 50, 400],
    });
    expect(spans(profile)).toEqual([
      'time 300 200 handle /srv/a b.js:8',
      'time 350 50 handle /srv/a b.js:8;(garbage collector)',
      'off-cpu 350 400 (idle)',
      'time 900 150 handle /srv/a b.js:8',
    ]);
    // The file has its own begin: what its first sample stands for lies behind it.
    expect(profile.meta.startTime).toBe('1000000');
    expect(profile.events.map(({ unit }) => unit)).toEqual(['nanoseconds', 'nanoseconds']);
  });

  test('functions have the categories of recordings, the collector is apart', () => {
    const { funcs, strings } = imported({ nodes: NODES, samples: [4, 3], timeDeltas: [0, 1] });
    const categories = Array.from(funcs.category, (category, func) => [
      strings[funcs.name[func]],
      FUNC_CATEGORIES[category],
      funcs.line[func],
      funcs.column[func],
    ]);
    expect(categories).toEqual([
      ['handle /srv/a b.js:8', 'user code', 8, 23],
      ['(idle)', 'native', 0, 0],
      ['(garbage collector)', 'GC', 0, 0],
    ]);
  });

  test('samples that V8 writes out of order are taken by their times', () => {
    const profile = imported({
      nodes: NODES,
      startTime: 0,
      endTime: 40,
      samples: [2, 4, 2],
      timeDeltas: [10, 20, -10],
    });
    expect(spans(profile).map((text) => text.split(' ').slice(1, 3))).toEqual([
      ['20', '10'],
      ['30', '10'],
      ['40', '10'],
    ]);
  });

  test('parents may stand in the nodes, children behind the file, hits without samples', () => {
    const profile = imported({
      nodes: [
        { id: 9, parent: 5, hitCount: 3, callFrame: frame('inner') },
        { id: 5, parent: 1, hitCount: 0, callFrame: frame('outer') },
        { id: 1, hitCount: 0, callFrame: frame('(root)') },
      ],
    });
    expect(spans(profile)).toEqual(['time 0 0.003 outer;inner']);
    expect(profile.events[0].unit).toBe('events');
  });

  test('node --cpu-prof: CPU time and idle time sum to the time of the run', () => {
    const profile = imported(fixture('node20.cpuprofile'));
    expect(selves(profile).slice(0, 1)).toEqual([['allocate /tmp/shop/app.js:2', 192]]);
    const { startTime, endTime, timeDeltas } = JSON.parse(`${fixture('node20.cpuprofile')}`);
    const sum = [...profile.samples.periodEvents].reduce((all, period) => all + period, 0);
    expect(sum).toBe((endTime - startTime - timeDeltas[0]) * 1000);
  });

  test('bun --cpu-prof: time before a timer is not the time of the function before it', () => {
    const profile = imported(fixture('bun1.4.cpuprofile'));
    const whole = JSON.parse(`${fixture('bun1.4.cpuprofile')}`);
    const [[name, ms]] = selves(profile);
    expect(name).toBe('allocate /tmp/shop/app.js:2');
    expect(ms * 1000).toBeLessThan(0.8 * (whole.endTime - whole.startTime));
    expect(profile.meta.notes.join()).toContain('this engine samples running JavaScript only');
  });
});

describe('a trace', () => {
  const threadsOf = ({ threads }: Profile) => threads.map(({ comm, pid }) => [comm, pid]);
  const event = (name: string, data: unknown, more = {}) => ({
    ...{ name, ph: 'P', pid: 7, tid: 9, id: '0x1', ts: 1 },
    ...{ args: { data }, ...more },
  });
  const BEGIN = event('Profile', { startTime: 1000 }, { tid: 8 });
  const NAME = event('thread_name', null, { tid: 8, args: { name: 'CrRendererMain' } });
  const part = (data: object, samples: number[], nodes: unknown[] = []) =>
    event('ProfileChunk', { ...data, cpuProfile: { nodes, samples } });

  test('Chromium: the profiles of a page and of its worker are threads, as long as their parts', () => {
    const text = `${fixture('chromium.trace.json')}`;
    const profile = imported(JSON.parse(text));
    expect(threadsOf(profile)).toEqual([
      ['CrRendererMain', 9249],
      ['DedicatedWorker thread', 9249],
    ]);
    const names = selves(profile).map(([name]) => name);
    expect(names.slice(0, 2)).toEqual([
      'hot /tmp/shop/page.html:1',
      expect.stringMatching(/^inWorker blob:/),
    ]);
    const parts: { id: string; args: { data: { timeDeltas?: number[] } } }[] =
      JSON.parse(text).traceEvents;
    // The first time of a profile is the way to its first sample, and a sample may be older than the one before.
    const lengths = ['0x1', '0x2'].map((id) => {
      const deltas = parts.flatMap((each) =>
        each.id === id ? (each.args.data.timeDeltas ?? []) : [],
      );
      let [at, last] = [0, 0];
      for (const delta of deltas) {
        at += delta;
        last = Math.max(last, at);
      }
      return last - deltas[0];
    });
    const sum = [...profile.samples.periodEvents].reduce((all, period) => all + period, 0);
    expect(sum).toBe((lengths[0] + lengths[1]) * 1000);
  });

  test('parts of a profile are joined, in an object or a list, and the last sample ends with it', () => {
    const nodes = NODES.map(({ id, callFrame }) => ({ id, callFrame, parent: id === 1 ? 0 : 1 }));
    const events = [
      BEGIN,
      part({ timeDeltas: [10, 20] }, [2, 2], nodes.slice(0, 2)),
      part({ timeDeltas: [30], endTime: 1100 }, [3], nodes.slice(2)),
      NAME,
    ];
    for (const file of [{ traceEvents: events }, events]) {
      const profile = imported(file);
      expect(threadsOf(profile)).toEqual([['CrRendererMain', 7]]);
      expect(spans(profile)).toEqual([
        'time 30 20 handle /srv/a b.js:8',
        'time 60 30 handle /srv/a b.js:8',
        'off-cpu 60 40 (idle)',
      ]);
    }
  });

  test('a part whose profile has no begin is left out and counted', () => {
    const { profile } = importDevTools(
      memorySource(
        Buffer.from(
          JSON.stringify([
            event('ProfileChunk', { timeDeltas: [5], cpuProfile: { samples: [2] } }, { id: '0x2' }),
            BEGIN,
            part({ timeDeltas: [10, 20] }, [2, 2], NODES),
          ]),
        ),
      ),
    );
    expect(profile.samples.length).toBe(2);
    expect(profile.meta.notes.at(-1)).toContain('a part of profile 7 0x2');
  });

  test('a trace without a profile is refused with the category that has it', () => {
    const trace = Buffer.from('{"traceEvents":[{"name":"V8.GC","ph":"X","pid":1,"tid":1,"ts":1}]}');
    expect(detectText(trace)).toBe('devtools');
    expect(() => importDevTools(memorySource(trace))).toThrow(
      /disabled-by-default-v8.cpu_profiler/,
    );
  });
});

describe('a .heapprofile', () => {
  test('node --heap-prof: bytes by who allocated them', () => {
    const profile = imported(fixture('node20.heapprofile'));
    expect(spans(profile).at(-1)).toMatch(/^heap-bytes 0 5634\.488 .*Module\._compile.*;grow$/);
  });

  test('a tree of any depth is read', () => {
    const depth = 20_000;
    const open = '{"callFrame":{"functionName":"f"},"selfSize":1,"children":[';
    const text = `{"head":${open.repeat(depth)}${']}'.repeat(depth)}}`;
    expect(imported(Buffer.from(text)).samples.length).toBe(depth);
  });
});

describe('a broken profile of DevTools', () => {
  const refused = (text: string, limits = NO_LIMITS) => {
    const source = memorySource(Buffer.from(text));
    return () => importDevTools(source, new ImportedProfileBuilder(undefined, limits));
  };

  test('JSON that is cut, or of something else, is refused', () => {
    expect(refused('{"nodes":[{"callFrame":')).toThrow(PerfDataError);
    expect(refused('{"callFrame":1}')).toThrow('it has neither "nodes" nor "head"');
    expect(refused('[]')).toThrow(PerfDataError);
  });

  test('nodes that are their own callers are refused', () => {
    const node = (id: number, child: number) => `{"id":${id},"callFrame":{},"children":[${child}]}`;
    expect(refused(`{"nodes":[${node(1, 2)},${node(2, 3)},${node(3, 1)}]}`)).toThrow(
      'its nodes are their own callers',
    );
    expect(refused(`{"nodes":[${node(1, 1)}]}`)).toThrow('its nodes are their own callers');
  });

  test('JSON that would take too much memory is refused before it is parsed', () => {
    const checkJson = (bytes: number) => {
      if (bytes > 1e6) throw new RangeError(`${bytes}`);
    };
    const limits = { ...NO_LIMITS, checkJson };
    expect(refused('['.repeat(20_000), limits)).toThrow(RangeError);
    expect(refused('['.repeat(10_000), limits)).toThrow(PerfDataError);
  });

  test('values of other types than they should have are passed over', () => {
    const profile = imported({
      nodes: [null, 7, { id: 'x', callFrame: [] }, { id: 1, callFrame: { functionName: 5 } }],
      samples: [1, 'x', null, 99, {}],
      timeDeltas: [1e308, -1e308, 'a', null, 5],
      startTime: 'soon',
      endTime: {},
    });
    expect(profile.samples.length).toBe(1);
    expect(profile.meta.notes.join()).toContain('4 lines were not understood');
  });
});

/** As Node 6 writes it. */
const TREE = {
  typeId: 'CPU',
  uid: '1',
  title: 'one',
  head: {
    functionName: '(root)',
    url: '',
    lineNumber: 0,
    id: 1,
    hitCount: 0,
    children: [
      {
        functionName: 'handle',
        url: '/srv/a.js',
        lineNumber: 8,
        columnNumber: 23,
        id: 2,
        hitCount: 2,
        children: [],
      },
      { functionName: '(idle)', url: '', lineNumber: 0, id: 3, hitCount: 1, children: [] },
    ],
  },
  startTime: 12.5,
  endTime: 12.9,
  samples: [2, 3, 2],
  timestamps: [5000, 6000, 9000],
};

test('the tree that V8 wrote up to Node 7 is read as its later list of nodes', () => {
  // Times are since the first timestamp; what ran stands at the end of its interval.
  expect(spans(imported(TREE))).toEqual([
    'time 1000 1000 handle /srv/a.js:8',
    'off-cpu 1000 3000 (idle)',
    'time 6000 2000 handle /srv/a.js:8',
  ]);
});

test('a tree of V8 without times of its samples has its hits', () => {
  const { samples, timestamps, ...untimed } = TREE;
  expect(samples.length).toBe(timestamps.length);
  expect(spans(imported(untimed))).toEqual(['time 0 0.002 handle /srv/a.js:8']);
});
