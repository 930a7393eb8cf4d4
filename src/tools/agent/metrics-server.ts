import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { failedBy } from '../../base/errors.ts';
import { describeError } from '../../base/system-error.ts';
import { isSameSecret } from '../../system/strangers/same-secret.ts';
import { VISITOR_BACKLOG, VISITOR_TIMES, Visitors } from '../../system/strangers/visitors.ts';
import { readToken } from './sinks/http-sink.ts';

export type MetricsServerOptions = {
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  /** A file with what `/metrics` is asked with, `Authorization: Bearer TOKEN`; null: nothing. */
  readonly tokenFile: string | null;
  readonly metrics: () => string;
  /** The reason why the agent does not do its work; empty where it does. */
  readonly trouble: () => string;
  /** Facts to know of it while it does, a line each. */
  readonly notes: () => readonly string[];
};

/** `/metrics` and `/healthz`. */
export type MetricsServer = { readonly port: number; close(): void };

const TIMES = { ...VISITOR_TIMES, requestTimeout: 5000 } as const;

/** Read for every request, so that a new token needs no restart; nobody may where it can't be read. */
function mayRead(given = '', { tokenFile }: Pick<MetricsServerOptions, 'tokenFile'>): boolean {
  if (tokenFile === null) return true;
  try {
    return isSameSecret(given, `Bearer ${readToken({ tokenFile, tokenEnv: null })}`);
  } catch {
    return false;
  }
}

/** Throws `FailedError` where the port is taken. */
export function startMetricsServer(options: MetricsServerOptions): Promise<MetricsServer> {
  const server: Server = createServer(TIMES, (request, response) => {
    const send = (status: number, text: string, type = 'text/plain; charset=utf-8'): void => {
      response.writeHead(status, {
        'content-type': type,
        'content-length': String(Buffer.byteLength(text)),
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      });
      response.end(request.method === 'HEAD' ? undefined : text);
    };
    const path = (request.url ?? '').split('?')[0];
    if (request.method !== 'GET' && request.method !== 'HEAD') send(405, 'only GET\n');
    else if (path === '/metrics' && !mayRead(request.headers.authorization, options)) {
      send(401, 'a token is needed\n');
    } else if (path === '/metrics') send(200, options.metrics(), 'text/plain; version=0.0.4');
    else if (path === '/healthz') {
      const trouble = options.trouble();
      // Whoever asks without a token may be a probe of the machine's, and somebody else's.
      const notes = mayRead(request.headers.authorization, options) ? options.notes() : [];
      const lines = [trouble === '' ? 'ok' : trouble, ...notes];
      send(trouble === '' ? 200 : 503, `${lines.join('\n')}\n`);
    } else send(404, '/metrics or /healthz\n');
  });
  new Visitors(null).watch(server);
  const { host, port } = options;
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(failedBy(error, `listen on ${host}:${port}: ${describeError(error)}`));
    });
    server.listen({ port, host, backlog: VISITOR_BACKLOG }, () => {
      server.unref();
      resolve({
        port: (server.address() as AddressInfo).port,
        close: () => {
          server.close();
          server.closeAllConnections();
        },
      });
    });
  });
}
