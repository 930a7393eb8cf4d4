import { formatShare } from '../../base/numbers.ts';
import { shortName } from '../../profile/short-name.ts';
import type { CallerNode } from '../../tools/top/caller-sums.ts';
import type { TopEvent } from '../../tools/top/top-options.ts';

/** Callers of less than this share of the function are left out. */
const MIN_SHARE = 0.01;
const MAX_LINES = 500;

/**
 * The callers of the function that is watched, indented by distance; shares of what has the
 * function on its stack.
 *
 *     callers of memcpy, which is on 12.10% of all stacks since it was chosen
 *      80.00%  read_block
 *       79.10%  main
 */
export function callerLines(callers: TopEvent['callers'] | undefined): string[] {
  if (!callers) return ['callers are of functions: choose a row of the table of symbols'];
  const root = callers.tree();
  const name = shortName(root.name);
  if (root.weight === 0) return [`callers of ${name}: no samples of it since it was chosen`];
  const lines = [
    `callers of ${name}, which is on ${formatShare(callers.share)} of all stacks since it was chosen`,
  ];
  const add = (node: CallerNode, depth: number): void => {
    for (const caller of node.callers) {
      const share = caller.weight / root.weight;
      if (share < MIN_SHARE || lines.length >= MAX_LINES) return;
      lines.push(
        `${' '.repeat(depth)}${formatShare(share).padStart(7)}  ${shortName(caller.name)}`,
      );
      add(caller, depth + 1);
    }
  };
  add(root, 0);
  if (lines.length === 1) lines.push('none is known: stacks are recorded with -g');
  return lines;
}
