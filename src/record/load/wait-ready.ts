import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadyAddress } from './ready-address.ts';

/** Time between two attempts; a server that starts in a second is found within a twentieth of that. */
const PAUSE_MS = 50;
/** One attempt: a port may accept and never answer. */
const ATTEMPT_MS = 2000;
/** A server that starts up answers 503 for a while. */
const NOT_YET_STATUS = 500;

/** Resolves once the address answers; rejects with the signal's reason. */
export async function waitUntilReady(address: ReadyAddress, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const attempt = AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_MS)]);
    if (
      await (address.kind === 'tcp' ? accepts(address, attempt) : answers(address.url, attempt))
    ) {
      return;
    }
    await sleep(PAUSE_MS, undefined, { signal }).catch(() => {});
  }
}

function accepts(
  { host, port }: { readonly host: string; readonly port: number },
  signal: AbortSignal,
): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, signal });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Any answer below 500 counts, a redirect and a 404 too: something listens and decides. */
function answers(url: string, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    // The certificate of a server on trial is often its own.
    const request = url.startsWith('https:')
      ? getHttps(url, { signal, agent: false, rejectUnauthorized: false })
      : getHttp(url, { signal, agent: false });
    request.once('response', (response) => {
      response.destroy();
      resolve((response.statusCode ?? NOT_YET_STATUS) < NOT_YET_STATUS);
    });
    request.once('error', () => resolve(false));
  });
}
