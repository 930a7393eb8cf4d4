import { readFileSync, statSync } from 'node:fs';
import { Agent as HttpAgent, type RequestOptions, request as requestHttp } from 'node:http';
import { type AgentOptions, Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { FailedError } from '../../../base/errors.ts';
import type { SinkConfig } from '../config/agent-config.ts';

/** Connections are kept for the requests of one window: until the next one a sink would close them. */
const KEPT = { keepAlive: true, timeout: 2000 } as const;
const TUNNEL_MS = 10_000;

type TlsFiles = Pick<SinkConfig, 'caFile' | 'certFile' | 'keyFile'>;

/** The beginning of a request: the server that it goes to first, and the options and headers for that. */
export type FirstHop = {
  readonly url: URL;
  readonly options: Pick<RequestOptions, 'agent' | 'path'>;
  readonly headers: Readonly<Record<string, string>>;
};

/** The connections to the server of one sink: directly or through a proxy, with its TLS files as they are now. */
export class Connections {
  readonly #files: TlsFiles;
  readonly #env: NodeJS.ProcessEnv;
  #agent: HttpAgent | null = null;
  #stamp = '';

  constructor(files: TlsFiles, env: NodeJS.ProcessEnv = process.env) {
    this.#files = files;
    this.#env = env;
  }

  /** Throws `FailedError` where a file can't be read. */
  to(url: URL): FirstHop {
    const proxy = findProxy(url, this.#env);
    const { caFile, certFile, keyFile } = this.#files;
    const stamp = stampOfFiles([caFile, certFile, keyFile]);
    if (this.#agent === null || stamp !== this.#stamp) {
      this.#agent?.destroy();
      this.#agent = this.#open(url, proxy);
      this.#stamp = stamp;
    }
    const { pathname, search } = url;
    if (proxy === null || url.protocol === 'https:') {
      return { url, options: { agent: this.#agent, path: `${pathname}${search}` }, headers: {} };
    }
    const headers = { host: url.host, ...authorizationOf(proxy) };
    return { url: proxy, options: { agent: this.#agent, path: url.href }, headers };
  }

  #open(url: URL, proxy: URL | null): HttpAgent {
    if (url.protocol !== 'https:') {
      return proxy?.protocol === 'https:' ? new HttpsAgent(KEPT) : new HttpAgent(KEPT);
    }
    const { caFile, certFile, keyFile } = this.#files;
    const options = {
      ...KEPT,
      ...(caFile !== null && { ca: readFileSync(caFile) }),
      ...(certFile !== null && { cert: readFileSync(certFile) }),
      ...(keyFile !== null && { key: readFileSync(keyFile) }),
    };
    return proxy === null ? new HttpsAgent(options) : new TunnelAgent(proxy, options);
  }
}

/** Connections by TLS within a tunnel: the proxy sees the server's name, and none of what is sent. */
class TunnelAgent extends HttpsAgent {
  readonly #proxy: URL;

  constructor(proxy: URL, options: AgentOptions) {
    super(options);
    this.#proxy = proxy;
  }

  override createConnection(
    options: RequestOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const fail = (error: Error) => (callback as ((error: Error) => void) | undefined)?.(error);
    const { host = '', port } = options;
    const path = `${host?.includes(':') ? `[${host}]` : host}:${port}`;
    const request = this.#proxy.protocol === 'https:' ? requestHttps : requestHttp;
    const headers = { host: path, ...authorizationOf(this.#proxy) };
    const asked = request(this.#proxy, { method: 'CONNECT', path, headers, agent: false });
    asked.setTimeout(TUNNEL_MS, () => asked.destroy(new Error('the proxy does not answer')));
    asked.once('error', fail);
    asked.once('connect', ({ statusCode }, socket) => {
      asked.setTimeout(0);
      if (statusCode === 200)
        callback?.(null, connectTls({ ...(options as ConnectionOptions), socket }));
      else {
        socket.destroy();
        fail(new FailedError(`the proxy ${this.#proxy.host} refuses ${path}: ${statusCode}`));
      }
    });
    asked.end();
  }
}

/** The proxy for an address by `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, as curl reads them; null: none. */
export function findProxy({ protocol, hostname, port }: URL, env: NodeJS.ProcessEnv): URL | null {
  const variable = (name: string) => env[name.toLowerCase()] || env[name] || '';
  const given = variable(protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
  if (given === '') return null;
  const isExempt = variable('NO_PROXY')
    .split(',')
    .map((each) => each.trim().toLowerCase())
    .some((each) => {
      const [, name = '', only] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(each) ?? [];
      if (each === '*') return true;
      if (name === '' || (only !== undefined && only !== (port || defaultPort(protocol))))
        return false;
      return hostname === name || hostname.endsWith(`.${name}`);
    });
  if (isExempt) return null;
  const text = given.includes('://') ? given : `http://${given}`;
  const proxy = URL.canParse(text) ? new URL(text) : null;
  if (proxy === null || !/^https?:$/.test(proxy.protocol)) {
    throw new FailedError('HTTPS_PROXY or HTTP_PROXY is no address such as http://proxy:3128');
  }
  return proxy;
}

function defaultPort(protocol: string): string {
  return protocol === 'https:' ? '443' : '80';
}

function authorizationOf({ username, password }: URL): Record<string, string> {
  if (username === '') return {};
  const [, value] = basic(decodeURIComponent(username), decodeURIComponent(password));
  return { 'proxy-authorization': value };
}

/** `Authorization: Basic …` */
export function basic(user: string, password: string): readonly [name: string, value: string] {
  return ['authorization', `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`];
}

/** Identifies files and their last changes. */
export function stampOfFiles(paths: readonly (string | null)[]): string {
  return paths.map(stampOfFile).join('|');
}

/** '' where there is none. */
function stampOfFile(path: string | null): string {
  if (path === null) return '';
  try {
    const { ino, mtimeMs, size } = statSync(path);
    return `${ino} ${mtimeMs} ${size}`;
  } catch {
    return '';
  }
}
