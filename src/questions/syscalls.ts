import { NONE } from '../base/brand.ts';
import { getOrMake } from '../base/group-by.ts';
import { memoize } from '../base/memoize.ts';
import { funcLabel } from '../profile/func-label.ts';
import type { EventIndex, FuncIndex, Profile } from '../profile/types.ts';
import { SYSCALL_BYTES_EVENT, SYSCALL_EVENT } from '../profile/wait-event.ts';
import { type LengthFigures, Lengths } from './lengths.ts';
import { ownersOfStacks } from './stack-owners.ts';

/** One system call as one function made it. */
export type SyscallSummary = LengthFigures & {
  /** `(kernel: fsync)`. */
  readonly call: string;
  /** The innermost function of the program's author, else of a dependency, that made it; −1: none did. */
  readonly func: FuncIndex | -1;
  readonly count: number;
  /** All of them together, waits in the kernel included. */
  readonly totalNs: number;
  /** Bytes that they moved; 0 too of calls that move none. */
  readonly bytes: number;
};

/** Events of a profile that has system calls; null where it has none. */
export function syscallEvents({ events }: Pick<Profile, 'events'>) {
  const calls = events.findIndex(({ name }) => name === SYSCALL_EVENT);
  const bytes = events.findIndex(({ name }) => name === SYSCALL_BYTES_EVENT);
  return calls === NONE ? null : { calls: calls as EventIndex, bytes: bytes as EventIndex | -1 };
}

/** Rows of the two events; `own`: the label of what perf-ts does itself in a program. */
export type SyscallRows = {
  readonly calls: Int32Array;
  readonly bytes: Int32Array;
  readonly own: string;
};

/**
 * System calls by the function that made them: those of the program first, each that took most time first. `profile` has kinds of
 * native code as functions.
 */
export function summarizeSyscalls(
  profile: Profile,
  { calls, bytes, own }: SyscallRows,
): SyscallSummary[] {
  const { samples, stacks, frames } = profile;
  const { author } = ownersOfStacks(profile);
  const isOwn = (stack: number): boolean =>
    stack !== NONE && funcLabel(profile, frames.func[stacks.frame[stack]] as FuncIndex) === own;
  /** The function that a call is put down to: none, where perf-ts made it within that. */
  const ownerOf = (stack: number): number =>
    isOwn(stack) || isOwn(stacks.prefix[stack]) ? NONE : author[stack];
  const groups = new Map<
    string,
    { call: number; func: number; lengths: Lengths; totalNs: number; bytes: number }
  >();
  const groupOf = memoize((stack: number) => {
    const call = stack === NONE ? NONE : frames.func[stacks.frame[stack]];
    const func = stack === NONE ? NONE : ownerOf(stack);
    const empty = () => ({ call, func, lengths: new Lengths(), totalNs: 0, bytes: 0 });
    return getOrMake(groups, `${call} ${func}`, empty);
  });
  for (const row of calls) {
    const group = groupOf(samples.stack[row]);
    group.lengths.add(samples.periodEvents[row], 1);
    group.totalNs += samples.periodEvents[row];
  }
  for (const row of bytes) groupOf(samples.stack[row]).bytes += samples.periodEvents[row];
  const isOthers = ({ func }: { func: number }): number => (func === NONE ? 1 : 0);
  return [...groups.values()]
    .sort((a, b) => isOthers(a) - isOthers(b) || b.totalNs - a.totalNs)
    .map(({ call, func, lengths, totalNs, bytes: moved }) => ({
      call: call === NONE ? '[unknown]' : funcLabel(profile, call as FuncIndex),
      func: func as FuncIndex | -1,
      ...lengths.finish(),
      totalNs,
      bytes: moved,
    }));
}
