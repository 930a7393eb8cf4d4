import { expect, test } from 'vitest';
import { addAskers } from '../../../src/code/javascript/asking-frames.ts';
import type { MarkTable } from '../../../src/profile/mark-table.ts';
import type { Profile } from '../../../src/profile/types.ts';
import { checkProfile } from '../../helpers/check-profile.ts';
import { profileFromText } from '../../helpers/profile-from-text.ts';

/** Stacks, the outermost function first: in which work was asked for behind those of samples. */
const HOOK = ['node::AsyncWrap', 'Builtins_JSEntry', 'JS:~init /p.js:1:1', 'beginWork'];
const ROUTE = 'JS:*route /a.js:3:9';
const PBKDF2 = 'JS:~pbkdf2 node:internal/crypto/pbkdf2:1:1';
const READ = 'JS:~readFile node:fs:1:1';
const GO_ON = ['uv_run', 'Builtins_JSEntry', 'JS:^onread node:internal/fs/read/context:1:1'];
const STREAM = ['uv_run', 'Builtins_JSEntry', 'JS:^onwrite node:internal/streams/writable:1:1'];
const POOL = ['start_thread', 'worker', 'PBKDF2'];

/** The stack of a sample of the pool that did work asked for in these, the first its own. */
function below(...askedIn: readonly (readonly string[])[]): string {
  const WIDTH = 60;
  const stacks = [POOL, ...askedIn];
  const depth = Math.max(...stacks.map((stack) => stack.length));
  const cell = (name = '-') =>
    (name.startsWith('JS:') ? `${name}@[JIT] tid 1` : name).padEnd(WIDTH);
  const rows = Array.from({ length: depth }, (_, i) => stacks.map((stack) => cell(stack[i])));
  const profile = profileFromText(rows.map((row) => row.join('')).join('\n'));
  const pool = {
    length: 1,
    loop: new Int32Array(1),
    timeNs: Float64Array.of(profile.samples.timeNs[0]),
    request: new Int32Array(1),
  };
  const loops = [{ thread: profile.samples.thread[0], pid: 1, tid: 1, source: 'library' as const }];
  const marks = { length: 0, loops, pool } as Partial<MarkTable> as MarkTable;
  const stack = Int32Array.from(profile.samples.stack);
  const recorded: Profile = { ...profile, marks, askedIn: stack.slice(1) };
  const woven = addAskers(recorded, () => askedIn.map((_, place) => place));
  checkProfile(woven);
  expect(woven.askedIn).toBeUndefined();
  expect([...woven.samples.stack].slice(1)).toEqual([...stack].slice(1));
  const { stacks: found, frames, funcs, strings } = woven;
  const names: string[] = [];
  for (let row = woven.samples.stack[0]; row >= 0; row = found.prefix[row]) {
    names.unshift(strings[funcs.name[frames.func[found.frame[row]]]]);
  }
  return names.join(' > ');
}

const inPool = POOL.join(' > ');

test('work stands below the functions that asked for it, without the hook that noted them', () => {
  expect(below(['main', ROUTE, PBKDF2, 'New', ...HOOK])).toBe(
    `main > ${ROUTE} > ${PBKDF2} > ${inPool}`,
  );
});

test('work that functions of Node’s files ask for in a callback is of who asked for the work before', () => {
  const first = ['main', ROUTE, READ, ...HOOK];
  expect(below([...GO_ON, ...HOOK], [...GO_ON, ...HOOK], first)).toBe(
    `main > ${ROUTE} > ${READ} > ${inPool}`,
  );
  expect(below([...GO_ON, ROUTE, ...HOOK], first)).toBe(
    `${[...GO_ON, ROUTE].join(' > ')} > ${inPool}`,
  );
});

test('the stack stays where no function of the program is known to have asked', () => {
  // A stream writes what others gave it meanwhile.
  expect(below([...STREAM, READ, ...HOOK], ['main', ROUTE, ...HOOK])).toBe(inPool);
  expect(below([...GO_ON, ...HOOK])).toBe(inPool);
  expect(below(['main', 'New', ...HOOK])).toBe(inPool);
  expect(below(['main', ROUTE])).toBe(inPool);
  expect(below()).toBe(inPool);
});
