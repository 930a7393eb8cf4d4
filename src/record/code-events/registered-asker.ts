import type { TakeInRequest } from '../../register/listen.cts';
import { HelperProcess } from '../../system/strangers/helper-process.ts';
import { type HandshakeResult, readHandshakeResult } from './handshake-result.ts';

/** More than `askRegistered` takes, its start included. */
const DEADLINE_MS = 2000;

/** Asks processes that have imported `perf-ts/register` to report their code, one after the other. */
export class RegisteredAsker {
  readonly #helper = new HelperProcess({
    program: 'dist/record/code-events/ask-program.js',
    deadlineMs: DEADLINE_MS,
  });

  /** Null where the process has not imported it. */
  async ask(pid: number, request: TakeInRequest): Promise<HandshakeResult | null> {
    const answer = await this.#helper.ask(pid, { pid, ...request });
    if (answer === undefined) return { failure: 'it does not answer' };
    return answer === null ? null : readHandshakeResult(answer);
  }

  /** Stops waiting for processes that have not answered yet. */
  giveUp(): void {
    this.#helper.giveUp();
  }
}
