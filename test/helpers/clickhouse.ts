import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** The folder of npm's package chdb, ClickHouse as a library; it has 550 MB and is in no lock. */
const FOLDER = process.env.PERF_TS_CHDB ?? '';
export const hasClickHouse = FOLDER !== '' && existsSync(join(FOLDER, 'package.json'));

type Session = { query(sql: string, format?: string): string; close(): void };

/** ClickHouse's engine; throws where it is not installed. */
export function openSession(): Session {
  const chdb = createRequire(join(FOLDER, 'x.js'))(FOLDER) as { Session: new () => Session };
  return new chdb.Session();
}

/**
 * The engine behind as much of ClickHouse's HTTP interface as we use: the engine is the real one, this
 * server is not.
 */
export async function serveSession(session: Session): Promise<{ url: string; server: Server }> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const bytes = Buffer.concat(parts);
    const isPacked = request.headers['content-encoding'] === 'gzip';
    const body = (isPacked ? gunzipSync(bytes) : bytes).toString();
    const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const query = searchParams.get('query');
    const token = searchParams.get('insert_deduplication_token') ?? '';
    try {
      session.query(`set insert_deduplication_token = '${token}'`);
      const text = query === null ? body : `${query}\n${body}`;
      response.end(session.query(text, searchParams.get('default_format') ?? 'TSV'));
    } catch (error) {
      response.statusCode = 400;
      response.end((error as Error).message);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `clickhouse://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}
