import { get } from 'node:http';
import { FailedError } from '../../base/errors.ts';
import { fieldOf, numberField, parseForeignJson, textField } from '../../base/foreign-json.ts';
import { WebSocketClient } from './web-socket.ts';

const ANSWER_MS = 5000;
const MOST_LIST_BYTES = 1 << 16;
const MOST_TEXT_CHARS = 1 << 16;

/** The value of an expression, or the reason why it has none. */
type Answer = { readonly value: unknown } | { readonly error: string };

/** A session with the inspector of a Node process: the Chrome DevTools Protocol over a WebSocket. */
export class Inspector {
  readonly #socket: WebSocketClient;
  readonly #waiting: Map<number, (answer: Answer) => void>;
  #lastId = 0;

  /** Rejects where `port` of this machine is no inspector. */
  static async connect(port: number, timeoutMs = ANSWER_MS): Promise<Inspector> {
    const list = parseForeignJson(await getText(port, '/json/list', timeoutMs));
    if (!Array.isArray(list)) throw new FailedError('the port is not that of an inspector');
    const address = textField(list[0], 'webSocketDebuggerUrl', MOST_TEXT_CHARS);
    if (address === null) throw new FailedError('a debugger is attached to the process already');
    // The address is the inspector's own word; the port is the one that was asked.
    if (!URL.canParse(address)) throw new FailedError('the port is not that of an inspector');
    const url = new URL(address);
    const waiting = new Map<number, (answer: Answer) => void>();
    const socket = await WebSocketClient.connect(
      new URL(url.pathname, `ws://127.0.0.1:${port}`),
      (text) => {
        const message = parseForeignJson(text);
        const id = numberField(message, 'id') ?? -1;
        waiting.get(id)?.(readAnswer(message));
        waiting.delete(id);
      },
      timeoutMs,
    );
    return new Inspector(socket, waiting);
  }

  private constructor(socket: WebSocketClient, waiting: Map<number, (answer: Answer) => void>) {
    this.#socket = socket;
    this.#waiting = waiting;
  }

  /**
   * The value of an expression in the process's main thread, also while it runs a loop; `require` is
   * there. Rejects with what the expression throws.
   */
  async evaluate(expression: string): Promise<unknown> {
    const id = this.#send('Runtime.evaluate', {
      expression,
      includeCommandLineAPI: true,
      returnByValue: true,
      silent: true,
    });
    const answer = await this.#answerTo(id);
    if ('error' in answer) throw new FailedError(answer.error.split('\n')[0]);
    return answer.value;
  }

  /**
   * Lets the process close its inspector, which its main thread does when it comes to JavaScript again. Resolves
   * when the session is closed by that, or by the end of the process. A process that ends has no context to do it
   * in, and waits for the end of all sessions: this one ends then.
   */
  async closeInspector(): Promise<void> {
    const id = this.#send('Runtime.evaluate', { expression: 'process._debugEnd()' });
    this.#waiting.set(id, (answer) => {
      if ('error' in answer) this.close();
    });
    await this.#socket.closed;
  }

  close(): void {
    this.#socket.close();
  }

  #send(method: string, params: object): number {
    const id = ++this.#lastId;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return id;
  }

  #answerTo(id: number): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new FailedError('the process does not answer its inspector')),
        ANSWER_MS,
      );
      void this.#socket.closed.then(() => {
        clearTimeout(timer);
        reject(new FailedError('the process closed its inspector'));
      });
      this.#waiting.set(id, (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
    });
  }
}

/** An answer of the protocol, from whoever listens there. */
function readAnswer(message: unknown): Answer {
  const result = fieldOf(message, 'result');
  const thrown = fieldOf(result, 'exceptionDetails');
  const error =
    textField(fieldOf(message, 'error'), 'message', MOST_TEXT_CHARS) ??
    textField(fieldOf(thrown, 'exception'), 'description', MOST_TEXT_CHARS) ??
    textField(thrown, 'text', MOST_TEXT_CHARS);
  return error === null ? { value: fieldOf(fieldOf(result, 'result'), 'value') } : { error };
}

/** The text at an address of an inspector, which has `timeoutMs` for all of it. */
function getText(port: number, path: string, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const request = get({ host: '127.0.0.1', port, path, signal }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
        if (text.length > MOST_LIST_BYTES) request.destroy(new FailedError('no inspector'));
      });
      response.on('end', () => resolve(text));
      response.on('error', reject);
    });
    request.once('error', (error) =>
      reject(signal.aborted ? new FailedError('the inspector does not answer') : error),
    );
  });
}
