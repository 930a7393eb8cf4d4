import { expect, test } from 'vitest';
import { nameWorkers } from '../../../src/code/javascript/worker-names.ts';
import { checkProfile } from '../../helpers/check-profile.ts';
import { profileFromText } from '../../helpers/profile-from-text.ts';

const DRAWN = profileFromText(`
  tid   1      2                                        3                                4
  comm  node   node                                     node                             node
        main   start_thread                             start_thread                     start_thread
        work   node::worker::Worker::StartThread(int)   PlatformWorkerThread(void*)      other
               spin
`);
/** All of one process. */
const PROFILE = { ...DRAWN, threads: DRAWN.threads.map((thread) => ({ ...thread, pid: 1 })) };

test('workers are called by their notes, other threads by what they were started with', () => {
  const noted = { pid: 1, tid: 2, number: 3, script: 'file:///srv/hash.mjs', name: '' };
  const named = nameWorkers(PROFILE, [noted]);
  checkProfile(named);
  const names = ['node', 'Worker #3 hash.mjs', 'V8 worker', 'node'];
  expect(named.threads.map(({ comm }) => comm)).toEqual(names);
  expect(named.samples.comm).toEqual(PROFILE.samples.comm);
});

test('a name that the program gave wins; the thread of loaders has no script', () => {
  const named = nameWorkers(PROFILE, [
    { pid: 1, tid: 2, number: 1, script: '/srv/hash.mjs', name: 'hasher' },
    { pid: 1, tid: 3, number: 2, script: '', name: '' },
  ]);
  expect(named.threads.map(({ comm }) => comm)).toEqual([
    'node',
    'Worker #1 hasher',
    'Node loaders',
    'node',
  ]);
});

test('a worker of a cluster is called by its number', () => {
  const worker = { pid: 1, tid: 1, number: 2, script: '', name: '', isProcess: true };
  const [main] = nameWorkers(PROFILE, [worker]).threads;
  expect(main.comm).toBe('cluster worker 2');
});

test('a worker of a program that is not Node keeps its name', () => {
  const draw = (other: string) => {
    const drawn = profileFromText(`
      tid   1            2
      comm  app          app
            main         start_thread
            ${other.padEnd(11)}  worker
    `);
    const threads = drawn.threads.map((thread) => ({ ...thread, pid: 1 }));
    return nameWorkers({ ...drawn, threads }, []).threads.map(({ comm }) => comm);
  };
  expect(draw('work')).toStrictEqual(['app', 'app']);
  expect(draw('node::Start')).toStrictEqual(['app', 'libuv worker']);
});
