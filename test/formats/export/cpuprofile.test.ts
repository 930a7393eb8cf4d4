import { describe, expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { writeCpuProfile } from '../../../src/formats/export/cpuprofile.ts';
import {
  chooseCpuProfilePart,
  explainCpuProfilePart,
} from '../../../src/formats/export/cpuprofile-part.ts';
import { importDevTools } from '../../../src/formats/import/cpuprofile.ts';
import type { SampleSelection } from '../../../src/profile/analysis/select/filter.ts';
import type { EventIndex, Profile, Weights } from '../../../src/profile/types.ts';
import { HOSTILE_NAMES } from '../../helpers/hostile-names.ts';
import { profileFromText, simpleWeights } from '../../helpers/profile-from-text.ts';
import { collect } from '../../helpers/round-trip.ts';
import { withScripts } from '../../helpers/with-scripts.ts';

type Node = {
  id: number;
  callFrame: { functionName: string; url: string; lineNumber: number; columnNumber: number };
  hitCount: number;
  children: number[];
  positionTicks?: { line: number; ticks: number }[];
};
type CpuProfile = {
  nodes: Node[];
  startTime: number;
  endTime: number;
  samples: number[];
  timeDeltas: number[];
  'perf-ts': Record<string, unknown>;
};

function exported(
  profile: Profile,
  weights: Weights = simpleWeights(profile, 'period'),
  select: SampleSelection = {},
): CpuProfile {
  const text = collect((write) => writeCpuProfile(profile, weights, { select }, write));
  // DevTools takes a file for a profile of this format by its first key.
  expect(text).toMatch(/^\{"nodes":\[/);
  const file: CpuProfile = JSON.parse(text);
  checkProtocol(file);
  return file;
}

/** Promises of the protocol for every profile. */
function checkProtocol({ nodes, samples, timeDeltas, startTime, endTime }: CpuProfile): void {
  expect(timeDeltas).toHaveLength(samples.length);
  expect([startTime, endTime, ...timeDeltas].every(Number.isSafeInteger)).toBe(true);
  expect(timeDeltas.every((delta) => delta >= 0)).toBe(true);
  expect(timeDeltas.reduce((sum, delta) => sum + delta, 0)).toBe(endTime - startTime);
  const hits = new Map<number, number>();
  for (const id of samples) hits.set(id, (hits.get(id) ?? 0) + 1);
  const called = new Set([nodes[0].id]);
  for (const node of nodes) {
    expect(called.has(node.id), 'callers come first').toBe(true);
    for (const child of node.children) called.add(child);
    expect(node.hitCount).toBe(hits.get(node.id) ?? 0);
    hits.delete(node.id);
  }
  expect(called.size).toBe(nodes.length);
  expect([...hits.keys()], 'every sample has a node').toEqual([]);
}

/** Microseconds by path, as VS Code and DevTools sum them: a sample lasts until the next. */
function sums({ nodes, samples, timeDeltas }: CpuProfile): Record<string, number> {
  const paths = new Map<number, string>([[nodes[0].id, '']]);
  for (const { id, children } of nodes) {
    for (const child of children) {
      const name = nodes.find((node) => node.id === child)?.callFrame.functionName;
      paths.set(child, `${paths.get(id)}/${name}`);
    }
  }
  const found: Record<string, number> = {};
  for (let i = 0; i + 1 < samples.length; i++) {
    const path = paths.get(samples[i]) as string;
    found[path] = (found[path] ?? 0) + timeDeltas[i + 1];
  }
  return found;
}

// A sample each millisecond from 0 on.
const CLOCK = withScripts(
  profileFromText(`
    comm    node                             node                                          node                            node
    tid     10                               10                                            10                              10
    event   cpu-clock                        cpu-clock                                     cpu-clock                       cpu-clock
    period  1000000                          1000000                                       250000                          1000000
            main                             main                                          main                            -
            JS:*fib /srv/a b.js:3:13@[JIT]   JS:~fib /srv/a b.js:3:13@[JIT]                JS:*fib /srv/a b.js:3:13@[JIT]
            read@[kernel.kallsyms]           v8::internal::Heap::CollectGarbage(int)
                                             v8::internal::Scavenger::Process()
  `),
);

describe('cpuprofile', () => {
  test('time that no weight covers is idle, the collector is below the root', () => {
    const file = exported(CLOCK);
    expect(sums(file)).toEqual({
      '/main/fib/read': 1000,
      '/(garbage collector)': 1000,
      '/(idle)': 750,
      '/main/fib': 250,
      '/(program)': 1000,
    });
    expect(file.samples).toHaveLength(6);
  });

  test('time of samples that are left out is no idle time, and is left out when it is read', () => {
    const symbols = new Set(['fib /srv/a b.js:3']);
    const weights = simpleWeights(CLOCK, 'period');
    const file = exported(CLOCK, weights, { symbols });
    expect(sums(file)).toEqual({ '/main/fib': 250 });
    const all = { symbols: new Set([...symbols, 'read']) };
    const partial = exported(CLOCK, weights, all);
    expect(sums(partial)).toEqual({
      '/main/fib/read': 1000,
      '/(not selected)': 1750,
      '/main/fib': 250,
    });
    const { profile } = importDevTools(memorySource(Buffer.from(JSON.stringify(partial))));
    expect([...profile.samples.periodEvents]).toEqual([1e6, 0.25e6]);
  });

  test('time without enabled events is no idle time, and is no sample when it is read', () => {
    const sampled = [
      { fromNs: -1e6, toNs: 1e6 },
      { fromNs: 1.7e6, toNs: 4e6 },
    ];
    const file = exported({ ...CLOCK, meta: { ...CLOCK.meta, sampled } });
    expect(sums(file)).toMatchObject({ '/(not sampled)': 700, '/(idle)': 50 });
    const { profile } = importDevTools(memorySource(Buffer.from(JSON.stringify(file))));
    const { samples, strings, stacks, frames, funcs } = profile;
    const names = Array.from(
      samples.stack,
      (row) => strings[funcs.name[frames.func[stacks.frame[row]]]],
    );
    expect(samples.length).toBe(5);
    expect(names).not.toContain('(not sampled)');
  });

  test('a function of JavaScript has its URL and place, native code its DSO', () => {
    const frames = exported(CLOCK).nodes.map(({ callFrame }) => callFrame);
    const at = (name: string) => frames.find(({ functionName }) => functionName === name);
    expect(at('fib')).toEqual({
      functionName: 'fib',
      scriptId: '1',
      url: 'file:///srv/a%20b.js',
      lineNumber: 2,
      columnNumber: 12,
    });
    expect(at('main')).toMatchObject({ scriptId: '0', url: '/usr/lib/app', lineNumber: -1 });
    expect(at('read')).toMatchObject({ url: '[kernel.kallsyms]' });
  });

  test('weights of a counter are microseconds one by one, and a sentence tells', () => {
    const profile = profileFromText(`
      period  7     3
              main  main
                    work
    `);
    expect(sums(exported(profile))).toEqual({ '/main': 7, '/main/work': 3 });
    const part = chooseCpuProfilePart(profile, simpleWeights(profile, 'period'));
    expect(explainCpuProfilePart(profile, part)).toEqual([
      'the thread app (tid 1), 100.00% of the selected cycles',
      'a microsecond in it stands for one event of cycles, not for time',
    ]);
  });

  test('the main thread with JavaScript is chosen, of another one if it is selected', () => {
    const text = `
      tid     10     11                              12                              12
      period  9      2                               1                               5
              main   JS:*fib /srv/fib.js:3:13@[JIT]  JS:*sum /srv/fib.js:9:13@[JIT]  main
    `;
    const { threads, ...rest } = withScripts(profileFromText(text));
    const profile = {
      ...rest,
      threads: threads.map((thread) => (thread.tid === 12 ? thread : { ...thread, pid: 12 })),
    };
    const weights = simpleWeights(profile, 'period');
    const threadOf = (select: SampleSelection) =>
      profile.threads[chooseCpuProfilePart(profile, weights, select).thread]?.tid;
    expect(threadOf({})).toBe(12);
    expect(threadOf({ tids: new Set([10, 11]) })).toBe(11);
    expect(threadOf({ tids: new Set([10]) })).toBe(10);
    expect(threadOf({ tids: new Set([99]) })).toBeUndefined();
    const part = chooseCpuProfilePart(profile, weights);
    expect(explainCpuProfilePart(profile, part)[0]).toContain('; 2 more have samples');
    expect(exported(profile, weights, { tids: new Set([99]) }).timeDeltas).toEqual([0]);
  });

  test('lost samples are a node at their time', () => {
    const profile = profileFromText(
      `
        period  10     20
                main   main
      `,
      {},
      [{ event: 0 as EventIndex, lostRecords: 3, lostSamples: 4 }],
    );
    const weights = { ...simpleWeights(profile, 'period'), lostBefore: Float64Array.of(0, 40) };
    const file = exported(profile, weights);
    expect(sums(file)).toEqual({ '/main': 30, '/[lost]': 40 });
    expect(file.timeDeltas).toEqual([0, 10, 40, 20]);
  });

  test("a node's sum is right to half a microsecond, however short its samples are", () => {
    const columns = 3000;
    const cell = (text: string) => text.padEnd(12);
    const line = (name: string, text: string) => cell(name) + cell(text).repeat(columns);
    const profile = profileFromText(
      [line('event', 'cpu-clock'), line('period', '333'), line('', 'main')].join('\n'),
    );
    expect(sums(exported(profile))['/main']).toBe(Math.round((333 * columns) / 1000));
  });

  test('lines of frames are position ticks of their functions', () => {
    const { frames, ...rest } = CLOCK;
    const file = rest.funcs.file.slice(0, rest.funcs.length);
    const profile = {
      ...rest,
      frames: {
        ...frames,
        line: frames.line.map(() => 5),
        file: frames.file.map((_, frame) => file[frames.func[frame]]),
      },
    };
    const ticks = exported(profile).nodes.flatMap((node) => node.positionTicks ?? []);
    expect(ticks).toEqual([{ line: 5, ticks: 1 }]);
  });

  test('an exported cpuprofile that is read again has the same stacks, weights and times, and is written the same', () => {
    const write = (profile: Profile) =>
      collect((out) => writeCpuProfile(profile, simpleWeights(profile, 'period'), {}, out));
    const read = (text: string) =>
      withScripts(importDevTools(memorySource(Buffer.from(text))).profile);
    const once = read(write(CLOCK));
    expect([...once.samples.periodEvents]).toEqual([1e6, 1e6, 0.75e6, 0.25e6, 1e6]);
    expect(once.threads).toEqual([{ pid: 10, tid: 10, generation: 0, comm: 'node' }]);
    expect(sums(JSON.parse(write(once)))).toEqual(sums(JSON.parse(write(CLOCK))));
    // The stack without a frame has become one of (program).
    expect(write(read(write(once)))).toBe(write(once));
  });

  test('names of strangers are texts and nothing else', () => {
    const strings = CLOCK.strings.map((text, i) => HOSTILE_NAMES[i] ?? text);
    const text = collect((write) =>
      writeCpuProfile({ ...CLOCK, strings }, simpleWeights(CLOCK, 'period'), {}, write),
    );
    checkProtocol(JSON.parse(text));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is sought.
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  });
});
