import { groupTitle, KIND_GROUPS } from '../../../src/formats/export/kind-group.ts';
import { WAIT_KINDS } from '../../../src/profile/off-cpu/wait-kinds.ts';
import { askLatest } from '../ask/ask.ts';
import { formatShare, formatWeight } from '../ask/format.ts';
import { element, pushButton, replaceKeepingFocus } from '../dom/dom.ts';
import { colourVariable } from '../flame-graph/frame-colours.ts';
import { groupColour } from '../kinds.ts';
import { selectionOf, treeParams } from '../state/selection.ts';
import type { ViewContext } from '../state/view-context.ts';
import { waitTitle, waitWords } from '../wait-words.ts';
import type { TreeResult } from '../worker/messages/messages.ts';
import type { SummaryResult } from '../worker/messages/panel-messages.ts';
import './status.css';

/** Groups with less than this share are not in the legend: rounded, it is nothing. */
const LEAST_SHARE = 0.0005;

/** The line below every view: where one is zoomed, how much of all that is, and whose code it was spent in. */
export function createStatusLine(context: ViewContext): HTMLElement {
  const { store, askAround: ask } = context;
  const path = element('nav', 'status-path');
  path.setAttribute('aria-label', 'Path of the zoom');
  const legend = element('div', 'legend');
  legend.setAttribute('role', 'group');
  const fail = (problem: string) => path.replaceChildren(problem);
  const askPath = askLatest(ask, 'tree', (tree) => drawPath(path, context, tree), fail);
  // The shares are those of all kinds, also where one is chosen.
  const askLegend = askLatest(ask, 'summary', (sum) => drawLegend(legend, context, sum), fail);
  const note = element('output', 'status-note', 'link of another recording: rows left out');
  note.title =
    'This link was made of another recording, or by another version of perf-ts. The functions, threads and ' +
    'edits that it names are left out: here they would be others.';
  const show = () => {
    const state = store.get();
    note.hidden = !store.hasForeignLink();
    // The tree of changes has rows of its own, which its graph shows.
    const isOfChanges = state.tab === 'diff';
    if (isOfChanges) path.replaceChildren();
    askPath(isOfChanges ? null : { ...treeParams(state, 1), search: '' });
    if (!askLegend({ ...selectionOf(state), group: null })) markChosen(legend, state.group);
  };
  store.subscribe(show);
  show();
  return element('footer', 'status-line', note, path, legend);
}

function drawPath(
  path: HTMLElement,
  { store }: ViewContext,
  { zoom, weight, zoomWeight, unit }: TreeResult,
): void {
  const keys = zoom.map(({ key }) => key);
  const crumbs = ['all', ...zoom.map(({ name }) => name)].map((text, depth) => {
    const crumb = pushButton('crumb', text, () => store.change({ zoom: keys.slice(0, depth) }));
    crumb.title = text;
    crumb.dataset.key = `crumb ${depth}`;
    if (depth === zoom.length) crumb.ariaCurrent = 'true';
    return crumb;
  });
  const share = weight === 0 ? '' : `${formatShare(zoomWeight / weight)} of all · `;
  const text = `${zoom.length === 0 ? '' : share}${formatWeight(zoomWeight, unit)}`;
  const row = element('span', 'crumbs', ...crumbs);
  replaceKeepingFocus(path, row, element('output', 'status-share', text));
  // The last ones tell where one is, if not all have room. The scrolling takes a layout: the one of the frame.
  requestAnimationFrame(() => {
    row.scrollLeft = row.scrollWidth;
  });
}

function drawLegend(
  legend: HTMLElement,
  { store }: ViewContext,
  { weight, byGroup, byWait, belowOwn }: SummaryResult,
): void {
  const title =
    byWait === null ? 'Kinds of code; press one to see only it' : 'Reasons of the waits';
  legend.setAttribute('aria-label', title);
  if (byWait !== null) {
    replaceKeepingFocus(legend, ...waitEntries(byWait, weight));
    return;
  }
  const { group: chosen } = store.get();
  const entries = KIND_GROUPS.map((group, index) => ({ group, share: byGroup[index] / weight }))
    .filter(({ group, share }) => share >= LEAST_SHARE || group === chosen)
    .map(({ group, share }) => {
      const swatch = element('span', 'swatch');
      swatch.style.background = groupColour(group);
      const button = pushButton('legend-entry', '', () =>
        store.change({ group: store.get().group === group ? null : group, zoom: [] }),
      );
      button.append(swatch, `${groupTitle(group)} ${formatShare(share)}`);
      button.dataset.value = group;
      const total = group === 'own' ? `, ${formatShare(belowOwn / weight)} with what it calls` : '';
      button.title = `Show only samples in this code${total}`;
      return button;
    });
  replaceKeepingFocus(legend, ...entries);
  markChosen(legend, chosen);
}

function waitEntries(byWait: Float64Array, weight: number): HTMLElement[] {
  return WAIT_KINDS.map((kind, index) => ({ kind, share: byWait[index] / weight }))
    .filter(({ share }) => share >= LEAST_SHARE)
    .map(({ kind, share }) => {
      const swatch = element('span', 'swatch');
      swatch.style.background = colourVariable(`wait-${kind}`);
      const entry = element(
        'span',
        'legend-entry',
        swatch,
        `${waitTitle(kind)} ${formatShare(share)}`,
      );
      entry.title = waitWords(kind);
      return entry;
    });
}

function markChosen(legend: HTMLElement, chosen: string | null): void {
  for (const button of legend.querySelectorAll<HTMLElement>('button.legend-entry')) {
    button.setAttribute('aria-pressed', String(button.dataset.value === chosen));
  }
}
