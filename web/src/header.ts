import type { FlameEvent, FlameGraphData, FlameView } from '../../src/export/flame-graph-data.ts';
import { element } from './dom.ts';
import { formatCount, formatDuration, formatShare, formatWeight } from './format.ts';

/** What was recorded, where, and what stands in the way of trusting it: above everything else. */
export function renderHeader(data: FlameGraphData): HTMLElement {
  const { recording } = data;
  const header = element('header');
  header.append(element('h1', '', recording.command || 'Flame graph'));
  const place = [
    recording.hostname,
    recording.kernel === null ? null : `Linux ${recording.kernel}`,
    recording.arch,
    `first to last sample ${formatDuration(recording.durationNs)}`,
    data.exporter,
  ].filter((part) => part !== null && part !== '');
  header.append(element('p', 'place', place.join(' · ')));
  if (recording.notes.length > 0) {
    header.append(
      element('ul', 'notes', ...recording.notes.map((note) => element('li', '', note))),
    );
  }
  return header;
}

/** The figures of the view being shown. */
export function renderFigures(event: FlameEvent, view: FlameView): HTMLElement[] {
  const figures = [
    figure('event', event.sampling === '' ? event.name : `${event.name}, ${event.sampling}`),
    figure('weight', event.weightTitle),
    figure('total', formatWeight(view.weight, event.unit)),
    figure('samples', formatCount(view.samples)),
  ];
  const recorded = event.views[0]!.samples;
  const share = event.lostSamples / Math.max(1, event.lostSamples + recorded);
  const lost =
    event.lostSamples === 0 ? 'none' : `${formatCount(event.lostSamples)} (${formatShare(share)})`;
  const lostFigure = figure('lost samples', lost);
  if (event.lostSamples > 0) lostFigure.classList.add('warning');
  figures.push(lostFigure);
  if (event.provenance.length > 0) {
    const origin = figure('where this comes from', event.provenance.join('; '));
    origin.classList.add('remark');
    figures.push(origin);
  }
  return figures;
}

function figure(term: string, text: string): HTMLElement {
  return element('div', 'figure', element('dt', '', term), element('dd', '', text));
}
