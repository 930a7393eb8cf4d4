import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';
import { FailedError, PerfDataError } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import { words } from '../base/words.ts';
import { VIEW } from '../options/view.ts';
import { debugLog } from '../system/debug-log.ts';
import { VISITOR_BACKLOG, VISITOR_TIMES, Visitors } from '../system/strangers/visitors.ts';
import { type Answer, notFound, plainText, ServerAnswers } from './answers.ts';
import { admit, createToken, type Guard } from './guard.ts';
import { LiveStreams } from './live-streams.ts';
import type { Notebook } from './notebook.ts';
import { dataHeaders } from './policy.ts';
import type { ServedFile } from './served-file.ts';
import { Uploads } from './uploads.ts';

const debug = debugLog('view');

export type ViewServerOptions = {
  /** 0: a free one. */
  readonly port: number;
  /** The first free one from `port` on. */
  readonly orNext?: boolean;
  readonly isLive: boolean;
  /** Users whose browser may ask; null: whoever has the token. */
  readonly users: readonly number[] | null;
  /** Recordings that `files` are compared with. */
  readonly before?: readonly ServedFile[];
  /** Opens a recording that the page sent. Without it the page sends none. */
  readonly openSent?: (path: string) => ServedFile;
  /** The folder whose recordings the page lists. */
  readonly notebook?: Notebook;
};

/** The server of the page, as long as `close` is not called. */
export type ViewServer = {
  /** Address with the token, ending in a slash. */
  readonly url: string;
  /** The page of a live recording: it has grown, or it will not any more. */
  readonly streams: LiveStreams;
  close(): Promise<void>;
};

/** Only the machine itself reaches it, not its network. */
const LOOPBACK = '127.0.0.1';

/** Throws `FailedError` where the port is taken. */
export async function startViewServer(
  files: readonly ServedFile[],
  options: ViewServerOptions,
): Promise<ViewServer> {
  const streams = new LiveStreams();
  const takesFiles = options.openSent !== undefined;
  const answers = new ServerAnswers(files, options.isLive ? streams : null, {
    takesFiles,
    ...(options.before !== undefined && { before: options.before }),
    ...(options.notebook !== undefined && { notebook: options.notebook }),
  });
  const uploads = new Uploads();
  const token = createToken();
  const visitors = new Visitors(options.users);
  const server = createServer(VISITOR_TIMES, (request, response) => {
    const guard: Guard = { token, port: portOf(server), takesFiles };
    answer({ guard, answers, streams, options, visitors, uploads }, request, response).catch(
      (error: Error) => {
        if (response.headersSent) response.destroy(error);
        else refuse(request, response, 500, printable(error.message));
      },
    );
  });
  visitors.watch(server);
  await listenFrom(server, options.port, options.orNext === true);
  return {
    url: `http://${LOOPBACK}:${portOf(server)}/${token}/`,
    streams,
    async close() {
      streams.end();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      uploads.close();
    },
  };
}

type Context = {
  readonly guard: Guard;
  readonly answers: ServerAnswers;
  readonly streams: LiveStreams;
  readonly options: ViewServerOptions;
  readonly visitors: Visitors;
  readonly uploads: Uploads;
};

async function answer(
  context: Context,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { guard, answers, streams, options, visitors } = context;
  const stranger = options.users === null ? null : await visitors.refusalOf(request);
  if (stranger !== null) {
    refuse(request, response, 403, stranger);
    return;
  }
  const admission = admit(guard, {
    method: request.method,
    url: request.url,
    headers: request.headersDistinct,
  });
  if (admission.kind === 'refused') {
    refuse(request, response, admission.status, admission.reason);
  } else if (request.method === 'POST') {
    send(request, response, await takeFile(context, request, admission.query.get('name') ?? ''));
  } else if (admission.path === 'live' && options.isLive && request.method === 'GET') {
    response.writeHead(200, { ...dataHeaders(), 'Content-Type': 'text/event-stream' });
    debug?.('live: a page follows the recording');
    streams.add(response, Number(admission.query.get('since')));
  } else {
    const found = await answers.find(admission.path, admission.query);
    // Without the token, which the address has in front of the path.
    debug?.(
      `/${admission.path}?${admission.query}: ${found.status}, ` +
        `${Buffer.byteLength(found.body)} bytes`,
    );
    send(request, response, found);
  }
}

/** Opens and reads what the page sends; the answer is its number among the recordings. */
async function takeFile(
  { answers, options, uploads }: Context,
  request: IncomingMessage,
  name: string,
): Promise<Answer> {
  let path: string | null = null;
  try {
    path = await uploads.take(request, name);
    const file = options.openSent?.(path);
    if (file === undefined) return notFound();
    // A file that can't be read is refused before the page goes to it: the page stays, and reports why.
    await file.pageData();
    return plainText(200, String(answers.add(file)));
  } catch (error) {
    if (!(error instanceof FailedError || error instanceof PerfDataError)) throw error;
    const { message } = error;
    // Whoever sent it knows it by its name.
    return plainText(400, path === null ? message : message.replaceAll(path, printable(name)));
  }
}

/** And hangs up: what else would come, a body too, is not read. */
function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  reason: string,
): void {
  debug?.(`refused: ${status} ${reason}`);
  response.setHeader('Connection', 'close');
  send(request, response, plainText(status, reason));
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: Answer,
) {
  const length = Buffer.byteLength(body);
  const coding = length < LEAST_CODED ? null : codingFor(request.headers['accept-encoding']);
  const about =
    coding === null ? { 'Content-Length': length } : { 'Content-Encoding': coding.name };
  response.writeHead(status, { ...headers, ...about });
  if (request.method === 'HEAD') response.end();
  else if (coding === null) response.end(body);
  else {
    const coder = coding.make();
    response.once('close', () => coder.destroy());
    coder.pipe(response);
    coder.end(body);
  }
}

/** Bytes; less fits into one packet as it is. */
const LEAST_CODED = 1400;

/**
 * The ways in which answers are compressed, the best first: as fast as they can, since most browsers are on this machine
 * and few at the end of a tunnel. 1.6 MB of a profile take 6 ms as Brotli, 25 ms as gzip, and are 2.7 times smaller.
 */
const CODINGS = [
  {
    name: 'br',
    make: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  },
  { name: 'gzip', make: () => createGzip({ level: 1 }) },
] as const;

/** The best of those that a browser names and does not give the weight 0; null: it takes none. */
function codingFor(accepted = ''): (typeof CODINGS)[number] | null {
  const names = accepted
    .split(',')
    .map((part) => part.split(';').map((word) => word.trim().toLowerCase()))
    .filter(([, weight]) => weight === undefined || !/^q=0(\.0*)?$/.test(weight))
    .map(([name]) => name);
  return CODINGS.find(({ name }) => names.includes(name)) ?? null;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

const WHY_NOT: Readonly<Record<string, string>> = {
  EADDRINUSE: 'it is in use',
  EACCES: 'ports this low are for root',
};

/** More ports in a row are not in use by chance. */
const MAX_PORTS_TRIED = 100;

async function listenFrom(server: Server, first: number, orNext: boolean): Promise<void> {
  const last = orNext ? Math.min(first + MAX_PORTS_TRIED - 1, 65_535) : first;
  for (let port = first; ; port++) {
    const code = await listen(server, port);
    if (code === null) return;
    if (code === 'EADDRINUSE' && port < last) continue;
    throw new FailedError(`cannot listen on ${LOOPBACK}:${port}: ${WHY_NOT[code] ?? code}`, [
      words`without ${VIEW.port} a free one is taken; ${VIEW.port} ${first}+ takes the first free one from there on`,
    ]);
  }
}

/** The errno of a refusal; null: it listens. */
function listen(server: Server, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const refused = (error: NodeJS.ErrnoException): void => resolve(error.code ?? error.message);
    server.once('error', refused);
    server.listen({ port, host: LOOPBACK, backlog: VISITOR_BACKLOG }, () => {
      server.off('error', refused);
      resolve(null);
    });
  });
}
