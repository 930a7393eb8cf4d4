import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectRoot, scratchDirectory } from '../helpers/cli.ts';
import { describeLive } from '../helpers/live.ts';

type Answer = { readonly status: number; readonly type: string; readonly body: Buffer };

describeLive('the server that profiles itself', () => {
  let server: ChildProcess;
  let port = 0;
  /** The server's own: other tests profile themselves meanwhile. */
  const temporary = scratchDirectory();
  beforeAll(async () => {
    const program = join(projectRoot, 'examples/debug-profile-server/server.mjs');
    server = spawn(process.execPath, [program, '0'], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, VITEST: '', NODE_OPTIONS: '', TMPDIR: temporary },
    });
    const lines = createInterface({ input: server.stdout as NonNullable<typeof server.stdout> });
    const failed = once(server, 'exit').then(([code]) => Promise.reject(new Error(`exit ${code}`)));
    const [line] = await Promise.race([once(lines, 'line'), failed]);
    failed.catch(() => {});
    port = Number(/(\d+)$/.exec(line)?.[1]);
  });
  afterAll(async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill();
    await ended;
  });

  const ask = (path: string, headers: Record<string, string> = {}, signal?: AbortSignal) =>
    new Promise<Answer>((resolve, reject) => {
      const sent = request(
        { port, path, headers, host: '127.0.0.1', ...(signal && { signal }) },
        (response) => {
          const pieces: Buffer[] = [];
          response.on('data', (piece) => pieces.push(piece));
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              type: response.headers['content-type'] ?? '',
              body: Buffer.concat(pieces),
            }),
          );
          response.on('error', reject);
        },
      );
      sent.on('error', reject);
      sent.end();
    });

  /** Requests one after the other until `until` settles; resolves with how many there were. */
  const askUntil = async (until: Promise<unknown>): Promise<number> => {
    let isOver = false;
    const settled = () => {
      isOver = true;
    };
    until.then(settled, settled);
    let answered = 0;
    for (; !isOver; answered++) await ask('/');
    return answered;
  };

  const profile = (query: string) => ask(`/debug/profile?${query}`);

  test('a .cpuprofile has functions of the server, which answers meanwhile', async () => {
    const answer = profile('seconds=2&format=cpuprofile');
    expect(await askUntil(answer)).toBeGreaterThan(0);
    const { status, body } = await answer;
    expect(status).toBe(200);
    const { nodes } = JSON.parse(body.toString());
    const urls = nodes.map((node: { callFrame: { url: string } }) => node.callFrame.url);
    const isOfServer = (url: string) =>
      /^file:\/\/\/.*debug-profile-server\/server\.mjs$/.test(url);
    expect(urls.some(isOfServer)).toBe(true);
  });

  test.each([
    ['pprof', (body: Buffer) => gunzipSync(body).includes('server.mjs')],
    ['speedscope', (body: Buffer) => body.includes('server.mjs')],
    ['html', (body: Buffer) => body.includes('<!doctype html>')],
  ] as const)('%s is a profile of the process', async (format, isOne) => {
    const answer = profile(`seconds=1&format=${format}`);
    await askUntil(answer);
    const { status, body } = await answer;
    expect(status).toBe(200);
    expect(isOne(body)).toBe(true);
  });

  test('a second one at the same time is refused, and one that nobody waits for is given up', async () => {
    const gone = new AbortController();
    const first = ask('/debug/profile?seconds=50', {}, gone.signal).catch((error) => error.name);
    await expect.poll(async () => (await profile('seconds=50&format=x')).status).toBe(400);
    await expect.poll(async () => (await profile('seconds=0.1')).status).toBe(409);
    gone.abort();
    expect(await first).toBe('AbortError');
    await expect.poll(async () => (await profile('seconds=0.1')).status).toBe(200);
    expect(readdirSync(temporary)).toEqual([]);
  });

  test.each([
    ['a proxy', { 'x-forwarded-for': '192.0.2.1' }],
    ['another name', { host: 'example.com' }],
    ['another page', { 'sec-fetch-site': 'cross-site' }],
  ])('%s is refused', async (_, headers) => {
    expect((await ask('/debug/profile?seconds=0.1', headers)).status).toBe(403);
  });

  test('more seconds than are allowed are refused, and formats that are not known', async () => {
    for (const query of ['seconds=61', 'seconds=-1', 'seconds=x', 'format=__proto__']) {
      expect((await profile(query)).status).toBe(400);
    }
  });
});
