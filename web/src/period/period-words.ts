import { printable } from '../../../src/base/printable.ts';
import type { EventReport } from '../../../src/period/report/event-report.ts';
import { eventLines, type Line, streamLines } from '../../../src/period/report/lines.ts';
import type { StreamReport } from '../../../src/period/report/stream-report.ts';
import {
  countedText,
  headline,
  migrationsText,
  streamsText,
  verdictText,
} from '../../../src/period/report/words.ts';
import { element } from '../dom.ts';

/** Columns that the first periods may take. */
const WIDTH = 90;

/** The words of `perf-ts periods` on an event and one of its streams. */
export function renderPeriodWords(event: EventReport, stream: StreamReport | null): HTMLElement[] {
  const parts: HTMLElement[] = [element('h2', '', headline(event))];
  if (stream !== null) {
    parts.push(badge(stream, verdictText(event, stream)));
    const isAdaptive = event.mode === 'frequency';
    if (isAdaptive) parts.push(list('This stream', streamLines(stream, WIDTH)));
  }
  const migrated = event.mode === 'frequency' ? migrationsText(event) : null;
  const lines: Line[] = [
    ...(event.streamCount > 1
      ? [['streams', streamsText(event).replace(/ The largest:$/, '')] as const]
      : []),
    ...(migrated === null ? [] : [['migrations', migrated] as const]),
    ['counted', countedText(event)],
    ...eventLines(event, event.streams[0]),
  ];
  parts.push(
    list(
      'The event',
      lines.filter(([label]) => label !== 'advice'),
    ),
  );
  const advice = lines.filter(([label]) => label === 'advice').map(([, text]) => text);
  if (advice.length > 0) {
    const items = advice.map((text) => element('li', '', printable(text)));
    parts.push(
      element('section', 'advice', element('h3', '', 'What to do'), element('ul', '', ...items)),
    );
  }
  return parts;
}

function badge({ verdict }: StreamReport, text: string): HTMLElement {
  return element('p', 'verdict', element('strong', `verdict-${verdict}`, verdict), ` ${text}`);
}

function list(title: string, lines: readonly Line[]): HTMLElement {
  const entries = element('dl', 'said');
  let previous = '';
  for (const [label, text] of lines) {
    const term = element('dt', '', label === previous ? '' : label);
    entries.append(term, element('dd', '', printable(text)));
    previous = label;
  }
  return element('section', '', element('h3', '', title), entries);
}
