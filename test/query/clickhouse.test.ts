// The HTTP client, against a server that answers what it is told to. One real engine behind HTTP is in
// one-dialect.test.ts.

import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { ClickHouseEngine } from '../../src/query/clickhouse.ts';
import { parseClickHouse } from '../../src/query/clickhouse-place.ts';
import { recordingTables } from '../../src/read/outputs/recording-tables.ts';
import { DRAWN, LIMITS } from '../helpers/query-tables.ts';

let close: () => void = () => {};
afterEach(() => close());

async function serverWith(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  close = () => {
    server.closeAllConnections();
    server.close();
  };
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const engineAt = (host: string, env = {}) =>
  new ClickHouseEngine(parseClickHouse(`clickhouse://${host}`, env));

describe('the place of a server', () => {
  test("the server's address has a port, a database and a user by default", () => {
    expect(parseClickHouse('clickhouse://db', {})).toEqual({
      origin: 'http://db:8123',
      database: 'default',
      user: 'default',
      password: '',
    });
    expect(parseClickHouse('clickhouses://ann:s%40t@db:1/perf', {})).toEqual({
      origin: 'https://db:1',
      database: 'perf',
      user: 'ann',
      password: 's@t',
    });
    expect(parseClickHouse('clickhouse://ann:100%@db', {})).toMatchObject({ password: '100%' });
  });

  test('user and password come from the environment', () => {
    const env = { CLICKHOUSE_USER: 'ann', CLICKHOUSE_PASSWORD: 'secret' };
    expect(parseClickHouse('clickhouse://db', env)).toMatchObject({
      user: 'ann',
      password: 'secret',
    });
  });

  test("the server's address is refused without showing a password", () => {
    expect(() => parseClickHouse('http://ann:secret@db', {})).toThrow('http://ann:…@db');
    expect(() => parseClickHouse('db', {})).toThrow('not the place');
  });
});

test('a query goes out as it is, read-only, with the user in headers', async () => {
  const seen: { url: string; headers: IncomingHttpHeaders; body: string }[] = [];
  const host = await serverWith(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { url = '', headers } = request;
    seen.push({ url, headers, body: Buffer.concat(parts).toString() });
    response.end(
      JSON.stringify({
        meta: [
          { name: 'func', type: 'String' },
          { name: 'n', type: 'UInt64' },
          { name: 'share', type: 'Nullable(Float64)' },
        ],
        data: [
          ['7', '12', 0.5],
          ['b', '18446744073709551615', null],
        ],
      }),
    );
  });
  const answer = await engineAt(`ann:secret@${host}/perf`).run('select 1', LIMITS);
  expect(answer).toEqual({
    columns: ['func', 'n', 'share'],
    rows: [
      ['7', 12, 0.5],
      ['b', '18446744073709551615', null],
    ],
    isCut: false,
  });
  const [{ url, headers, body }] = seen;
  expect(body).toBe('select 1');
  expect(url).toContain('database=perf');
  expect(url).toContain('readonly=2');
  expect(url).not.toContain('secret');
  expect(headers['x-clickhouse-user']).toBe('ann');
  expect(headers['x-clickhouse-key']).toBe('secret');
});

test.each([
  [400, 'Code: 47. DB::Exception: Unknown identifier nope\nstack', 'Unknown identifier nope'],
  [401, 'Code: 516. Authentication failed', 'refuses the user'],
  [500, 'Code: 516. DB::Exception: ann: Authentication failed', 'refuses the user'],
])('status %s is reported with its reason', async (status, text, message) => {
  const host = await serverWith((_request, response) => {
    response.statusCode = status;
    response.end(text);
  });
  await expect(engineAt(host).run('select nope', LIMITS)).rejects.toThrow(message);
});

test.each([
  ['{"meta":[{"name":"n","type":"UInt8"}],"data":[[1],', 'the answer breaks off'],
  ['{"meta":[],"data":[Code: 241. DB::Exception: Memory limit', 'Code: 241. DB::Exception: Memory'],
])('an answer that does not end is none: %s', async (text, message) => {
  const host = await serverWith((_request, response) => void response.end(text));
  await expect(engineAt(host).run('select 1', LIMITS)).rejects.toThrow(message);
});

test('a server that is too old for what was asked is named', async () => {
  const host = await serverWith(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    if (Buffer.concat(parts).toString() === 'select version()') response.end('18.16.1\n');
    else response.writeHead(501).end('Code: 48, more than one JOIN is not implemented');
  });
  await expect(engineAt(host).run('select * from callers', LIMITS)).rejects.toThrow(
    /^ClickHouse 18\.16\.1 is too old: .*more than one JOIN/,
  );
});

test('a server that is not there is named', async () => {
  const host = await serverWith(() => {});
  close();
  await expect(engineAt(host).run('select 1', LIMITS)).rejects.toThrow(
    `http://${host} does not answer`,
  );
});

test('a server that answers too late is left', async () => {
  const host = await serverWith(() => {});
  const limits = { maxRows: 1, timeoutSeconds: 0.1 };
  await expect(engineAt(host).run('select 1', limits)).rejects.toThrow('longer than 0.1 s');
});

test('an inserted recording becomes known last, after its samples', async () => {
  const inserted: string[] = [];
  const host = await serverWith(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const query = new URL(request.url ?? '', 'http://x').searchParams.get('query') ?? '';
    const table = /^insert into (\w+)/.exec(query)?.[1];
    if (table === undefined) {
      response.end('{"meta":[{"name":"n","type":"UInt64"}],"data":[["0"]]}');
      return;
    }
    inserted.push(table);
    const lines = gunzipSync(Buffer.concat(parts)).toString().trimEnd().split('\n');
    if (table === 'samples') {
      expect(lines).toHaveLength(DRAWN.profile.samples.length);
      expect(lines[0].split('\t').slice(0, 3)).toEqual(['7', '0', '0']);
    }
    response.end();
  });
  await engineAt(host).insert(7, recordingTables(DRAWN, { name: '7.data' }));
  expect(inserted).toContain('samples');
  expect(inserted.at(-1)).toBe('recordings');
});
