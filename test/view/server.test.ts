import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { finish } from '../../src/base/slices.ts';
import { decodePageData } from '../../src/formats/export/page-data.ts';
import { decodePageReport } from '../../src/formats/export/page-report.ts';
import { openProfile } from '../../src/read/open-profile.ts';
import type { FileReading } from '../../src/view/served-file.ts';
import { startViewServer, type ViewServer } from '../../src/view/server.ts';
import { ViewedFile } from '../../src/view/viewed-file.ts';
import { scratchDirectory } from '../helpers/cli.ts';

type Answer = { status: number; headers: Record<string, unknown>; body: Buffer };

/** A request as it is: fetch would tidy up the path. */
function ask(url: string, path: string, headers: Record<string, string> = {}): Promise<Answer> {
  const { port, host } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path, headers: { host, ...headers } },
      (answer) => {
        const pieces: Buffer[] = [];
        answer.on('data', (piece) => pieces.push(piece));
        answer.on('end', () => {
          resolve({
            status: answer.statusCode as number,
            headers: answer.headers,
            body: Buffer.concat(pieces),
          });
        });
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

const folded = join(scratchDirectory(), 'a "b"<script>.folded');
let server: ViewServer;
let base: string;

beforeAll(async () => {
  writeFileSync(folded, 'main;work;leaf 30\nmain;</script><script>alert(1)</script> 12\n');
  const file = new ViewedFile(folded, await openProfile(folded));
  server = await startViewServer([file], { port: 0, isLive: false, users: null });
  base = new URL(server.url).pathname;
});

afterAll(() => server.close());

describe('the server', () => {
  it('the server has the page, its parts and the profile', async () => {
    const page = await ask(server.url, base);
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    for (const name of ['page.js', 'page.css', 'worker.js']) {
      expect((await ask(server.url, base + name)).status, name).toBe(200);
    }
    const { body } = await ask(server.url, `${base}profile/0`);
    const { profile } = finish(decodePageData(body));
    expect(profile.samples.length).toBe(42);
    expect(profile.strings).toContain('leaf');
    const report = decodePageReport((await ask(server.url, `${base}report/0`)).body.toString());
    expect(report.periods.events[0]?.samples).toBe(42);
  });

  it.each([
    ['br', 'gzip, deflate, br, zstd', brotliDecompressSync],
    ['gzip', 'br;q=0, GZIP;q=0.5', gunzipSync],
    [undefined, 'deflate, gzip; q=0.0', (body: Buffer) => body],
    [undefined, '', (body: Buffer) => body],
  ] as const)(
    'the server compresses as %s where "%s" is taken',
    async (coding, accepted, decode) => {
      const plain = await ask(server.url, `${base}worker.js`);
      expect(plain.headers['content-length']).toBe(String(plain.body.length));
      const { headers, body } = await ask(server.url, `${base}worker.js`, {
        'accept-encoding': accepted,
      });
      expect(headers['content-encoding']).toBe(coding);
      expect(decode(body).equals(plain.body)).toBe(true);
      if (coding !== undefined) expect(body.length).toBeLessThan(plain.body.length / 2);
      // An answer that fits into a packet stays as it is.
      const none = await ask(server.url, `${base}nothing`, { 'accept-encoding': accepted });
      expect(none.headers['content-encoding']).toBeUndefined();
    },
  );

  it('the server allows the page nothing but its own parts', async () => {
    const { headers, body } = await ask(server.url, base);
    const policy = headers['content-security-policy'] as string;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toContain('unsafe');
    expect(headers['x-content-type-options']).toBe('nosniff');
    const text = body.toString();
    expect(text).not.toContain('<script>alert');
    // The only script without an address is data.
    expect(text.match(/<script(?![^>]*\bsrc=)[^>]*>/g)).toStrictEqual([
      '<script type="application/json" id="page-setup">',
    ]);
  });

  it('the server has the recording for other tools', async () => {
    const answer = await ask(server.url, `${base}download/0/folded`);
    expect(answer.body.toString()).toContain('main;work;leaf 30');
    expect(answer.headers['content-disposition']).toBe(
      'attachment; filename="a__b__script_.folded.folded"',
    );
    const speedscope = await ask(server.url, `${base}download/0/speedscope`);
    expect(JSON.parse(speedscope.body.toString()).profiles).toHaveLength(1);
    const firefox = await ask(server.url, `${base}download/0/firefox`);
    expect(JSON.parse(firefox.body.toString()).meta.product).toBeDefined();
    const pprof = await ask(server.url, `${base}download/0/pprof`);
    expect(gunzipSync(pprof.body).length).toBeGreaterThan(0);
  });

  it('the server has speedscope', async () => {
    const { status, body } = await ask(server.url, `${base}speedscope/index.html`);
    expect(status).toBe(200);
    const names = [...body.toString().matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]);
    expect(names.length).toBeGreaterThan(2);
    for (const name of names) {
      expect((await ask(server.url, `${base}speedscope/${name}`)).status, name).toBe(200);
    }
  });

  it.each([
    '../package.json',
    '%2e%2e/package.json',
    '..%2fpackage.json',
    'page.js/../page.js',
    './page.js',
    'page.js/',
    '/etc/passwd',
    '//etc/passwd',
    'profile/1',
    'profile/-1',
    'profile/0x0',
    'profile/0/..',
    'profile/00000000000',
    'download/0/__proto__',
    'download/0/constructor',
    'download/0/html',
    'source/0?name=../../etc/passwd',
    'source/0?name=0',
    'source/0?name=1',
    'speedscope/../page.js',
    'speedscope/..%2f..%2fpackage.json',
    'speedscope/sub/index.html',
    'third-party-licenses.md',
    'constructor',
    '__proto__',
    'live',
  ])('the server has nothing at %s', async (path) => {
    expect((await ask(server.url, base + path)).status).toBe(404);
  });

  it('the server answers only to its own name, its own page and its own token', async () => {
    expect((await ask(server.url, base, { host: 'evil.example' })).status).toBe(403);
    expect((await ask(server.url, base, { origin: 'http://evil.example' })).status).toBe(403);
    expect((await ask(server.url, '/')).status).toBe(404);
    expect((await ask(server.url, '/AAAAAAAAAAAAAAAAAAAAAA/')).status).toBe(404);
  });
});

describe('a recording that is being read', () => {
  it('the page is told how far that is, in the words of the terminal, and what is heaviest so far', async () => {
    let reached: FileReading | null = null;
    const file = new ViewedFile(folded, await openProfile(folded));
    const read = Object.assign(file, { progress: () => reached });
    const own = await startViewServer([read], { port: 0, isLive: false, users: null });
    const told = async () =>
      JSON.parse(`${(await ask(own.url, `${new URL(own.url).pathname}progress/0`)).body}`);
    const soFar = { part: 0.2, heaviest: [{ name: 'main', share: 0.5 }] };
    expect(await told()).toEqual({ words: '', percent: null, soFar: null });
    reached = { stage: 'names', share: 0.426, soFar: null };
    expect(await told()).toEqual({
      words: 'finding names of functions',
      percent: 43,
      soFar: null,
    });
    reached = { stage: 'tables', share: null, soFar };
    expect(await told()).toEqual({ words: 'adding up the samples', percent: null, soFar });
    await own.close();
  });
});

describe('a server for one user', () => {
  it.skipIf(process.geteuid?.() === undefined)(
    'a server for one user answers no other',
    async () => {
      const file = new ViewedFile(folded, await openProfile(folded));
      const ours = process.geteuid?.() as number;
      const admitted = { port: 0, isLive: false, users: [ours] };
      const mine = await startViewServer([file], admitted);
      expect((await ask(mine.url, new URL(mine.url).pathname)).status).toBe(200);
      await mine.close();
      const theirs = await startViewServer([file], { ...admitted, users: [ours + 1] });
      expect((await ask(theirs.url, new URL(theirs.url).pathname)).status).toBe(403);
      await theirs.close();
    },
  );
});

describe('a port that is taken', () => {
  it('a port that is taken is a failure with what to do', async () => {
    const port = Number(new URL(server.url).port);
    await expect(startViewServer([], { port, isLive: false, users: null })).rejects.toMatchObject({
      message: `cannot listen on 127.0.0.1:${port}: it is in use`,
      hints: [
        `without port a free one is taken; port ${port}+ takes the first free one from there on`,
      ],
    });
  });

  it('a port that is taken is passed over where a later one will do', async () => {
    const port = Number(new URL(server.url).port);
    const next = await startViewServer([], { port, orNext: true, isLive: false, users: null });
    expect(Number(new URL(next.url).port)).toBeGreaterThan(port);
    await next.close();
  });
});
