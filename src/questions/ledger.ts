import type { EventLedger } from '../period/loss/loss-ledger.ts';
import type { ThrottleInterval } from '../period/types.ts';
import { weightWithLost } from '../profile/analysis/shares/share-bounds.ts';
import type { Asked } from './shares-by-key.ts';

/** The account of what arrived of an event and what did not, in the weights of its samples, in samples and as counted. */
export type EventAccount = Omit<EventLedger, 'concentration' | 'streams'> & {
  /** Weight of everything, lost or not, in the weights asked for. */
  readonly weight: number;
  /** Part of `weight` that no sample shows, and the least and the most that it may be. */
  readonly lost: number;
  readonly lostLow: number;
  readonly lostHigh: number;
  /** Times that the kernel paused the event, and nanoseconds of them together. */
  readonly throttles: number;
  readonly throttledNs: number;
};

/** The account of an event, all of whose samples are asked about; `throttles` are those of all events. */
export function accountFor(
  asked: Asked,
  event: number,
  ledger: EventLedger,
  throttles: readonly Pick<ThrottleInterval, 'event' | 'startNs' | 'endNs'>[],
): EventAccount {
  const { weight, lost } = weightWithLost(asked);
  const { least, most } = asked.estimator?.lostBounds ?? { least: 1, most: 1 };
  const own = throttles.filter((pause) => pause.event === event);
  return {
    ...ledger,
    weight,
    lost,
    lostLow: lost * least,
    lostHigh: lost * most,
    throttles: own.length,
    throttledNs: own.reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0),
  };
}
