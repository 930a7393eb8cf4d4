import { constants } from 'node:os';
import { callAfter } from '../time/long-timer.ts';

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
