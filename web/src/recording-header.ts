import type { EventReport } from '../../src/period/report/event-report.ts';
import { lostText, throttledText } from '../../src/period/report/words.ts';
import { sayLostSideband } from '../../src/profile/losses.ts';
import { element, pushButton } from './dom.ts';
import { formatCount, formatNanos, formatShare } from './format.ts';
import { reportOfEvent } from './late-report.ts';
import type { ViewContext } from './view-context.ts';
import type { OpenResult } from './worker/messages.ts';

/** What was recorded, and what stands in the way of trusting it: above everything else. */
export function createRecordingHeader({ store, recording, report }: ViewContext): HTMLElement {
  const { head } = recording;
  const facts = element('dl', 'figures');
  const title = element('h1', '', head.title);
  title.title = head.title;
  const header = element(
    'header',
    'recording',
    title,
    element('p', 'place', placeOf(recording).join(' · ')),
    facts,
  );
  const notes = notesOf(recording);
  if (notes.length > 0) header.append(renderNotes(notes));
  const draw = () => {
    const { event } = store.get();
    const provenance = report.get()?.provenance.events[event];
    const described = reportOfEvent(report, event);
    facts.replaceChildren(...figuresOf(recording, event, described, provenance?.said ?? []));
  };
  report.onArrival(draw);
  store.subscribe((state, previous) => {
    if (state.event !== previous.event) draw();
  });
  draw();
  return header;
}

/** Where, when and by what. */
function placeOf({ meta, head, endNs }: OpenResult): string[] {
  return [
    meta.commandLine.join(' ') === head.title ? '' : meta.commandLine.join(' '),
    meta.hostname ?? '',
    meta.kernel === null ? '' : `Linux ${meta.kernel}`,
    meta.arch ?? '',
    endNs > 0 ? formatNanos(endNs) : '',
    ...programsOf(meta, head),
  ].filter((part) => part !== '');
}

/** Who recorded and who shows it; once where that is the same. */
function programsOf({ recorder }: OpenResult['meta'], { exporter }: OpenResult['head']): string[] {
  if (recorder === undefined) return [`shown by ${exporter}`];
  return recorder === exporter
    ? [`recorded by ${recorder}`]
    : [`recorded by ${recorder}`, `shown by ${exporter}`];
}

function figuresOf(
  { meta, head, events, areLossesKnown }: OpenResult,
  index: number,
  report: EventReport | undefined,
  sources: readonly string[],
): HTMLElement[] {
  const event = events[index];
  if (event === undefined) return [];
  const figures = [figure('samples', formatCount(event.samples))];
  const lost = report?.lost.samples ?? event.lostSamples;
  const lostWords = report === undefined ? `${formatCount(lost)} samples` : lostText(report);
  const none = areLossesKnown ? 'none' : 'not known';
  figures.push(figure('lost', lost === 0 ? none : lostWords, lost > 0));
  const { lostSideband = 0 } = meta;
  if (lostSideband > 0) {
    figures.push(figure('lost forks, execs, mappings', formatCount(lostSideband), true));
  }
  if (report !== undefined && report.throttled.count > 0) {
    figures.push(figure('paused by the kernel', throttledText(report), true));
  }
  const { completeness } = head;
  if (completeness !== null && completeness.samples > 0) {
    figures.push(remark('complete stacks', describeStacks(completeness)));
  }
  if (sources.length > 0) figures.push(remark('where the weights come from', sources.join('; ')));
  return figures;
}

function describeStacks(stacks: NonNullable<OpenResult['head']['completeness']>): string {
  const { samples, complete, unknown, cut } = stacks;
  const parts = [formatShare(complete / samples)];
  if (unknown > 0) parts.push(`${formatShare(unknown / samples)} unknown`);
  const [worst] = cut;
  if (worst !== undefined) {
    parts.push(`${formatShare(worst.samples / samples)} cut: ${worst.reason}`);
  }
  return parts.join(', ');
}

function notesOf({ meta, head }: OpenResult): string[] {
  const notes = [...meta.notes];
  const { lostSideband = 0 } = meta;
  if (lostSideband > 0) notes.unshift(`${sayLostSideband(lostSideband)}.`);
  if (head.truncatedAt !== null) {
    notes.unshift(
      `The recording ends early, at byte ${formatCount(head.truncatedAt)}: it was cut.`,
    );
  }
  return notes;
}

/** The first, and the others on demand. */
function renderNotes(notes: readonly string[]): HTMLElement {
  const [first = '', ...others] = notes;
  if (others.length === 0) return element('p', 'notes', first);
  return element(
    'details',
    'notes',
    element('summary', '', `${first} (and ${others.length} more)`),
    element('ul', '', ...others.map((note) => element('li', '', note))),
  );
}

function figure(term: string, text: string, isWarning = false): HTMLElement {
  const entry = element('div', 'figure', element('dt', '', term), element('dd', '', text));
  if (isWarning) entry.classList.add('warning');
  return entry;
}

/** Takes what is left of a line; pressed, as many lines as it needs. */
function remark(term: string, text: string): HTMLElement {
  const button = pushButton('remark-text', text, () => {
    const isOpen = button.getAttribute('aria-expanded') === 'true';
    button.setAttribute('aria-expanded', String(!isOpen));
  });
  button.title = text;
  button.setAttribute('aria-expanded', 'false');
  return element('div', 'figure remark', element('dt', '', term), element('dd', '', button));
}
