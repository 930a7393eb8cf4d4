import { askLatest } from '../ask/ask.ts';
import { formatNanos } from '../ask/format.ts';
import { element } from '../dom/dom.ts';
import { Opener } from '../open/opener.ts';
import { selectionOf } from '../state/selection.ts';
import { DEFAULT_STATE } from '../state/state.ts';
import type { ViewContext } from '../state/view-context.ts';
import type { OpenResult } from '../worker/messages/messages.ts';
import { factsOf } from './facts.ts';
import { createFilterMenu } from './filter-menu.ts';
import { attachedTitle, programTitle } from './program-title.ts';
import { createShareMenu } from './share-menu.ts';
import { TrustBadge } from './trust-badge.ts';
import './head.css';

/** The line above everything: what ran, for how long and how heavy; whether to trust it; what can be done. */
export function createHeadBar(context: ViewContext, ...tools: readonly HTMLElement[]): HTMLElement {
  const title = element('h1');
  const drawTitle = () => {
    const { recording, file } = context;
    title.textContent = titleOf(recording, file.title);
    title.title = recording.head.title;
  };
  context.onReplaced(drawTitle);
  drawTitle();
  const opener = new Opener(document, context.open, title.textContent ?? '');
  return element(
    'header',
    'head-bar',
    title,
    createFacts(context),
    new TrustBadge(context).root,
    element('div', 'head-space'),
    opener.status,
    createFilterMenu(context),
    ...opener.buttons,
    createShareMenu(context),
    ...tools,
  );
}

/** The title of the page: the program, else the recorded command, else the file. */
export function titleOf({ meta, head, threads }: OpenResult, file: string): string {
  const { commandLine } = meta;
  // Whoever exported the page may have named it.
  if (head.title !== commandLine.join(' ')) return head.title;
  if (commandLine.length === 0) return file;
  if (isSystemWide(commandLine)) return wholeMachine(meta);
  return programTitle(commandLine) ?? attachedTitle(commandLine, threads) ?? file;
}

function isSystemWide(commandLine: readonly string[]): boolean {
  const end = commandLine.indexOf('--');
  const options = end < 0 ? commandLine : commandLine.slice(0, end);
  return options.some((word) => word === '-a' || word === '--all-cpus');
}

function wholeMachine({ hostname }: OpenResult['meta']): string {
  return hostname ? `all of ${hostname}` : 'the whole machine';
}

/** Length, weight and samples of the whole event, whatever of it is shown. */
function createFacts(context: ViewContext): HTMLElement {
  const { store, ask } = context;
  const facts = element('span', 'facts');
  const request = askLatest(
    ask,
    'summary',
    (summary) => {
      const { recording } = context;
      const length = recording.endNs > 0 ? [formatNanos(recording.endNs)] : [];
      const counted = factsOf(summary, recording, store.get());
      facts.textContent = [...length, ...counted].join(' · ');
    },
    (problem) => {
      facts.textContent = problem;
    },
  );
  const show = () => {
    const { event, weight, frames } = store.get();
    request(selectionOf({ ...DEFAULT_STATE, event, weight, frames }));
  };
  store.subscribe(show);
  show();
  return facts;
}
