import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Server } from 'node:net';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { beforeAll, describe, expect, it } from 'vitest';
import { Connections, findProxy } from '../../../src/tools/agent/sinks/connections.ts';
import { post } from '../../../src/tools/agent/sinks/http-post.ts';
import { openSink } from '../../../src/tools/agent/sinks/protocols.ts';
import { FACTS, NO_CREDENTIALS } from '../../helpers/agent-window.ts';
import { startFakeSink } from '../../helpers/fake-sink.ts';
import { scratchDirectory, whenDone } from '../../helpers/scratch.ts';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
const DIRECT = {};

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  whenDone(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A proxy that keeps what it is asked for, in plain words and as tunnels. */
async function startProxy(answersTunnels = true) {
  const asked: [line: string, authorization: string | undefined][] = [];
  const server = createServer((incoming, answer) => {
    const { method, url = '', headers } = incoming;
    asked.push([`${method} ${url}`, headers['proxy-authorization']]);
    incoming.pipe(
      request(url, { method, headers }, (given) => {
        answer.writeHead(given.statusCode ?? 0, given.headers);
        given.pipe(answer);
      }),
    );
  });
  server.on('connect', ({ url = '', headers }, socket) => {
    asked.push([`CONNECT ${url}`, headers['proxy-authorization']]);
    if (!answersTunnels) {
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    const [host, port] = url.split(':');
    const upstream = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
  });
  return { url: `http://user:p%40ss@127.0.0.1:${await portOf(server)}`, asked };
}

const send = (connections: Connections, url: string) =>
  post({
    hop: connections.to(new URL(url)),
    headers: { 'x-own': 'yes' },
    body: Buffer.from('profile'),
    timeoutMs: 20_000,
  });

describe('the proxy for an address', () => {
  const PROXIES = { HTTPS_PROXY: 'http://secure:3128', http_proxy: 'plain:80' };

  it.each([
    ['https://p.example/x', {}, 'http://secure:3128/'],
    ['http://p.example/x', {}, 'http://plain/'],
    ['http://p.example/x', { http_proxy: '', HTTP_PROXY: 'https://tls:1' }, 'https://tls:1/'],
    ['https://p.example/x', { NO_PROXY: '*' }, null],
    ['https://p.example/x', { NO_PROXY: 'other, .example' }, null],
    ['https://p.example/x', { no_proxy: '*.example' }, null],
    ['https://p.example/x', { no_proxy: 'p.example:443' }, null],
    ['https://p.example/x', { no_proxy: 'p.example:80,xample,' }, 'http://secure:3128/'],
    ['http://127.0.0.1:9/x', { no_proxy: '127.0.0.1' }, null],
    ['https://p.example/x', { HTTPS_PROXY: '' }, null],
  ])('the proxy for %s with %j is %s', (url, variables, proxy) => {
    const found = findProxy(new URL(url), { ...PROXIES, ...variables });
    expect(found?.href ?? null).toBe(proxy);
  });

  it('a variable that is no address is refused without its text, which may have a password', () => {
    const find = () => findProxy(new URL('https://a'), { HTTPS_PROXY: 'socks5://u:secret@h' });
    expect(find).toThrow(/^HTTPS_PROXY or HTTP_PROXY is no address such as http:\/\/proxy:3128$/);
  });
});

describe('a connection to a sink', () => {
  it('a plain request goes to the proxy with its whole address, and arrives', async () => {
    const sink = await startFakeSink();
    const proxy = await startProxy();
    const connections = new Connections(NO_CREDENTIALS, { HTTP_PROXY: proxy.url });
    expect((await send(connections, `${sink.url}/in?a=1`)).status).toBe(200);
    const login = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
    expect(proxy.asked).toEqual([[`POST ${sink.url}/in?a=1`, login]]);
    expect(sink.received).toMatchObject([{ path: '/in', headers: { 'x-own': 'yes' } }]);
    expect(sink.received[0].body.toString()).toBe('profile');
  });

  it('a user and a token are sent as Basic authentication, and the token in no other header', async () => {
    const sink = await startFakeSink();
    const tokenFile = join(scratchDirectory(), 'token');
    writeFileSync(tokenFile, 's3cret\n');
    const given = { ...NO_CREDENTIALS, tokenFile, user: '1234', timeoutMs: 20_000 };
    const config = { ...given, type: 'coroot', name: 'c', target: sink.url } as const;
    const sampling = {
      ...({ event: 'cpu-clock', hz: 19, period: null, callGraph: 'fp', cpus: null } as const),
      asksRegistered: true,
    };
    const window = { ...FACTS, format: 'pprof', profiles: [] } as const;
    const profile = { id: 'a', service: null, bytes: Buffer.from('x') };
    await openSink(config, { labels: {}, sampling }).send([profile], window);
    const { headers } = sink.received[0];
    expect(headers.authorization).toBe(`Basic ${Buffer.from('1234:s3cret').toString('base64')}`);
    expect(JSON.stringify(headers)).not.toContain('s3cret');
  });

  describe.skipIf(!hasOpenssl)('by TLS', () => {
    const folder = scratchDirectory();
    const file = (name: string) => join(folder, name);
    const openssl = (...args: string[]) =>
      execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
    /** Names of the clients whose requests came. */
    const clients: string[] = [];
    let url = '';

    /** A certificate that the authority `ca` has signed. */
    function makeCertificate(name: string, extension: string): void {
      const subject = ['-subj', `/CN=${name}`];
      openssl(
        'req',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-keyout',
        `${name}.key`,
        ...subject,
        '-out',
        `${name}.csr`,
      );
      writeFileSync(file(`${name}.ext`), extension);
      const signer = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'];
      openssl(
        'x509',
        '-req',
        '-in',
        `${name}.csr`,
        ...signer,
        '-extfile',
        `${name}.ext`,
        '-out',
        `${name}.pem`,
      );
    }

    beforeAll(async () => {
      openssl(
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-keyout',
        'ca.key',
        '-subj',
        '/CN=authority',
        '-out',
        'ca.pem',
      );
      makeCertificate('server', 'subjectAltName=IP:127.0.0.1');
      makeCertificate('agent-1', '');
      makeCertificate('agent-2', '');
      const read = (name: string) => readFileSync(file(name));
      const asksForClients = { ca: read('ca.pem'), requestCert: true, rejectUnauthorized: true };
      const server = createTlsServer(
        { key: read('server.key'), cert: read('server.pem'), ...asksForClients },
        (incoming, answer) => {
          const { CN } = (incoming.socket as TLSSocket).getPeerCertificate().subject;
          clients.push(String(CN));
          incoming.resume().on('end', () => answer.end('{}'));
        },
      );
      url = `https://127.0.0.1:${await portOf(server)}/in`;
    }, 60_000);

    const own = () => ({
      ...{ caFile: file('ca.pem'), certFile: file('own.pem'), keyFile: file('own.key') },
    });
    const takeOn = (name: string) => {
      copyFileSync(file(`${name}.pem`), file('own.pem'));
      copyFileSync(file(`${name}.key`), file('own.key'));
    };

    it("the agent shows its certificate, and a new one as soon as it is in the file's place", async () => {
      clients.length = 0;
      takeOn('agent-1');
      const connections = new Connections(own(), DIRECT);
      await send(connections, url);
      await send(connections, url);
      takeOn('agent-2');
      await send(connections, url);
      expect(clients).toEqual(['agent-1', 'agent-1', 'agent-2']);
    });

    it('a server whose authority is not in the file, and one that asks for a certificate, are no sinks', async () => {
      clients.length = 0;
      takeOn('agent-1');
      const usual = new Connections({ ...own(), caFile: null }, DIRECT);
      await expect(send(usual, url)).rejects.toThrow(/certificate/);
      const nobody = new Connections({ ...own(), certFile: null, keyFile: null }, DIRECT);
      await expect(send(nobody, url)).rejects.toThrow();
      const missing = new Connections({ ...own(), caFile: file('none.pem') }, DIRECT);
      expect(() => missing.to(new URL(url))).toThrow(/ENOENT/);
      expect(clients).toEqual([]);
    });

    it('a request by TLS goes through a tunnel of the proxy, which sees none of it', async () => {
      clients.length = 0;
      takeOn('agent-1');
      const proxy = await startProxy();
      const connections = new Connections(own(), { https_proxy: proxy.url });
      expect((await send(connections, url)).status).toBe(200);
      expect(clients).toEqual(['agent-1']);
      const login = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
      expect(proxy.asked).toEqual([[`CONNECT ${new URL(url).host}`, login]]);
      const refusing = await startProxy(false);
      const refused = new Connections(own(), { https_proxy: refusing.url });
      await expect(send(refused, url)).rejects.toThrow(
        /^the proxy 127\.0\.0\.1:\d+ refuses .*: 403$/,
      );
    });
  });
});
