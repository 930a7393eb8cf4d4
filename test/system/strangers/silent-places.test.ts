import { expect, test } from 'vitest';
import { parseMounts, SilentPlaces } from '../../../src/system/strangers/silent-places.ts';
import { until } from '../../helpers/tasks.ts';

const MOUNTS = [
  '22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/root rw',
  '30 22 0:25 / /tmp rw - tmpfs tmp rw',
  '41 22 0:40 / /mnt/a\\040b rw master:1 - fuse.sshfs host: rw',
  '42 41 0:26 / /mnt/a\\040b/local rw - tmpfs tmp rw',
  '',
].join('\n');

const next = () => new Promise((turned) => setImmediate(turned));

function placesOf(mounts: () => string, answer: () => Promise<unknown>) {
  const asked: string[] = [];
  const places = new SilentPlaces(mounts, (_, path) => {
    asked.push(path);
    return answer();
  });
  return { places, asked };
}

test('mounts are read with their places, devices and kinds', () => {
  expect(parseMounts(MOUNTS)[2]).toEqual({ at: '/mnt/a b', device: '0:40', type: 'fuse.sshfs' });
  expect(parseMounts('junk\n\n1 2 3')).toEqual([]);
});

test('a folder of the kernel’s own file systems is not asked', () => {
  const { places, asked } = placesOf(
    () => MOUNTS,
    () => Promise.resolve(true),
  );
  for (const path of ['/', '/tmp', '/tmp/x', '/mnt/a', '/mnt/a bc/x', '/mnt/a b/local/x']) {
    expect(places.mayWait(path), path).toBe(false);
  }
  expect(asked).toEqual([]);
});

test('a folder with a server may wait until it has answered, and is asked once at a time', async () => {
  let answer = (_: unknown): void => {};
  const { places, asked } = placesOf(
    () => MOUNTS,
    () => new Promise((resolve) => (answer = resolve)),
  );
  expect([places.mayWait('/mnt/a b'), places.mayWait('/mnt/a b/x')]).toEqual([true, true]);
  expect(asked).toEqual(['/mnt/a b']);
  answer(true);
  await next();
  expect(places.mayWait('/mnt/a b/x')).toBe(false);
  expect(asked).toHaveLength(1);
});

test('a folder whose server is silent may wait, whatever is mounted over it later', async () => {
  let mounts = MOUNTS;
  const { places, asked } = placesOf(
    () => mounts,
    () => Promise.resolve(undefined),
  );
  expect(places.mayWait('/mnt/a b')).toBe(true);
  await next();
  expect(places.mayWait('/mnt/a b')).toBe(true);
  expect(asked).toHaveLength(2);
  mounts += '50 30 0:50 / /tmp rw - fuse fuse rw\n';
  // The list is read again after a while.
  await until(() => places.mayWait('/tmp/x'));
  expect(asked.at(-1)).toBe('/tmp/x');
});

test('waiting for answers ends without one', async () => {
  const { places } = placesOf(
    () => MOUNTS,
    () => new Promise(() => {}),
  );
  await places.settle(['/tmp', '/mnt/a b']);
  expect(places.mayWait('/mnt/a b')).toBe(true);
});

test('the mounts of another process are those that count below its root', () => {
  const seen: string[] = [];
  const places = new SilentPlaces(
    (pid) => {
      seen.push(pid);
      return pid === 'self' ? MOUNTS : '50 30 0:50 / /tmp rw - fuse fuse rw\n';
    },
    () => Promise.resolve(undefined),
  );
  expect(places.mayWait('/proc/17/root/tmp/x')).toBe(true);
  expect(places.mayWait('/tmp/x')).toBe(false);
  expect(seen).toEqual(['17', 'self']);
});
