import { readFileSync } from 'node:fs';
import { FailedError } from '../../../base/errors.ts';
import { describeError } from '../../../base/system-error.ts';
import type { SinkConfig } from '../config/agent-config.ts';
import type { EncodedProfile, EncodedWindow, WindowFormat } from '../encode/encoded-window.ts';
import { basic, Connections, type FirstHop, stampOfFiles } from './connections.ts';
import { type HttpAnswer, judgeAnswer, judgeFailure, post } from './http-post.ts';
import type { Sink, SinkAnswer } from './sink.ts';

/** One request of a protocol. */
export type ProtocolRequest = {
  /** Path below the address of the configuration. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
};

/** How profiles are written for a kind of server. */
export type Protocol = {
  readonly format: WindowFormat;
  /** Profiles of one request, and their bytes. */
  readonly mostProfiles: number;
  readonly mostBytes: number;
  /** Header that carries the token. */
  readonly tokenHeader: (token: string) => readonly [name: string, value: string];
  encode(profiles: readonly EncodedProfile[], window: EncodedWindow): ProtocolRequest;
  /** Looks at an answer that is no failure by its status. */
  judge?(answer: HttpAnswer): SinkAnswer | null;
};

/** A server that takes profiles over HTTP. */
export class HttpSink implements Sink {
  readonly name: string;
  readonly isRepeatable = false;
  readonly #config: SinkConfig;
  readonly #protocol: Protocol;
  readonly #address: URL;
  readonly #connections: Connections;

  constructor(config: SinkConfig, protocol: Protocol) {
    this.name = config.name;
    this.#config = config;
    this.#protocol = protocol;
    this.#address = new URL(config.target);
    this.#connections = new Connections(config);
  }

  get format(): WindowFormat {
    return this.#protocol.format;
  }

  tokenStamp(): string {
    return tokenStamp(this.#config);
  }

  requestsOf({ profiles }: EncodedWindow): readonly (readonly EncodedProfile[])[] {
    const { mostProfiles, mostBytes } = this.#protocol;
    const requests: EncodedProfile[][] = [];
    let bytes = 0;
    for (const profile of profiles) {
      const last = requests.at(-1);
      bytes += profile.bytes.length;
      if (last === undefined || last.length === mostProfiles || bytes > mostBytes) {
        requests.push([profile]);
        bytes = profile.bytes.length;
      } else last.push(profile);
    }
    return requests;
  }

  async send(profiles: readonly EncodedProfile[], window: EncodedWindow): Promise<SinkAnswer> {
    const { path, query = {}, headers, body } = this.#protocol.encode(profiles, window);
    const url = new URL(this.#address);
    // An address that already ends in the path is meant as it is.
    if (!url.pathname.endsWith(path)) url.pathname = url.pathname.replace(/\/$/, '') + path;
    for (const [name, value] of Object.entries(query)) url.searchParams.append(name, value);
    const prepared = prepareRequest(this.#config, this.#connections, url);
    if ('kind' in prepared) return prepared;
    const { token, hop } = prepared;
    const { user, tenant, timeoutMs } = this.#config;
    const [tokenName, tokenValue] =
      user === null ? this.#protocol.tokenHeader(token ?? '') : basic(user, token ?? '');
    const all = {
      'user-agent': 'perf-ts-agent',
      ...headers,
      ...(token !== null && { [tokenName]: tokenValue }),
      ...(tenant !== null && { 'x-scope-orgid': tenant }),
    };
    try {
      const answer = await post({ hop, headers: all, body, timeoutMs });
      const judged = judgeAnswer(answer, url);
      return judged.kind === 'taken' ? (this.#protocol.judge?.(answer) ?? judged) : judged;
    } catch (error) {
      return judgeFailure(error, url);
    }
  }
}

/** The token and the connection of a request, as the files of the configuration are now. */
export function prepareRequest(
  config: SinkConfig,
  connections: Connections,
  url: URL,
): { readonly token: string | null; readonly hop: FirstHop } | SinkAnswer {
  try {
    return { token: readToken(config), hop: connections.to(url) };
  } catch (error) {
    return { kind: 'shut', why: describeError(error) };
  }
}

/** Read for every request, so that a new token needs no restart. Null: there is none. Throws `FailedError`. */
export function readToken({
  tokenFile,
  tokenEnv,
}: Pick<SinkConfig, 'tokenFile' | 'tokenEnv'>): string | null {
  const token =
    tokenFile !== null
      ? readFileSync(tokenFile, 'utf8').trim()
      : tokenEnv !== null
        ? (process.env[tokenEnv] ?? '')
        : null;
  if (token === null) return null;
  if (!/^[\x21-\x7e]+$/.test(token)) {
    const from = tokenFile ?? `the variable ${tokenEnv}`;
    throw new FailedError(`${from} holds no token: expected one line of printable characters`);
  }
  return token;
}

/** Identifies the files that a sink is asked with, and their last change. */
export function tokenStamp({ tokenFile, caFile, certFile, keyFile }: SinkConfig): string {
  return stampOfFiles([tokenFile, caFile, certFile, keyFile]);
}

/** `Authorization: Bearer TOKEN` */
export function bearer(token: string): readonly [name: string, value: string] {
  return ['authorization', `Bearer ${token}`];
}
