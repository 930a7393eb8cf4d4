// Two workers of a cluster behind one port, which answer before they are told to end.
const cluster = require('cluster');
const http = require('http');
if (cluster.isMaster) {
  const codes = [];
  let listening = 0;
  const workers = [cluster.fork(), cluster.fork()];
  cluster.on('exit', (_worker, code) => {
    codes.push(code);
    if (codes.length === 2) console.log(codes);
  });
  cluster.on('listening', (_worker, { port }) => {
    if (++listening < 2) return;
    http.get({ port, host: '127.0.0.1', agent: false }, (response) => {
      response.on('data', (part) => console.log(String(part)));
      response.on('end', () => {
        for (const worker of workers) worker.send('end');
      });
    });
  });
} else {
  const server = http.createServer((_request, response) => response.end('answer'));
  server.listen(0, '127.0.0.1');
  process.on('message', () => process.exit(5));
}
