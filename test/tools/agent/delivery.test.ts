import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Deferred } from '../../../src/base/deferred.ts';
import { Delivery } from '../../../src/tools/agent/delivery/delivery.ts';
import { type EncodedWindow, uuidOf } from '../../../src/tools/agent/encode/encoded-window.ts';
import type { Sink, SinkAnswer } from '../../../src/tools/agent/sinks/sink.ts';
import { scratchDirectory } from '../../helpers/scratch.ts';

const TAKEN: SinkAnswer = { kind: 'taken' };
/** Doubled twenty times, it is a microsecond. */
const NO_PAUSE_MS = 1e-9;
const LATER: SinkAnswer = { kind: 'later', why: 'busy', afterMs: null };

function windowOf(id: string, profiles = 1): EncodedWindow {
  return {
    id,
    format: 'pprof',
    startNs: 1n,
    endNs: 2n,
    profiles: Array.from({ length: profiles }, (_, i) => ({
      id: uuidOf(id, String(i)),
      service: { name: `${id}.${i}`, source: 'comm', attributes: {} },
      bytes: new Uint8Array(10),
    })),
  };
}

/** A window with the same five services as any other, `kernel` the second of them. */
function serviceWindow(id: string): EncodedWindow {
  const names = ['app', 'kernel', 'node', 'sh', 'web'];
  return {
    ...windowOf(id),
    profiles: names.map((name) => ({
      id: uuidOf(id, name),
      service: { name, source: 'comm', attributes: {} },
      bytes: new Uint8Array(10),
    })),
  };
}

/** A sink that takes a profile a request, and answers as it is told; `sent` has what it was sent. */
function scriptedSink(answers: (sent: string, times: number) => SinkAnswer | Promise<SinkAnswer>) {
  const sent: string[] = [];
  const sink: Sink = {
    name: 'fake',
    format: 'pprof',
    isRepeatable: false,
    requestsOf: ({ profiles }) => profiles.map((profile) => [profile]),
    send: async ([profile]) => {
      const name = profile.service?.name ?? '';
      sent.push(name);
      return answers(name, sent.length);
    },
  };
  return { sink, sent };
}

/** Without `firstPauseMs` nothing is tried again by itself while a test runs. */
function deliver(sink: Sink, directory: string | null = null, firstPauseMs = 300_000) {
  const reported: string[] = [];
  const delivery = new Delivery(sink, {
    directory,
    maxBytes: 1 << 20,
    firstPauseMs,
    notify: (notice) => reported.push(notice),
  });
  return { delivery, reported };
}

const sentAll = (delivery: Delivery) => expect.poll(() => delivery.queue.length).toBe(0);

describe('the windows of a sink', () => {
  it('windows go out in order, one request at a time', async () => {
    let under = 0;
    let most = 0;
    const { sink, sent } = scriptedSink(async () => {
      most = Math.max(most, ++under);
      await new Promise((resolve) => setImmediate(resolve));
      under--;
      return TAKEN;
    });
    const { delivery, reported } = deliver(sink);
    delivery.add(windowOf('1', 2));
    delivery.add(windowOf('2', 1));
    await sentAll(delivery);
    expect(sent).toEqual(['1.0', '1.1', '2.0']);
    expect(most).toBe(1);
    expect(delivery.counts).toMatchObject({ windows: 2, requests: 3, bytes: 30, failures: 0 });
    expect(reported).toEqual([]);
  });

  it('four requests are under way where a sink is slower than windows come', async () => {
    let under = 0;
    let most = 0;
    const { sink, sent } = scriptedSink(async () => {
      most = Math.max(most, ++under);
      await new Promise((resolve) => setImmediate(resolve));
      under--;
      return TAKEN;
    });
    const { delivery, reported } = deliver(sink);
    for (const id of ['1', '2', '3', '4', '5']) delivery.add(windowOf(id, 4));
    await sentAll(delivery);
    expect(sent).toHaveLength(20);
    expect(most).toBe(4);
    expect(delivery.counts).toMatchObject({ windows: 5, requests: 20, bytes: 200, failures: 0 });
    expect(reported).toEqual([]);
  });

  it('wait while the sink does not take them, and go on where they stood', async () => {
    const { sink, sent } = scriptedSink((_, times) => (times === 2 ? LATER : TAKEN));
    const { delivery, reported } = deliver(sink);
    delivery.add(windowOf('1', 3));
    await expect.poll(() => delivery.trouble).toBe('busy');
    delivery.add(windowOf('2'));
    delivery.retry();
    await sentAll(delivery);
    // The first profile of the window was taken, and is not sent again.
    expect(sent).toEqual(['1.0', '1.1', '1.1', '1.2', '2.0']);
    expect(reported).toEqual(['fake: busy; windows wait', 'fake: takes windows again']);
    expect(delivery.counts).toMatchObject({ windows: 2, failures: 1, dropped: 0 });
  });

  it('windows are tried again by themselves', async () => {
    const { sink, sent } = scriptedSink((_, times) => (times === 1 ? LATER : TAKEN));
    const { delivery } = deliver(sink, null, 1);
    delivery.add(windowOf('1'));
    await sentAll(delivery);
    expect(sent).toEqual(['1.0', '1.0']);
  });

  it('windows that the sink refuses are lost, and no more', async () => {
    const { sink, sent } = scriptedSink((name) =>
      name === '1.1' ? { kind: 'refused', why: '400 bad label' } : TAKEN,
    );
    const { delivery, reported } = deliver(sink);
    delivery.add(windowOf('1', 3));
    await sentAll(delivery);
    expect(sent).toEqual(['1.0', '1.1', '1.2']);
    expect(reported).toEqual(['fake: refused a profile: 400 bad label']);
    expect(delivery.counts).toMatchObject({ windows: 1, requests: 3, refused: 1, bytes: 20 });
  });

  it('a sink that is shut is tried for as long as windows wait', async () => {
    const { sink, sent } = scriptedSink((_, times) =>
      times > 40 ? TAKEN : { kind: 'shut', why: '404 (wrong address)' },
    );
    const { delivery, reported } = deliver(sink, scratchDirectory(), NO_PAUSE_MS);
    delivery.add(windowOf('1'));
    await sentAll(delivery);
    expect(sent).toHaveLength(41);
    expect(reported).toEqual([
      'fake: 404 (wrong address); windows wait',
      'fake: takes windows again',
    ]);
  });

  it('a request that the sink cannot work on is taken apart, and holds up no other', async () => {
    const sent: string[][] = [];
    const { sink } = scriptedSink(() => TAKEN);
    const ofMany: Sink = {
      ...sink,
      requestsOf: ({ profiles }) =>
        [profiles.slice(0, 3), profiles.slice(3)].filter(({ length }) => length > 0),
      send: async (profiles) => {
        sent.push(profiles.map(({ service }) => service?.name ?? ''));
        const isBad = profiles.some(({ service }) => service?.name === '1.1');
        return isBad
          ? { kind: 'later', why: '500 a bug', afterMs: null, isOfRequest: true }
          : TAKEN;
      },
    };
    const { delivery, reported } = deliver(ofMany, scratchDirectory(), NO_PAUSE_MS);
    delivery.add(windowOf('1', 3));
    delivery.add(windowOf('2', 1));
    delivery.add(windowOf('3', 4));
    await sentAll(delivery);
    const taken = sent.filter((names) => !names.includes('1.1')).flat();
    expect(taken).toEqual(['1.0', '1.2', '2.0', '3.0', '3.1', '3.2', '3.3']);
    expect(delivery.counts).toMatchObject({ windows: 3, refused: 1, dropped: 0 });
    expect(reported).toContain('fake: refused a profile: 500 a bug');
  });

  it.each([1, 3, 5])(
    'a service that the sink cannot work on is set aside in every window, in requests of %i profiles',
    async (size) => {
      const windows = Array.from({ length: 6 }, (_, i) => serviceWindow(String(i)));
      const sent: string[] = [];
      const { sink } = scriptedSink(() => TAKEN);
      const ofSize: Sink = {
        ...sink,
        requestsOf: ({ profiles }) =>
          Array.from({ length: Math.ceil(profiles.length / size) }, (_, i) =>
            profiles.slice(i * size, (i + 1) * size),
          ),
        send: async (profiles) => {
          const isBad = profiles.some(({ service }) => service?.name === 'kernel');
          if (isBad) return { kind: 'later', why: '500 a bug', afterMs: null, isOfRequest: true };
          sent.push(...profiles.map(({ id }) => id));
          return TAKEN;
        },
      };
      const { delivery } = deliver(ofSize, null, NO_PAUSE_MS);
      for (const window of windows.slice(0, -1)) delivery.add(window);
      await expect.poll(() => sent).toHaveLength(5 * 4);
      // Only a window that is taken shows that the reason is in what is left, once each of it has failed eight times.
      if (size === 1) await expect.poll(() => delivery.counts.failures).toBeGreaterThan(60);
      delivery.add(windows[5] as EncodedWindow);
      await sentAll(delivery);
      const wanted = windows.flatMap(({ profiles }) =>
        profiles.filter(({ service }) => service?.name !== 'kernel').map(({ id }) => id),
      );
      expect([...sent].sort()).toEqual(wanted.sort());
      expect(delivery.counts).toMatchObject({ windows: 6, refused: 6, dropped: 0 });
    },
  );

  it('a sink that fails at everything loses nothing, however often it was tried', async () => {
    const { sink, sent } = scriptedSink((_, times) =>
      times > 60 ? TAKEN : { kind: 'later', why: '500 a bug', afterMs: null, isOfRequest: true },
    );
    const { delivery } = deliver(sink, null, NO_PAUSE_MS);
    for (const id of ['1', '2', '3']) delivery.add(windowOf(id));
    await sentAll(delivery);
    expect(delivery.counts).toMatchObject({ windows: 3, refused: 0, dropped: 0 });
    expect(sent).toHaveLength(63);
  });

  it('windows go out with the next window once the token has changed', async () => {
    let token = 'old';
    const { sink, sent } = scriptedSink(() =>
      token === 'new' ? TAKEN : { kind: 'shut', why: '401 (wrong or missing token)' },
    );
    const { delivery } = deliver({ ...sink, tokenStamp: () => token });
    delivery.add(windowOf('1'));
    await expect.poll(() => delivery.trouble).toMatch(/wrong or missing token/);
    delivery.add(windowOf('2'));
    expect(sent).toHaveLength(1);
    token = 'new';
    delivery.add(windowOf('3'));
    await sentAll(delivery);
    expect(sent.slice(1)).toEqual(['1.0', '2.0', '3.0']);
  });

  it('windows outlive the agent, and come with their own times', async () => {
    const directory = scratchDirectory();
    const down = scriptedSink(() => LATER);
    const first = deliver(down.sink, directory);
    first.delivery.add(windowOf('1', 2));
    await expect.poll(() => first.delivery.trouble).toBe('busy');
    first.delivery.add(windowOf('2'));
    await first.delivery.stop(1000);
    expect(readdirSync(directory).filter((name) => name.endsWith('.window'))).toHaveLength(2);
    const up = scriptedSink(() => TAKEN);
    const second = deliver(up.sink, directory);
    await sentAll(second.delivery);
    expect(up.sent).toEqual(['1.0', '1.1', '2.0']);
    expect(second.delivery.counts.unconfirmed).toBe(0);
  });

  it('windows go out in the order in which they were made, also where the clock was set back meanwhile', async () => {
    const directory = scratchDirectory();
    const at = (seconds: number, n: number) =>
      `${String(BigInt(seconds) * 1_000_000_000n).padStart(20, '0')}-${n}`;
    const down = deliver(scriptedSink(() => LATER).sink, directory);
    down.delivery.add(windowOf(at(5000, 0)));
    // An hour back, and on from there; then the next agent, another hour back.
    for (const [seconds, n] of [
      [1400, 1],
      [1410, 2],
    ])
      down.delivery.add(windowOf(at(seconds, n)));
    await down.delivery.stop(1000);
    const up = scriptedSink(() => TAKEN);
    const inherited: (boolean | undefined)[] = [];
    const { send } = up.sink;
    const { delivery } = deliver(
      {
        ...up.sink,
        send: (profiles, window) => {
          inherited.push(window.isInherited);
          return send(profiles, window);
        },
      },
      directory,
    );
    delivery.add(windowOf(at(100, 0)));
    await sentAll(delivery);
    expect(up.sent).toEqual(
      [at(5000, 0), at(1400, 1), at(1410, 2), at(100, 0)].map((id) => `${id}.0`),
    );
    expect(inherited).toEqual([true, true, true, false]);
    expect(readdirSync(directory).filter((name) => name.endsWith('.window'))).toEqual([]);
  });

  it('windows are not sent twice by the next agent where one was killed while it sent', async () => {
    const directory = scratchDirectory();
    // It has got the second profile, and the agent never hears of it.
    const hanging = scriptedSink((name) => (name === '1.1' ? new Promise(() => {}) : TAKEN));
    const killed = deliver(hanging.sink, directory);
    killed.delivery.add(windowOf('1', 3));
    await expect.poll(() => hanging.sent).toEqual(['1.0', '1.1']);
    const up = scriptedSink(() => TAKEN);
    const next = deliver(up.sink, directory);
    await sentAll(next.delivery);
    expect(up.sent).toEqual(['1.2']);
    expect(next.delivery.counts.unconfirmed).toBe(1);
  });

  it('windows that are in memory only are reported as lost at the end', async () => {
    const { sink } = scriptedSink(() => LATER);
    const { delivery, reported } = deliver(sink);
    delivery.add(windowOf('1'));
    await expect.poll(() => delivery.trouble).toBe('busy');
    await delivery.stop(1000);
    expect(reported.at(-1)).toBe('fake: 1 windows that only were in memory are lost');
    expect(delivery.counts.dropped).toBe(1);
  });

  it('windows that were reported as lost are not sent any more when a slow sink answers', async () => {
    const answer = new Deferred<SinkAnswer>();
    const { sink, sent } = scriptedSink(() => answer.promise);
    const { delivery, reported } = deliver(sink);
    delivery.add(windowOf('1', 2));
    delivery.add(windowOf('2'));
    await delivery.stop(1);
    expect(reported).toEqual([
      'fake: 2 windows that only were in memory are lost, but for a request that is under way',
    ]);
    answer.settle(TAKEN);
    await expect.poll(() => delivery.counts.requests).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toEqual(['1.0']);
  });

  it('a request that is taken apart is not sent on behind the end, and what was left of it is counted', async () => {
    const answer = new Deferred<SinkAnswer>();
    const sent: string[] = [];
    const sink: Sink = {
      ...scriptedSink(() => TAKEN).sink,
      requestsOf: ({ profiles }) => [profiles],
      send: async (profiles) => {
        if (profiles.length > 1) {
          return { kind: 'later', why: '500 a bug', afterMs: null, isOfRequest: true };
        }
        sent.push(profiles[0]?.service?.name ?? '');
        return answer.promise;
      },
    };
    const { delivery } = deliver(sink, null, NO_PAUSE_MS);
    delivery.add(windowOf('1', 3));
    await expect.poll(() => sent).toEqual(['1.0']);
    await delivery.stop(1);
    answer.settle(TAKEN);
    await expect.poll(() => delivery.counts.refused).toBe(2);
    expect(sent).toEqual(['1.0']);
  });
});
