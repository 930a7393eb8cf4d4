import { printable } from '../../base/printable.ts';
import type { EventReport } from '../../period/report/event-report.ts';
import type { PeriodsReport } from '../../period/report/report.ts';
import { comparedProfile } from './compared-profile.ts';
import type { OpenedProfile } from './open-profile.ts';

/** Streams that the report describes, per event: 5 000 forks make 10 000. */
const MOST_STREAMS = 100;

/** The report of `perf-ts periods` on all streams, as the page shows it: every name is printable. */
export function describePageReport(opened: OpenedProfile): PeriodsReport {
  const compared = comparedProfile(opened);
  const nameOf = (func: number) => printable(compared.nameOf(func));
  const report = opened.periods({ streams: 'all', compared: { ...compared, nameOf } });
  return { ...report, events: report.events.map(describeEvent) };
}

/** With a printable name and the largest streams, which come first. */
function describeEvent(report: EventReport): EventReport {
  const event = { ...report, event: printable(report.event) };
  const rest = event.streams.slice(MOST_STREAMS);
  if (rest.length === 0) return event;
  return {
    ...event,
    streams: event.streams.slice(0, MOST_STREAMS),
    restOfStreams: {
      streams: rest.length,
      samples: rest.reduce((sum, { samples }) => sum + samples, 0),
    },
  };
}
