import { expect, test } from 'vitest';
import { idleLines } from '../../../src/cli/report/frames-lines.ts';
import { foldToLevel } from '../../../src/code/levels/fold-to-level.ts';
import { profileFromText, simpleWeights } from '../../helpers/profile-from-text.ts';

const waits = foldToLevel(
  profileFromText(`
    period  60                                      10                                      30
            node::PlatformWorkerThread(void*)@node  uv_run@node                             uv_run@node
            pthread_cond_wait@libc.so.6             uv__io_poll@node                        node::fs::Close()@node
            [S sleeping in futex_do_wait]@[kernel]  [S sleeping in do_epoll_wait]@[kernel]  [D uninterruptible]@[kernel]
  `),
  'javascript',
);

test('a report of waits begins with the shares of what has nothing to do', () => {
  const rows = Int32Array.of(0, 1, 2);
  expect(idleLines(waits, simpleWeights(waits, 'period'), rows)).toEqual([
    '# nothing to do: 60.00% (idle threads), 10.00% (idle: event loop), each one row; --frames all shows where they sleep',
  ]);
  expect(idleLines(waits, simpleWeights(waits, 'period'), rows.subarray(2))).toEqual([]);
});
