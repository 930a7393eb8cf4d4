import { markdownCode, markdownTable } from '../../../src/base/markdown.ts';
import { formatShare, formatWeight } from '../ask/format.ts';
import { assessTrust } from '../ask/trust.ts';
import { titleOf } from '../head/head-bar.ts';
import type { ViewContext } from '../state/view-context.ts';
import type { Interval } from '../worker/messages/messages.ts';
import type { DetailsResult, Neighbour } from '../worker/messages/panel-messages.ts';

/** Columns of shares. */
const SHARES: ReadonlySet<number> = new Set([0]);

/** Describes a function in Markdown, for an issue or an assistant: all that its pane shows. `text` is its source by line. */
export function explainFunction(
  { recording, file, report, store }: ViewContext,
  details: DetailsResult,
  interval: Interval | null,
  text: readonly string[] | null,
): string {
  const { name, place, dso, self, total, weight, samples, unit, lines } = details;
  const event = recording.events[store.get().event];
  const shareOf = (part: number, of: number) => formatShare(of === 0 ? 0 : part / of);
  const between =
    interval === null
      ? ''
      : ` (95 %: ${formatShare(interval.low)} to ${formatShare(interval.high)})`;
  const { label, reasons } = assessTrust(recording, report, store.get().event);
  const neighbours = (title: string, found: readonly Neighbour[]) => [
    ...markdownTable(
      ['share of its total', title],
      found.map((one) => [
        shareOf(one.weight, total),
        markdownCode(`${one.name} ${one.place}`.trim()),
      ]),
      SHARES,
    ),
    '',
  ];
  return [
    `## ${markdownCode(name)}: ${shareOf(self, weight)} of all by itself${between}, ${shareOf(total, weight)} with what it calls`,
    '',
    `- program: ${markdownCode(titleOf(recording, file.title))}, ${markdownCode(recording.meta.commandLine.join(' '))}`,
    `- function: ${markdownCode([place, dso].filter((part) => part !== '').join(' in '))}`,
    `- measured: ${formatWeight(self, unit)} of ${formatWeight(weight, unit)} of ${markdownCode(event?.name ?? '')}, ${formatWeight(samples, 'samples')}`,
    `- sampling: ${label}. ${reasons.join(' ')}`,
    '',
    ...neighbours('called by', details.callers),
    ...neighbours('calls', details.callees),
    ...markdownTable(
      ['share of its self', 'line', 'source'],
      lines.map(({ line, self: ofLine }) => [
        shareOf(ofLine, self),
        String(line),
        markdownCode((text?.[line - 1] ?? '').trim()),
      ]),
      SHARES,
    ),
    '',
  ].join('\n');
}
