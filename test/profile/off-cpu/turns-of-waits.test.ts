import { expect, test } from 'vitest';
import { turnsOfWaits } from '../../../src/profile/off-cpu/turns-of-waits.ts';
import { profileFromText } from '../../helpers/profile-from-text.ts';

// Samples begin 1 ms apart, from 0 on.
const profile = profileFromText(`
  event   off-cpu           off-cpu           off-cpu             off-cpu          off-cpu
  period  1000000           500000            800000              300000           200000
          uv_run@node       uv_run@node       uv_run@node         read@libc        uv_run@node
          epoll_pwait@libc  epoll_pwait@libc  Builtins_Call@node  futex@libc       epoll_pwait@libc
          schedule@kernel   [R runnable]      epoll_pwait@libc    schedule@kernel  schedule@kernel
`);

test('a turn lies between waits in epoll, but for those below JavaScript and for others', () => {
  const turns = turnsOfWaits(profile, new Set());
  expect(turns && [turns.fromNs[0], turns.toNs[0], turns.waitedNs[0]]).toEqual([1.5e6, 4e6, 1.5e6]);
  expect(turns?.length).toBe(1);
  expect(turns?.loops).toEqual([
    { thread: 0, pid: expect.any(Number), tid: expect.any(Number), source: 'waits' },
  ]);
});

test('threads whose turns are known are left alone', () => {
  expect(turnsOfWaits(profile, new Set(profile.threads.map(({ tid }) => tid)))).toBeNull();
});
