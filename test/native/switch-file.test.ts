// A recording that goes on in another file: what starts around the change is known in both.

import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { PERF_RECORD } from '../../src/kernel/perf-event/constants.ts';
import type { SamplerEvent } from '../../src/native/types.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';
import { childrenOf, until } from '../helpers/tasks.ts';
import { CPU_CLOCK, commandTarget, openSampler, walkRecords } from './sampler-setup.ts';

const DATA_OFFSET = 4096;
const scratch = mkdtempSync(join(tmpdir(), 'perf-ts-native-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** `data.size` of perf_file_header. */
const DATA_SIZE_OFFSET = 48;

function newFile(name: string) {
  const path = join(scratch, name);
  const fd = openSync(path, 'w+');
  writeSync(fd, new Uint8Array(DATA_OFFSET));
  const sink = { fd, dataOffset: DATA_OFFSET, dataSize: 0, stream: false, maxBytes: 0 };
  // Up to the size in the header, which ends at a record: bytes behind it are being written.
  const data = () => {
    const bytes = readFileSync(path);
    const size = Number(bytes.readBigUInt64LE(DATA_SIZE_OFFSET));
    return new Uint8Array(bytes.subarray(DATA_OFFSET, DATA_OFFSET + size));
  };
  return { sink, data };
}

/** The pids of processes that FORK records announce, and those that have samples. */
function processesIn(data: Uint8Array) {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const forked = new Set<number>();
  const sampled = new Set<number>();
  for (const { type, offset } of walkRecords(data)) {
    // struct { header; u32 pid, ppid; u32 tid, ptid; u64 time; … }
    if (type === PERF_RECORD.FORK) forked.add(view.getUint32(offset + 8, true));
    // struct { header; u64 identifier; u64 ip; u32 pid, tid; … }
    if (type === PERF_RECORD.SAMPLE) sampled.add(view.getUint32(offset + 24, true));
  }
  return { forked, sampled };
}

describeLive('a change of the file', () => {
  it('a new file repeats the side-band kept since keepSideband', async () => {
    const command = [compileWorkload(), 'relays', '3', '300', '20'];
    const sampler = openSampler(commandTarget(command), {
      events: [{ attr: CPU_CLOCK, leader: -1 }],
    });
    const [first, second] = [newFile('first'), newFile('second')];
    const seen: SamplerEvent['kind'][] = [];
    sampler.startFile(first.sink, ({ kind }) => seen.push(kind));
    const parent = sampler.opened.childPid;
    try {
      await until(() => childrenOf(parent).length === 3);
      sampler.keepSideband(true);
      // Now somebody describes what is there; it takes a while, and processes start meanwhile.
      const described = new Set([parent, ...childrenOf(parent)]);
      const before = processesIn(first.data()).forked.size;
      await until(() => processesIn(first.data()).forked.size >= before + 10);
      sampler.switchFile(second.sink);
      await until(() => seen.includes('file-switched'));
      await until(() => processesIn(second.data()).sampled.size >= 20);
      sampler.stop();
      await until(() => seen.includes('recording-ended'));
      const [old, fresh] = [processesIn(first.data()), processesIn(second.data())];
      const unknown = [...fresh.sampled].filter(
        (pid) => !fresh.forked.has(pid) && !described.has(pid),
      );
      expect(unknown).toEqual([]);
      const inBoth = [...fresh.forked].filter((pid) => old.forked.has(pid));
      expect(inBoth.length).toBeGreaterThanOrEqual(10);
    } finally {
      sampler.kill(9);
      sampler.close();
      for (const { sink } of [first, second]) closeSync(sink.fd);
    }
  });

  it('a new file repeats no side-band where keeping it was revoked', async () => {
    const command = [compileWorkload(), 'relays', '3', '300', '20'];
    const sampler = openSampler(commandTarget(command), {
      events: [{ attr: CPU_CLOCK, leader: -1 }],
    });
    const [first, second] = [newFile('first-revoked'), newFile('second-revoked')];
    const seen: SamplerEvent['kind'][] = [];
    sampler.startFile(first.sink, ({ kind }) => seen.push(kind));
    try {
      sampler.keepSideband(true);
      await until(() => processesIn(first.data()).forked.size >= 10);
      sampler.keepSideband(false);
      sampler.switchFile(second.sink);
      await until(() => processesIn(second.data()).forked.size >= 10);
      sampler.stop();
      await until(() => seen.includes('recording-ended'));
      const [old, fresh] = [processesIn(first.data()), processesIn(second.data())];
      expect([...fresh.forked].filter((pid) => old.forked.has(pid))).toEqual([]);
    } finally {
      sampler.kill(9);
      sampler.close();
      for (const { sink } of [first, second]) closeSync(sink.fd);
    }
  });
});
