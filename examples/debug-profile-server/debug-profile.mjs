// A handler of node:http that answers with a profile of the process it runs in:
//
//     /debug/profile?seconds=5&format=pprof|speedscope|html|cpuprofile

import { startSelfProfile } from 'perf-ts';

const FORMATS = {
  pprof: { type: 'application/octet-stream', name: 'profile.pb.gz' },
  speedscope: { type: 'application/json', name: 'profile.speedscope.json' },
  cpuprofile: { type: 'application/json', name: 'profile.cpuprofile' },
  html: { type: 'text/html; charset=utf-8', name: null },
};

/**
 * Makes the handler. A profile shows paths, names of functions and what the process does, and costs time: so
 * by default only programs of this machine get one, one at a time. Who sets `allowRemote` has to ask for a
 * password before.
 */
export function debugProfile({ maxSeconds = 60, allowRemote = false, onNotice = () => {} } = {}) {
  let isBusy = false;
  return async function handle(request, response) {
    const refusal = allowRemote ? null : whyRemote(request);
    if (refusal !== null) return answer(response, 403, refusal);
    if (request.method !== 'GET') return answer(response, 405, 'a profile is asked for by GET');
    const { searchParams } = new URL(request.url, 'http://localhost');
    const seconds = Number(searchParams.get('seconds') ?? 5);
    if (!(seconds > 0 && seconds <= maxSeconds)) {
      return answer(response, 400, `seconds: a number above 0, ${maxSeconds} at most`);
    }
    const format = searchParams.get('format') ?? 'pprof';
    if (!Object.hasOwn(FORMATS, format)) {
      return answer(response, 400, `format: one of ${Object.keys(FORMATS).join(', ')}`);
    }
    if (isBusy) return answer(response, 409, 'a profile is being taken');
    isBusy = true;
    try {
      const bytes = await profileFor(response, { seconds, format, onNotice });
      if (bytes !== null) send(response, bytes, FORMATS[format]);
    } catch (error) {
      // What the kernel refuses, and what to do, is for the server's log.
      for (const line of [error.message, ...(error.hints ?? [])]) onNotice(line);
      answer(response, 500, 'the profile failed; the reason is in the log of the server');
    } finally {
      isBusy = false;
    }
  };
}

/** The bytes; null if who asked for them has gone. */
async function profileFor(response, options) {
  const running = await startSelfProfile(options);
  const discard = () => void running[Symbol.asyncDispose]();
  response.once('close', discard);
  try {
    if (response.destroyed) return null;
    return await running.finished;
  } catch (error) {
    if (response.destroyed) return null;
    throw error;
  } finally {
    response.off('close', discard);
    await running[Symbol.asyncDispose]();
  }
}

const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const LOCAL_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;

/** Why a request is not one of a program of this machine; null if it is. */
function whyRemote({ socket, headers }) {
  if (!LOOPBACK.test(socket.remoteAddress ?? '')) return 'not to other machines';
  // A proxy on this machine asks for others.
  const proxied = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'].some(
    (name) => name in headers,
  );
  if (proxied) return 'not through a proxy';
  // A page in a browser on this machine may be of anybody, also under a name that leads here.
  if (!LOCAL_HOST.test(headers.host ?? '')) return 'not under another name than localhost';
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none'
    ? null
    : 'not to other pages';
}

function send(response, bytes, { type, name }) {
  response.writeHead(200, {
    'content-type': type,
    'content-length': bytes.length,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(name !== null && { 'content-disposition': `attachment; filename="${name}"` }),
  });
  response.end(bytes);
}

function answer(response, status, text) {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${text}\n`);
}
