import { expect, test } from 'vitest';
import { LiveCode } from '../../../src/code/jit/live-code.ts';
import { AgentCounts, metricsText } from '../../../src/tools/agent/agent-metrics.ts';
import { isOfTurns, TurnCounts } from '../../../src/tools/agent/window/turn-counts.ts';
import { profileFromText } from '../../helpers/profile-from-text.ts';
import { TurnStream } from '../../helpers/turn-stream.ts';

const MS = 1e6;

/** The counts of a stream that comes in pieces of `size` bytes. */
function countsOf({ bytes }: TurnStream, size = 7): TurnCounts {
  const counts = new TurnCounts();
  const take: TurnCounts['take'] = (record, own) => counts.take(record, own);
  const cutter = new LiveCode().stream({ isWanted: isOfTurns, take });
  for (let at = 0; at < bytes.length; at += size) cutter.take(bytes.subarray(at, at + size));
  return counts;
}

/** 95 turns of 0.5 ms, four of 10 ms and one of 3 s, after the one that ran when the recorder came. */
const stream = new TurnStream(10)
  .turn({ fromNs: 0, lengthNs: 9e9 }, 0, 1)
  .short({ fromNs: 1, lengthNs: 47.5 * MS }, { 73: 95 })
  .turn({ fromNs: 2, lengthNs: 10 * MS })
  .turn({ fromNs: 3, lengthNs: 10 * MS })
  .turn({ fromNs: 4, lengthNs: 10 * MS })
  .turn({ fromNs: 5, lengthNs: 10 * MS })
  .turn({ fromNs: 6, lengthNs: 3000 * MS });

test.each([7, 100, 4096])(
  'a length is known to 6 %%, and the sum of all exactly, of pieces of %d bytes',
  (size) => {
    const counts = countsOf(stream, size);
    expect([counts.turns, counts.busyNs]).toEqual([100, 3087.5 * MS]);
    const quantiles: [number, number][] = [
      [0.5, 0.56 * MS],
      [0.99, 10 * MS],
      [1, 3000 * MS],
    ];
    for (const [share, ns] of quantiles) {
      expect(Math.abs(counts.quantile(share) / ns - 1), `${share}`).toBeLessThan(0.0625);
    }
    expect(new TurnCounts().quantile(0.99)).toBeNaN();
  },
);

test('lengths that nobody has waited for are counted as the longest', () => {
  const counts = countsOf(new TurnStream(10).turn({ fromNs: 0, lengthNs: 2 ** 52 }));
  expect(counts.quantile(1)).toBeGreaterThan(2 ** 47);
});

test('metrics have the turns of a service, also of a process without a sample in the window', () => {
  const counts = new AgentCounts();
  const profile = profileFromText(`
    tid 10
        a
  `);
  const service = { name: 'a "shop"', source: 'package', attributes: {} } as const;
  const window = (own: TurnCounts, threads = profile.threads) => ({
    profile: { ...profile, threads },
    turns: new Map([[10, own]]),
  });
  counts.addTurns(window(countsOf(stream)), [service]);
  counts.addTurns(window(countsOf(new TurnStream(10).turn({ fromNs: 0, lengthNs: MS })), []), []);
  const totals = { counted: null, weighed: 0, samples: 0, lost: 0 };
  const text = metricsText({ counts, totals, renewals: 0, deliveries: [], version: '' });
  const lines = text.split('\n').filter((line) => line.includes('turn_seconds'));
  expect(lines.slice(1)).toEqual([
    '# TYPE perf_ts_agent_turn_seconds summary',
    expect.stringMatching(/_turn_seconds\{service="a \\"shop\\"",quantile="0.5"\} 0.00101/),
    expect.stringContaining('quantile="0.9"} 0.00101'),
    expect.stringContaining('quantile="0.99"} 0.00101'),
    expect.stringContaining('quantile="1"} 0.00101'),
    'perf_ts_agent_turn_seconds_sum{service="a \\"shop\\""} 3.0885',
    'perf_ts_agent_turn_seconds_count{service="a \\"shop\\""} 101',
  ]);
});
