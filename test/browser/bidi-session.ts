import { WebSocketClient } from '../../src/record/code-events/web-socket.ts';

type Message = {
  readonly type: 'success' | 'error' | 'event';
  readonly id: number | null;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: string;
  readonly message?: string;
};

type Pending = {
  readonly method: string;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
};

/**
 * A session of WebDriver BiDi (https://w3c.github.io/webdriver-bidi/): commands with numbered answers,
 * and events, as JSON over a WebSocket.
 */
export class BidiSession {
  readonly #pending = new Map<number, Pending>();
  readonly #onEvent: (method: string, params: unknown) => void;
  #socket: WebSocketClient | null = null;
  #lastId = 0;

  /** Connects to what the browser listens at, and begins the session. */
  static async begin(
    address: string,
    timeoutMs: number,
    onEvent: (method: string, params: unknown) => void,
  ): Promise<BidiSession> {
    const session = new BidiSession(onEvent);
    const url = new URL('/session', address);
    const socket = await WebSocketClient.connect(url, (text) => session.#receive(text), timeoutMs);
    session.#socket = socket;
    void socket.closed.then(() => session.#end());
    await session.send('session.new', { capabilities: {} });
    return session;
  }

  private constructor(onEvent: (method: string, params: unknown) => void) {
    this.#onEvent = onEvent;
  }

  /** Rejects with what the browser reports, or once it has gone. */
  send<Result>(method: string, params: object): Promise<Result> {
    const id = ++this.#lastId;
    return new Promise<Result>((resolve, reject) => {
      this.#pending.set(id, { method, resolve: resolve as Pending['resolve'], reject });
      if (this.#socket === null) this.#end();
      else this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }

  #receive(text: string): void {
    const message = JSON.parse(text) as Message;
    if (message.type === 'event') {
      this.#onEvent(message.method ?? '', message.params);
      return;
    }
    const pending = this.#pending.get(message.id ?? 0);
    if (pending === undefined) return;
    this.#pending.delete(message.id ?? 0);
    if (message.type === 'success') pending.resolve(message.result);
    else pending.reject(new Error(`${pending.method}: ${message.error}: ${message.message}`));
  }

  #end(): void {
    this.#socket = null;
    for (const { method, reject } of this.#pending.values()) {
      reject(new Error(`${method}: the browser closed the session`));
    }
    this.#pending.clear();
  }
}
