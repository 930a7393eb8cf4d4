import { clickHouseSchema } from '../../../formats/tables/ddl.ts';
import { type ClickHousePlace, parseClickHouse } from '../../../query/clickhouse-place.ts';
import type { SinkConfig } from '../config/agent-config.ts';
import type { EncodedProfile, EncodedWindow } from '../encode/encoded-window.ts';
import { Connections } from './connections.ts';
import { type HttpAnswer, judgeAnswer, judgeFailure, post } from './http-post.ts';
import { prepareRequest, tokenStamp } from './http-sink.ts';
import type { Sink, SinkAnswer } from './sink.ts';

const NEW_LINE = 0x0a;

type Insert = { readonly rows: Uint8Array; readonly token: string };
type Asked = { readonly answer: SinkAnswer; readonly text: string };

/**
 * The tables of docs/schema.md on a ClickHouse server, over HTTP: an insert a table and window. What was sent
 * before, by whatever agent, and had no answer is looked for on the server first, so that it is there once;
 * the token of an insert makes a server that deduplicates drop one that it is still writing.
 */
export class ClickHouseSink implements Sink {
  readonly format = 'rows';
  readonly isRepeatable = true;
  readonly name: string;
  readonly #config: SinkConfig;
  readonly #place: ClickHousePlace;
  readonly #connections: Connections;
  /** Inserts without an answer that tells what became of them. */
  readonly #open = new Set<string>();
  #hasTables = false;
  /** An old server knows no tokens: what was sent is looked for, and that is all. */
  #knowsTokens = true;

  constructor(config: SinkConfig) {
    this.name = config.name;
    this.#config = config;
    this.#place = parseClickHouse(config.target, {});
    this.#connections = new Connections(config);
  }

  tokenStamp(): string {
    return tokenStamp(this.#config);
  }

  requestsOf({ profiles }: EncodedWindow): readonly (readonly EncodedProfile[])[] {
    return profiles.map((profile) => [profile]);
  }

  async send([insert]: readonly EncodedProfile[], window: EncodedWindow): Promise<SinkAnswer> {
    const [table, recording] = insert.id.split('.');
    const end = insert.bytes.indexOf(NEW_LINE);
    const statement = Buffer.from(insert.bytes.subarray(0, end)).toString();
    const missing = this.#hasTables ? null : await this.#makeTables();
    if (missing !== null) return missing;
    this.#hasTables = true;
    if (window.isInherited === true || this.#open.has(insert.id)) {
      const known = `select 1 from ${table} where recording = ${recording} limit 1`;
      const found = await this.#ask(known);
      if (found.answer.kind !== 'taken') return found.answer;
      if (found.text !== '') {
        this.#open.delete(insert.id);
        return { kind: 'taken' };
      }
    }
    this.#open.add(insert.id);
    const { answer } = await this.#insert(statement, {
      rows: insert.bytes.subarray(end + 1),
      token: insert.id,
    });
    // A refused insert is not tried again either.
    return answer.kind === 'taken' || answer.kind === 'refused'
      ? this.#taken(insert, answer)
      : answer;
  }

  async #insert(statement: string, insert: Insert): Promise<{ answer: SinkAnswer }> {
    const made = await this.#ask(statement, insert);
    if (made.answer.kind === 'taken' || !NO_SETTING.test(made.text)) return made;
    this.#knowsTokens = false;
    return this.#ask(statement, insert);
  }

  #taken({ id }: EncodedProfile, answer: SinkAnswer = { kind: 'taken' }): SinkAnswer {
    this.#open.delete(id);
    return answer;
  }

  /** Null: the tables are there. Views are made where the server takes them. */
  async #makeTables(): Promise<SinkAnswer | null> {
    const { answer, text } = await this.#ask('exists table recordings');
    if (answer.kind !== 'taken') return answer;
    if (text === '1') return null;
    const missing = await this.#makeAll(clickHouseSchema());
    if (missing === null || !NO_SETTING.test(missing.text)) return missing?.answer ?? null;
    this.#knowsTokens = false;
    return (await this.#makeAll(clickHouseSchema(false)))?.answer ?? null;
  }

  /** The answer to the first table that could not be made; null where all were. */
  async #makeAll(statements: readonly string[]): Promise<Asked | null> {
    for (const statement of statements) {
      const { answer, text } = await this.#ask(statement);
      if (answer.kind === 'taken' || !statement.startsWith('create table')) continue;
      if (answer.kind !== 'refused' && !NO_SETTING.test(text)) return { answer, text };
      return { answer: { kind: 'shut', why: `${answer.why} (the tables are missing)` }, text };
    }
    return null;
  }

  async #ask(query: string, insert?: Insert): Promise<Asked> {
    const { origin, database, user } = this.#place;
    const url = new URL(origin);
    url.searchParams.set('database', database);
    if (insert !== undefined) {
      url.searchParams.set('query', query);
      if (this.#knowsTokens) url.searchParams.set('insert_deduplication_token', insert.token);
    }
    const prepared = prepareRequest(this.#config, this.#connections, url);
    if ('kind' in prepared) return { answer: prepared, text: '' };
    const { token, hop } = prepared;
    const headers = {
      'user-agent': 'perf-ts-agent',
      'x-clickhouse-user': user,
      ...(token !== null && { 'x-clickhouse-key': token }),
      ...(insert !== undefined && { 'content-encoding': 'gzip' }),
    };
    const { timeoutMs } = this.#config;
    try {
      const body = insert?.rows ?? Buffer.from(query);
      const found = await post({ hop, headers, body, timeoutMs });
      return { answer: judge(found, url), text: Buffer.from(found.body).toString().trim() };
    } catch (error) {
      return { answer: judgeFailure(error, url), text: '' };
    }
  }
}

/** Codes of users and rights, and of tables, columns and databases that are not there. */
const WRONG_USER = /Code: (192|193|194|497|516)\b/;
/** Codes of an unknown setting, of a table and of a request. */
const NO_SETTING = /Code: (36|115)\b.*Unknown setting/;
const NO_TABLE = /Code: (16|47|60|81)\b/;

/** Errors have a code in their text; the status is 500 for most, and for some that is no "later". */
function judge(found: HttpAnswer, url: URL): SinkAnswer {
  const answer = judgeAnswer(found, url);
  if (answer.kind === 'taken') return answer;
  const reported = Buffer.from(found.body).toString();
  const { why } = answer;
  if (WRONG_USER.test(reported)) return { kind: 'shut', why: `${why} (wrong user or password)` };
  return NO_TABLE.test(reported) ? { kind: 'shut', why: `${why} (other tables)` } : answer;
}
