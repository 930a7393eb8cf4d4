import type { EventReport } from '../period/report/event-report.ts';
import type { PeriodsReport } from '../period/report/report.ts';
import type { StreamReport } from '../period/report/stream-report.ts';

/** How the period of one stream behaved; `event`: the row of its event in the report. */
export type PeriodRow = { readonly event: number; readonly stream: StreamReport };

/** The streams of a report, by event, the largest first. */
export function findPeriods({ events }: PeriodsReport): PeriodRow[] {
  return events.flatMap(({ streams }, event) => streams.map((stream) => ({ event, stream })));
}

/** The report of an event with the largest `limit` of `streams`, some of its own; it must have all. */
export function keepStreams(
  event: EventReport,
  limit: number,
  streams: readonly StreamReport[] = event.streams,
): EventReport {
  const kept = streams.slice(0, limit);
  const sum = (of: readonly StreamReport[]) => of.reduce((all, { samples }) => all + samples, 0);
  const left = event.streams.length - kept.length;
  return {
    ...event,
    streams: kept,
    restOfStreams: left === 0 ? null : { streams: left, samples: sum(event.streams) - sum(kept) },
  };
}
