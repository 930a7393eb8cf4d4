import { isPlumbing } from './plumbing.ts';
import { parseV8Name } from './v8-name.ts';

/**
 * A callchain, leaf first, without V8's steps of running a function, by the rules of
 * `simplifyStacks` with `all`: the outermost frame stays, and so does an innermost one that no
 * function of JavaScript has called. Names are V8's own.
 */
export function simplifyChain<Frame extends { readonly symbol: string | null }>(
  frames: readonly Frame[],
): Frame[] {
  const isStep = ({ symbol }: Frame) => symbol !== null && isPlumbing(symbol, 'all');
  const kept = frames.filter((frame, i) => i === frames.length - 1 || !isStep(frame));
  const leaf = frames[0];
  if (leaf === undefined || kept[0] === leaf) return kept;
  const caller = kept[0]?.symbol ?? null;
  const isTaken = caller !== null && (parseV8Name(caller)?.file ?? '') !== '';
  return isTaken ? kept : [leaf, ...kept];
}
