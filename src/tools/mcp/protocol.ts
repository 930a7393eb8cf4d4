import { packageVersion } from '../../system/version.ts';

/**
 * The Model Context Protocol over standard input and output, as far as a server with tools needs it:
 * JSON-RPC 2.0, one message a line. https://modelcontextprotocol.io/specification/2025-06-18
 */

export type Tool = {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema: object;
  /** The answer as text. Throws where the question can't be answered. */
  answer(input: Readonly<Record<string, unknown>>): Promise<string>;
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
  readonly params?: Readonly<Record<string, unknown>>;
};

/** Answers one line of input; null where none is due. */
export async function answerLine(line: string, tools: readonly Tool[]): Promise<string | null> {
  let request: Request;
  try {
    request = JSON.parse(line) as Request;
  } catch {
    return failure(null, PARSE_ERROR, 'not JSON');
  }
  if (typeof request !== 'object' || request === null || typeof request.method !== 'string') {
    return failure(null, INVALID_REQUEST, 'not a request');
  }
  const { id, method, params = {} } = request;
  // A notification: nobody waits.
  if (id === undefined) return null;
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
      return success(id, { tools: tools.map(({ answer: _, ...described }) => described) });
    case 'tools/call': {
      const tool = tools.find(({ name }) => name === params.name);
      if (tool === undefined) return failure(id, INVALID_PARAMS, 'no such tool');
      return success(id, await callTool(tool, params.arguments));
    }
    default:
      return failure(id, NO_METHOD, 'no such method');
  }
}

/** Answers also where the tool fails: the assistant can mend its question. */
async function callTool(tool: Tool, input: unknown) {
  try {
    const text = await tool.answer((input ?? {}) as Readonly<Record<string, unknown>>);
    return { content: [{ type: 'text', text }] };
  } catch (error) {
    const { message, hints = [] } = error as Error & { hints?: readonly string[] };
    const text = [`failed: ${message}`, ...hints].join('\n').slice(0, MOST_ERROR);
    return { content: [{ type: 'text', text }], isError: true };
  }
}

const MOST_ERROR = 1000;

function success(id: Request['id'], result: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

function failure(id: Request['id'], code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
}
