import { randomBytes } from 'node:crypto';
import { isSameSecret } from '../system/strangers/same-secret.ts';

/**
 * Decides who may ask this server for anything. It listens on the loopback address, but so may every page
 * in the same browser reach it, and every user of the same machine. Three things keep them out:
 *
 * - the token, 128 random bits in the path, which only the printed address has;
 * - `Host` must be this address and port: a name of a stranger's that resolves to 127.0.0.1 (DNS
 *   rebinding) is another host;
 * - `Origin` and `Sec-Fetch-Site`, where the browser sends them, must be this page's: a page from
 *   elsewhere can't ask even with a token that leaked.
 */
export type Guard = {
  readonly token: string;
  readonly port: number;
  /** Whether the page may send recordings. */
  readonly takesFiles: boolean;
};

/** The one address that something can be sent to. */
const OPEN_PATH = 'open';

/** Parts of a request that the guard looks at; a header that came twice has two texts. */
export type GuardedRequest = {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>;
};

export type Admission =
  /** Path below the token's folder: `''` is the page, `profile/0` a recording. */
  | {
      readonly kind: 'admitted';
      readonly path: string;
      readonly query: URLSearchParams;
    }
  | {
      readonly kind: 'refused';
      readonly status: 400 | 403 | 404 | 405;
      readonly reason: string;
    };

export function createToken(): string {
  return randomBytes(16).toString('base64url');
}

export function admit(guard: Guard, request: GuardedRequest): Admission {
  const { headers } = request;
  const hosts = [`127.0.0.1:${guard.port}`, `localhost:${guard.port}`];
  const [host = '', ...otherHosts] = headers.host ?? [];
  if (!hosts.includes(host) || otherHosts.length > 0) {
    return refuse(403, `this server answers to ${hosts[0]} only, and a tunnel has the same port`);
  }
  const isOwnOrigin = (headers.origin ?? []).every((origin) => origin === `http://${host}`);
  // A typed address or a link from a terminal is `none`; a link from another page is refused.
  const sites = headers['sec-fetch-site'] ?? [];
  if (!isOwnOrigin || !sites.every((site) => site === 'same-origin' || site === 'none')) {
    return refuse(403, 'this server answers to its own page only');
  }
  if (request.method === 'POST' && guard.takesFiles) return admitFile(guard, request);
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return refuse(405, 'this server can only be read');
  }
  if (hasBody(headers)) return refuse(400, 'this server can only be read: a request has no body');
  return findPath(guard, request.url ?? '');
}

/** A browser says from where a request comes that has a body; so must whoever else sends one. */
function admitFile(guard: Guard, { url, headers }: GuardedRequest): Admission {
  if (headers.origin === undefined) return refuse(403, 'recordings are sent by the page only');
  const found = findPath(guard, url ?? '');
  if (found.kind === 'refused' || found.path === OPEN_PATH) return found;
  return refuse(405, 'this address can only be read');
}

/** A body would be read to its end, however far that is, before the next request. */
function hasBody(headers: GuardedRequest['headers']): boolean {
  const lengths = headers['content-length'] ?? [];
  return headers['transfer-encoding'] !== undefined || lengths.some((text) => Number(text) !== 0);
}

/**
 * The path is compared as text and never handed to a file system: what is not a known address is
 * not found, however it is written.
 */
function findPath({ token }: Guard, url: string): Admission {
  const match = /^\/([A-Za-z0-9_-]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/.exec(url);
  if (match === null || !isSameSecret(match[1], token)) return refuse(404, 'no such address');
  // Without the slash, the page's relative addresses would not lie below the token.
  if (match[2] === undefined) return refuse(404, 'no such address: it ends in a slash');
  return {
    kind: 'admitted',
    path: match[2],
    query: new URLSearchParams(match[3] ?? ''),
  };
}

function refuse(status: 400 | 403 | 404 | 405, reason: string): Admission {
  return { kind: 'refused', status, reason };
}
