import { expect, it } from 'vitest';
import {
  AgentCounts,
  metricsText,
  notesOfService,
} from '../../../src/tools/agent/agent-metrics.ts';
import type { ServiceProfile } from '../../../src/tools/agent/window/service-profiles.ts';
import { profileFromText, simpleWeights } from '../../helpers/profile-from-text.ts';

/** A service's part with these innermost functions, one sample each. */
function partOf(name: string, ...innermost: string[]): ServiceProfile {
  const columns = innermost.map((func) => func.padEnd(30)).join('');
  const profile = profileFromText(`
    ${'main'.padEnd(30).repeat(innermost.length)}
    ${columns}
  `);
  const service = { name, source: 'package', attributes: {} } as const;
  return { service, profile, weights: simpleWeights(profile) };
}

const LOSSES = { samples: 0, sideband: 0, throttles: 0 };
const named = partOf('shop', 'parse@[JIT]_tid_7', 'uv_run@node');
const unnamed = partOf('shop', '[unknown]@[JIT]_tid_7', 'uv_run@node', 'a@[JIT]_tid_7', 'b@libc');
const native = partOf('db', 'read@postgres', '[unknown]@postgres');

it('metrics have the share of each service in code of a JIT that has no name, the largest of its parts', () => {
  const counts = new AgentCounts();
  const window = { ...{ sequence: 0, startNs: 0n, endNs: 1n, zeroNs: 0n }, losses: LOSSES };
  const leftOut = { idle: 0, kernel: 0, service: 0 };
  const whole = { profile: named.profile, weights: named.weights, turns: new Map() };
  counts.add({ ...window, ...whole }, { services: [named, unnamed, native], leftOut }, 10_000);
  const totals = { counted: null, weighed: 0, samples: 0, lost: 0 };
  const text = metricsText({ counts, totals, renewals: 0, deliveries: [], version: '' });
  expect(text.split('\n').filter((line) => line.startsWith('perf_ts_agent_jit_'))).toEqual([
    'perf_ts_agent_jit_unnamed_ratio{service="shop"} 0.25',
  ]);
});

it('a window is late by how long it is, not by when its timer came', () => {
  const counts = new AgentCounts();
  const { profile, weights } = named;
  const parts = { services: [], leftOut: { idle: 0, kernel: 0, service: 0 } };
  for (const seconds of [9, 15, 15.1, 23]) {
    const times = { startNs: 5n, endNs: 5n + BigInt(seconds * 1e9), zeroNs: 0n };
    const window = { ...{ sequence: 0, losses: LOSSES, turns: new Map() }, ...times };
    counts.add({ ...window, profile, weights }, parts, 10_000);
  }
  expect([counts.windows, counts.late]).toEqual([4, 2]);
});

it("a service's profile has a note of its unnamed code of a JIT, and others have none", () => {
  expect(notesOfService(unnamed, [])).toEqual([expect.stringMatching(/^25\.0% of the weight /)]);
  expect(notesOfService(named, [])).toEqual([]);
  expect(notesOfService(native, [])).toEqual([]);
});
