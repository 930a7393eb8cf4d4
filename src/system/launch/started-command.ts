import { constants } from 'node:os';
import type { NativeBinding } from '../../native/types.ts';
import { readStat, STAT_FIELD } from '../processes/thread-stat.ts';
import { callAfter } from '../time/long-timer.ts';

/** include/linux/sched.h: set by fork, cleared by exec. */
const PF_FORKNOEXEC = 0x40;

/** Whether a child that we forked has begun to run its program; false too if it is gone. */
export function hasExeced(pid: number): boolean {
  const flags = readStat(pid)?.[STAT_FIELD.flags];
  return flags !== undefined && (Number(flags) & PF_FORKNOEXEC) === 0;
}

/** How long a command may take to end in order. */
const GRACE_MS = 2000;

/** A command that was started, whatever is measured of it. */
export type StartedCommand = {
  /** Sends a signal; false if there is no command (any more). */
  kill(signal: number): boolean;
  /** Settles when the command has ended. */
  readonly exited: Promise<unknown>;
};

/** Ends a command with SIGTERM, and with SIGKILL where it goes on for two seconds. Resolves when it has ended. */
export async function endCommand(command: StartedCommand): Promise<void> {
  if (!command.kill(constants.signals.SIGTERM)) return;
  const late = callAfter(GRACE_MS, () => command.kill(constants.signals.SIGKILL));
  await command.exited;
  late.cancel();
}

/** How often commands that nobody waits for are looked at. */
const LOOK_MS = 500;

let timer: NodeJS.Timeout | null = null;

/**
 * Reaps commands that run on after their recording was closed, soon after they have ended: otherwise
 * they would stay zombies as long as this process lives. Does not keep the process alive.
 */
export function reapLater(binding: Pick<NativeBinding, 'reapOrphans'>): void {
  if (timer !== null || binding.reapOrphans() === 0) return;
  timer = setInterval(() => {
    if (binding.reapOrphans() > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  }, LOOK_MS);
  timer.unref();
}
