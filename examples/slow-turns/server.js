// A server whose event loop is kept by one route that computes, and by one that waits for another program. It asks itself
// for a while and ends.

import { execFileSync } from 'node:child_process';
import { createServer, get } from 'node:http';

const ROUTES = {
  '/': () => 'fast',
  '/sorted': sorted,
  '/report': report,
};

function sorted() {
  const numbers = Array.from({ length: 60_000 }, (_, i) => (i * 7919) % 60_013);
  return numbers.sort((a, b) => a - b).length.toString();
}

function report() {
  return execFileSync('sleep', ['0.1']).toString();
}

const server = createServer((request, response) => {
  response.end((ROUTES[request.url] ?? ROUTES['/'])());
});

const ASKED = ['/', '/', '/', '/sorted', '/', '/', '/', '/', '/', '/report'];
const REQUESTS = 100;

server.listen(0, '127.0.0.1', () => ask(0));

function ask(count) {
  if (count === REQUESTS) {
    server.close();
    return;
  }
  const path = ASKED[count % ASKED.length];
  const { port } = server.address();
  get({ port, path, agent: false }, (response) => {
    response.resume().on('end', () => setTimeout(ask, 10, count + 1));
  });
}
