import type { NativeBinding } from '../../native/types.ts';

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
