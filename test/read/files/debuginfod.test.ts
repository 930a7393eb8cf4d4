import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { describeDiagnostics } from '../../../src/findings/diagnostic-text.ts';
import { readFlags } from '../../../src/options/read-flags.ts';
import { WEIGHING } from '../../../src/options/reading.ts';
import { Debuginfod, debuginfodUrls } from '../../../src/read/files/debuginfod.ts';
import { mayRedirect, REACH, reachOfAddress } from '../../../src/read/files/redirect.ts';
import { elfBytes } from '../../code/elf/elf-bytes.ts';

const BUILD_ID = 'c0ffee0123456789';

/** A debug file of this build. */
function debugFile(buildId: string): Uint8Array {
  const id = Buffer.from(buildId, 'hex');
  const note = Buffer.alloc(16 + id.length);
  note.writeUInt32LE(4, 0);
  note.writeUInt32LE(id.length, 4);
  note.writeUInt32LE(3, 8);
  note.write('GNU\0', 12);
  id.copy(note, 16);
  const sections = [{ name: '.note.gnu.build-id', type: 7, bytes: new Uint8Array(note) }];
  return elfBytes({ is64: true, littleEndian: true, sections });
}

let folder: string;
let servers: Server[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'debuginfod-'));
  servers = [];
});
afterEach(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(folder, { recursive: true, force: true });
});

/** The address of a server on this machine. */
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function client(urls: string[], more: { timeoutMs?: number; maxBytes?: number } = {}) {
  const diagnostics = new Diagnostics();
  const debuginfod = new Debuginfod({ urls, directory: folder, diagnostics, ...more });
  const reasons = () =>
    describeDiagnostics(diagnostics).map(({ reason, example }) => `${reason}: ${example}`);
  return { debuginfod, reasons };
}

const has: RequestListener = (_request, response) => response.end(debugFile(BUILD_ID));
const hasNot: RequestListener = (_request, response) => response.writeHead(404).end('no such file');

describe('a debuginfod client', () => {
  test('debuginfod servers are asked in order, and files cached as by its client', async () => {
    const asked: string[] = [];
    const empty = await serve((request, response) => {
      asked.push(`1 ${request.url}`);
      hasNot(request, response);
    });
    const full = await serve((request, response) => {
      asked.push(`2 ${request.url}`);
      has(request, response);
    });
    const { debuginfod, reasons } = client([empty, `${full}/`]);
    expect(await debuginfod.fetch(BUILD_ID, 'debuginfo')).toBe(true);
    const path = `/buildid/${BUILD_ID}/debuginfo`;
    expect(asked).toEqual([`1 ${path}`, `2 ${path}`]);
    expect(readFileSync(join(folder, BUILD_ID, 'debuginfo'))).toEqual(
      Buffer.from(debugFile(BUILD_ID)),
    );
    expect(await debuginfod.fetch(BUILD_ID, 'debuginfo')).toBe(true);
    expect(asked).toHaveLength(2);
    expect(reasons()).toEqual([]);
  });

  test('a file of another build is not taken, and nothing of it is left', async () => {
    const url = await serve((_request, response) => response.end(debugFile('0badc0de')));
    const { debuginfod, reasons } = client([url]);
    expect(await debuginfod.fetch(BUILD_ID, 'debuginfo')).toBe(false);
    expect(reasons()).toEqual([`debuginfod server sent a file of another build, not used: ${url}`]);
    expect(readdirSync(join(folder, BUILD_ID))).toEqual([]);
  });

  test('a file that is larger than it may be is not taken', async () => {
    const url = await serve(has);
    const { debuginfod, reasons } = client([url], { maxBytes: 64 });
    expect(await debuginfod.fetch(BUILD_ID, 'debuginfo')).toBe(false);
    expect(reasons()[0]).toContain('it sends more than 64 bytes');
    expect(readdirSync(join(folder, BUILD_ID))).toEqual([]);
  });

  test('a slow debuginfod server is given up once', async () => {
    let asked = 0;
    const url = await serve((_request, response) => {
      asked++;
      response.write(debugFile(BUILD_ID).subarray(0, 10));
    });
    const { debuginfod, reasons } = client([url], { timeoutMs: 100 });
    expect(await debuginfod.fetch(BUILD_ID, 'debuginfo')).toBe(false);
    expect(await debuginfod.fetch(BUILD_ID, 'executable')).toBe(false);
    // On a busy machine the time may be over before the server hears of it.
    expect(asked).toBeLessThanOrEqual(1);
    expect(reasons()[0]).toMatch(/not asked any further: .*timeout/);
    const files = readdirSync(folder, { recursive: true }).filter((name) => name !== BUILD_ID);
    expect(files).toEqual([]);
  });

  test('a debuginfod server that is down is skipped', async () => {
    const broken = await serve((_request, response) => response.writeHead(500).end());
    const good = await serve(has);
    const { debuginfod, reasons } = client(['http://127.0.0.1:1', broken, good]);
    expect(await debuginfod.fetch(BUILD_ID, 'debuginfo')).toBe(true);
    expect(reasons()[0]).toMatch(/^debuginfod server not asked any further: http:\/\/127/);
  });

  test('debuginfod is asked for build IDs only', async () => {
    const { debuginfod } = client(['http://127.0.0.1:1']);
    expect(await debuginfod.fetch('../../etc', 'debuginfo')).toBe(false);
    expect(existsSync(join(folder, '..', 'etc'))).toBe(false);
  });

  test('a damaged file of the cache is replaced', async () => {
    mkdirSync(join(folder, BUILD_ID));
    const cached = join(folder, BUILD_ID, 'debuginfo');
    writeFileSync(cached, 'damaged');
    const { debuginfod } = client([await serve(has)]);
    expect(await debuginfod.fetch(BUILD_ID, 'debuginfo')).toBe(true);
    expect(readFileSync(cached)).toEqual(Buffer.from(debugFile(BUILD_ID)));
  });
});

describe('the servers', () => {
  test('the servers are those of the option, or of the variable', () => {
    const environment = { DEBUGINFOD_URLS: 'https://a.example/  ima:enforcing http://b.example' };
    expect(debuginfodUrls([], environment)).toEqual(['https://a.example/', 'http://b.example']);
    expect(debuginfodUrls(['http://c.example'], environment)).toEqual(['http://c.example']);
  });

  test('debuginfod URLs that are invalid are refused', () => {
    const read = (debuginfod: string) => readFlags(WEIGHING, { debuginfod });
    expect(() => debuginfodUrls([], {})).toThrow('no server is named');
    expect(() => read('perf.data')).toThrow('not the address of a debuginfod server');
    expect(() => read('file:///etc')).toThrow('not the address');
    const ofUser = { DEBUGINFOD_URLS: 'file:///etc' };
    expect(() => debuginfodUrls([], ofUser)).toThrow('file:///etc": not the address');
  });
});

describe('a redirect of a debuginfod server', () => {
  test('a redirect is followed on the same server, and not to another one of this machine', async () => {
    const inner: string[] = [];
    const within = await serve((request, response) => {
      inner.push(request.url ?? '');
      has(request, response);
    });
    const moving = await serve((request, response) => {
      if (request.url?.startsWith('/moved/')) has(request, response);
      else response.writeHead(302, { Location: `/moved${request.url}` }).end();
    });
    expect(await client([moving]).debuginfod.fetch(BUILD_ID, 'debuginfo')).toBe(true);
    const luring = await serve((_request, response) => {
      response.writeHead(302, { Location: `${within}/admin?delete=all` }).end();
    });
    const { debuginfod, reasons } = client([luring]);
    expect(await debuginfod.fetch(BUILD_ID, 'executable')).toBe(false);
    expect(inner).toEqual([]);
    expect(reasons()).toEqual([
      `debuginfod server not asked any further: ${luring}: it redirects to ${within}, which is not followed`,
    ]);
  });

  test('an endless debuginfod redirect is given up', async () => {
    let asked = 0;
    const turning = await serve((_request, response) => {
      asked++;
      response.writeHead(307, { Location: '/again' }).end();
    });
    const { debuginfod, reasons } = client([turning]);
    expect(await debuginfod.fetch(BUILD_ID, 'debuginfo')).toBe(false);
    expect(asked).toBe(6);
    expect(reasons()[0]).toContain('which is not followed');
  });

  test.each([
    ['https://a.org', 'https://b.org', 'PUBLIC', 'PUBLIC', true],
    ['http://a.org', 'https://b.org', 'PUBLIC', 'PUBLIC', true],
    ['https://a.org', 'http://b.org', 'PUBLIC', 'PUBLIC', false],
    ['https://a.org', 'http://a.org', 'PUBLIC', 'PUBLIC', false],
    ['https://a.org', 'https://intra', 'PUBLIC', 'PRIVATE', false],
    ['http://a.org', 'http://169.254.169.254', 'PUBLIC', 'OURS', false],
    ['http://intra', 'http://store', 'PRIVATE', 'PRIVATE', true],
    ['http://localhost:8002', 'http://localhost:22', 'OURS', 'OURS', false],
    ['https://a.org', 'ftp://b.org', 'PUBLIC', 'PUBLIC', false],
  ] as const)(
    'the redirect from %s to %s (%s, %s) is followed: %s',
    async (from, to, fromReach, toReach, may) => {
      const [here, there] = [new URL(from), new URL(to)];
      const reachOf = async (host: string) => REACH[host === here.hostname ? fromReach : toReach];
      expect(await mayRedirect(here, there, reachOf)).toBe(may);
    },
  );

  test.each([
    ['127.0.0.1', 4, 'OURS'],
    ['169.254.169.254', 4, 'OURS'],
    ['::1', 6, 'OURS'],
    ['::ffff:10.1.2.3', 6, 'PRIVATE'],
    ['172.31.0.1', 4, 'PRIVATE'],
    ['172.32.0.1', 4, 'PUBLIC'],
    ['fd00::1', 6, 'PRIVATE'],
    ['2001:4860::1', 6, 'PUBLIC'],
  ] as const)(
    'a debuginfod redirect to %s (IPv%d) goes to an address that is %s',
    (address, family, reach) => {
      expect(reachOfAddress(address, family)).toBe(REACH[reach]);
    },
  );
});
