import { formatShare } from '../ask/format.ts';
import type { ViewState } from '../state/state.ts';
import type { OpenResult, TreeResult } from '../worker/messages/messages.ts';

/** Remarks on what is to know of a tree besides its picture, in words; empty if nothing. */
export function describeTree(result: TreeResult, state: ViewState, recording: OpenResult): string {
  const parts: string[] = [];
  if (result.samples > 0 && !mayHaveStacks(result, state, recording)) {
    parts.push(
      `Recorded without call stacks: each sample shows where it was, and nobody who called it${
        recording.areLossesKnown ? ' (record -g adds them)' : ''
      }.`,
    );
  }
  if (result.withoutStack > 0 && result.zoom.length === 0 && result.weight > 0) {
    const share = formatShare(result.withoutStack / result.weight);
    parts.push(`${share} of the weight has no frame.`);
  }
  return parts.join(' ');
}

/**
 * An imported text does not state how it was recorded: one in which nothing calls has no stacks. What calls
 * may be among the frames that are too narrow to draw.
 */
function mayHaveStacks(
  { rows, zoom, foldedRows }: TreeResult,
  state: ViewState,
  { head }: OpenResult,
): boolean {
  if (head.completeness !== null || zoom.length > 0 || foldedRows > 0) return true;
  const roots = state.tree === 'callers' || state.roots === 'none' ? 0 : 1;
  const depth = new Int32Array(rows.prefix.length);
  for (let row = 0; row < depth.length; row++) {
    const above = rows.prefix[row];
    depth[row] = above < 0 ? 1 : depth[above] + 1;
    if (depth[row] > roots + 1) return true;
  }
  return false;
}
