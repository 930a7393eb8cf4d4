import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import { RecordEncoder } from '../../../src/kernel/perf-event/encode.ts';
import { MetWords } from '../../../src/record/jit-maps/met-words.ts';
import { findMappedNode } from '../../../src/record/jit-maps/unmapped-node.ts';

const encoder = new RecordEncoder({ littleEndian: true, sampleType: 0, sampleIdAll: false });

function nodeOf(pid: number): Uint8Array {
  const place = { address: 0x1000n, length: 0x1000n, fileOffset: 0n };
  return encoder.mmap2({ pid, tid: pid, ...place, prot: 5, flags: 2, filename: '/opt/bin/node' });
}

test('words of a Node that reports no code are known when it is gone, those of others are not kept', async () => {
  const children = [spawn('sleep', ['1000']), spawn('sleep', ['2000'])];
  await Promise.all(children.map((child) => once(child, 'spawn')));
  const [silent, reporting] = children.map(({ pid }) => pid as number);
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const words = new MetWords();
  const reports = (pid: number) => pid === reporting;
  words.meet(findMappedNode(Buffer.concat([nodeOf(silent), nodeOf(reporting)])), reports);
  vi.advanceTimersByTime(1000);
  vi.useRealTimers();
  expect((await words.of(silent)).slice(0, 2)).toEqual(['sleep', '1000']);
  for (const child of children) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  expect((await words.of(silent)).slice(0, 2)).toEqual(['sleep', '1000']);
  expect((await words.of(reporting)).join('')).toBe('');
});
