import { describe, expect, it } from 'vitest';
import { computeLedgers, type EventLedger } from '../../src/period/loss/loss-ledger.ts';
import type { PeriodInput } from '../../src/period/types.ts';
import type { EventIndex } from '../../src/profile/types.ts';
import { type DrawnSample, PAGE_FAULTS, recordingOf } from './recording.ts';

const FIXED = { ...PAGE_FAULTS, mode: 'period', frequencyHz: null, fixedPeriod: 10 } as const;
const LOSSES = [{ event: 0 as EventIndex, lostRecords: 5, lostSamples: 6 }];
const LOST_AT_9_MS = [{ event: 0, cpu: 0, timeNs: 9e6, samples: 5 }];

function ledgerOf(
  drawn: readonly DrawnSample[],
  more: Partial<PeriodInput>,
  event: Parameters<typeof recordingOf>[0][number] = PAGE_FAULTS,
): EventLedger {
  return computeLedgers(recordingOf([event], drawn, more))[0];
}

/** The right side of the equation, in its order. */
function sidesOf(ledger: EventLedger): (number | null)[] {
  const { arrivedEvents, gapEvents, tailEvents, unsampledEvents, undividedEvents } = ledger;
  return [
    arrivedEvents,
    gapEvents,
    tailEvents,
    unsampledEvents,
    undividedEvents,
    ledger.unaccounted,
  ];
}

const final = (stream: number, count: number) => ({ event: 0, stream, count, runningNs: 0 });

describe('the ledger of an event', () => {
  const counted = [
    { timeNs: 1e6, period: 10, count: 10 },
    { timeNs: 2e6, period: 12, count: 20 },
    { timeNs: 9e6, period: 11, count: 100 },
  ];

  it('the ledger without loss: arrived events and the tail', () => {
    const ledger = ledgerOf(counted.slice(0, 2), { eventTotals: [25], finals: [final(0, 25)] });
    expect(sidesOf(ledger)).toEqual([20, 0, 5, 0, 0, 0]);
    expect(ledger).toMatchObject({ coverage: 1, eventCoverage: 0.8, concentration: null });
  });

  it('the ledger with counts and loss: gap and tail apart', () => {
    const ledger = ledgerOf(counted, {
      losses: LOSSES,
      lossGaps: LOST_AT_9_MS,
      eventTotals: [130],
      finals: [final(0, 130)],
    });
    expect(sidesOf(ledger)).toEqual([31, 69, 30, 0, 0, 0]);
    expect(ledger).toMatchObject({ samples: 3, lostSamples: 6, coverage: 3 / 9 });
    expect(ledger.concentration).toMatchObject({
      worstShare: 1,
      byCpu: [{ cpu: 0, lostSamples: 5 }],
      byThread: [{ thread: 0, gapEvents: 69 }],
    });
  });

  it('the ledger without counts: gaps and tails are one figure', () => {
    const drawn = counted.map(({ timeNs, period }) => ({ timeNs, period }));
    const more = { losses: LOSSES, lossGaps: LOST_AT_9_MS, eventTotals: [130] };
    const known = ledgerOf(drawn, { ...more, finals: [final(0, 130)] });
    expect(sidesOf(known)).toEqual([32, 0, 0, 0, 98, 0]);
    expect(known.streams[0]).toMatchObject({ eventsCounted: 130, tailEvents: null });
    expect(sidesOf(ledgerOf(drawn, more))).toEqual([32, 0, 0, 0, 98, 0]);
  });

  it('the ledger of a fixed period divides gaps from tails', () => {
    const drawn = counted.map(({ timeNs }) => ({ timeNs, period: 10 }));
    const ledger = ledgerOf(
      drawn,
      { losses: LOSSES, lossGaps: LOST_AT_9_MS, eventTotals: [95], finals: [final(-1, 95)] },
      FIXED,
    );
    expect(sidesOf(ledger)).toEqual([30, 60, 0, 0, 5, 0]);
  });

  it('a stream of which nothing arrived counts by its final value', () => {
    const ledger = ledgerOf(counted.slice(0, 2), {
      streams: [{ streamId: '10' }, { streamId: '11' }],
      eventTotals: [61],
      finals: [final(0, 21), final(1, 40)],
    });
    expect(sidesOf(ledger)).toEqual([20, 0, 1, 40, 0, 0]);
    expect(ledger.streams.map(({ stream, samples }) => [stream, samples])).toEqual([
      [0, 2],
      [1, 0],
    ]);
  });

  it('instances whose final value is known as a sum only share one figure', () => {
    const ledger = ledgerOf(
      [...counted.slice(0, 2), { timeNs: 3e6, period: 1, count: 7, stream: 1 }],
      {
        eventTotals: [50],
        finals: [final(0, 22), final(-1, 28)],
      },
    );
    expect(sidesOf(ledger)).toEqual([27, 0, 2, 0, 21, 0]);
  });

  it('two events in one ring have the losses of their own counters', () => {
    const losses = [
      { event: 0 as EventIndex, lostRecords: 50, lostSamples: 20 },
      { event: 1 as EventIndex, lostRecords: 0, lostSamples: 30 },
    ];
    const events = [PAGE_FAULTS, { ...PAGE_FAULTS, name: 'faults' }];
    const ledgers = computeLedgers(recordingOf(events, counted, { losses }));
    expect(ledgers.map(({ lostSamples }) => lostSamples)).toEqual([20, 30]);
  });

  it('the ledger reports what does not add up', () => {
    const short = ledgerOf(counted.slice(0, 2), { eventTotals: [15], finals: [final(0, 15)] });
    expect(sidesOf(short)).toEqual([20, 0, 0, 0, 0, -5]);
    // All finals are known, and together they are not the total.
    const odd = ledgerOf(counted.slice(0, 2), { eventTotals: [30], finals: [final(0, 21)] });
    expect(sidesOf(odd)).toEqual([20, 0, 1, 0, 0, 9]);
  });

  it('the ledger without a final value has no total', () => {
    const ledger = ledgerOf(counted.slice(0, 2), {});
    expect(sidesOf(ledger)).toEqual([20, 0, null, null, null, null]);
    expect(ledger).toMatchObject({ eventsCounted: null, eventCoverage: null });
  });

  it('clustered losses are distinguished from even ones', () => {
    const samples = Array.from({ length: 101 }, (_, i) => ({ timeNs: i * 1e6, period: 10 }));
    const at = (ms: number, lost: number, cpu: number) => {
      return { event: 0, cpu, timeNs: ms * 1e6, samples: lost };
    };
    const lossGaps = [at(7.5, 1, 0), at(42.1, 80, 1), at(42.8, 10, 0), at(99.5, 9, 1)];
    expect(ledgerOf(samples, { losses: LOSSES, lossGaps }).concentration).toEqual({
      worstShare: 0.9,
      worstStartNs: 42e6,
      worstEndNs: 43e6,
      byCpu: [
        { cpu: 1, lostSamples: 89 },
        { cpu: 0, lostSamples: 11 },
      ],
      byThread: [],
    });
  });
});
