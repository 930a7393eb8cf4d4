// The agent's sink and `query --on` against a real server: whatever version this machine has. Debian's is of
// 2018, which knows neither the joins of the views nor tokens of inserts.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ClickHouseEngine } from '../../src/query/clickhouse.ts';
import { parseClickHouse } from '../../src/query/clickhouse-place.ts';
import { recordingTables } from '../../src/read/outputs/recording-tables.ts';
import { encodeRows } from '../../src/tools/agent/encode/encode-rows.ts';
import type { EncodedWindow } from '../../src/tools/agent/encode/encoded-window.ts';
import { ClickHouseSink } from '../../src/tools/agent/sinks/clickhouse-sink.ts';
import type { SinkAnswer } from '../../src/tools/agent/sinks/sink.ts';
import { divided, NO_CREDENTIALS } from '../helpers/agent-window.ts';
import {
  ClickHouseServer,
  hasClickHouseServer,
  SERVER_PASSWORD,
} from '../helpers/clickhouse-server.ts';
import { DRAWN, LIMITS } from '../helpers/query-tables.ts';
import { scratchDirectory } from '../helpers/scratch.ts';

/** Its samples weigh 123, and 7 were lost. */
function windowIn(seconds: number, id: string): EncodedWindow {
  const startNs = BigInt(Date.now() + seconds * 1000) * 1_000_000n;
  const facts = { id, startNs, endNs: startNs + 10_000_000_000n, zeroNs: startNs };
  const parts = divided({ hasLoss: true, sampleLabels: ['tid', 'cpu'] }).services;
  const profiles = encodeRows(parts, facts, { host: 'h\t1\\', labels: {} });
  return { ...facts, format: 'rows', profiles };
}

describe.skipIf(!hasClickHouseServer)('a server of ClickHouse', () => {
  let server: ClickHouseServer;
  let password: string;
  beforeAll(async () => {
    server = await ClickHouseServer.start();
    password = join(scratchDirectory(), 'password');
    writeFileSync(password, `${SERVER_PASSWORD}\n`);
  });

  const sink = (tokenFile: string | null = password) =>
    new ClickHouseSink({
      ...NO_CREDENTIALS,
      ...{ type: 'clickhouse', name: 'db', target: server.url, tokenFile, timeoutMs: 30_000 },
    });
  const engine = (secret = SERVER_PASSWORD) =>
    new ClickHouseEngine(parseClickHouse(server.url, { CLICKHOUSE_PASSWORD: secret }));
  const rows = async (sql: string) => (await engine().run(sql, LIMITS)).rows;
  const weights = () =>
    rows('select count(*) as n, sum(weight) as w, sum(lost_before) as l from samples');

  async function sendAll(to: ClickHouseSink, window: EncodedWindow): Promise<SinkAnswer[]> {
    const answers: SinkAnswer[] = [];
    for (const insert of to.requestsOf(window)) answers.push(await to.send(insert, window));
    return answers;
  }
  const kinds = (answers: readonly SinkAnswer[]) => [...new Set(answers.map(({ kind }) => kind))];

  it('an interrupt ends a query', async () => {
    const endless = 'select count(*) as n from (select number from system.numbers)';
    const running = `select count(*) as n from system.processes
      where query like '%system.numbers%' and query not like '%system.processes%'`;
    const stop = new AbortController();
    const ended = engine().run(endless, { ...LIMITS, timeoutSeconds: 600, signal: stop.signal });
    const outcome = expect(ended).rejects.toThrow('aborted');
    await expect.poll(() => rows(running)).toEqual([[1]]);
    stop.abort();
    await outcome;
    await expect.poll(() => rows(running)).toEqual([[0]]);
  });

  it('the server is distinguished from one that does not know the password', async () => {
    const wrong = join(scratchDirectory(), 'password');
    writeFileSync(wrong, 'wrong\n');
    expect(kinds(await sendAll(sink(wrong), windowIn(1, 'wrong')))).toEqual(['shut']);
    await expect(engine('wrong').run('select 1', LIMITS)).rejects.toThrow('refuses the user');
  });

  it('the server has each window once, with its weights, losses and names, whoever sends it again', async () => {
    const windows = [windowIn(5, 'a'), windowIn(15, 'b')];
    const first = sink();
    for (const window of windows) expect(kinds(await sendAll(first, window))).toEqual(['taken']);
    expect(await weights()).toEqual([[6, 246, 14]]);
    // An agent that was started later finds them in its spool.
    for (const window of windows) {
      expect(kinds(await sendAll(sink(), { ...window, isInherited: true }))).toEqual(['taken']);
    }
    expect(await weights()).toEqual([[6, 246, 14]]);
    expect(await rows('select distinct host from recordings')).toEqual([['h\t1\\']]);
    expect(await rows('select name, build, service from recordings where 1 = 0')).toEqual([]);
  });

  it('a server that is killed and comes back has what was sent meanwhile, once', async () => {
    const sender = sink();
    const window = windowIn(25, 'c');
    await server.kill();
    const [first] = sender.requestsOf(window);
    expect((await sender.send(first, window)).kind).toBe('later');
    await expect(rows('select 1')).rejects.toThrow('does not answer');
    await server.start();
    expect(kinds(await sendAll(sender, window))).toEqual(['taken']);
    expect(await weights()).toEqual([[9, 369, 21]]);
  });

  it('the server reports what is wrong with a query, and answers no more rows than it was asked for', async () => {
    await expect(rows('select nosuch from samples')).rejects.toThrow('nosuch');
    const few = await engine().run('select pid from samples', { ...LIMITS, maxRows: 2 });
    expect([few.rows.length, few.isCut]).toEqual([2, true]);
  });

  it('the server takes a recording, or is said to be too old for its views', async () => {
    const [[version]] = await rows('select version() as version');
    const inserted = engine().insert(7, recordingTables(DRAWN, { name: '7.data' }));
    if (Number.parseInt(String(version), 10) < 21) {
      await expect(inserted).rejects.toThrow(`ClickHouse ${version} is too old`);
      return;
    }
    await inserted;
    expect((await rows('select func from top_self where recording = 7')).length).toBeGreaterThan(0);
  });
});
