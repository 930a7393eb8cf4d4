import type { Dso } from '../../profile/types.ts';
import { KERNEL, type KernelEntry, kernelEntry, labelledSyscall } from './kernel-entry.ts';

/** The class of a function that is no program's, whatever language that is written in. */
export type OutsideClass =
  | { readonly is: 'kernel'; readonly entry: KernelEntry }
  /** States why a thread waits, on top of the stack. */
  | { readonly is: 'wait'; readonly isSleep: boolean };

/** Frames as `addWaitReasons` writes them: `[S sleeping in do_epoll_wait]`, `[woken by server/1234]`. */
const WAIT = /^\[(?:(?:[A-Za-z]\+?|\?) (?:\w+|state 0x\w+)(?: in .*)?|woken by .*)\]$/s;
/** Threads of unknown states are those that gave the CPU up. */
const SLEEP = /^\[(?:S sleeping|\? waiting)\b/;

/** Null for a function of a program or a library. */
export function outsideClass(name: string, dso: Dso | undefined): OutsideClass | null {
  if (WAIT.test(name)) return { is: 'wait', isSleep: SLEEP.test(name) };
  const call = dso === undefined ? labelledSyscall(name) : null;
  if (call !== null) return { is: 'kernel', entry: call };
  if (dso?.kind !== 'kernel' && dso?.kind !== 'module') return null;
  return { is: 'kernel', entry: kernelEntry(name) ?? KERNEL };
}
