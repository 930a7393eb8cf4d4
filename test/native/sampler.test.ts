import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it } from 'vitest';
import { PERF_COUNT_SW } from '../../src/base/event-type.ts';
import { PERF_FORMAT, PERF_RECORD } from '../../src/kernel/perf-event/constants.ts';
import { loadBinding } from '../../src/native/binding.ts';
import type { NativeError, NativeSampler, SamplerEvent } from '../../src/native/types.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { canRecord, describeLive } from '../helpers/live.ts';
import { stateOf, until } from '../helpers/tasks.ts';
import {
  CPU_CLOCK,
  commandTarget,
  countByType,
  endOf,
  onlineCpus,
  openSampler,
  PAGE_FAULTS,
  recordLive,
  recordToFile,
  samplerOptions,
  softwareEvent,
  walkRecords,
} from './sampler-setup.ts';

const DATA_OFFSET = 4096;
const FINISHED_ROUND = 68;
const scratch = mkdtempSync(join(tmpdir(), 'perf-ts-native-'));
const workload = canRecord() ? compileWorkload() : '';

const children: ChildProcess[] = [];
const samplers: NativeSampler[] = [];

function open(...parameters: Parameters<typeof openSampler>): NativeSampler {
  const sampler = openSampler(...parameters);
  samplers.push(sampler);
  return sampler;
}

/** A workload beside the test, running when this returns. */
async function start(...args: string[]): Promise<ChildProcess> {
  const child = spawn(workload, args, { stdio: 'ignore' });
  children.push(child);
  await once(child, 'spawn');
  return child;
}

/** A file with an empty header, opened for the recorder; `read` gives the data section's bytes. */
function dataFile(): { fd: number; data: () => Uint8Array; sizeInHeader: () => number } {
  const path = join(scratch, `data-${Math.random().toString(36).slice(2)}`);
  const fd = openSync(path, 'w+');
  writeSync(fd, new Uint8Array(DATA_OFFSET));
  return {
    fd,
    data: () => new Uint8Array(readFileSync(path).subarray(DATA_OFFSET)),
    sizeInHeader: () => Number(readFileSync(path).readBigUInt64LE(48)),
  };
}

afterEach(() => {
  for (const sampler of samplers.splice(0)) sampler.close();
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** By the counters, which were read at the end. */
function lostSamplesOf({ totals }: ReturnType<typeof endOf>): number {
  if (totals.lostSamples === null) throw new Error('no counter of losses was read');
  return totals.lostSamples;
}

function thrown(action: () => unknown): NativeError {
  try {
    action();
  } catch (error) {
    return error as NativeError;
  }
  throw new Error('nothing was thrown');
}

describeLive('the sampler', () => {
  it("a recorded command's file has the size and totals reported", async () => {
    const { fd, data, sizeInHeader } = dataFile();
    const sampler = open(commandTarget([workload, 'pf', '20000']));
    const events = await recordToFile(sampler, fd);
    closeSync(fd);
    expect(events.map((event) => event.kind)).toEqual(['recording-ended', 'child-exited']);
    const end = endOf(events);
    const counts = countByType(walkRecords(data()));

    expect(end.reason).toBe('target-exited');
    expect(sizeInHeader()).toBe(data().length);
    expect(end.dataEnd).toBe(DATA_OFFSET + data().length);
    expect(end.totals.bytes).toBe(data().length);
    expect(counts.get(PERF_RECORD.SAMPLE)).toBe(end.totals.samples);
    expect(counts.get(FINISHED_ROUND)).toBe(end.totals.rounds);
    expect(counts.get(PERF_RECORD.EXIT)).toBe(1);
    expect(walkRecords(data()).at(-1)!.type).toBe(FINISHED_ROUND);
    expect(events.at(-1)).toEqual({ kind: 'child-exited', status: 0, signal: 0 });
  });

  it('executable mappings are reported as they are in the file, and ends of rounds where rounds end', async () => {
    const { fd, data } = dataFile();
    const sampler = open(commandTarget([workload, 'pf', '2000']));
    const before = process.hrtime.bigint();
    const reported: Uint8Array[] = [];
    const events = await recordToFile(sampler, fd, {}, undefined, (some) => reported.push(some));
    const { dataEnd, roundEnds } = endOf(events);
    const { codeMappings } = loadBinding().scanRecording(fd, DATA_OFFSET, dataEnd, false, dataEnd);
    closeSync(fd);
    expect(walkRecords(codeMappings).length).toBeGreaterThan(2);
    expect(Buffer.concat(reported)).toEqual(Buffer.from(codeMappings));
    const ends = walkRecords(data())
      .filter(({ type }) => type === FINISHED_ROUND)
      .map(({ offset, size }) => DATA_OFFSET + offset + size);
    expect(roundEnds.ends.length).toBeGreaterThan(0);
    expect(ends).toEqual(expect.arrayContaining([...roundEnds.ends]));
    for (const atNs of roundEnds.atNs) expect(atNs).toBeGreaterThan(before);
  });

  it.each([1, 2, 64])('samples and losses add up to the count with %i pages', async (ringPages) => {
    const { fd, data } = dataFile();
    const sampler = open(commandTarget([workload, 'pf', '50000']), { ringPages });
    const end = endOf(await recordToFile(sampler, fd));
    closeSync(fd);
    expect(sampler.opened.ringPages).toBe(ringPages);
    expect(BigInt(end.totals.samples + lostSamplesOf(end))).toBe(end.finals[0].value);
    expect(end.finals[0].value).toBeGreaterThanOrEqual(50_000n);
    expect(end.finals[0].lost).toBe(BigInt(lostSamplesOf(end)));
    expect(end.totals.skippedBytes).toBe(0);
    // What the counters lost is in the file too, per instance.
    const bytes = data();
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    const lost = walkRecords(bytes)
      .filter((record) => record.type === PERF_RECORD.LOST_SAMPLES)
      .map((record) => Number(view.getBigUint64(record.offset + 8, true)));
    expect(lost.reduce((sum, count) => sum + count, 0)).toBe(
      lostSamplesOf(end) + end.totals.lostSideband,
    );
  });

  it('the sampler gives every instance an id of its own, CPU by CPU', () => {
    const cpus = onlineCpus();
    const sampler = open(commandTarget([workload, 'exit', '0']), {
      events: [
        { attr: PAGE_FAULTS, leader: -1 },
        { attr: CPU_CLOCK, leader: -1 },
      ],
    });
    const { ids, sidebandIds, childPid, tids } = sampler.opened;
    expect(ids.map((list) => list.length)).toEqual([cpus.length, cpus.length]);
    expect(sidebandIds.length).toBe(cpus.length);
    const all = [...ids[0], ...ids[1], ...sidebandIds];
    expect(new Set(all).size).toBe(3 * cpus.length);
    expect([...tids]).toEqual([childPid]);
    // Opened one after the other, and the kernel counts ids up.
    expect([...ids[0]]).toEqual([...ids[0]].sort((a, b) => Number(a - b)));
  });

  it('the sampler reads the members of a group by their ids', async () => {
    const group = PERF_FORMAT.GROUP | PERF_FORMAT.ID | PERF_FORMAT.LOST;
    const leader = softwareEvent(PERF_COUNT_SW.PAGE_FAULTS, { readFormat: group });
    const member = softwareEvent(PERF_COUNT_SW.PAGE_FAULTS_MIN, {
      readFormat: group,
      samplePeriod: 0,
    });
    const { fd } = dataFile();
    const sampler = open(commandTarget([workload, 'pf', '3000']), {
      events: [
        { attr: leader, leader: -1 },
        { attr: member, leader: 0 },
      ],
    });
    const end = endOf(await recordToFile(sampler, fd));
    closeSync(fd);
    expect(end.finals[0].value).toBeGreaterThanOrEqual(3000n);
    expect(end.finals[1].value).toBeGreaterThanOrEqual(3000n);
    expect(end.finals[1].value).toBeLessThanOrEqual(end.finals[0].value);
  });

  it('the sampler attaches to all threads of a process and ends when they have ended', async () => {
    const child = await start('threads', '20', '300');
    const status = () => readFileSync(`/proc/${child.pid}/status`, 'utf8');
    await expect.poll(() => /Threads:\t(\d+)/.exec(status())?.[1]).toBe('21');
    const { fd } = dataFile();
    const sampler = open(
      { kind: 'processes', pids: [child.pid!] },
      {
        events: [{ attr: CPU_CLOCK, leader: -1 }],
      },
    );
    const recorded = recordToFile(sampler, fd);
    await expect.poll(() => sampler.totals().samples).toBeGreaterThan(0);
    child.kill('SIGKILL');
    const end = endOf(await recorded);
    closeSync(fd);
    expect(sampler.opened.tids.length).toBe(21);
    expect([...sampler.opened.tids]).toContain(child.pid);
    expect(end.reason).toBe('target-exited');
    expect(end.totals.samples).toBeGreaterThan(0);
  });

  it('stop ends the sampling once while the command runs on', async () => {
    const { fd } = dataFile();
    const sampler = open(commandTarget([workload, 'burn', '1', '30']), {
      events: [{ attr: CPU_CLOCK, leader: -1 }],
    });
    const kinds: string[] = [];
    const finished = recordToFile(sampler, fd, {}, ({ kind }) => kinds.push(kind));
    await expect.poll(() => sampler.totals().samples).toBeGreaterThan(10);
    expect(sampler.totals().lostSamples).toBeNull();
    sampler.stop();
    sampler.stop();
    await expect.poll(() => kinds).toEqual(['recording-ended']);
    const { samples } = sampler.totals();
    process.kill(sampler.opened.childPid, 0);
    expect(sampler.kill(15)).toBe(true);
    const events = await finished;
    closeSync(fd);
    expect(events.map((event) => event.kind)).toEqual(['recording-ended', 'child-exited']);
    expect(endOf(events).reason).toBe('stopped');
    expect(endOf(events).totals.samples).toBe(samples);
    expect(events.at(-1)).toEqual({ kind: 'child-exited', status: 0, signal: 15 });
    expect(sampler.kill(15)).toBe(false);
  });

  it('the sampler counts nothing of a delayed recording until it is enabled', async () => {
    const { fd, data } = dataFile();
    const sampler = open(commandTarget([workload, 'burn', '1', '30']), {
      events: [{ attr: CPU_CLOCK, leader: -1 }],
      delayed: true,
    });
    const finished = recordToFile(sampler, fd);
    // The exec's own records come, so the command runs.
    await expect.poll(() => sampler.totals().bytes).toBeGreaterThan(0);
    const before = sampler.totals().samples;
    sampler.enable();
    await expect.poll(() => sampler.totals().samples).toBeGreaterThan(0);
    sampler.stop();
    sampler.kill(9);
    const end = endOf(await finished);
    closeSync(fd);
    expect(before).toBe(0);
    expect(countByType(walkRecords(data())).get(PERF_RECORD.COMM)).toBe(1);
    expect(Number(end.finals[0].enabledNs)).toBeGreaterThan(0);
  });

  it('the sampler ends with the round that reaches the size limit', async () => {
    const { fd, data, sizeInHeader } = dataFile();
    const sampler = open(commandTarget([workload, 'pf', '100000']), { latencyMs: 1 });
    const events = await recordToFile(sampler, fd, { maxBytes: 200_000 });
    closeSync(fd);
    const end = endOf(events);
    expect(end.reason).toBe('size-limit');
    expect(end.errno).toBe(0);
    expect(DATA_OFFSET + data().length).toBeGreaterThanOrEqual(200_000);
    expect(sizeInHeader()).toBe(data().length);
    expect(countByType(walkRecords(data())).get(PERF_RECORD.SAMPLE)).toBe(end.totals.samples);
    expect(events.at(-1)).toEqual({ kind: 'child-exited', status: 0, signal: 0 });
  });

  it('the sampler ends with the errno when the file takes no more, and lets the command run on', async () => {
    const fd = openSync('/dev/full', 'w');
    const sampler = open(commandTarget([workload, 'exit', '7']));
    const events = await recordToFile(sampler, fd, { stream: true });
    closeSync(fd);
    expect(endOf(events)).toMatchObject({ reason: 'write-error', errno: 28 });
    expect(endOf(events).totals.bytes).toBe(0);
    expect(events.at(-1)).toEqual({ kind: 'child-exited', status: 7, signal: 0 });
  });

  it('the sampler hands the same records to a live reader, chunk by chunk', async () => {
    const sampler = open(commandTarget([workload, 'pf', '20000']));
    const { events, bytes } = await recordLive(sampler);
    const end = endOf(events);
    const counts = countByType(walkRecords(bytes));
    expect(counts.get(PERF_RECORD.SAMPLE)).toBe(end.totals.samples);
    expect(counts.get(FINISHED_ROUND)).toBe(end.totals.rounds);
    expect(bytes.length).toBe(end.totals.bytes);
    expect(BigInt(end.totals.samples + lostSamplesOf(end))).toBe(end.finals[0].value);
  });

  it('the sampler keeps what a slow live reader has not taken in the rings, and counts what they lose', async () => {
    const sampler = open(commandTarget([workload, 'pf', '50000']), { ringPages: 8 });
    // Nothing is taken until the recording has ended.
    const end = await new Promise<ReturnType<typeof endOf>>((resolve) => {
      sampler.startLive({ maxChunks: 1, chunkBytes: 65536 }, (event) => {
        if (event.kind === 'recording-ended') resolve(event);
      });
    });
    let bytes = 0;
    let samples = 0;
    for (let chunk = sampler.takeChunk(); chunk !== null; chunk = sampler.takeChunk()) {
      bytes += chunk.length;
      samples += countByType(walkRecords(chunk)).get(PERF_RECORD.SAMPLE) ?? 0;
    }
    expect(samples).toBe(end.totals.samples);
    expect(bytes).toBe(end.totals.bytes);
    expect(lostSamplesOf(end)).toBeGreaterThan(0);
    expect(BigInt(samples + lostSamplesOf(end))).toBe(end.finals[0].value);
  });

  it('a failed exec is reported with step and errno', async () => {
    const { fd, data } = dataFile();
    const sampler = open(commandTarget(['/nonexistent/program']));
    const events = await recordToFile(sampler, fd);
    closeSync(fd);
    expect(events.map((event) => event.kind)).toEqual(['exec-failed', 'recording-ended']);
    expect(events[0]).toEqual({ kind: 'exec-failed', step: 'execve', code: 'ENOENT' });
    expect(data().length).toBe(endOf(events).totals.bytes);
  });

  // A child that is stopped does not answer: as far as anybody can see, its exec hangs.
  it.each([
    [workload, { kind: 'child-exited', status: 5, signal: 0 }],
    ['/nonexistent/program', { kind: 'exec-failed', step: 'execve', code: 'ENOENT' }],
  ])('drains its rings and ends while the exec of the command hangs: %s', async (path, outcome) => {
    const { fd } = dataFile();
    const sampler = open({ ...commandTarget([path, 'exit', '5']), kind: 'system' });
    const { childPid } = sampler.opened;
    process.kill(childPid, 'SIGSTOP');
    await until(() => stateOf(childPid) === 'T');
    const events: SamplerEvent[] = [];
    void recordToFile(sampler, fd, {}, (event) => events.push(event));
    await start('pf', '2000', '0');
    await until(() => sampler.totals().samples >= 2000);
    sampler.stop();
    await until(() => events.length > 0);
    expect(endOf(events).totals.samples).toBeGreaterThanOrEqual(2000);
    expect(events.length).toBe(1);
    process.kill(childPid, 'SIGCONT');
    await until(() => events.length > 1);
    closeSync(fd);
    expect(events[1]).toEqual(outcome);
  });

  it('an open error names the operation, event, pid and CPU', () => {
    const unknown = softwareEvent(999);
    const error = thrown(() =>
      openSampler(commandTarget([workload, 'exit', '0']), {
        events: [
          { attr: PAGE_FAULTS, leader: -1 },
          { attr: unknown, leader: -1 },
        ],
      }),
    );
    expect(error).toMatchObject({
      code: 'ENOENT',
      errno: 2,
      operation: 'perf_event_open',
      eventIndex: 1,
      cpu: onlineCpus()[0],
    });
    expect(error.pid).toBeGreaterThan(0);
  });

  it('the sampler reports a process that does not exist', async () => {
    const child = await start('exit', '0');
    await once(child, 'exit');
    const error = thrown(() => openSampler({ kind: 'processes', pids: [child.pid!] }));
    expect(error).toMatchObject({ code: 'ESRCH', pid: child.pid });
    expect(thrown(() => openSampler({ kind: 'threads', tids: [child.pid!] }))).toMatchObject({
      code: 'ESRCH',
      operation: 'perf_event_open',
    });
  });

  it('the sampler leaves a thread out that has ended, as long as another is there', async () => {
    const gone = await start('exit', '0');
    await once(gone, 'exit');
    const child = await start('burn', '1', '30');
    const sampler = open({ kind: 'threads', tids: [gone.pid!, child.pid!] });
    expect([...sampler.opened.tids]).toEqual([child.pid]);
  });

  it('a held command whose session is closed never runs', async () => {
    const marker = join(scratch, 'ran');
    const sampler = open(commandTarget(['/usr/bin/touch', marker]));
    const { childPid } = sampler.opened;
    sampler.close();
    expect(() => process.kill(childPid, 0)).toThrow('ESRCH');
    expect(() => readFileSync(marker)).toThrow('ENOENT');
  });

  it('the sampler refuses a closed or twice started session by code, and ignores a second close', async () => {
    const { fd } = dataFile();
    const sink = { fd, dataOffset: 4096, dataSize: 0, stream: false, maxBytes: 0 };
    const sampler = open(commandTarget([workload, 'burn', '1', '30']));
    sampler.startFile(sink, () => {});
    const { childPid } = sampler.opened;
    expect(thrown(() => sampler.startFile(sink, () => {})).code).toBe('ERR_STARTED');
    await expect.poll(() => sampler.totals().bytes).toBeGreaterThan(0);
    const { bytes } = sampler.totals();
    sampler.close();
    sampler.close();
    sampler.stop();
    closeSync(fd);
    process.kill(childPid, 'SIGKILL');
    expect(thrown(() => sampler.startFile(sink, () => {})).code).toBe('ERR_CLOSED');
    expect(thrown(() => sampler.enable()).code).toBe('ERR_CLOSED');
    expect(thrown(() => sampler.disable()).code).toBe('ERR_CLOSED');
    expect(sampler.takeChunk()).toBeNull();
    expect(sampler.kill(15)).toBe(false);
    expect(sampler.totals().bytes).toBeGreaterThanOrEqual(bytes);
  });

  it('the sampler refuses options of the wrong shape before anything is opened', () => {
    const { Sampler } = loadBinding();
    const target = commandTarget([workload, 'exit', '0']);
    const refused = (changes: object) =>
      thrown(() => new Sampler({ ...samplerOptions(target), ...changes } as never));
    expect(refused({ ringPages: 3 })).toBeInstanceOf(RangeError);
    expect(refused({ cpus: [] })).toBeInstanceOf(RangeError);
    expect(refused({ events: [] })).toBeInstanceOf(RangeError);
    expect(refused({ events: [{ attr: PAGE_FAULTS, leader: 0 }] })).toBeInstanceOf(RangeError);
    expect(refused({ sideband: PAGE_FAULTS.subarray(0, 70) })).toBeInstanceOf(RangeError);
    expect(refused({ sideband: 'bytes' })).toBeInstanceOf(TypeError);
    expect(refused({ target: { kind: 'nothing' } })).toBeInstanceOf(RangeError);
    expect(thrown(() => new Sampler(undefined as never))).toBeInstanceOf(TypeError);
  });
});
