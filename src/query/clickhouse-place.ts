import { UsageError } from '../base/errors.ts';
import { decodePercent } from '../base/text.ts';

/** The address of a ClickHouse server: `clickhouse://[user[:password]@]host[:port][/database]`. */
export type ClickHousePlace = {
  readonly origin: string;
  readonly database: string;
  readonly user: string;
  readonly password: string;
};

const DEFAULT_PORT = { clickhouse: 8123, clickhouses: 8443 };

/**
 * Reads the place of a server; `clickhouses://` goes by TLS. The password is better in
 * `CLICKHOUSE_PASSWORD`, since others on the machine see the command line. Throws `UsageError`.
 */
export function parseClickHouse(text: string, env = process.env): ClickHousePlace {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw badPlace(text);
  }
  const scheme = url.protocol.slice(0, -1);
  if (scheme !== 'clickhouse' && scheme !== 'clickhouses') throw badPlace(text);
  const port = url.port === '' ? DEFAULT_PORT[scheme] : Number(url.port);
  const host = url.hostname === '' ? 'localhost' : url.hostname;
  return {
    origin: `${scheme === 'clickhouse' ? 'http' : 'https'}://${host}:${port}`,
    database: decodePercent(url.pathname.slice(1)) || 'default',
    user: decodePercent(url.username) || (env.CLICKHOUSE_USER ?? 'default'),
    password: decodePercent(url.password) || (env.CLICKHOUSE_PASSWORD ?? ''),
  };
}

function badPlace(text: string): UsageError {
  return new UsageError(
    `${text.replace(/:[^:@/]*@/, ':…@')}: not the place of a ClickHouse server`,
    ['clickhouse://HOST:8123/DATABASE, clickhouses:// with TLS'],
  );
}
