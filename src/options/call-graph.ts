import { type Kind, Misfit } from './kinds.ts';

/**
 * How call stacks are recorded: by frame pointer, by copying the user stack for unwinding, or both; or
 * by the calls that the CPU itself records (`lbr`). `dwarf` and `auto` may say how many bytes of the
 * user stack are copied; so may `fp`, which takes from them the callers of code without a frame.
 */
export type CallGraph =
  | 'none'
  | 'fp'
  | `fp,${number}`
  | 'dwarf'
  | `dwarf,${number}`
  | 'auto'
  | `auto,${number}`
  | 'lbr';

/** Bytes of a stack copy where none are named, as in perf. */
export const DEFAULT_STACK_BYTES = 8192;
/** The copy's size is a u16 in the kernel, a multiple of 8. */
const MOST_STACK_BYTES = 65528;

const SUPPORTED =
  'supported: auto[,BYTES] (frame pointers and copied stacks, unwound at the end), fp[,BYTES] (by frame pointer: build with -fno-omit-frame-pointer), ' +
  'dwarf[,BYTES] (unwound from copied stacks), ' +
  "lbr (the CPU's own records of calls: Intel since Haswell), none";

/** The way to record call stacks that `text` names, `none` and `no` alike. Throws `Misfit`. */
export function parseCallGraph(text: string): CallGraph {
  if (text === 'fp') return 'fp';
  if (text === 'none' || text === 'no') return 'none';
  if (text === 'dwarf' || text === 'auto' || text === 'lbr') return text;
  const comma = text.indexOf(',');
  const way = text.slice(0, Math.max(comma, 0));
  if (way === 'dwarf' || way === 'auto' || way === 'fp')
    return `${way},${stackBytes(text.slice(comma + 1))}`;
  throw new Misfit('unknown way to record stacks', [SUPPORTED]);
}

function stackBytes(text: string): number {
  const bytes = /^\d{1,9}$/.test(text) ? Math.ceil(Number(text) / 8) * 8 : 0;
  if (bytes > 0 && bytes <= MOST_STACK_BYTES) return bytes;
  throw new Misfit(`the stack copy has 8 to ${MOST_STACK_BYTES} bytes`, [
    `default: ${DEFAULT_STACK_BYTES}; more reaches further down deep stacks and makes larger files`,
  ]);
}

export const callGraph: Kind<CallGraph> = {
  expected: "a way to record stacks, such as 'fp'",
  read: parseCallGraph,
  has: (value) => typeof value === 'string' && parseCallGraph(value) !== undefined,
};
