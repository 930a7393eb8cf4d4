import flamegraph, { type ChartNode } from 'd3-flame-graph';
import { select } from 'd3-selection';
import type {
  FlameEvent,
  FlameGraphData,
  FlameLabelKind,
  FlameTree,
  FlameView,
} from '../../src/export/flame-graph-data.ts';
import { frameColour, MATCH_COLOUR } from './colours.ts';
import { formatCount, formatInterval, formatShare, formatWeight } from './format.ts';
import { type FrameNode, toFrameNodes } from './frame-tree.ts';
import { createTooltip, type TooltipLine } from './tooltip.ts';

const ROW_HEIGHT = 20;
/** Pixels; narrower frames can be zoomed into by their parent. */
const MIN_FRAME_WIDTH = 0.7;

/** What a frame that is no code stands for. */
const REMARKS: Partial<Record<FlameLabelKind, string>> = {
  lost: 'counted, but the samples did not arrive: any function may have had a part of it',
  pruned: 'frames too small to draw, together',
};

export type ChartOptions = {
  readonly data: FlameGraphData;
  readonly unit: FlameEvent['unit'];
  readonly view: FlameView;
  readonly tree: FlameTree;
  /** True: the root on top and the frames hanging from it. */
  readonly isIcicle: boolean;
  readonly width: number;
  readonly onZoom: (node: FrameNode) => void;
};

export type FlameChart = {
  /** Marks the frames whose label is flagged; null marks none. */
  highlight(isMatch: Uint8Array | null): void;
  resetZoom(): void;
  destroy(): void;
};

/** Draws one tree into `container`, which must be empty. */
export function drawFlameChart(container: Element, options: ChartOptions): FlameChart {
  const { data, view, tree } = options;
  let isMatch: Uint8Array | null = null;
  const labelOf = (node: FrameNode): number =>
    node.row < 0 ? -1 : (tree.label[node.row] as number);

  const colourOf = (node: ChartNode<FrameNode>): string => {
    const label = labelOf(node.data);
    if (label < 0) return frameColour('comm', '', '', isMatch !== null);
    if (isMatch?.[label] === 1) return MATCH_COLOUR;
    const { kind, dso, name } = data.labels;
    return frameColour(kind[label]!, dso[label]!, name[label]!, isMatch !== null);
  };

  const tooltip = createTooltip((node) => describeFrame(options, node));
  const isStill = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  const chart = flamegraph<FrameNode>()
    .width(options.width)
    .cellHeight(ROW_HEIGHT)
    .minFrameSize(MIN_FRAME_WIDTH)
    .transitionDuration(isStill ? 0 : 150)
    .inverted(options.isIcicle)
    // Heaviest first; equal weights by name, so that the picture is always the same.
    .sort((a, b) => b.data.value - a.data.value || (a.data.name < b.data.name ? -1 : 1))
    .tooltip(tooltip)
    .setColorMapper(colourOf)
    .setSearchMatch((node) => isMatch?.[labelOf(node.data)] === 1)
    .setSearchHandler(() => {})
    .onClick((node) => options.onZoom(node.data));

  const selection = select(container);
  selection.datum(toFrameNodes(data, view, tree));
  chart(selection);

  return {
    highlight(flags) {
      isMatch = flags;
      if (flags === null) chart.clear();
      else chart.search('matched by label');
    },
    resetZoom: () => chart.resetZoom(),
    destroy: () => chart.destroy(),
  };
}

function describeFrame(options: ChartOptions, node: FrameNode): TooltipLine[] {
  const { data, unit, view, tree } = options;
  const figure = (weight: number) =>
    `${formatShare(view.weight === 0 ? 0 : weight / view.weight)} · ${formatWeight(weight, unit)}`;
  const lines: TooltipLine[] = [{ term: 'total', text: figure(node.value) }];
  if (node.row < 0) {
    lines.push({ term: 'samples', text: formatCount(view.samples) });
    return lines;
  }
  const low = tree.low?.[node.row] ?? null;
  const high = tree.high?.[node.row] ?? null;
  if (low !== null && high !== null) {
    lines.push({ term: '95 %', text: formatInterval(low, high) });
  }
  const isCallers = tree === view.callers;
  // In the tree of callers a row's own weight is where the path ended, which says nothing here.
  if (!isCallers) lines.push({ term: 'self', text: figure(tree.self[node.row] as number) });
  if (data.weightKind !== 'samples') {
    lines.push({ term: 'samples', text: formatCount(tree.samples[node.row] as number) });
  }
  const dso = data.labels.dso[tree.label[node.row] as number] as string;
  if (dso !== '') lines.push({ term: 'in', text: dso });
  const remark = REMARKS[data.labels.kind[tree.label[node.row] as number] as FlameLabelKind];
  if (remark !== undefined) lines.push({ term: '', text: remark });
  return lines;
}
