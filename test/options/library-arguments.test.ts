// A program without types gets an error that names the argument, from every function of the library, and before
// anything is opened.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as library from '../../src/index.ts';
import { projectRoot } from '../helpers/cli.ts';

type Untyped = (...given: readonly unknown[]) => unknown;
const call = library as unknown as Readonly<Record<string, Untyped>>;
const recording = join(projectRoot, 'test/read/fixtures/arm64-group.data');
const nothing = (): void => {};

/** Wrong calls of each function, with the argument or option that the error has to name. */
const WRONG: Readonly<Record<string, readonly (readonly [readonly unknown[], string])[]>> = {
  record: [
    [[], 'a recording'],
    [[null], 'a recording'],
    [[{ command: ['node', null] }], 'command'],
    [[{ command: 'node app.js' }], 'command'],
    [[{ command: ['true'], callGraph: true }], 'callGraph'],
    [[{ command: ['true'], freq: '99' }], 'freq'],
    [[{ command: ['true'], freq: 99, count: 3 }], 'freq and count'],
    [[{ command: ['true'], frequency: 9 }], 'frequency'],
    [[{ pids: [] }], 'pids'],
    [[{ command: ['true'], output: 'out.html' }], 'output out.html'],
  ],
  startRecording: [
    [[{ command: ['true'], output: 1 }], 'output'],
    [[{ command: ['true'], output: 'out.pb.gz' }], 'output out.pb.gz'],
  ],
  startTop: [
    [[null], 'top'],
    [[{ intervalMs: 'x' }], 'intervalMs'],
  ],
  startStat: [
    [[], 'a count'],
    [[{ command: 'true' }], 'command'],
  ],
  profileSelf: [
    [[], 'profileSelf'],
    [[{ seconds: 1, format: 'x' }], 'format'],
  ],
  startSelfProfile: [
    [[{ format: 1 }], 'format'],
    [[{}], 'format'],
  ],
  startAgent: [
    [[], 'startAgent'],
    [[{}], 'config'],
    [[{ config: 'x' }], 'config'],
  ],
  openProfile: [
    [[], 'path'],
    [[5], 'path'],
    [[recording, { inlined: 1 }], 'inlined'],
    [[recording, null], 'openProfile'],
  ],
  readInfo: [
    [[], 'path'],
    [[recording, { cpu: 1 }], 'cpu'],
  ],
  describeRecords: [
    [[], 'path'],
    [[recording, {}, 'x'], 'visit'],
    [[recording, { onlySamples: true }, nothing], 'onlySamples'],
  ],
  rewriteRecording: [
    [[], 'input'],
    [[recording], 'output'],
    [[recording, 'x', { times: 1 }], 'times'],
    [[recording, 'x.svg'], 'output x.svg'],
  ],
  compareRecordings: [
    [[], 'older'],
    [[[], 'x'], 'newer'],
    [[[], [], { by: 'x' }], 'by'],
  ],
  exportProfile: [
    [[], 'opened'],
    [[{}, 'folded', {}, nothing], 'opened'],
  ],
  exportPprof: [[[], 'opened']],
  findingsOf: [
    [[], 'opened'],
    [[null], 'opened'],
  ],
  describeProvenance: [[['x'], 'opened']],
  openGroup: [
    [[], 'events'],
    [['cycles'], 'events'],
    [[['task-clock'], { pid: 1.5 }], 'pid'],
    [[['task-clock'], { thread: 1 }], 'thread'],
  ],
  measureRepeated: [
    [[], 'group'],
    [[{ measure: nothing }], 'fn'],
    [[{ measure: nothing }, nothing, { runs: 0 }], 'runs'],
  ],
  measureOverhead: [
    [[], 'group'],
    [[{ measure: nothing }, { rounds: 'x' }], 'rounds'],
  ],
  subtractOverhead: [
    [[], 'reading'],
    [[{ counts: {} }], 'cost'],
  ],
  countNumbers: [[[], 'counts']],
  Regions: [[[], 'group']],
  openPerfmon: [
    [[{ counters: 0 }], 'counters'],
    [[null], 'openPerfmon'],
  ],
  listEvents: [
    [[5], 'filter'],
    [['x', { each: true }], 'each'],
  ],
  selftest: [[[{ events: 'x' }], 'events']],
  listRecordings: [
    [[], 'path'],
    [[5], 'path'],
  ],
  parseTimeRanges: [
    [[], 'text'],
    [['1,2'], 'recorded'],
  ],
  parseLeafDumps: [[[], 'text']],
  decodeCapabilities: [[[], 'leaves']],
  readAgentConfig: [[[5, 'agent.json'], 'agent.json']],
};

/** Functions without arguments that a program gives, and classes that only the library makes. */
const WITHOUT = /^(?:doctor|reportCpu|threadId|\w+Error|OpenedProfile|CounterGroup|Perfmon)$/;

test('every function of the library has wrong calls here', () => {
  const functions = Object.entries(library).filter(([, value]) => typeof value === 'function');
  const missing = functions
    .map(([name]) => name)
    .filter((name) => !WITHOUT.test(name) && !(name in WRONG));
  // `live` throws at the first batch.
  expect(missing).toEqual(['live']);
});

async function errorOf(run: () => unknown): Promise<Error & { code?: string }> {
  try {
    await run();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}

describe.each(Object.entries(WRONG))('%s', (name, calls) => {
  test.each(calls)(`${name}: the error of wrong arguments (%j) names %s`, async (given, named) => {
    const isClass = /^[A-Z]/.test(name);
    const error = await errorOf(() =>
      isClass ? Reflect.construct(call[name], given) : call[name](...given),
    );
    expect(error).toBeInstanceOf(library.UsageError);
    expect(error.code).toBe('ERR_INVALID_ARG_VALUE');
    expect(error.message).toContain(named);
  });
});

test('live: the first batch throws the error of wrong options', async () => {
  const error = await errorOf(
    () =>
      call.live({ command: ['true'], latency: 3 }) &&
      (call.live({ command: ['true'], latency: 3 }) as AsyncGenerator).next(),
  );
  expect(error).toBeInstanceOf(library.UsageError);
  expect(error.message).toContain('latency');
});

test('methods of an opened profile name the option or argument that is wrong', async () => {
  const opened = (await library.openProfile(recording)) as unknown as Readonly<
    Record<string, Untyped>
  >;
  const wrong: readonly (readonly [string, readonly unknown[], string])[] = [
    ['report', [{ weight: 'x' }], 'weight "x"'],
    ['report', [{ evnt: 'cycles' }], 'evnt'],
    ['report', [null], 'report'],
    ['export', ['png'], 'format "png"'],
    ['export', ['pprof'], 'exportPprof'],
    ['export', [], 'format'],
    ['export', ['folded', { names: 'x' }], 'names "x"'],
    ['weights', ['x'], 'x'],
    ['weighInstructions', ['x'], 'func "x"'],
    ['nameOf', [-1], 'func -1'],
    ['nameOf', [1e9], 'func 1000000000'],
    ['eventIndex', ['nosuch'], 'nosuch'],
  ];
  for (const [method, given, named] of wrong) {
    const error = await errorOf(() => opened[method](...given));
    expect(error, method).toBeInstanceOf(library.UsageError);
    expect(error.message).toContain(named);
  }
});
