// Windows of this machine to a real Collector, which hands them on: what comes out behind it was understood
// by the program that others wrote.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startAgent } from '../../src/tools/agent/agent.ts';
import { readAgentConfig } from '../../src/tools/agent/config/parse-config.ts';
import { startFakeSink } from '../helpers/fake-sink.ts';
import { freePort } from '../helpers/free-port.ts';
import { describeLive } from '../helpers/live.ts';
import { hasCollector, startCollector } from '../helpers/otel-collector.ts';
import { decodeProtobuf, type Message, OTLP_REQUEST } from '../helpers/protobuf.ts';
import { scratchDirectory } from '../helpers/scratch.ts';

type Part = { service: string; weight: number; startNs: bigint; endNs: bigint; id: string };

/** Each profile of a request that was handed on. */
function partsOf(body: Uint8Array): Part[] {
  const { resourceProfiles } = decodeProtobuf(body, OTLP_REQUEST);
  return (resourceProfiles as Message[]).flatMap(({ resource, scopeProfiles }) => {
    const attributes = (resource[0] as Message).attributes as Message[];
    const name = attributes.find(({ key }) => key[0] === 'service.name')?.value[0] as Message;
    return (scopeProfiles as Message[]).flatMap(({ profiles }) =>
      (profiles as Message[]).map(({ samples, timeUnixNano, durationNano, profileId }) => {
        const startNs = timeUnixNano[0] as bigint;
        return {
          service: String(name.stringValue[0]),
          weight: (samples as Message[]).reduce((sum, { values }) => sum + Number(values[0]), 0),
          startNs,
          endNs: startNs + (durationNano[0] as bigint),
          id: (profileId[0] as Buffer).toString('hex'),
        };
      }),
    );
  });
}

const configFor = (url: string, spool: string) =>
  readAgentConfig(
    {
      sampling: { hz: 99, javascript: false },
      window: { seconds: 1 },
      services: { idle: true },
      sinks: [{ type: 'otlp', url }],
      spool: { directory: spool },
    },
    'test',
  );

describe.skipIf(!hasCollector)('an OpenTelemetry Collector', () => {
  describeLive('of the agent', () => {
    it("the Collector takes the agent's windows, also after it was away, and their sum is what the counters have counted", async () => {
      const behind = await startFakeSink((response) => response.writeHead(200).end());
      const parts = () => behind.received.flatMap(({ body }) => partsOf(body));
      const windows = () => new Set(parts().map(({ startNs }) => startNs)).size;
      const port = await freePort();
      const first = await startCollector(port, behind.url);
      const agent = await startAgent({
        config: configFor(first.url, join(scratchDirectory(), 'spool')),
      });
      await expect.poll(windows).toBeGreaterThan(1);
      await first.stop();
      const waiting = () => Number(/_spool_windows\{.*\} (\d+)/.exec(agent.metrics())?.[1]);
      await expect.poll(waiting).toBeGreaterThan(1);
      const before = windows();
      await startCollector(port, behind.url);
      await expect.poll(windows).toBeGreaterThan(before + 1);
      await agent.stop();
      const { counted, weighed } = agent.totals;
      const received = parts();
      const sum = received.reduce((all, { weight }) => all + weight, 0);
      expect(Math.abs(weighed - (counted ?? 0))).toBeLessThan(1);
      // Each sample's weight is rounded to whole nanoseconds.
      expect(Math.abs(sum - weighed)).toBeLessThanOrEqual(agent.totals.samples);
      expect(new Set(received.map(({ id }) => id)).size).toBe(received.length);
      const ofIdle = received
        .filter(({ service }) => service === 'idle')
        .sort((a, b) => Number(a.startNs - b.startNs));
      for (let i = 1; i < ofIdle.length; i++) {
        expect(ofIdle[i].startNs).toBeGreaterThanOrEqual(ofIdle[i - 1].endNs - 1_000_000n);
      }
    });

    it('the Collector refuses what is no OTLP, as the agent understands it', async () => {
      const behind = await startFakeSink();
      const { url } = await startCollector(await freePort(), behind.url);
      const post = (path: string) =>
        fetch(`${url}${path}`, {
          method: 'POST',
          body: 'hello',
          headers: { 'content-type': 'application/x-protobuf' },
        });
      expect((await post('/v1development/profiles')).status).toBe(400);
      // The path of a stable signal, that there is not yet.
      expect((await post('/v1/profiles')).status).toBe(404);
      expect(behind.received).toEqual([]);
    });
  });
});
