import { statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isJsonObject } from '../../base/foreign-json.ts';
import { formatBytes } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import { listOrEmpty } from '../../system/small-file.ts';
import { packageVersion } from '../../system/version.ts';
import { checkInput, type InputSchema } from './input-schema.ts';
import { PROMPTS, promptText } from './prompts.ts';

/**
 * The Model Context Protocol over standard input and output, as far as a server with tools, prompts and resources needs it:
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
  answer(input: Readonly<Record<string, unknown>>, call?: ToolCall): Promise<string>;
};

/** A client that waits for an answer. */
export type ToolCall = {
  readonly signal: AbortSignal;
  /** Told the share of the reading of a recording that is done; absent where the client did not ask for it. */
  readonly onShare?: (share: number) => void;
};

/** Newest first; a client that asks for another gets the newest. */
const VERSIONS = ['2025-06-18', '2025-03-26', '2024-11-05'];
const INVALID_REQUEST = -32600;
const PARSE_ERROR = -32700;
const NO_METHOD = -32601;
const INVALID_PARAMS = -32602;
const NO_RESOURCE = -32002;
/** Progress is reported when so much more of a recording has been read. */
const PROGRESS_STEP = 0.05;

type Request = {
  readonly id?: string | number | null;
  readonly method?: unknown;
  readonly params?: unknown;
};

export type CallsOptions = {
  /** The recordings in this folder are resources; null: there are none. */
  readonly folder: string | null;
  /** Told a line for the client that answers none of its own. */
  readonly onNotification?: (line: string) => void;
};

/** The calls of tools of one client: one runs at a time, in their order, and each can be cancelled. */
export class Calls {
  readonly #tools: readonly Tool[];
  readonly #options: CallsOptions;
  readonly #running = new Map<unknown, AbortController>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(tools: readonly Tool[], options: CallsOptions = { folder: null }) {
    this.#tools = tools;
    this.#options = options;
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
        const capabilities = { tools: {}, resources: {}, prompts: {} };
        return success(id, { protocolVersion, capabilities, serverInfo });
      }
      case 'ping':
        return success(id, {});
      case 'tools/list':
        return success(id, { tools: this.#tools.map(({ answer: _, ...described }) => described) });
      case 'tools/call': {
        const tool = this.#tools.find(({ name }) => name === params.name);
        if (tool === undefined) return failure(id, INVALID_PARAMS, 'no such tool');
        return this.#call(id, tool, params.arguments ?? {}, params._meta);
      }
      case 'resources/list':
        return success(id, {
          resources: this.#recordings().map(({ path: _, ...listed }) => listed),
        });
      case 'resources/templates/list':
        return success(id, { resourceTemplates: [] });
      case 'resources/read':
        return this.#readResource(id, params.uri);
      case 'prompts/list':
        return success(id, { prompts: PROMPTS.map(({ text: _, ...listed }) => listed) });
      case 'prompts/get':
        return answerPrompt(id, params);
      default:
        return failure(id, NO_METHOD, 'no such method');
    }
  }

  #recordings(): ReturnType<typeof recordingsIn> {
    const { folder } = this.#options;
    return folder === null ? [] : recordingsIn(folder);
  }

  /** A recording as `open` describes it: its bytes are for nobody to read. */
  async #readResource(id: Request['id'], uri: unknown): Promise<object | null> {
    const found = this.#recordings().find((each) => each.uri === uri);
    const open = this.#tools.find(({ name }) => name === 'open');
    if (found === undefined || open === undefined)
      return failure(id, NO_RESOURCE, 'no such resource');
    const { path, mimeType } = found;
    const answer = await this.#call(id, open, { file: path }, null);
    if (answer === null) return null;
    const { result } = answer as { readonly result: ToolResult };
    const [{ text }] = result.content;
    if (result.isError === true) return failure(id, NO_RESOURCE, text);
    return success(id, { contents: [{ uri, mimeType, text }] });
  }

  /** Reports progress where the client gave a token for it. */
  #shareReporter(meta: unknown): ToolCall['onShare'] {
    const { onNotification } = this.#options;
    const progressToken = isJsonObject(meta) ? meta.progressToken : undefined;
    if (onNotification === undefined || !/^(?:string|number)$/.test(typeof progressToken)) {
      return undefined;
    }
    let reported = 0;
    return (share) => {
      if (share < reported + PROGRESS_STEP) return;
      reported = share;
      const params = { progressToken, progress: share, total: 1, message: 'reading the recording' };
      const method = 'notifications/progress';
      onNotification(JSON.stringify({ jsonrpc: '2.0', method, params }));
    };
  }

  /** Null where it was cancelled: the client does not wait any more. */
  async #call(
    id: Request['id'],
    tool: Tool,
    input: unknown,
    meta: unknown,
  ): Promise<object | null> {
    const stopped = new AbortController();
    this.#running.set(id, stopped);
    const { signal } = stopped;
    const onShare = this.#shareReporter(meta);
    const call = { signal, ...(onShare !== undefined && { onShare }) };
    const called = this.#last.then(() => (signal.aborted ? null : callTool(tool, input, call)));
    this.#last = called;
    const result = await called;
    if (this.#running.get(id) === stopped) this.#running.delete(id);
    return signal.aborted || result === null ? null : success(id, result);
  }
}

type ToolResult = {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly isError?: true;
};

/** Answers also where the tool fails: the assistant can mend its question. */
async function callTool(tool: Tool, input: unknown, call: ToolCall): Promise<ToolResult> {
  try {
    const text = await tool.answer(checkInput(tool.inputSchema, input), call);
    return { content: [{ type: 'text', text }] };
  } catch (error) {
    const { message, hints = [] } = error as Error & { hints?: readonly string[] };
    const text = [`failed: ${message}`, ...hints].join('\n').slice(0, MOST_ERROR);
    return { content: [{ type: 'text', text }], isError: true };
  }
}

const MOST_ERROR = 1000;

function answerPrompt(id: Request['id'], params: Readonly<Record<string, unknown>>): object {
  const prompt = PROMPTS.find(({ name }) => name === params.name);
  const given = isJsonObject(params.arguments) ? params.arguments : {};
  const text = prompt === undefined ? null : promptText(prompt, given);
  if (prompt === undefined) return failure(id, INVALID_PARAMS, 'no such prompt');
  if (text === null) {
    const names = prompt.arguments.map(({ name }) => name).join(' and ');
    return failure(id, INVALID_PARAMS, `arguments: expected ${names}, as texts`);
  }
  const messages = [{ role: 'user', content: { type: 'text', text } }];
  return success(id, { description: prompt.description, messages });
}

function success(id: Request['id'], result: object): object {
  return { jsonrpc: '2.0', id, result };
}

function failure(id: Request['id'], code: number, message: string): object {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

/** A recording that a client may show to choose from. */
type Resource = {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly mimeType: string;
};

const MOST_RESOURCES = 100;

/** The recordings in a folder, the newest first. */
function recordingsIn(folder: string): (Resource & { readonly path: string })[] {
  return listOrEmpty(folder)
    .filter((name) => name.endsWith('.data'))
    .map((name) => join(folder, name))
    .map((path) => ({ path, stat: statSync(path, { throwIfNoEntry: false }) }))
    .filter(({ stat }) => stat?.isFile() === true)
    .sort((a, b) => b.stat!.mtimeMs - a.stat!.mtimeMs)
    .slice(0, MOST_RESOURCES)
    .map(({ path, stat }) => ({
      path,
      uri: pathToFileURL(path).href,
      name: printable(path.slice(folder.length + 1)),
      description: `${formatBytes(stat!.size)}, ${stat!.mtime.toISOString()}`,
      mimeType: 'text/markdown',
    }));
}
