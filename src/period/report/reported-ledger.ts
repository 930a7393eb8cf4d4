import type { LossConcentration } from '../loss/loss-concentration.ts';
import type { EventLedger, StreamLedger } from '../loss/loss-ledger.ts';
import type { PeriodInput } from '../types.ts';

/** Places of losses, with tids instead of rows; the largest 10 of each list. */
export type ReportedConcentration = Omit<LossConcentration, 'byThread'> & {
  /** `tid` null: not known. */
  readonly byThread: readonly { readonly tid: number | null; readonly gapEvents: number }[];
};

/** An `EventLedger` as documents hold it: streams stand with the streams. */
export type ReportedLedger = Omit<EventLedger, 'streams' | 'concentration'> & {
  readonly concentration: ReportedConcentration | null;
};

export type ReportedStreamLedger = Omit<StreamLedger, 'stream' | 'samples'>;

const MAX_LISTED = 10;

export function reportLedger(ledger: EventLedger, input: PeriodInput): ReportedLedger {
  const { streams: _, concentration, ...sums } = ledger;
  return {
    ...sums,
    concentration: concentration && {
      ...concentration,
      byCpu: concentration.byCpu.slice(0, MAX_LISTED),
      byThread: concentration.byThread.slice(0, MAX_LISTED).map(({ thread, gapEvents }) => ({
        tid: input.threads[thread]?.tid ?? null,
        gapEvents,
      })),
    },
  };
}

export function reportStreamLedger({
  stream: _stream,
  samples: _samples,
  ...sums
}: StreamLedger): ReportedStreamLedger {
  return sums;
}
