import { TIERS } from '../../../src/profile/types.ts';
import { element } from '../dom.ts';
import { formatCount, formatShare } from '../format.ts';
import type { FrameKind, TreeResult } from '../worker/messages.ts';
import {
  FRAME_KINDS,
  INLINED_COLOUR,
  kindColour,
  kindTitle,
  MATCH_COLOUR,
  tierColour,
} from './frame-colours.ts';
import { isInlined } from './frame-nodes.ts';

/** What the colours mean: a line of its own, in a low window behind a word, to leave the graph its room. */
export function createLegend(): {
  readonly root: HTMLElement;
  show(result: TreeResult, funcs: number): void;
} {
  const root = element('details', 'colours');
  const legend = element('div', 'legend');
  root.append(element('summary', '', 'Colours'), legend);
  const isHigh = window.matchMedia('(height >= 900px)');
  const fold = () => {
    root.open = isHigh.matches;
  };
  isHigh.addEventListener('change', fold);
  fold();
  return {
    root,
    show: (result, funcs) => legend.replaceChildren(...renderLegend(result, funcs)),
  };
}

/** A swatch for each kind of code that is drawn, for each tier of V8, and what else is a colour. */
function renderLegend({ rows, labels }: TreeResult, funcs: number): HTMLElement[] {
  const kinds = new Set<FrameKind>();
  const tiers = new Set<number>();
  for (let row = 0; row < rows.label.length; row++) {
    kinds.add(labels.kind[rows.label[row]]);
    tiers.add(rows.tier[row]);
  }
  tiers.delete(0);
  const hasInlined = labels.key.some((key) => isInlined(key, funcs));
  const hasMatch = labels.isMatch.some((flag) => flag === 1);
  return [
    ...FRAME_KINDS.filter((kind) => kinds.has(kind)).map((kind) =>
      entry(kindColour(kind), kindTitle(kind)),
    ),
    ...[...tiers].sort((a, b) => a - b).map((tier) => entry(tierColour(tier), TIERS[tier])),
    ...(hasInlined ? [entry(INLINED_COLOUR, 'inlined: lighter')] : []),
    ...(hasMatch ? [entry(MATCH_COLOUR, 'found by the search')] : []),
  ];
}

function entry(colour: string, text: string): HTMLElement {
  const swatch = element('span', 'swatch');
  swatch.style.background = colour;
  return element('span', 'legend-entry', swatch, text);
}

/** What the tree leaves out, in words; empty if nothing. */
export function describeFolding(result: TreeResult, hasStacks: boolean): string {
  const parts: string[] = [];
  if (!hasStacks && result.samples > 0) {
    parts.push(
      'Recorded without call stacks: each sample shows where it was, and nobody who called it ' +
        '(record -g adds them).',
    );
  }
  if (result.foldedRows > 0) {
    const share = result.zoomWeight === 0 ? 0 : result.foldedWeight / result.zoomWeight;
    const rows = result.allRows - result.foldedRows;
    parts.push(
      `${formatCount(rows)} of ${formatCount(result.allRows)} frames are drawn. The others are too ` +
        `narrow; ${formatShare(share)} of the weight shown was spent in them: zoom in to see them.`,
    );
  }
  if (result.withoutStack > 0 && result.zoom.length === 0 && result.weight > 0) {
    const share = formatShare(result.withoutStack / result.weight);
    parts.push(`${share} of the weight has no frame.`);
  }
  return parts.join(' ');
}
