import { printable } from '../../../src/base/printable.ts';
import type { EventReport } from '../../../src/period/report/event-report.ts';
import { eventLines, type Line, present, streamLines } from '../../../src/period/report/lines.ts';
import type { StreamReport } from '../../../src/period/report/stream-report.ts';
import type { Verdict } from '../../../src/period/report/verdict.ts';
import {
  countedText,
  headline,
  migrationsText,
  streamsText,
  verdictText,
} from '../../../src/period/report/words.ts';
import { element } from '../dom/dom.ts';

/** Columns that the first periods may take. */
const WIDTH = 90;

/** The words of `perf-ts periods` on an event and one of its streams. */
export function renderPeriodWords(
  event: EventReport,
  stream: StreamReport | null,
  areLossesKnown: boolean,
): HTMLElement[] {
  const isAdaptive = event.mode === 'frequency';
  return [
    element('h2', '', headline(event)),
    ...(stream === null ? [] : [renderVerdict(stream.verdict, verdictText(event, stream))]),
    ...(stream === null || !isAdaptive
      ? []
      : [renderLines('This stream', streamLines(stream, WIDTH))]),
    renderLines('The event', [
      ...present('streams', event.streamCount > 1 ? streamsText(event) : null),
      ...present('migrations', isAdaptive ? migrationsText(event) : null),
      ['counted', countedText(event, areLossesKnown)],
      ...eventLines(event, event.streams[0]),
    ]),
  ];
}

function renderVerdict(verdict: Verdict, text: string): HTMLElement {
  return element('p', 'verdict', element('strong', `verdict-${verdict}`, verdict), ` ${text}`);
}

function renderLines(title: string, lines: readonly Line[]): HTMLElement {
  const entries = element('dl', 'remarks');
  let previous = '';
  for (const [label, text] of lines) {
    const term = element('dt', '', label === previous ? '' : label);
    entries.append(term, element('dd', '', printable(text)));
    previous = label;
  }
  return element('section', '', element('h3', '', title), entries);
}
