import { formatCount } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import type { EventReport } from '../../period/report/event-report.ts';
import type { Pair } from '../../period/report/pairs.ts';
import type { StreamReport } from '../../period/report/stream-report.ts';
import { formatTable } from './table.ts';

const HEADER = ['sample', 'Δt (ns)', 'P before', 'P after', 'events', 'λ (events/s)', 'f (Hz)'];

/** λ and f of a stream's pairs as an aligned table; empty where no pairs were asked for. */
export function pairsTable(event: EventReport, stream: StreamReport): string[] {
  const { pairs } = stream;
  if (pairs === undefined || pairs.length === 0) return [];
  const rows = formatTable(HEADER, pairs.map(pairRow), { right: [...HEADER.keys()] });
  const name = printable(event.event);
  const id = stream.streamId === null ? '' : `, stream ${stream.streamId}`;
  return [
    `${name}${id}: λ = events/Δt, f = λ/P, with the P that was in force`,
    ...rows.map((row) => `  ${row}`),
    ...(pairs.every((pair) => pair.from === 'counts')
      ? []
      : ['  Without counts in the samples, events are the period in force, by the rule found.']),
    ...(stream.samples - 1 > pairs.length
      ? [`  … and ${formatCount(stream.samples - 1 - pairs.length)} more pairs`]
      : []),
  ];
}

function pairRow(pair: Pair, index: number): string[] {
  return [
    `${formatCount(index)} → ${formatCount(index + 1)}`,
    formatCount(pair.intervalNs),
    formatCount(pair.periods[0]),
    formatCount(pair.periods[1]),
    formatCount(pair.events),
    pair.eventRateHz === null ? '–' : formatTenths(pair.eventRateHz),
    pair.hz === null ? '–' : formatTenths(pair.hz),
  ];
}

/** `466 091.8` */
function formatTenths(value: number): string {
  const tenths = Math.round(value * 10);
  return `${formatCount(Math.floor(tenths / 10))}.${tenths % 10}`;
}
