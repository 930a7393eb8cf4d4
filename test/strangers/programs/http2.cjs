// A server of HTTP/2 and its client: the order of events, listeners, stacks of errors and what is active.
const http2 = require('http2');
const sides = { server: [], client: [] };
const note = (side, stream, names) => {
  for (const name of names) stream.on(name, () => sides[side].push(`${stream.id} ${name}`));
};
const counts = (stream) =>
  stream.eventNames().map((name) => `${String(name)} ${stream.listenerCount(name)}`);
let giveUp;
const server = http2.createServer();
server.on('stream', (stream, headers) => {
  sides.server.push(
    headers[':path'],
    counts(stream).join(),
    new Error('in a stream').stack.split('\n').length,
  );
  note('server', stream, ['aborted', 'finish', 'end', 'error', 'close']);
  stream.resume();
  if (headers[':path'] === '/never') return giveUp();
  stream.respond({ ':status': 201 });
  process.nextTick(() => sides.server.push('next tick'));
  Promise.resolve().then(() => sides.server.push('microtask'));
  stream.end('done');
});
server.listen(0, '127.0.0.1', () => {
  const client = http2.connect(`http://127.0.0.1:${server.address().port}`);
  const ask = (headers) => {
    const stream = client.request(headers);
    note('client', stream, ['response', 'end', 'error', 'close']);
    sides.client.push(counts(stream).join(), Object.getOwnPropertySymbols(stream).length);
    return stream.resume();
  };
  ask({ ':path': '/first?secret' }).on('close', () => {
    const given = ask({ ':method': 'POST', ':path': '/never' }).on('error', () => {});
    given.on('close', () =>
      client.close(() =>
        server.close(() => {
          console.log(JSON.stringify(sides, null, 1));
          console.log(
            process._getActiveHandles().filter((each) => !each.isTTY && each.fd === undefined)
              .length,
          );
        }),
      ),
    );
    giveUp = () => given.close(8);
  });
});
