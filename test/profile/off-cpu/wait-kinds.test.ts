import { expect, it } from 'vitest';
import { waitKindOf } from '../../../src/profile/off-cpu/wait-kinds.ts';

it.each([
  ['cpu', '[R runnable]'],
  ['cpu', '[R+ preempted]'],
  ['cpu', '[woken by an interrupt]'],
  ['lock', '[S sleeping in futex_do_wait]'],
  ['lock', '[D uninterruptible in rwsem_down_read_slowpath]'],
  ['disk', '[D uninterruptible in folio_wait_bit]'],
  ['disk', '[D uninterruptible in wait_for_completion_io_timeout]'],
  ['network', '[S sleeping in anon_pipe_read]'],
  ['network', '[S sleeping in tcp_recvmsg_locked]'],
  ['idle', '[S sleeping in do_epoll_wait]'],
  ['idle', '[S sleeping in do_nanosleep]'],
  ['idle', '(idle threads)'],
  ['other', '[? waiting]'],
  ['other', '[D state 0x402]'],
  ['other', '[S sleeping in do_wait]'],
  [null, '[unknown]'],
  [null, '[JIT] tid 12'],
  [null, 'futex_do_wait'],
])('the reason of a wait is %s by the frame %s', (kind, frame) => {
  expect(waitKindOf(frame)).toBe(kind);
});
