import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { PerfDataError } from '../../src/base/errors.ts';
import { openProfile } from '../../src/read/open-profile.ts';
import type { ServedFile } from '../../src/view/served-file.ts';
import { startViewServer, type ViewServer } from '../../src/view/server.ts';
import { Uploads } from '../../src/view/uploads.ts';
import { ViewedFile } from '../../src/view/viewed-file.ts';
import { servedHere } from '../helpers/reread-here.ts';
import { scratchDirectory } from '../helpers/scratch.ts';

const given = join(scratchDirectory(), 'given.folded');
const sent: string[] = [];
let server: ViewServer;

/** As the thread of `view` does it, in this one. */
function openHere(path: string): ServedFile {
  sent.push(path);
  if (path.endsWith('.so')) {
    throw new PerfDataError('not-perf-data', `${path}: not a perf.data file: it is an ELF file`);
  }
  const reading = openProfile(path).then((opened) => new ViewedFile(path, opened));
  reading.catch(() => {});
  return servedHere(path, reading);
}

const post = (name: string, body: string, headers: Record<string, string> = {}) =>
  fetch(`${server.url}open?name=${encodeURIComponent(name)}`, {
    method: 'POST',
    body,
    headers: { origin: new URL(server.url).origin, ...headers },
  });

beforeAll(async () => {
  writeFileSync(given, 'main;work 30\nmain;idle 12\n');
  const file = new ViewedFile(given, await openProfile(given));
  server = await startViewServer([file], {
    port: 0,
    isLive: false,
    users: null,
    openSent: openHere,
  });
});

afterAll(() => server.close());

describe('a recording that is sent to the server', () => {
  it('a sent recording gets a number, and the page of that number shows it', async () => {
    const answer = await post('new.folded', 'main;fresh 5\n');
    expect(answer.status).toBe(200);
    const number = await answer.text();
    const page = await (await fetch(`${server.url}?files=${number}`)).text();
    expect(page).toContain('new.folded');
    expect(page).toContain(`profile/${number}`);
    const folded = await fetch(`${server.url}download/${number}/folded`);
    expect(await folded.text()).toBe('main;fresh 5\n');
    const first = await (await fetch(server.url)).text();
    expect(first).not.toContain('new.folded');
    const both = await (await fetch(`${server.url}?files=0&before=${number}`)).text();
    expect(both.indexOf('given.folded')).toBeLessThan(both.indexOf('new.folded'));
    expect(both).toContain('"firstBefore":1');
    // What the page saves as one file is the same comparison.
    expect(both).toContain(`page?files=0&before=${number}`);
    expect((await fetch(`${server.url}?files=0&before=999`)).status).toBe(404);
  });

  it.each([
    ['x.bin', '\0\0\0\0'],
    ['broken.json', '{"nodes":[{"id":1,"callFrame":{"functionName":"a"'],
  ])(
    '%s, which reading alone shows to be none, is refused before the page goes to it',
    async (name, body) => {
      const answer = await post(name, body);
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain(`${name}: `);
    },
  );

  it.each([['../../etc/passwd'], ['..'], [''], ['a\u001b[2Jb\n'], ['x'.repeat(5000)]])(
    'a sent recording lies in a folder of its own, whatever it is called: %.20s',
    async (name) => {
      expect((await post(name, 'main 1\n')).status).toBe(200);
      const path = sent.at(-1) ?? '';
      expect(path).toMatch(/\/perf-ts-open-[^/]+\/\d+\/[\w. +,@=-]+$/);
      expect(path).not.toMatch(/\/\.+$/);
      expect(path.startsWith(tmpdir())).toBe(true);
    },
  );

  it('a sent file that can be seen to be no recording is not taken, and called as it was sent', async () => {
    const answer = await post('tool.so', '\x7fELF\x02\x01\x01');
    expect(answer.status).toBe(400);
    expect(await answer.text()).toBe('tool.so: not a perf.data file: it is an ELF file');
  });

  it('a recording from another page is not taken', async () => {
    const before = sent.length;
    expect((await post('a', 'main 1\n', { origin: 'http://evil.example' })).status).toBe(403);
    expect(sent).toHaveLength(before);
  });

  it.each([['9'], [`${'0,'.repeat(40)}0`], ['-1'], ['x'], ['']])(
    'the page of the numbers %j is not found',
    async (files) => {
      expect((await fetch(`${server.url}?files=${files}`)).status).toBe(404);
    },
  );
});

describe('the page as one file', () => {
  it('the page as one file begins with the view, and holds the data', async () => {
    const answer = await fetch(`${server.url}page?files=0&view=tab%3Dtable`);
    expect(answer.headers.get('content-disposition')).toContain('given.folded.html');
    const text = await answer.text();
    const setup = JSON.parse(/id="page-setup">([^<]*)</.exec(text)?.[1] ?? '');
    expect(setup).toMatchObject({ view: 'tab=table', open: null, live: null });
    const packed = /id="page-sources-0">([^<]*)</.exec(text)?.[1] ?? '';
    expect(gunzipSync(Buffer.from(packed, 'base64')).toString()).toBe('{}');
  });
});

describe('a download of a part', () => {
  it('a part of a thread that is not there is empty', async () => {
    const whole = await (await fetch(`${server.url}download/0/folded`)).text();
    expect(whole).toContain('work 30');
    const part = await fetch(`${server.url}download/0/folded?tids=99999`);
    expect(await part.text()).toBe('');
  });
});

it('sent recordings take half of the room that there is at most', async () => {
  const uploads = new Uploads(() => 100);
  onTestFinished(() => uploads.close());
  const send = (bytes: number, headers = {}) => {
    const body = Readable.from([Buffer.alloc(bytes)]);
    return uploads.take(Object.assign(body, { headers, setTimeout() {} }) as never, 'a.folded');
  };
  const path = await send(60);
  await expect(send(41)).rejects.toThrow(
    /^a\.folded: not taken: there is not enough room for it in /,
  );
  await expect(send(1, { 'content-length': '41' })).rejects.toThrow(/not enough room/);
  expect(statSync(path).size).toBe(60);
  expect(readdirSync(dirname(dirname(path)))).toEqual(['1']);
  expect(statSync(await send(40)).size).toBe(40);
});

it('a sent recording is gone when the server is', async () => {
  const own = await startViewServer([], {
    port: 0,
    isLive: false,
    users: null,
    openSent: openHere,
  });
  const { origin } = new URL(own.url);
  await fetch(`${own.url}open?name=a`, { method: 'POST', body: 'main 1\n', headers: { origin } });
  const path = sent.at(-1) ?? '';
  expect(existsSync(path)).toBe(true);
  await own.close();
  const folder = path.split('/').slice(0, -2).join('/');
  expect(existsSync(folder)).toBe(false);
  expect(readdirSync(tmpdir())).not.toContain(folder.split('/').at(-1));
});
