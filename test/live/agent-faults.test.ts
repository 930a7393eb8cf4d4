import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { CLOCK_IDS } from '../../src/kernel/perf-event/clock-ids.ts';
import { loadBinding } from '../../src/native/binding.ts';
import type { NativeBinding, SamplerOptions } from '../../src/native/types.ts';
import { startAgent } from '../../src/tools/agent/agent.ts';
import { readAgentConfig } from '../../src/tools/agent/config/parse-config.ts';
import { profilesIn } from '../helpers/agent-profiles.ts';
import { scratchDirectory, startPerfTs } from '../helpers/cli.ts';
import { startFakeSink } from '../helpers/fake-sink.ts';
import { describeLive } from '../helpers/live.ts';
import { canMount, inMountNamespace } from '../helpers/mount-namespace.ts';

/** By so much the wall clock may be moved meanwhile against the monotonic one. */
const SLACK_NS = 1_000_000_000n;

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

/** V8 tells one recorder: programs of tests that want names are left to them. */
const NO_NAMES = { javascript: false };

/** A process that is in each window, as a service of this name. */
function startBusy(name: string): void {
  const env = { ...process.env, OTEL_SERVICE_NAME: name };
  running.push(spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore', env }));
}

describeLive('the agent', () => {
  it('the agent ends where no record has come before the end of sampling', async () => {
    const binding = loadBinding();
    class SilentSampler extends binding.Sampler {
      override takeChunk(): null {
        while (super.takeChunk() !== null);
        return null;
      }
    }
    const sinks = [{ type: 'folder', path: scratchDirectory() }];
    const config = readAgentConfig({ sampling: NO_NAMES, sinks }, 'test');
    const agent = await startAgent({ config }, { ...binding, Sampler: SilentSampler });
    await agent.stop();
    expect(agent.totals).toMatchObject({ counted: expect.any(Number), weighed: 0 });
  });

  it('the agent reads its rings five times a second, however long its windows are', async () => {
    const binding = loadBinding();
    const latencies: number[] = [];
    class SeenSampler extends binding.Sampler {
      constructor(options: SamplerOptions) {
        super(options);
        latencies.push(options.latencyMs);
      }
    }
    for (const seconds of [1, 10]) {
      const sinks = [{ type: 'folder', path: scratchDirectory() }];
      const config = readAgentConfig({ sampling: NO_NAMES, window: { seconds }, sinks }, 'test');
      const agent = await startAgent({ config }, { ...binding, Sampler: SeenSampler });
      await agent.stop();
    }
    expect(latencies).toEqual([200, 200]);
  });

  it('the agent makes windows of the time that has passed, whatever the clock is set to meanwhile', async () => {
    startBusy('agent-test-clock');
    const binding = loadBinding();
    const HOUR_NS = 3_600_000_000_000n;
    let setByNs = 0n;
    const clock: NativeBinding = {
      ...binding,
      readClockPair: (id) => {
        const { wallNs, clockNs } = binding.readClockPair(id);
        return { wallNs: wallNs + setByNs, clockNs };
      },
    };
    const folder = scratchDirectory();
    const config = {
      ...{ sampling: { hz: 99, ...NO_NAMES }, window: { seconds: 1 } },
      sinks: [{ type: 'folder', path: folder }],
    };
    const windows = () =>
      profilesIn(folder)
        .filter(({ service }) => service === 'agent-test-clock')
        .map(({ profile }) => ({
          startNs: BigInt(profile.timeNanos),
          durationNs: BigInt(profile.durationNanos),
        }));
    const { wallNs: startNs, clockNs: startClockNs } = binding.readClockPair(CLOCK_IDS.monotonic);
    const agent = await startAgent({ config: readAgentConfig(config, 'test') }, clock);
    /** Windows that lie by that clock between the start and now. */
    const madeBy = (byNs: bigint) => {
      const nowNs = binding.readClockPair(CLOCK_IDS.monotonic).wallNs + byNs;
      return windows().filter(
        (window) =>
          window.startNs >= startNs + byNs - SLACK_NS &&
          window.startNs + window.durationNs <= nowNs + SLACK_NS,
      );
    };
    // Somewhere in a window: an hour forwards, then two back.
    const settings = [0n, HOUR_NS, -HOUR_NS];
    for (const byNs of settings) {
      setByNs = byNs;
      await expect.poll(() => madeBy(byNs).length).toBeGreaterThan(1);
    }
    await agent.stop();
    const { clockNs: endClockNs } = binding.readClockPair(CLOCK_IDS.monotonic);
    const all = windows();
    expect(settings.reduce((sum, byNs) => sum + madeBy(byNs).length, 0)).toBe(all.length);
    expect(all.every(({ durationNs }) => durationNs > 0n)).toBe(true);
    const covered = all.reduce((sum, { durationNs }) => sum + durationNs, 0n);
    expect(covered).toBeLessThanOrEqual(endClockNs - startClockNs);
  });

  it.skipIf(!canMount())(
    'the agent waits where a disk is full, and goes on when it has room',
    async () => {
      startBusy('agent-test-full');
      const mount = scratchDirectory();
      const script = [
        `mount -t tmpfs -o size=1m tmpfs ${mount}`,
        `mkdir -m 700 ${mount}/spool`,
        `dd if=/dev/zero of=${mount}/filler bs=4k || true`,
      ].join('\n');
      const down = await startFakeSink((response) => response.writeHead(503).end());
      const config = scratchDirectory();
      writeFileSync(
        `${config}/agent.json`,
        JSON.stringify({
          sampling: NO_NAMES,
          window: { seconds: 1 },
          spool: { directory: `${mount}/spool` },
          sinks: [
            { type: 'folder', path: `${mount}/profiles` },
            { type: 'pyroscope', url: down.url },
          ],
        }),
        { mode: 0o600 },
      );
      const agent = startPerfTs(['agent', '--config', `${config}/agent.json`], {
        under: inMountNamespace(script),
      });
      running.push(agent.child);
      // unshare and sh have become the agent: what it has mounted is seen through it.
      const seen = `/proc/${agent.child.pid}/root${mount}`;
      const reason = 'no space left on the device (ENOSPC)';
      await expect.poll(agent.stderr).toContain(`: ${reason}; windows wait`);
      await expect.poll(agent.stderr).toContain('pyroscope: windows wait in memory: cannot write ');
      expect(agent.stderr()).not.toContain('an open file');
      expect(readdirSync(`${seen}/spool/pyroscope`)).toEqual([]);
      rmSync(`${seen}/filler`);
      await expect.poll(agent.stderr).toContain('folder: takes windows again');
      await expect.poll(agent.stderr).toContain('windows are written to disk again');
      // The first window too, which only was in memory. What the other sink gave up may have made room for a moment before.
      const firstOf = () => readdirSync(`${seen}/spool/pyroscope`).sort().at(0);
      await expect.poll(firstOf).toMatch(/-0\.window$/);
      const first = firstOf();
      const files = profilesIn(`${seen}/profiles`).filter(
        ({ service }) => service === 'agent-test-full',
      );
      expect(files.length).toBeGreaterThan(0);
      expect(statSync(`${seen}/spool/pyroscope/${first}`).size).toBeGreaterThan(0);
      agent.child.kill('SIGTERM');
      const { status, stderr } = await agent.ended;
      expect(status, stderr).toBe(0);
      expect(stderr).not.toContain('are lost');
    },
  );
});
