import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { BufferGarbage } from '../../src/system/buffer-garbage.ts';

const MOST = 4 << 20;

afterEach(() => {
  vi.restoreAllMocks();
});

/** Bytes of buffers that V8 reports from now on. */
const reportBuffers = (arrayBuffers: number): void => {
  const memory = process.memoryUsage();
  vi.spyOn(process, 'memoryUsage').mockReturnValue({ ...memory, arrayBuffers });
};

it('buffers that nobody refers to are given back once more have come than may be', async () => {
  const garbage = new BufferGarbage(MOST);
  reportBuffers(0);
  garbage.bound();
  const refs = Array.from({ length: 6 }, () => new WeakRef(new ArrayBuffer(1 << 20)));
  // A reference that was made in a job is held until that one ends.
  await sleep(0);
  reportBuffers(6 << 20);
  garbage.bound();
  expect(refs.map((ref) => ref.deref())).toEqual(refs.map(() => undefined));
});

it('buffers are looked for again where more have come since, and not where those that are left are in use', () => {
  let collected = 0;
  const garbage = new BufferGarbage(MOST, () => collected++);
  const collectedAt = (bytes: number): number => {
    reportBuffers(bytes);
    garbage.bound();
    return collected;
  };
  const at = [MOST, MOST + 1, MOST + 1, 2 * MOST + 1, 2 * MOST + 2, 100, MOST + 100, MOST + 101];
  expect(at.map(collectedAt)).toEqual([0, 1, 1, 1, 2, 2, 2, 3]);
});
