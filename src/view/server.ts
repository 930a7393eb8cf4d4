import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FailedError } from '../base/errors.ts';
import { type Answer, Answers, plainText } from './answers.ts';
import { admit, createToken, type Guard } from './guard.ts';
import { LiveStreams } from './live-streams.ts';
import { findPeerUser } from './peer-user.ts';
import { dataHeaders } from './policy.ts';
import type { ServedFile } from './served-file.ts';

export type ViewServerOptions = {
  /** 0: a free one. */
  readonly port: number;
  readonly isLive: boolean;
  /** Users whose browser may ask; null: whoever has the token. */
  readonly users: readonly number[] | null;
};

/** The server of the page, as long as `close` is not called. */
export type ViewServer = {
  /** With the token, ending in a slash. */
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
  const answers = new Answers(files, options.isLive ? streams : null);
  const token = createToken();
  const server = createServer((request, response) => {
    const guard: Guard = { token, port: portOf(server) };
    answer({ guard, answers, streams, options }, request, response).catch((error: Error) => {
      response.destroy(error);
    });
  });
  await listen(server, options.port);
  return {
    url: `http://${LOOPBACK}:${portOf(server)}/${token}/`,
    streams,
    async close() {
      streams.end();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Context = {
  readonly guard: Guard;
  readonly answers: Answers;
  readonly streams: LiveStreams;
  readonly options: ViewServerOptions;
};

async function answer(
  { guard, answers, streams, options }: Context,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!isAllowedUser(request, guard.port, options.users)) {
    send(request, response, plainText(403, 'this server is another user’s'));
    return;
  }
  const admission = admit(guard, request);
  if (admission.kind === 'refused') {
    send(request, response, plainText(admission.status, admission.reason));
  } else if (admission.path === 'live' && options.isLive && request.method === 'GET') {
    response.writeHead(200, { ...dataHeaders(), 'Content-Type': 'text/event-stream' });
    streams.add(response, Number(admission.query.get('since')));
  } else {
    send(request, response, await answers.find(admission.path, admission.query));
  }
}

function isAllowedUser(
  { socket }: IncomingMessage,
  ownPort: number,
  users: readonly number[] | null,
): boolean {
  if (users === null) return true;
  const uid = findPeerUser(socket.remotePort ?? 0, ownPort);
  return uid === null || users.includes(uid);
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: Answer,
) {
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) });
  response.end(request.method === 'HEAD' ? undefined : body);
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'it is in use' : error.message;
      reject(
        new FailedError(`cannot listen on ${LOOPBACK}:${port}: ${why}`, [
          'without --port a free one is taken',
        ]),
      );
    });
    server.listen(port, LOOPBACK, resolve);
  });
}
