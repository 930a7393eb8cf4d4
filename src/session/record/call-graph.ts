import { UsageError } from '../../base/errors.ts';
import type { CallGraph } from './record-options.ts';

/** perf's other ways to a call stack, and what each of them takes. */
const NOT_YET: Readonly<Record<string, string>> = {
  auto: 'chooses between frame pointers and unwinding',
  dwarf: 'unwinds from copied stacks',
  lbr: "reads the CPU's branch records",
};

/**
 * The way to record call stacks that `text` names, `none` and `no` alike. `where` stands before the
 * message: the option or the event's term.
 */
export function checkCallGraph(text: string, where: string): CallGraph {
  if (text === 'fp') return 'fp';
  if (text === 'none' || text === 'no') return 'none';
  const later = NOT_YET[text.split(',')[0] as string];
  const supported = 'supported: fp (by frame pointer: build with -fno-omit-frame-pointer), none';
  if (later === undefined)
    throw new UsageError(`${where}: unknown way to record stacks`, [supported]);
  throw new UsageError(`${where}: ${later}, which comes with unwinding in a later version`, [
    supported,
  ]);
}
