import { readTextOrEmpty } from '../small-file.ts';
import { STAT_FIELD, splitStat } from './thread-stat.ts';

/** A thread that is off the CPU and not for want of one. */
export type SleepingThread = {
  readonly pid: number;
  readonly tid: number;
  /** State as in `/proc/TID/stat`: S, D, T … */
  readonly state: string;
  /** The CPU that it ran on last. */
  readonly cpu: number;
  /** Kernel functions, innermost first: `do_nanosleep+0x6a`. Empty where they may not be read. */
  readonly kernelStack: readonly string[];
  /** Its place in its own code; null where that may not be read. */
  readonly userIp: bigint | null;
};

/** States of threads that run, want to, or have ended. */
const NOT_WAITING = new Set(['R', 'Z', 'X', 'x']);

/** The threads among `tids` that sleep now. */
export function findSleepingThreads(tids: Iterable<number>): SleepingThread[] {
  const found: SleepingThread[] = [];
  for (const tid of tids) {
    const thread = readThread(tid);
    if (thread !== null) found.push(thread);
  }
  return found;
}

/** Null where it does not sleep, or is gone. */
function readThread(tid: number): SleepingThread | null {
  const stat = parseStat(readTextOrEmpty(`/proc/${tid}/stat`));
  if (stat === null || NOT_WAITING.has(stat.state)) return null;
  const tgid = /^Tgid:\s*(\d+)/m.exec(readTextOrEmpty(`/proc/${tid}/status`));
  if (tgid === null) return null;
  return {
    pid: Number(tgid[1]),
    tid,
    ...stat,
    kernelStack: readKernelStack(tid),
    userIp: parseSyscall(readTextOrEmpty(`/proc/${tid}/syscall`)),
  };
}

/** The state and CPU of `/proc/TID/stat`; null where the text is cut. */
export function parseStat(text: string): { state: string; cpu: number } | null {
  const fields = splitStat(text);
  const state = fields[STAT_FIELD.state] ?? '';
  const cpu = Number(fields[STAT_FIELD.cpu]);
  return /^[A-Za-z]$/.test(state) && Number.isInteger(cpu) ? { state, cpu } : null;
}

/** The whole stack for root, else the function that waits; empty where neither may be read. */
function readKernelStack(tid: number): string[] {
  const stack = parseStack(readTextOrEmpty(`/proc/${tid}/stack`));
  if (stack.length > 0) return stack;
  const waitsIn = readTextOrEmpty(`/proc/${tid}/wchan`).trim();
  return /^[A-Za-z_][\w.]*$/.test(waitsIn) ? [`${waitsIn}+0x1`] : [];
}

/** `[<0>] do_nanosleep+0x6a/0x100 [module]`, innermost first. */
export function parseStack(text: string): string[] {
  return Array.from(text.matchAll(/^\[<\S*>\] ([^\s+]+\+0x[0-9a-f]+)\//gm), ([, at]) => at);
}

/** `230 0x1 0x0 … SP PC`, or `-1 SP PC` outside of a system call; `running` has none. */
export function parseSyscall(text: string): bigint | null {
  const ip = /^-?\d+(?: 0x[0-9a-f]+)* 0x[0-9a-f]+ (0x[0-9a-f]+)$/.exec(text.trim());
  return ip === null ? null : BigInt(ip[1]);
}
