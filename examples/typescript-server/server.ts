// An HTTP server with a built-in client, to be profiled:
//
//   perf-ts record -- npx tsx examples/typescript-server/server.ts
//   perf-ts report
//
// LOAD_MS is how long it is asked (3000), REQUESTS a number of requests after which it ends.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeItems, renderItems, Scorer } from './work.ts';

const LOAD_MS = Number(process.env.LOAD_MS ?? 3000);
const REQUESTS = Number(process.env.REQUESTS ?? Number.POSITIVE_INFINITY);
const CLIENTS = 4;

const items = makeItems(200);
const scorer = new Scorer(64);

function handleRequest(request: IncomingMessage, response: ServerResponse): void {
  response.end(request.url === '/score' ? scoreBody() : renderItems(items, 'fancy'));
}

function scoreBody(): string {
  return JSON.stringify({ score: scorer.score(items, 40) });
}

const server = createServer(handleRequest);
server.listen(0, '127.0.0.1', () => {
  void load((server.address() as AddressInfo).port);
});

/** Asks for both pages by turns, then stops the server. */
async function load(port: number): Promise<void> {
  const startMs = performance.now();
  let requests = 0;
  const client = async (): Promise<void> => {
    while (performance.now() - startMs < LOAD_MS && requests < REQUESTS) {
      const page = requests++ % 2 === 0 ? 'score' : 'items';
      await (await fetch(`http://127.0.0.1:${port}/${page}`)).text();
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  const { user, system } = process.cpuUsage();
  console.log(JSON.stringify({ requests, cpuMs: (user + system) / 1000 }));
  server.close();
  server.closeAllConnections();
}
