import { describe, expect, test } from 'vitest';
import { finish } from '../../../src/base/slices.ts';
import { addAsyncFrames, markAsyncFrames } from '../../../src/code/javascript/async-frames.ts';
import { nameScripts } from '../../../src/code/javascript/name-scripts.ts';
import type { AsyncStack, MarkTable } from '../../../src/profile/mark-table.ts';
import type { Profile } from '../../../src/profile/types.ts';
import { findAwaits } from '../../../src/questions/awaits.ts';
import { ownersOfStacks } from '../../../src/questions/stack-owners.ts';
import { checkProfile } from '../../helpers/check-profile.ts';
import { profileFromText, simpleWeights } from '../../helpers/profile-from-text.ts';

const place = (name: string, line: number, column = 1) => ({ name, file: '/a.js', line, column });
const ASYNC_STACKS: AsyncStack[] = [
  { resumed: place('leaf', 4), awaiting: [place('middle', 5), place('first', 6)] },
  { resumed: place('leaf', 4), awaiting: [place('second', 7)] },
  { resumed: place('handle', 9), awaiting: [] },
  { resumed: place('other', 8), awaiting: [place('second', 7)] },
];
/** V8's names of code: `async function` begins where the line does. */
const NAMES = [
  'JS:~leaf /a.js:4:20',
  'JS:^middle /a.js:5:22',
  'JS:*middle /a.js:5:22',
  'JS:~middle /b.js:5:9',
  'JS:~first /a.js:6:21',
];

const RUN = ['node', 'Builtins_RunMicrotasks'];
const RESUMED = [...RUN, 'Builtins_AsyncFunctionAwaitResolveClosure'];
const HOOK = [...RUN, 'Builtins_JSEntryTrampoline', 'JS:~hook /h.js:1:1'];
const LEAF = 'JS:~leaf /a.js:4:20';
const BURN = 'JS:*burn /a.js:2:14';

/** A profile with such stacks, the outermost function first, and the rows of `ASYNC_STACKS` that are known of them; −1: not known. */
function recorded(samples: readonly (readonly [stack: readonly string[], row: number])[]) {
  const WIDTH = 60;
  const depth = Math.max(...samples.map(([stack]) => stack.length));
  const cell = (name = '-') =>
    (name.startsWith('JS:') ? `${name}@[JIT] tid 1` : name).padEnd(WIDTH);
  const rows = Array.from({ length: depth }, (_, i) => samples.map(([stack]) => cell(stack[i])));
  const profile = profileFromText(rows.map((row) => row.join('')).join('\n'));
  const { length } = samples;
  const contexts = {
    length,
    loop: new Int32Array(length),
    timeNs: Float64Array.from(profile.samples.timeNs),
    request: new Int32Array(length),
    stack: Int32Array.from(samples, ([, row]) => row),
  };
  const loops = [{ thread: 0, pid: 1, tid: 1, source: 'library' as const }];
  const marks = { loops, contexts, asyncStacks: ASYNC_STACKS } as Partial<MarkTable> as MarkTable;
  return { ...profile, marks };
}

/** With the functions that await, named as the readers do. */
function woven(samples: Parameters<typeof recorded>[0]): Profile {
  const { profile, count } = addAsyncFrames(recorded(samples), () => NAMES);
  const options = { sourceMaps: null, directory: null, simplify: 'interpreter' as const };
  return markAsyncFrames({ profile: nameScripts(profile, options), count });
}

/** The stack of each sample below the event loop, the outermost function first. */
function stacksOf({ samples, stacks, frames, funcs, strings }: Profile): string[] {
  return Array.from(samples.stack, (leaf) => {
    const names: string[] = [];
    for (let row = leaf; row >= 0; row = stacks.prefix[row]) {
      names.unshift(strings[funcs.name[frames.func[stacks.frame[row]]]]);
    }
    return names.filter((name) => !/^(?:node|Builtins)/.test(name)).join(' > ');
  });
}

describe('frames of functions that await', () => {
  test('the functions that await a resumed one stand above it, marked, with the places of their code', () => {
    const profile = woven([
      [[...RESUMED, LEAF, BURN], 0],
      [[...RESUMED, LEAF], 1],
      [[...RESUMED, LEAF, BURN], 0],
    ]);
    checkProfile(profile);
    const first = 'async first /a.js:6 > async middle /a.js:5 > leaf /a.js:4 > burn /a.js:2';
    expect(stacksOf(profile)).toEqual([first, 'async second /a.js:7 > leaf /a.js:4', first]);
    const { funcs, strings } = profile;
    const row = Array.from(funcs.name, (name) => strings[name]).indexOf('async middle /a.js:5');
    expect([strings[funcs.file[row]], funcs.line[row], funcs.column[row]]).toEqual([
      '/a.js',
      5,
      22,
    ]);
  });

  test('a frame stands for those that are not known of a function behind an await, and for no others', () => {
    expect(
      stacksOf(
        woven([
          [[...RESUMED, LEAF, BURN], -1],
          [[...RESUMED, 'JS:~handle /a.js:9:2'], 2],
          [[...RUN, 'Builtins_PromiseFulfillReactionJob', BURN], -1],
          [['node', 'JS:~first /a.js:6:21', LEAF], -1],
          [RESUMED, 0],
        ]),
      ),
    ).toEqual([
      '(awaiting functions not known) > leaf /a.js:4 > burn /a.js:2',
      'handle /a.js:9',
      'burn /a.js:2',
      'first /a.js:6 > leaf /a.js:4',
      '',
    ]);
  });

  test('a stack that V8 kept of another function of the microtask, as of a hook for promises, is not taken', () => {
    expect(
      stacksOf(
        woven([
          [[...RESUMED, LEAF], 3],
          [HOOK, 0],
        ]),
      ),
    ).toEqual(['(awaiting functions not known) > leaf /a.js:4', '[interpreter] > hook /h.js:1']);
  });

  test('time of turns and of system calls is put down to functions that ran', () => {
    const profile = woven([
      [[...RESUMED, LEAF, BURN], 0],
      [[...RESUMED, LEAF, BURN], -1],
    ]);
    const { outermost, author } = ownersOfStacks(profile);
    const nameOf = (func: number) => profile.strings[profile.funcs.name[func]];
    for (const stack of profile.samples.stack) {
      expect([outermost[stack], author[stack]].map(nameOf)).toEqual([
        'leaf /a.js:4',
        'burn /a.js:2',
      ]);
    }
  });

  test('the table has what ran below each resumed function by those that await it', () => {
    const profile = woven([
      [[...RESUMED, LEAF, BURN], 0],
      [[...RESUMED, LEAF], 0],
      [[...RESUMED, LEAF, BURN], 1],
      [[...RESUMED, LEAF, BURN], -1],
      [[...RUN, BURN], -1],
    ]);
    const rows = Int32Array.from({ length: profile.samples.length }, (_, row) => row);
    const asked = { profile, rows, weights: simpleWeights(profile), estimator: null };
    const nameOf = (func: number) => profile.strings[profile.funcs.name[func]];
    const table = finish(findAwaits(asked)).map(({ samples, share, resumed, awaiting }) => [
      samples,
      share,
      nameOf(resumed),
      awaiting?.map(nameOf) ?? null,
    ]);
    expect(table).toEqual([
      [2, 0.4, 'leaf /a.js:4', ['async middle /a.js:5', 'async first /a.js:6']],
      [1, 0.2, 'leaf /a.js:4', ['async second /a.js:7']],
      [1, 0.2, 'leaf /a.js:4', null],
    ]);
  });
});
