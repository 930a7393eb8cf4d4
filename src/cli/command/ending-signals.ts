import { constants } from 'node:os';
import { startState } from '../../system/launch/start-state.ts';
import { isSignalFromKernel, noteSignalOrigin } from '../../system/time/signal-origin.ts';

export type EndingSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGQUIT';

const ENDING_SIGNALS: readonly EndingSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];
/** With nohup, or after `trap ''`, these are not meant for us. SIGINT always ends a recording. */
const MAY_BE_IGNORED: readonly EndingSignal[] = ['SIGHUP', 'SIGQUIT'];

/** Repeated signals within this time count as one: shells, sudo and npm forward them. */
export const SIGNAL_DEBOUNCE_MS = 1000;

/**
 * Calls `onSignal` at each signal that ends a recording or a count, until the returned function is
 * called. `isWithCommand`: the command got the signal without us. A terminal sends Ctrl-C to every
 * process of its foreground group, and what started us may pass the same signal on right after;
 * a signal from a process (`kill -INT`) reached us only.
 */
export function onEndingSignals(
  onSignal: (name: EndingSignal, isWithCommand: boolean) => void,
): () => void {
  const ignored = new Set(startState().ignoredSignals);
  const handlers = ENDING_SIGNALS.map((name) => {
    const number = constants.signals[name];
    const isIgnored = MAY_BE_IGNORED.includes(name) && ignored.has(number);
    let fromTerminalMs = Number.NEGATIVE_INFINITY;
    const handler = (): void => {
      if (isIgnored) return;
      const nowMs = performance.now();
      if (isSignalFromKernel(number)) fromTerminalMs = nowMs;
      onSignal(name, nowMs - fromTerminalMs < SIGNAL_DEBOUNCE_MS);
    };
    process.on(name, handler);
    // Node has set its handler now.
    noteSignalOrigin(number);
    return { name, handler };
  });
  return () => {
    for (const { name, handler } of handlers) process.off(name, handler);
  };
}
