import { waitKindOf } from '../../../src/profile/off-cpu/wait-kinds.ts';
import { TIERS } from '../../../src/profile/types.ts';
import { formatCount, formatShare, formatShareInterval, formatWeight } from '../ask/format.ts';
import type { TooltipLine } from '../dom/tooltip-line.ts';
import { waitWords } from '../wait-words.ts';
import type { FrameKind, TreeIntervals, TreeResult } from '../worker/messages/messages.ts';
import type { FrameNode } from './frame-nodes.ts';

/** Remarks on what a frame that is no code stands for. */
const REMARKS: Partial<Record<FrameKind, string>> = {
  lost: 'counted, but the samples did not arrive: any function may have had a part of it',
  folded: 'frames too narrow to draw, together; a click or Enter shows them',
};

export type DescribeOptions = {
  /** The tree of callers: a row's own weight is where its path ended, which says nothing. */
  readonly inverted: boolean;
  readonly intervals: TreeIntervals | null;
};

/** The frame that the keyboard's cursor is on, in a sentence for those who hear the page. */
export function speakFrame(result: TreeResult, node: FrameNode, inverted: boolean): string {
  const { weight, unit } = result;
  const share = (value: number) => formatShare(weight === 0 ? 0 : value / weight);
  const parts = [`${node.name}: ${share(node.value)} of all, ${formatWeight(node.value, unit)}`];
  parts.push(...relationOf(node, inverted));
  if (node.label >= 0 && !inverted && node.folded === 0) parts.push(`self ${share(node.self)}`);
  const siblings = node.parent?.children ?? [];
  if (siblings.length > 1) parts.push(`${siblings.indexOf(node) + 1} of ${siblings.length}`);
  return parts.join(', ');
}

/** Its part of the frame above it; empty for the outermost. */
function relationOf({ label, value, parent }: FrameNode, inverted: boolean): string[] {
  if (label < 0 || parent === null || parent.value <= 0) return [];
  const relation = inverted ? 'of what it called' : 'of its caller';
  return [`${formatShare(value / parent.value)} ${relation}`];
}

/** Everything that is known of a frame, as terms and figures. */
export function describeFrame(
  result: TreeResult,
  node: FrameNode,
  { inverted, intervals }: DescribeOptions,
): TooltipLine[] {
  const { labels, weight, unit } = result;
  const { row, label, samples, tier, folded } = node;
  const figure = (value: number) =>
    `${formatShare(weight === 0 ? 0 : value / weight)} · ${formatWeight(value, unit)}`;
  const lines: TooltipLine[] = [{ term: 'total', text: figure(node.value) }];
  // Frames above the zoomed one have no row, nor has it.
  const low = row < 0 ? Number.NaN : (intervals?.low[row] ?? Number.NaN);
  const high = row < 0 ? Number.NaN : (intervals?.high[row] ?? Number.NaN);
  if (!Number.isNaN(low)) lines.push({ term: '95%', text: formatShareInterval({ low, high }) });
  lines.push(...relationOf(node, inverted).map((text) => ({ term: 'share', text })));
  if (folded === 0) {
    if (label >= 0 && !inverted) lines.push({ term: 'self', text: figure(node.self) });
    if (unit !== 'samples' || label < 0) {
      lines.push({ term: 'samples', text: formatCount(samples) });
    }
  }
  if (tier > 0) lines.push({ term: 'tier', text: `mostly ${TIERS[tier]}` });
  if (label < 0) return lines;
  const dso = labels.dso[label];
  if (dso !== '') lines.push({ term: 'in', text: dso });
  const place = labels.place[label];
  if (place !== '') lines.push({ term: 'at', text: place });
  const wait = waitKindOf(node.name);
  const remark = wait === null ? REMARKS[labels.kind[label]] : waitWords(wait);
  if (remark !== undefined) lines.push({ term: '', text: remark });
  return lines;
}
