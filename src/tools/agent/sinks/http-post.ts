import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { printable } from '../../../base/printable.ts';
import { systemErrorReason } from '../../../base/system-error.ts';
import type { FirstHop } from './connections.ts';
import type { SinkAnswer } from './sink.ts';

const MOST_ANSWER = 64 << 10;
const MOST_WHY = 200;

export type HttpRequest = {
  readonly hop: FirstHop;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly timeoutMs: number;
};

/** The answer of a server, as far as it came. */
export type HttpAnswer = {
  readonly status: number;
  readonly body: Uint8Array;
  /** `Retry-After`, in milliseconds from now. */
  readonly afterMs: number | null;
};

/**
 * Sends a POST. Redirections are not followed: the token is for the address that it was given for. Rejects
 * where no status came in time; a body that breaks off after the status is what it is.
 */
export function post({ hop, headers, body, timeoutMs }: HttpRequest): Promise<HttpAnswer> {
  const request = hop.url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const sent = request(
      hop.url,
      {
        ...hop.options,
        method: 'POST',
        headers: { ...headers, ...hop.headers, 'content-length': String(body.length) },
      },
      (answer) => {
        // It was taken, or not, by now: a body that does not come is cut off, and changes nothing.
        clearTimeout(timer);
        timer = setTimeout(() => answer.destroy(), timeoutMs);
        readAnswer(answer, (found, isWhole) => {
          clearTimeout(timer);
          resolve(found);
          if (!isWhole) sent.destroy();
        });
      },
    );
    let timer = setTimeout(() => {
      sent.destroy(new Error(`no answer within ${timeoutMs / 1000} s`));
    }, timeoutMs);
    sent.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    sent.end(body);
  });
}

function readAnswer(
  answer: IncomingMessage,
  settle: (found: HttpAnswer, isWhole: boolean) => void,
): void {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const end = (isWhole: boolean): void => {
    const found = {
      status: answer.statusCode ?? 0,
      body: Buffer.concat(chunks).subarray(0, MOST_ANSWER),
      afterMs: parseRetryAfter(answer.headers['retry-after'], Date.now()),
    };
    settle(found, isWhole);
  };
  answer.on('data', (chunk: Uint8Array) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MOST_ANSWER) end(false);
  });
  answer.once('end', () => end(true));
  answer.once('error', () => end(false));
  answer.once('close', () => end(false));
}

/** Seconds, or a date. */
export function parseRetryAfter(text: string | undefined, nowMs: number): number | null {
  if (text === undefined) return null;
  if (/^\s*\d+\s*$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}

/** Judges what an answer means for the profile that was sent. */
export function judgeAnswer({ status, body, afterMs }: HttpAnswer, url: URL): SinkAnswer {
  if (status >= 200 && status < 300) return { kind: 'taken' };
  const reported = printable(Buffer.from(body).toString('utf8').trim().slice(0, MOST_WHY));
  // Without what stands behind a question mark.
  const why = `${url.origin}${url.pathname}: ${status}${reported === '' ? '' : ` ${reported}`}`;
  if (status === 401 || status === 403 || status === 407) {
    return { kind: 'shut', why: `${why} (wrong or missing token)` };
  }
  if (status === 404 || status === 405) return { kind: 'shut', why: `${why} (wrong address)` };
  if (status >= 300 && status < 400) {
    return { kind: 'shut', why: `${why} (it redirects: give the final address)` };
  }
  if (status === 500) return { kind: 'later', why, afterMs, isOfRequest: true };
  if (status === 429 || status === 408 || status > 500) return { kind: 'later', why, afterMs };
  return { kind: 'refused', why };
}

const NETWORK_REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was cut',
  EAI_AGAIN: 'the name could not be looked up',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to it',
  ENOTFOUND: 'there is no such host',
  EPIPE: 'the connection was cut',
  EPROTO: 'it does not speak TLS as we do: plain HTTP has an address that begins with http:',
  ETIMEDOUT: 'it does not answer',
};

/** Judges a request that had no answer. */
export function judgeFailure(error: unknown, url: URL): SinkAnswer {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = NETWORK_REASONS[code];
  const text = reason === undefined ? systemErrorReason(error) : `${reason} (${code})`;
  const why = printable(text.trim().split('\n')[0].slice(0, MOST_WHY));
  return { kind: 'later', why: `${url.origin}: ${why}`, afterMs: null };
}
