import { expect, test } from 'vitest';
import { categoryRow } from '../../src/profile/func-table.ts';
import { summarizeSyscalls, syscallEvents } from '../../src/questions/syscalls.ts';
import { profileFromText } from '../helpers/profile-from-text.ts';

const drawn = profileFromText(`
    event   syscalls syscalls syscalls syscalls  syscalls  syscall-bytes
    period  100      300      50       7         3         4096
            save     save     load     save      save      load
            fsync@   fsync@   read@    (perf-ts) (perf-ts) read@
                                       read@
`);
const { strings, funcs } = drawn;
const category = funcs.category.map((_, func) =>
  categoryRow(/save|load/.test(strings[funcs.name[func]]) ? 'user code' : 'kernel'),
);
const profile = { ...drawn, funcs: { ...funcs, category } };
const nameOf = (func: number): string => (func < 0 ? '' : strings[funcs.name[func]]);

test('calls, time and bytes are summed by call and function, and what perf-ts did belongs to none', () => {
  expect(syscallEvents(profile)).toEqual({ calls: 0, bytes: 1 });
  const rows = { calls: Int32Array.of(0, 1, 2, 3, 4), bytes: Int32Array.of(5), own: '(perf-ts)' };
  const summary = summarizeSyscalls(profile, rows).map(({ func, ...row }) => ({
    by: nameOf(func),
    ...row,
  }));
  const figures = { p50Ns: 100, p90Ns: 300, p99Ns: 300, longestNs: 300 };
  expect(summary).toMatchObject([
    { by: 'save', call: 'fsync', count: 2, totalNs: 400, bytes: 0, ...figures },
    { by: 'load', call: 'read', count: 1, totalNs: 50, bytes: 4096 },
    { by: '', call: 'read', count: 1, totalNs: 7, bytes: 0 },
    { by: '', call: '(perf-ts)', count: 1, totalNs: 3, bytes: 0 },
  ]);
});

test('a profile without the event has no system calls', () => {
  const { events } = profileFromText('main');
  expect(syscallEvents({ events })).toBeNull();
});
