import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { PERF_COUNT_SW } from '../../src/base/event-type.ts';
import { PERF_RECORD } from '../../src/kernel/perf-event/constants.ts';
import { describeLive } from '../helpers/live.ts';
import { countByType, onlineCpus, SIDEBAND, softwareEvent, walkRecords } from './sampler-setup.ts';

const programs = fileURLToPath(new URL('./programs/', import.meta.url));
const addon = fileURLToPath(new URL('../../build/Release/perf_ts.node', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'perf-ts-lifetime-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Often enough that every turn of the drain thread finds something. */
const BUSY = softwareEvent(PERF_COUNT_SW.CPU_CLOCK, {
  samplePeriod: 100_000,
  flags: { inherit: false },
});

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const setup = JSON.stringify({
  addon,
  events: [base64(BUSY)],
  sideband: base64(SIDEBAND),
  cpus: onlineCpus(),
});

/** Runs a program in a process of its own. An abort shows as a signal. */
function run(program: string, args: readonly string[] = [], nodeFlags: readonly string[] = []) {
  const result = spawnSync(process.execPath, [...nodeFlags, join(programs, program), ...args], {
    encoding: 'utf8',
    env: { ...process.env, PERF_TS_TEST_SETUP: setup, NODE_OPTIONS: '' },
  });
  return {
    status: result.status,
    signal: result.signal,
    stdout: result.stdout.trim(),
    stderr: result.stderr,
  };
}

describeLive('a recording that is not ended properly', () => {
  it.each(['system', 'command'])(
    'a recording that is not ended properly survives the termination of its worker, whenever that comes: %s',
    (target) => {
      const { status, signal, stdout, stderr } = run('terminate-workers.mjs', ['250', target]);
      expect(stderr).toBe('');
      expect({ status, signal }).toEqual({ status: 0, signal: null });
      const { terminated, recorded } = JSON.parse(stdout);
      expect(terminated).toBe(250);
      // Half of them were recording when they were terminated, others on the way there.
      expect(recorded).toBeGreaterThanOrEqual(125);
    },
  );

  it('a recording that is not ended properly survives process.exit in its worker, eight of them at once', () => {
    const result = run('exit-workers.mjs', ['48', '8']);
    expect(result).toMatchObject({ status: 0, signal: null, stdout: '{"ended":48}' });
  });

  it('a recording that is not ended properly gives fds and mappings back when sessions are forgotten', () => {
    const { status, stdout } = run('forget-sessions.mjs', ['1000'], ['--expose-gc']);
    expect(status).toBe(0);
    const { before, after, most } = JSON.parse(stdout);
    expect(most).toBeGreaterThan(0);
    expect(after).toEqual(before);
  });

  it('a recording that is not ended properly exits with the status given to process.exit in a callback', () => {
    expect(run('end-process.mjs', ['exit in a callback'])).toMatchObject({
      status: 5,
      signal: null,
    });
  });

  it.each(['an exception in a callback', 'an unhandled rejection'])(
    'a recording process dies as Node does of %s',
    (way) => {
      const { status, signal, stderr } = run('end-process.mjs', [way]);
      expect({ status, signal }).toEqual({ status: 1, signal: null });
      expect(stderr).toMatch(/thrown in a callback|rejected/);
    },
  );

  it('a recording that is not ended properly lets the process end by itself after close in a callback', () => {
    expect(run('end-process.mjs', ['close in a callback'])).toMatchObject({
      status: 0,
      stdout: '',
    });
  });

  it('a recording that is not ended properly keeps the process alive until its last event, then lets it end', () => {
    expect(run('end-process.mjs', ['stop in a callback'])).toMatchObject({
      status: 0,
      stdout: 'stopped',
    });
  });

  it('an exiting process leaves complete rounds and a correct data size', () => {
    const path = join(scratch, 'exit.data');
    expect(run('end-process.mjs', ['exit of a file recording', path])).toMatchObject({ status: 0 });
    const file = readFileSync(path);
    const data = new Uint8Array(file.subarray(4096));
    expect(Number(file.readBigUInt64LE(48))).toBe(data.length);
    const records = walkRecords(data);
    expect(countByType(records).get(PERF_RECORD.SAMPLE)).toBeGreaterThan(0);
    expect(records.at(-1)!.type).toBe(68);
  });

  it('records from two copies of the addon and from another context at once', () => {
    const copy = join(scratch, 'copy.node');
    copyFileSync(addon, copy);
    const { status, stdout, stderr } = run('end-process.mjs', ['two paths', copy]);
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ copies: 3, same: false });
  });
});
