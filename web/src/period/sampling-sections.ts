import { adviceFor, MATTERS, mattersText } from '../../../src/period/report/advice.ts';
import type { EventReport } from '../../../src/period/report/event-report.ts';
import {
  concentrationText,
  ledgerText,
  limitText,
  lostText,
  throttledText,
} from '../../../src/period/report/words.ts';
import { reportLostSideband } from '../../../src/profile/losses.ts';
import { isWaitEvent } from '../../../src/profile/wait-event.ts';
import { formatCount, formatNanos, formatShare, formatWeight, sentence } from '../ask/format.ts';
import { reportOfEvent } from '../ask/late-report.ts';
import { assessTrust, TRUST_MARKS } from '../ask/trust.ts';
import { element } from '../dom/dom.ts';
import type { ViewContext } from '../state/view-context.ts';
import { renderWeightShares } from '../state/weight-shares.ts';
import type { OpenResult } from '../worker/messages/messages.ts';

/** A term and what is said of it; without text nothing is. */
type Fact = readonly [term: string, text: string | null];

/** Rows of the table of cut stacks; they come most samples first. */
const MOST_CUT = 8;

/** Sections on what is known of the sampling of one event, what matters most first. */
export function renderSampling(context: ViewContext, event: number): HTMLElement[] {
  const { recording, report } = context;
  const described = reportOfEvent(report, event);
  return [
    renderTrust(context, event),
    section('Losses', facts(lossesOf(recording, described, event))),
    renderWeights(context, event, described),
    renderStacks(context),
    renderAdvice(described),
    renderNotes(recording),
    section('Recording', facts(recordingFacts(context))),
  ].filter((part) => part !== null);
}

function renderTrust({ recording, report }: ViewContext, event: number): HTMLElement {
  const { level, label, reasons } = assessTrust(recording, report, event);
  const heading = element(
    'h2',
    '',
    `${TRUST_MARKS[level]} ${label[0].toUpperCase()}${label.slice(1)}`,
  );
  const items = reasons.map((reason) => element('li', '', reason));
  const late = level === 'checking' ? 'More is being read …' : null;
  return element(
    'section',
    `trust trust-${level}`,
    heading,
    element('ul', '', ...items),
    ...(late === null ? [] : [element('p', 'quiet-text', late)]),
  );
}

function lossesOf(
  { events, areLossesKnown, meta }: OpenResult,
  report: EventReport | undefined,
  event: number,
): Fact[] {
  const { samples, lostSamples, counted, unit } = events[event];
  if (!areLossesKnown) {
    return [
      ['samples', formatCount(samples)],
      ['lost', 'not known: text of another tool does not say'],
    ];
  }
  const { lostSideband = 0 } = meta;
  const isWait = isWaitEvent(events[event]);
  const lost = lostSamples === 0 ? 'none' : formatWeight(lostSamples, 'samples');
  return [
    ['samples', formatCount(samples)],
    // The counter of waits counts context switches, not their time.
    ['counted', counted === null || isWait ? null : formatWeight(counted, unit)],
    ['lost', report !== undefined && report.lost.samples > 0 ? lostText(report) : lost],
    ['lost where', report === undefined ? null : concentrationText(report)],
    ['counter', report === undefined ? null : ledgerText(report)],
    [
      'paused by the kernel',
      report === undefined || report.throttled.count === 0 ? 'never' : throttledText(report),
    ],
    ['forks, execs, mappings', lostSideband === 0 ? 'none lost' : reportLostSideband(lostSideband)],
  ];
}

function renderWeights(
  { recording, report }: ViewContext,
  event: number,
  described: EventReport | undefined,
): HTMLElement | null {
  // Folded stacks have numbers, of which nobody knows what they count.
  if (!recording.areLossesKnown && recording.endNs === 0) return null;
  const reported = report.get()?.provenance.events[event]?.sentences ?? [];
  if (reported.length === 0 && described === undefined) return null;
  const content: HTMLElement[] = reported.map((text) =>
    element('p', '', sentence(text, recording.events[event].name)),
  );
  const weights = described?.weights ?? null;
  if (described !== undefined && weights !== null) {
    content.push(
      element('p', '', `Does it matter which weight is shown? ${mattersText(described)}.`),
    );
    const { time } = weights.distance;
    if (time !== null && time >= MATTERS) {
      content.push(
        element(
          'p',
          'quiet-text',
          `By time, ${formatShare(time)} of the profile stands elsewhere than by events: ` +
            'no error, events and time are two questions.',
        ),
      );
    }
    if (weights.functions.length > 0) content.push(renderWeightShares(weights));
  }
  return section('What a sample counts for', ...content);
}

function renderStacks({ recording, report }: ViewContext): HTMLElement | null {
  const { completeness } = recording.head;
  if (completeness === null || completeness.samples === 0) return null;
  const { samples, complete, unknown, cut } = completeness;
  const share = (part: number) => formatShare(part / samples);
  const reported = [
    `${share(complete)} of ${formatCount(samples)} stacks are whole: they reach the start of a program or thread.`,
    unknown === 0
      ? ''
      : `Of ${share(unknown)} nobody can tell: the outermost function has no name.`,
  ];
  const advice = report.get()?.cutAdvice ?? [];
  const rows = cut
    .slice(0, MOST_CUT)
    .map(({ reason, dso, samples: cutSamples }, row) =>
      element(
        'tr',
        '',
        element('td', 'number', share(cutSamples)),
        element('td', 'remark-name', recording.dsoNames[dso] ?? 'no mapping'),
        element('td', '', reason),
        element('td', '', advice[row] ?? ''),
      ),
    );
  const text = element('p', '', reported.filter((part) => part !== '').join(' '));
  if (rows.length === 0) return section('Stacks', text);
  const headings = ['Cut', 'Ends in', 'Because', 'What helps'].map((title) => {
    const heading = element('th', title === 'Cut' ? 'number' : '', title);
    heading.scope = 'col';
    return heading;
  });
  const head = element('thead', '', element('tr', '', ...headings));
  const table = element('table', 'cut-stacks', head, element('tbody', '', ...rows));
  const rest = cut.length - rows.length;
  return section(
    'Stacks',
    text,
    table,
    ...(rest === 0
      ? []
      : [element('p', 'quiet-text', `And ${formatCount(rest)} rarer reasons and places.`)]),
  );
}

function renderAdvice(report: EventReport | undefined): HTMLElement | null {
  const advice = report === undefined ? [] : adviceFor(report);
  return advice.length === 0 ? null : section('What to do', list(advice));
}

function renderNotes({ meta: { notes } }: OpenResult): HTMLElement | null {
  return notes.length === 0 ? null : section('Notes of the recording', list(notes));
}

function recordingFacts({ recording, report }: ViewContext): Fact[] {
  const { meta, head, endNs } = recording;
  const kernel = report.get()?.periods.kernel;
  return [
    ['command', meta.commandLine.join(' ') || null],
    ['host', meta.hostname],
    [
      'kernel',
      [meta.kernel && `Linux ${meta.kernel}`, meta.arch].filter(Boolean).join(', ') || null,
    ],
    ['limits', kernel === undefined ? null : (limitText(kernel)?.text ?? null)],
    ['length', endNs > 0 ? formatNanos(endNs) : null],
    ['clock', endNs > 0 ? meta.clock : null],
    ['recorded by', meta.recorder ?? null],
    ['shown by', head.exporter],
  ];
}

function section(title: string, ...content: readonly HTMLElement[]): HTMLElement {
  return element('section', '', element('h2', '', title), ...content);
}

function facts(known: readonly Fact[]): HTMLElement {
  const entries = element('dl', 'remarks');
  for (const [term, text] of known) {
    if (text !== null) entries.append(element('dt', '', term), element('dd', '', text));
  }
  return entries;
}

function list(texts: readonly string[]): HTMLElement {
  return element('ul', '', ...texts.map((text) => element('li', '', text)));
}
