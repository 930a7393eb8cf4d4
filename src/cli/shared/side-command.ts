import { constants } from 'node:os';
import { Deferred } from '../../base/deferred.ts';
import { loadBinding } from '../../native/binding.ts';
import type { CommandSpec, NativeHeldCommand } from '../../native/types.ts';
import type { UserOptions } from '../../options/user.ts';
import type { CommandExit } from '../../record/recording.ts';
import { chooseUser } from '../../system/accounts/run-as.ts';
import { type CommandOptions, resolveCommand } from '../../system/launch/resolve-command.ts';
import { explainExecFailure } from '../../system/launch/start-failure.ts';

/**
 * A command that runs alongside a recording or a count and is no part of it: it says how long
 * (`-p PID -- sleep 30`), or makes the work (`--load`). It waits until `start`, so that what can't be run
 * fails before anything is recorded.
 */
export class SideCommand {
  readonly #spec: CommandSpec;
  readonly #held: NativeHeldCommand;
  readonly #ended = new Deferred<CommandExit>();
  #isEndedByUs = false;

  /** Throws as for a command that is recorded: not found, not executable. */
  constructor(words: readonly string[], options: UserOptions & CommandOptions) {
    this.#spec = resolveCommand(words, options, chooseUser(options));
    this.#held = new (loadBinding().HeldCommand)(this.#spec);
    // Whoever waits for it gets the error; nobody may.
    this.#ended.promise.catch(() => {});
  }

  /** How it ended; rejects where it never ran. */
  get ended(): Promise<CommandExit> {
    return this.#ended.promise;
  }

  /** Whether `end` ended it: then its status says nothing. */
  get isEndedByUs(): boolean {
    return this.#isEndedByUs;
  }

  start(): void {
    this.#held.release(({ failedStep, failedCode, status, signal }) => {
      if (failedStep === '') this.#ended.settle({ status, signal });
      else
        this.#ended.settle(Promise.reject(explainExecFailure(this.#spec, failedStep, failedCode)));
    });
  }

  /** Ends the command, as what it bounds has ended without it. */
  end(): void {
    this.#isEndedByUs = this.#held.kill(constants.signals.SIGTERM) || this.#isEndedByUs;
  }

  /** One that never started never will. */
  close(): void {
    this.#held.close();
  }
}
