import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { whenDone } from './scratch.ts';

/** What came in a request. */
export type Received = {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

type Answer = (response: ServerResponse, received: Received) => void;

/** A server on this machine that keeps what it gets, and answers as `answer` says. Call it in a test's file. */
export async function startFakeSink(
  answer: Answer = (response) => response.writeHead(200).end('{}'),
): Promise<{ url: string; received: Received[]; answer: Answer; close(): void }> {
  const received: Received[] = [];
  const sink = { url: '', received, answer, close: () => {} };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = new URL(request.url ?? '', 'http://sink');
      const one = {
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        body: Buffer.concat(chunks),
      };
      received.push(one);
      sink.answer(response, one);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  sink.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  sink.close = () => {
    server.close();
    server.closeAllConnections();
  };
  whenDone(sink.close);
  return sink;
}
