import type {
  FlameGraphData,
  FlameLabelKind,
  FlameView,
} from '../../src/export/flame-graph-data.ts';
import { kindColour, kindTitle, LABEL_KINDS } from './colours.ts';
import { element } from './dom.ts';
import { formatShare } from './format.ts';

/** A swatch for each kind of code, with the share of the weight spent in it. */
export function renderLegend(data: FlameGraphData, view: FlameView): HTMLElement[] {
  const { label, self } = view.callees;
  const selfOf = new Map<FlameLabelKind, number>();
  for (let row = 0; row < label.length; row++) {
    const kind = data.labels.kind[label[row] as number] as FlameLabelKind;
    selfOf.set(kind, (selfOf.get(kind) ?? 0) + (self[row] as number));
  }
  // Rows for pruned frames are drawn only where they are wide enough; all of it counts here.
  if (view.callees.prunedRows > 0) selfOf.set('pruned', view.callees.prunedWeight);
  const isListed = (kind: FlameLabelKind) => kind === 'comm' || (selfOf.get(kind) ?? 0) > 0;
  return LABEL_KINDS.filter((kind) => selfOf.has(kind) && isListed(kind)).map((kind) => {
    const swatch = element('span', 'swatch');
    swatch.style.background = kindColour(kind);
    const share = view.weight === 0 ? 0 : (selfOf.get(kind) as number) / view.weight;
    const isPlace = kind === 'comm';
    const text = isPlace ? kindTitle(kind) : `${kindTitle(kind)} ${formatShare(share)}`;
    return element('span', 'legend-entry', swatch, text);
  });
}

/** What the tree leaves out, in words; empty if nothing. */
export function describePruning(view: FlameView, isCallers: boolean): string {
  const tree = isCallers ? view.callers : view.callees;
  if (tree.prunedRows === 0) return '';
  const share = view.weight === 0 ? 0 : tree.prunedWeight / view.weight;
  const frames = tree.prunedRows === 1 ? '1 frame' : `${tree.prunedRows} frames`;
  return `Pruned: ${frames} too small to draw, with ${formatShare(share)} of the weight.`;
}
