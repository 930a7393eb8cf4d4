import { isJsonObject } from '../../base/foreign-json.ts';
import { packageVersion } from '../../system/version.ts';
import { checkInput, type InputSchema } from './input-schema.ts';

/**
 * The Model Context Protocol over standard input and output, as far as a server with tools needs it:
 * JSON-RPC 2.0, one message a line. https://modelcontextprotocol.io/specification/2025-06-18
 */

export type Tool = {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, which are checked against it (`input-schema.ts`). */
  readonly inputSchema: InputSchema;
  /** Whether it changes nothing, so that a client may ask it without leave. */
  readonly annotations: { readonly readOnlyHint: boolean };
  /** The answer as text. Throws where the question can't be answered; ends early where `signal` aborts. */
  answer(input: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<string>;
};

/** Newest first; a client that asks for another gets the newest. */
const VERSIONS = ['2025-06-18', '2025-03-26', '2024-11-05'];
const INVALID_REQUEST = -32600;
const PARSE_ERROR = -32700;
const NO_METHOD = -32601;
const INVALID_PARAMS = -32602;

type Request = {
  readonly id?: string | number | null;
  readonly method?: unknown;
  readonly params?: unknown;
};

/** The calls of tools of one client: one runs at a time, in their order, and each can be cancelled. */
export class Calls {
  readonly #tools: readonly Tool[];
  readonly #running = new Map<unknown, AbortController>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(tools: readonly Tool[]) {
    this.#tools = tools;
  }

  /** Answers one line of input, a request or several; null where no answer is due. */
  async answerLine(line: string): Promise<string | null> {
    let given: unknown;
    try {
      given = JSON.parse(line);
    } catch {
      return JSON.stringify(failure(null, PARSE_ERROR, 'not JSON'));
    }
    if (!Array.isArray(given) || given.length === 0) {
      const answer = await this.#answer(given);
      return answer && JSON.stringify(answer);
    }
    const answers = await Promise.all(given.map((request) => this.#answer(request)));
    const due = answers.filter((answer) => answer !== null);
    return due.length === 0 ? null : JSON.stringify(due);
  }

  async #answer(given: unknown): Promise<object | null> {
    if (!isJsonObject(given) || typeof given.method !== 'string') {
      return failure(null, INVALID_REQUEST, 'not a request');
    }
    const { id, method, params = {} } = given as Request;
    if (method === 'notifications/cancelled' && isJsonObject(params)) {
      this.#running.get(params.requestId)?.abort();
    }
    // A notification: nobody waits.
    if (id === undefined) return null;
    if (!isJsonObject(params)) return failure(id, INVALID_PARAMS, 'params: expected an object');
    switch (method) {
      case 'initialize': {
        const asked = String(params.protocolVersion);
        const protocolVersion = VERSIONS.includes(asked) ? asked : VERSIONS[0];
        const serverInfo = { name: 'perf-ts', version: packageVersion() };
        return success(id, { protocolVersion, capabilities: { tools: {} }, serverInfo });
      }
      case 'ping':
        return success(id, {});
      case 'tools/list':
        return success(id, { tools: this.#tools.map(({ answer: _, ...described }) => described) });
      case 'tools/call': {
        const tool = this.#tools.find(({ name }) => name === params.name);
        if (tool === undefined) return failure(id, INVALID_PARAMS, 'no such tool');
        return this.#call(id, tool, params.arguments ?? {});
      }
      default:
        return failure(id, NO_METHOD, 'no such method');
    }
  }

  /** Null where it was cancelled: the client does not wait any more. */
  async #call(id: Request['id'], tool: Tool, input: unknown): Promise<object | null> {
    const stopped = new AbortController();
    this.#running.set(id, stopped);
    const { signal } = stopped;
    const called = this.#last.then(() => (signal.aborted ? null : callTool(tool, input, signal)));
    this.#last = called;
    const result = await called;
    if (this.#running.get(id) === stopped) this.#running.delete(id);
    return signal.aborted || result === null ? null : success(id, result);
  }
}

/** Answers also where the tool fails: the assistant can mend its question. */
async function callTool(tool: Tool, input: unknown, signal: AbortSignal) {
  try {
    const text = await tool.answer(checkInput(tool.inputSchema, input), signal);
    return { content: [{ type: 'text', text }] };
  } catch (error) {
    const { message, hints = [] } = error as Error & { hints?: readonly string[] };
    const text = [`failed: ${message}`, ...hints].join('\n').slice(0, MOST_ERROR);
    return { content: [{ type: 'text', text }], isError: true };
  }
}

const MOST_ERROR = 1000;

function success(id: Request['id'], result: object): object {
  return { jsonrpc: '2.0', id, result };
}

function failure(id: Request['id'], code: number, message: string): object {
  return { jsonrpc: '2.0', id, error: { code, message } };
}
