import { addAsyncFrames, markAsyncFrames } from '../../src/code/javascript/async-frames.ts';
import { nameScripts } from '../../src/code/javascript/name-scripts.ts';
import type { AsyncStack, MarkTable } from '../../src/profile/mark-table.ts';
import type { Profile } from '../../src/profile/types.ts';
import { profileFromText } from './profile-from-text.ts';

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

export const RUN = ['node', 'Builtins_RunMicrotasks'];
export const RESUMED = [...RUN, 'Builtins_AsyncFunctionAwaitResolveClosure'];
export const HOOK = [...RUN, 'Builtins_JSEntryTrampoline', 'JS:~hook /h.js:1:1'];
export const LEAF = 'JS:~leaf /a.js:4:20';
export const BURN = 'JS:*burn /a.js:2:14';

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
  const none = { length: 0, kind: new Uint8Array(0), loop: new Int32Array(0) };
  const marks = { ...none, loops, contexts, asyncStacks: ASYNC_STACKS } as Partial<MarkTable>;
  return { ...profile, marks: marks as MarkTable };
}

/** With the functions that await, named as the readers do. */
export function woven(samples: Parameters<typeof recorded>[0]): Profile {
  const { profile, count } = addAsyncFrames(recorded(samples), () => NAMES);
  const options = { sourceMaps: null, directory: null, simplify: 'interpreter' as const };
  return markAsyncFrames({ profile: nameScripts(profile, options), count });
}
