import { constants } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { FailedError } from '../../base/errors.ts';
import { signalStatus } from '../../base/exit-status.ts';
import type { RunningRecording } from '../../record/recording.ts';
import { startState } from '../../system/launch/start-state.ts';
import { groupBelow, signalAll, signalsOurGroup } from '../../system/processes/process-tree.ts';
import { FROM_KERNEL, noteSignalOrigin, senderOfSignal } from '../../system/time/signal-origin.ts';
import { quit } from './exit.ts';

export type EndingSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGQUIT';

const ENDING_SIGNALS: readonly EndingSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];
/** Signals that are not meant for us with nohup, or after `trap ''`. SIGINT always ends a recording. */
const MAY_BE_IGNORED: readonly EndingSignal[] = ['SIGHUP', 'SIGQUIT'];

/** Repeated signals within this time count as one: shells, sudo and npm forward them. */
export const SIGNAL_DEBOUNCE_MS = 1000;

/** How a command of `perf-ts` ends by signals. */
export type EndingRule = {
  /** The first signal ends the sampling or counting, or only goes to the profiled command, whose end follows. */
  readonly first: 'stop' | 'forward';
  /**
   * A further one ends the sampling or counting; or, where it is Ctrl-C, the process. With
   * `quit-once-complete` that waits for `complete`, unless the first one is too long ago for a repetition.
   */
  readonly again: 'stop' | 'quit' | 'quit-once-complete';
};

/** A recording, count or table that signals end. */
export type Endable = Pick<RunningRecording, 'stop' | 'childPid' | 'kill'>;

/**
 * Ctrl-C and the other signals that end a recording, a count or `top`. The profiled command gets each
 * of them once: from the terminal, or from us. What a terminal sends to all of the command's group, we do, too.
 *
 * Construct it before anything runs: a signal may come as soon as the command does. It listens to the
 * end of the process, so that no repetition of a signal ends us by its default action and takes the
 * place of our exit status.
 */
export class EndingSignals {
  /** Number of the last signal that was for the command; 0: none came. */
  sent = 0;
  /** The last signal from outside that is not Ctrl-C; null: none came. */
  endedBy: EndingSignal | null = null;
  readonly #rule: EndingRule;
  readonly #beforeBegin = new AbortController();
  readonly #unlisten: () => void;
  /** Done by `begin`. */
  #kept: (() => void)[] = [];
  #running: Endable | null = null;
  #firstMs: number | null = null;
  #isComplete = false;
  #quitStatus: number | null = null;

  constructor(rule: EndingRule) {
    this.#rule = rule;
    this.#unlisten = onEndingSignals((name, isWithCommand) => {
      if (name !== 'SIGINT') this.endedBy = name;
      this.end(name, isWithCommand);
    });
  }

  /** Aborted by a signal before `begin`: there may be nothing yet that could be ended in order. */
  get abortSignal(): AbortSignal {
    return this.#beforeBegin.signal;
  }

  /** Lets signals end `running` from now on; those that have come do so at once. */
  begin(running: Endable): void {
    this.#running = running;
    for (const end of this.#kept) end();
    this.#kept = [];
  }

  /** The samples are where they belong: quitting loses nothing. */
  complete(): void {
    this.#isComplete = true;
    if (this.#quitStatus !== null) quit(this.#quitStatus);
  }

  /** Acts as a signal does; `isWithCommand`: the command has got it without us. */
  end(name: EndingSignal, isWithCommand = false): void {
    const nowMs = performance.now();
    const isAgain = this.#firstMs !== null;
    this.#firstMs ??= nowMs;
    if (isAgain && name === 'SIGINT') this.#quitBy(name, nowMs - this.#firstMs);
    if (this.#running === null) {
      this.#kept.push(() => this.#pass(name, isWithCommand, isAgain));
      const message = `${name} ended the recording before it began`;
      this.#beforeBegin.abort(new FailedError(message, [], statusOf(name)));
    } else {
      this.#pass(name, isWithCommand, isAgain);
    }
  }

  /**
   * Stops listening, for what follows and ends by signals in its own way. A signal that came while this thread had no
   * time for it is taken first: Node drops a signal to which nobody listens by the time it gets to it.
   */
  async release(): Promise<void> {
    // Node hears of a signal when it asks the system next; that may be in the turn after this one.
    await setImmediate();
    await setImmediate();
    this.#unlisten();
  }

  #quitBy(name: EndingSignal, sinceFirstMs: number): void {
    const { again } = this.#rule;
    if (again === 'stop') return;
    const isRepetition = sinceFirstMs <= SIGNAL_DEBOUNCE_MS;
    if (again === 'quit' || this.#isComplete || !isRepetition) quit(statusOf(name));
    this.#quitStatus = statusOf(name);
  }

  #pass(name: EndingSignal, isWithCommand: boolean, isAgain: boolean): void {
    this.sent = constants.signals[name];
    if (!isWithCommand && this.#running !== null) sendTo(this.#running, name);
    if (this.#rule.first === 'stop' || isAgain) this.#running?.stop();
  }
}

function sendTo(running: Endable, name: EndingSignal): void {
  const { childPid } = running;
  // Read before one of them ends and leaves its children to others.
  const group = name === 'SIGTERM' || childPid <= 0 ? [] : groupBelow(childPid);
  const number = constants.signals[name];
  if (running.kill(number)) signalAll(group, number);
}

function statusOf(name: EndingSignal): number {
  return signalStatus(constants.signals[name]);
}

/**
 * Calls `onSignal` at each ending signal, until the returned function is called. `isWithCommand`: the
 * command got the signal without us. A terminal sends Ctrl-C to every process of its foreground group,
 * and what started us may pass the same signal on right after; timeout(1) sends its signal to us and then
 * to our group. A signal from another process (`kill -INT`) is taken to have reached us only: the siginfo of one to our
 * group is the same, and the command gets that twice.
 */
function onEndingSignals(
  onSignal: (name: EndingSignal, isWithCommand: boolean) => void,
): () => void {
  const ignored = new Set(startState().ignoredSignals);
  const handlers = ENDING_SIGNALS.map((name) => {
    const number = constants.signals[name];
    const isIgnored = MAY_BE_IGNORED.includes(name) && ignored.has(number);
    let fromTerminalMs = Number.NEGATIVE_INFINITY;
    let last = { sender: 0, ms: Number.NEGATIVE_INFINITY };
    const handler = (): void => {
      if (isIgnored) return;
      const nowMs = performance.now();
      const sender = senderOfSignal(number);
      const isOfGroup = signalsOurGroup(sender);
      const isRepetition = sender === last.sender && nowMs - last.ms < SIGNAL_DEBOUNCE_MS;
      if (isOfGroup && isRepetition) return;
      last = { sender, ms: nowMs };
      if (sender === FROM_KERNEL) fromTerminalMs = nowMs;
      onSignal(name, nowMs - fromTerminalMs < SIGNAL_DEBOUNCE_MS || isOfGroup);
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
