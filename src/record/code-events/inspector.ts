import { get } from 'node:http';
import { FailedError } from '../../base/errors.ts';
import { WebSocketClient } from './web-socket.ts';

const ANSWER_MS = 5000;
const MOST_LIST_BYTES = 1 << 16;

type Answer = {
  readonly id?: number;
  readonly error?: { readonly message: string };
  readonly result?: {
    readonly result?: { readonly value?: unknown };
    readonly exceptionDetails?: {
      readonly text?: string;
      readonly exception?: { readonly description?: string };
    };
  };
};

/** A session with the inspector of a Node process: the Chrome DevTools Protocol over a WebSocket. */
export class Inspector {
  readonly #socket: WebSocketClient;
  readonly #waiting: Map<number, (answer: Answer) => void>;
  #lastId = 0;

  /** Rejects where `port` of this machine is no inspector. */
  static async connect(port: number, timeoutMs = ANSWER_MS): Promise<Inspector> {
    const [target] = JSON.parse(await getText(port, '/json/list', timeoutMs)) as {
      webSocketDebuggerUrl?: string;
    }[];
    if (target?.webSocketDebuggerUrl === undefined) {
      throw new FailedError('a debugger is attached to the process already');
    }
    // The address is the inspector's own word; the port is the one that was asked.
    const url = new URL(target.webSocketDebuggerUrl);
    const waiting = new Map<number, (answer: Answer) => void>();
    const socket = await WebSocketClient.connect(
      new URL(url.pathname, `ws://127.0.0.1:${port}`),
      (text) => {
        const answer = JSON.parse(text) as Answer;
        waiting.get(answer.id ?? -1)?.(answer);
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
    const thrown = answer.result?.exceptionDetails;
    const error = answer.error?.message ?? thrown?.exception?.description ?? thrown?.text;
    if (error !== undefined) throw new FailedError(error.split('\n')[0]);
    return answer.result?.result?.value;
  }

  /** Lets the process close its inspector; its end closes the session. */
  async closeInspector(): Promise<void> {
    this.#send('Runtime.evaluate', { expression: 'process._debugEnd()' });
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

function getText(port: number, path: string, timeout: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get({ host: '127.0.0.1', port, path, timeout }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
        if (text.length > MOST_LIST_BYTES) request.destroy(new FailedError('no inspector'));
      });
      response.on('end', () => resolve(text));
      response.on('error', reject);
    });
    request.once('error', reject);
    request.once('timeout', () =>
      request.destroy(new FailedError('the inspector does not answer')),
    );
  });
}
