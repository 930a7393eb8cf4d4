import { TIERS } from '../../../src/profile/types.ts';
import { formatCount, formatShare, formatShareInterval, formatWeight } from '../format.ts';
import type { FrameKind, TreeIntervals, TreeResult } from '../worker/messages.ts';
import type { FrameNode } from './frame-nodes.ts';
import type { TooltipLine } from './tooltip.ts';

/** What a frame that is no code stands for. */
const REMARKS: Partial<Record<FrameKind, string>> = {
  lost: 'counted, but the samples did not arrive: any function may have had a part of it',
  folded: 'frames too small to draw, together; zoom into the frame that called them',
};

export type DescribeOptions = {
  /** The tree of callers: a row's own weight is where its path ended, which says nothing. */
  readonly inverted: boolean;
  readonly intervals: TreeIntervals | null;
};

/** What the keyboard's cursor is on, in a sentence for those who hear the page. */
export function speakFrame(result: TreeResult, node: FrameNode, inverted: boolean): string {
  const { rows, labels, weight, unit } = result;
  const share = (value: number) => formatShare(weight === 0 ? 0 : value / weight);
  const parts = [`${node.name}: ${share(node.value)} of all, ${formatWeight(node.value, unit)}`];
  if (node.row >= 0) {
    const parent = node.parent?.value ?? 0;
    if (parent > 0) {
      const relation = inverted ? 'of what it called' : 'of its caller';
      parts.push(`${formatShare(node.value / parent)} ${relation}`);
    }
    const kind = labels.kind[rows.label[node.row]];
    if (!inverted && kind !== 'folded') {
      parts.push(`self ${share(rows.self[node.row])}`);
    }
    const siblings = node.parent?.children ?? [];
    if (siblings.length > 1) parts.push(`${siblings.indexOf(node) + 1} of ${siblings.length}`);
  }
  return parts.join(', ');
}

/** Everything that is known of a frame, as terms and figures. */
export function describeFrame(
  result: TreeResult,
  node: FrameNode,
  { inverted, intervals }: DescribeOptions,
): TooltipLine[] {
  const { rows, labels, weight, unit } = result;
  const figure = (value: number) =>
    `${formatShare(weight === 0 ? 0 : value / weight)} · ${formatWeight(value, unit)}`;
  const lines: TooltipLine[] = [{ term: 'total', text: figure(node.value) }];
  if (node.row < 0) {
    if (result.zoom.length === 0) {
      lines.push({ term: 'samples', text: formatCount(result.samples) });
    }
    return lines;
  }
  const low = intervals?.low[node.row] ?? Number.NaN;
  const high = intervals?.high[node.row] ?? Number.NaN;
  if (!Number.isNaN(low)) lines.push({ term: '95%', text: formatShareInterval({ low, high }) });
  const parent = node.parent?.value ?? 0;
  if (parent > 0) {
    const relation = inverted ? 'of what it called' : 'of its caller';
    lines.push({ term: 'share', text: `${formatShare(node.value / parent)} ${relation}` });
  }
  const label = rows.label[node.row];
  const kind = labels.kind[label];
  if (kind !== 'folded') {
    if (!inverted) lines.push({ term: 'self', text: figure(rows.self[node.row]) });
    if (unit !== 'samples') {
      lines.push({ term: 'samples', text: formatCount(rows.samples[node.row]) });
    }
  }
  const tier = rows.tier[node.row];
  if (tier > 0) lines.push({ term: 'tier', text: `mostly ${TIERS[tier]}` });
  const dso = labels.dso[label];
  if (dso !== '') lines.push({ term: 'in', text: dso });
  const place = labels.place[label];
  if (place !== '') lines.push({ term: 'at', text: place });
  const remark = REMARKS[kind];
  if (remark !== undefined) lines.push({ term: '', text: remark });
  return lines;
}
