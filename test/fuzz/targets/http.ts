// Requests to the page's server: its guard by itself, and bytes to a socket of the real one.

import { connect } from 'node:net';
import { FailedError } from '../../../src/base/errors.ts';
import { admit } from '../../../src/view/guard.ts';
import type { ServedFile } from '../../../src/view/served-file.ts';
import { startViewServer, type ViewServer } from '../../../src/view/server.ts';
import { mutateBytes, pick, type Random } from '../mutate-bytes.ts';
import { mutateText } from '../mutate-text.ts';
import { type Target, toBytes, toText } from '../target.ts';

const TOKEN = 'AAAAAAAAAAAAAAAAAAAAAA';
const PORT = 4711;

const REQUESTS = [
  '',
  'page.js',
  'profile/0',
  'report/0',
  'download/0/folded',
  'source/0?name=3',
  'speedscope/index.html',
].map(
  (path) =>
    `GET /${TOKEN}/${path} HTTP/1.1\r\nHost: 127.0.0.1:${PORT}\r\nOrigin: http://127.0.0.1:${PORT}\r\n` +
    'Sec-Fetch-Site: same-origin\r\nConnection: close\r\n\r\n',
);

const mutate = (all: readonly Uint8Array[], random: Random) =>
  random() < 0.3
    ? mutateBytes(pick(random, all), pick(random, all), random)
    : toBytes(mutateText(toText(pick(random, all)), toText(pick(random, all)), random));

/** The request as Node would hand it on, but for what Node itself refuses. */
function parseRequest(text: string) {
  const [first = '', ...lines] = text.split('\r\n');
  const [method, url] = first.split(' ');
  const headers: Record<string, string[]> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    const name = line.slice(0, colon).toLowerCase();
    if (!Object.hasOwn(headers, name)) headers[name] = [];
    headers[name].push(line.slice(colon + 1).trim());
  }
  return { method, url, headers };
}

function checkGuard(bytes: Uint8Array): void {
  const request = parseRequest(toText(bytes));
  const admission = admit({ token: TOKEN, port: PORT, takesFiles: true }, request);
  if (admission.kind === 'refused') return;
  const [host] = request.headers.host ?? [];
  const isAllowed =
    (host === `127.0.0.1:${PORT}` || host === `localhost:${PORT}`) &&
    (request.method === 'POST'
      ? admission.path === 'open' && request.headers.origin !== undefined
      : request.method === 'GET' || request.method === 'HEAD') &&
    request.url?.startsWith(`/${TOKEN}/`) === true;
  if (!isAllowed) throw new Error(`admitted: ${JSON.stringify(request)}`);
}

const refusing = () => {
  throw new FailedError('not here');
};
const FILE = {
  name: 'x',
  pageData: async () => new Uint8Array(3),
  pageReport: async () => '{}',
  download: async () => 'a 1\n',
  source: refusing,
  assembly: refusing,
  close() {},
} as unknown as ServedFile;

let server: ViewServer | null = null;

/** Sends the bytes, with the server's own token and port in place, and reads until it hangs up. */
async function send(bytes: Uint8Array): Promise<void> {
  server ??= await startViewServer([FILE], { port: 0, isLive: false, users: null });
  const { port, pathname } = new URL(server.url);
  const text = toText(bytes)
    .replaceAll(TOKEN, pathname.slice(1, -1))
    .replaceAll(String(PORT), port);
  const answer = await new Promise<string>((resolve, reject) => {
    let received = '';
    const socket = connect(Number(port), '127.0.0.1', () => socket.end(text));
    socket.on('data', (part) => {
      received += part.toString('latin1');
    });
    socket.on('close', () => resolve(received));
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' || error.code === 'EPIPE' ? resolve(received) : reject(error),
    );
  });
  const status = /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? '';
  if (status.startsWith('5')) throw new Error(`answered ${answer.slice(0, 400)}`);
  if (status === '200' && !/^content-security-policy:/im.test(answer)) {
    throw new Error(`without a policy: ${answer.slice(0, 400)}`);
  }
}

/** Ends the server, or a process that sent it requests would not end. */
export async function closeServer(): Promise<void> {
  await server?.close();
  server = null;
}

export const httpTargets: readonly Target[] = [
  { name: 'guard', seeds: () => REQUESTS.map(toBytes), mutate, read: checkGuard },
  { name: 'http', seeds: () => REQUESTS.map(toBytes), mutate, read: send, fewCases: 40 },
];
