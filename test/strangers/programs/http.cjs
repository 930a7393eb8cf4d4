// A server and its client.
const http = require('http');
const server = http.createServer((request, response) => {
  response.setHeader('date', 'none');
  request.pipe(response);
});
server.listen(0, '127.0.0.1', () => {
  const options = { port: server.address().port, host: '127.0.0.1', method: 'POST', agent: false };
  const request = http.request(options, (response) => {
    response.on('data', (part) => console.log(response.statusCode, part.length));
    response.on('end', () => server.close(() => console.log('closed')));
  });
  request.end('x'.repeat(1000));
});
