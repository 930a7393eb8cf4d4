// The sink of ClickHouse, against a server that keeps what it gets, and against the engine where there is one.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TABLE_NAMES } from '../../../src/formats/tables/schema.ts';
import { ClickHouseEngine } from '../../../src/query/clickhouse.ts';
import { parseClickHouse } from '../../../src/query/clickhouse-place.ts';
import { verbSql } from '../../../src/query/verbs.ts';
import { encodeRows } from '../../../src/tools/agent/encode/encode-rows.ts';
import {
  type EncodedWindow,
  packWindow,
  unpackWindow,
} from '../../../src/tools/agent/encode/encoded-window.ts';
import { ClickHouseSink } from '../../../src/tools/agent/sinks/clickhouse-sink.ts';
import type { SinkAnswer } from '../../../src/tools/agent/sinks/sink.ts';
import { divided, FACTS, NO_CREDENTIALS } from '../../helpers/agent-window.ts';
import { hasClickHouse, openSession, serveSession } from '../../helpers/clickhouse.ts';
import { type Received, startFakeSink } from '../../helpers/fake-sink.ts';
import { LIMITS } from '../../helpers/query-tables.ts';
import { scratchDirectory } from '../../helpers/scratch.ts';

const LABELS = { host: 'h1', labels: { env: 'prod' } };

const parts = (hasLoss = false) => divided({ hasLoss, sampleLabels: ['tid', 'cpu'] }).services;

/** The drawn window, as if it had begun so many seconds from now. */
function windowIn(seconds: number, id = 'w', hasLoss = false): EncodedWindow {
  const startNs = BigInt(Date.now() + seconds * 1000) * 1_000_000n;
  const facts = { id, startNs, endNs: startNs + 10_000_000_000n, zeroNs: startNs };
  const profiles = encodeRows(parts(hasLoss), facts, LABELS);
  return { ...facts, format: 'rows', profiles };
}

const sinkAt = (target: string, tokenFile: string | null = null) =>
  new ClickHouseSink({
    ...NO_CREDENTIALS,
    ...{ type: 'clickhouse', name: 'db', target, tokenFile, timeoutMs: 30_000 },
  });

async function sendAll(sink: ClickHouseSink, window: EncodedWindow): Promise<SinkAnswer[]> {
  const answers: SinkAnswer[] = [];
  for (const profiles of sink.requestsOf(window)) answers.push(await sink.send(profiles, window));
  return answers;
}

const queryOf = ({ query, body }: Received): string => query.get('query') ?? body.toString();
const addressOf = (url: string) => url.replace('http:', 'clickhouse:').replace('//', '//perf@');

describe('a window as rows', () => {
  it('rows of a window have the weights of its samples, service by service, and say whose they are', () => {
    const inserts = encodeRows(parts(true), FACTS, LABELS);
    const rowsOf = (table: string): string[][] => {
      const { bytes } = inserts.find(({ id }) => id.startsWith(`${table}.`))!;
      const [statement] = Buffer.from(bytes).toString('latin1').split('\n');
      expect(statement).toContain(`insert into ${table} (recording, `);
      const text = gunzipSync(bytes.subarray(statement.length + 1)).toString();
      return text
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t'));
    };
    const columnsOf = (table: string) => {
      const { bytes } = inserts.find(({ id }) => id.startsWith(`${table}.`))!;
      return /\((.*)\)/.exec(Buffer.from(bytes).toString('latin1'))![1].split(', ');
    };
    const column = (table: string, name: string) =>
      rowsOf(table).map((row) => row[columnsOf(table).indexOf(name)]);
    expect(inserts.at(-1)?.id).toMatch(/^recordings\.\d+$/);
    expect(column('recordings', 'service')).toEqual(['shop', 'db']);
    expect(column('recordings', 'host')).toEqual(['h1', 'h1']);
    expect(column('recordings', 'build')).toEqual(['1', '1']);
    expect(column('recordings', 'seconds')).toEqual(['10', '10']);
    expect(JSON.parse(column('recordings', 'labels')[0])).toMatchObject({ env: 'prod' });
    expect(column('samples', 'weight')).toEqual(['100', '20', '3']);
    expect(column('samples', 'pid')).toEqual(['11', '12', '13']);
    expect(column('samples', 'lost_before')).toEqual(['0', '7', '0']);
    expect(column('events', 'arrived')).toEqual(['120', '3']);
    expect(column('events', 'lost')).toEqual(['7', '0']);
    expect(column('functions', 'func').sort()).toEqual(
      ['[lost]', 'main', 'main', 'score', 'score'].sort(),
    );
    // A recording's number begins with its second.
    expect(column('samples', 'recording').map((one) => BigInt(one) >> 31n)).toEqual(
      Array(3).fill(1_700_000_000n),
    );
    expect(new Set(column('recordings', 'recording')).size).toBe(2);
  });

  it('rows of a window are the same each time, and in more inserts where there are too many', () => {
    const ids = (most?: number) => encodeRows(parts(), FACTS, LABELS, most).map(({ id }) => id);
    expect(ids()).toEqual(ids());
    const split = ids(1);
    expect(split.filter((id) => id.startsWith('samples.'))).toHaveLength(2);
    expect(new Set(split).size).toBe(split.length);
  });

  it('a window as rows keeps names with tabs and line ends apart', () => {
    const [part] = parts();
    const services = [{ ...part, service: { ...part.service, name: 'a\tb\nc\\' } }];
    const last = encodeRows(services, FACTS, LABELS).at(-1)!;
    const start = last.bytes.indexOf(0x0a) + 1;
    const lines = gunzipSync(last.bytes.subarray(start)).toString().trimEnd().split('\n');
    expect(lines).toHaveLength(1);
    expect(lines[0].split('\t')).toContain('a\\tb\\nc\\\\');
  });

  it('a window as rows goes through the spool', () => {
    const window = windowIn(0);
    expect(unpackWindow(packWindow(window))).toEqual({
      ...{ id: window.id, format: 'rows', startNs: window.startNs, endNs: window.endNs },
      profiles: window.profiles,
    });
  });
});

describe('the sink of ClickHouse', () => {
  it('the sink makes the tables once, and sends packed rows with a token, recordings last', async () => {
    const fake = await startFakeSink((response, request) =>
      response.end(queryOf(request).startsWith('exists') ? '0\n' : ''),
    );
    const password = join(scratchDirectory(), 'password');
    writeFileSync(password, 's3cret\n');
    const sink = sinkAt(`${addressOf(fake.url)}/perf`, password);
    const window = windowIn(5);
    const answers = await sendAll(sink, window);
    expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(['taken']));
    const asked = fake.received.map(queryOf);
    expect(asked[0]).toBe('exists table recordings');
    expect(asked.filter((query) => /^create table/.test(query))).toHaveLength(TABLE_NAMES.length);
    const inserts = fake.received.filter(({ query }) => query.get('query') !== null);
    expect(inserts).toHaveLength(window.profiles.length);
    expect(inserts.at(-1)?.query.get('query')).toMatch(/^insert into recordings /);
    for (const { query, headers, body } of inserts) {
      expect(query.get('database')).toBe('perf');
      expect(headers).toMatchObject({
        'x-clickhouse-user': 'perf',
        'x-clickhouse-key': 's3cret',
        'content-encoding': 'gzip',
      });
      expect(gunzipSync(body).toString()).toMatch(/^\d+\t.*\n$/s);
    }
    expect(inserts.map(({ query }) => query.get('insert_deduplication_token'))).toEqual(
      window.profiles.map(({ id }) => id),
    );
    await sendAll(sink, windowIn(6, 'next'));
    expect(fake.received.map(queryOf).filter((query) => /^(exists|create)/.test(query))).toEqual(
      asked.filter((query) => /^(exists|create)/.test(query)),
    );
  });

  it('looks for what it may have sent before it sends it again', async () => {
    const stored = new Set<string>();
    let mode: 'ok' | 'silent' = 'silent';
    const fake = await startFakeSink((response, request) => {
      const query = queryOf(request);
      const [, table] = /insert into (\w+)|from (\w+)/.exec(query) ?? [];
      if (query.startsWith('exists')) response.end('1\n');
      else if (query.startsWith('select')) {
        response.end(stored.has(/from (\w+)/.exec(query)![1]) ? '1\n' : '');
      } else {
        stored.add(table);
        if (mode === 'ok') response.end();
        // It has the rows, and nobody hears of it.
        else response.socket?.destroy();
      }
    });
    const sink = sinkAt(addressOf(fake.url));
    const window = windowIn(5);
    const [first] = sink.requestsOf(window);
    expect((await sink.send(first, window)).kind).toBe('later');
    mode = 'ok';
    expect(await sink.send(first, window)).toEqual({ kind: 'taken' });
    expect(fake.received.map(queryOf).filter((query) => /^insert/.test(query))).toHaveLength(1);
    // A window of an agent before this one: what that has sent is not sent again.
    const before = { ...window, isInherited: true };
    await sendAll(sinkAt(addressOf(fake.url)), before);
    expect(
      fake.received.map(queryOf).filter((query) => /^insert into events/.test(query)),
    ).toHaveLength(1);
    expect(stored.has('recordings')).toBe(true);
  });

  it.each([
    [500, 'Code: 516. DB::Exception: perf: Authentication failed', 'shut'],
    [404, 'Code: 60. DB::Exception: Table perf.samples does not exist', 'shut'],
    [500, 'Code: 16. DB::Exception: No such column labels in table', 'shut'],
    [500, 'Code: 252. DB::Exception: Too many parts', 'later'],
    [503, '', 'later'],
    [400, 'Code: 27. DB::Exception: Cannot parse input', 'refused'],
  ])('understands %d %s as %s', async (status, text, kind) => {
    const fake = await startFakeSink((response, request) => {
      if (queryOf(request).startsWith('insert')) response.statusCode = status;
      response.end(queryOf(request).startsWith('exists') ? '1\n' : text);
    });
    const window = windowIn(5);
    const sink = sinkAt(addressOf(fake.url));
    expect((await sink.send(sink.requestsOf(window)[0], window)).kind).toBe(kind);
  });
});

describe.skipIf(!hasClickHouse)("ClickHouse's engine", () => {
  let session: ReturnType<typeof openSession>;
  let served: Awaited<ReturnType<typeof serveSession>>;

  beforeAll(async () => {
    session = openSession();
    served = await serveSession(session);
  });
  afterAll(() => {
    served.server.close();
    session.close();
    rmSync('chdb_data', { recursive: true, force: true });
  });

  it('the database has every window once, and answers the questions of a fleet', async () => {
    const windows = [windowIn(5, 'a', true), windowIn(15, 'b')];
    const sink = sinkAt(served.url);
    for (const window of windows) await sendAll(sink, window);
    // Again by an agent that does not know of it, with and without having to look.
    for (const again of [sinkAt(served.url), sink]) {
      for (const window of windows) {
        const old = again === sink ? window : { ...window, isInherited: true };
        expect(new Set((await sendAll(again, old)).map(({ kind }) => kind))).toEqual(
          new Set(['taken']),
        );
      }
    }
    const engine = new ClickHouseEngine(parseClickHouse(served.url, {}));
    const rows = async (sql: string) => (await engine.run(sql, LIMITS)).rows;
    const weight = 'select count(*) as n, sum(s.weight + s.lost_before) as w from samples s';
    expect(await rows(weight)).toEqual([[6, 253]]);
    expect(await rows('select sum(e.weight) as w from events e')).toEqual([[253]]);
    expect(await rows('select count(*) as n from recordings r')).toEqual([[4]]);
    const share = await rows(verbSql('share', { func: 'score', limit: 10, service: 'db' }));
    expect(share.map((row) => row.slice(0, 5))).toEqual([['db', '1', 'h1', 2, 1]]);
    const lost = `select t.func as func, t.weight as weight from top_self t where t.func = '[lost]'`;
    expect(await rows(lost)).toEqual([['[lost]', 7]]);
  });
});
