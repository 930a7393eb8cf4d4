import { TIERS } from '../../../src/profile/types.ts';
import { element } from '../dom.ts';
import { formatCount, formatShare } from '../format.ts';
import type { FrameKind, TreeResult } from '../worker/messages.ts';
import { FRAME_KINDS, kindColour, kindTitle, tierColour } from './frame-colours.ts';

/** A swatch for each kind of code that is drawn, and for each tier of V8. */
export function renderLegend({ rows, labels }: TreeResult): HTMLElement[] {
  const kinds = new Set<FrameKind>();
  const tiers = new Set<number>();
  for (let row = 0; row < rows.label.length; row++) {
    kinds.add(labels.kind[rows.label[row] as number] as FrameKind);
    tiers.add(rows.tier[row] as number);
  }
  tiers.delete(0);
  return [
    ...FRAME_KINDS.filter((kind) => kinds.has(kind)).map((kind) =>
      entry(kindColour(kind), kindTitle(kind)),
    ),
    ...[...tiers].sort((a, b) => a - b).map((tier) => entry(tierColour(tier), TIERS[tier]!)),
  ];
}

function entry(colour: string, text: string): HTMLElement {
  const swatch = element('span', 'swatch');
  swatch.style.background = colour;
  return element('span', 'legend-entry', swatch, text);
}

/** What the tree leaves out, in words; empty if nothing. */
export function describeFolding(result: TreeResult): string {
  const parts: string[] = [];
  if (result.foldedRows > 0) {
    const share = result.zoomWeight === 0 ? 0 : result.foldedWeight / result.zoomWeight;
    const rows = result.allRows - result.foldedRows;
    parts.push(
      `${formatCount(rows)} of ${formatCount(result.allRows)} frames are drawn; the others are too ` +
        `small, and ${formatShare(share)} of the weight shown is their own.`,
    );
  }
  if (result.withoutStack > 0 && result.zoom.length === 0 && result.weight > 0) {
    const share = formatShare(result.withoutStack / result.weight);
    parts.push(`${share} of the weight has no frame.`);
  }
  return parts.join(' ');
}
