// A server for bench/attach-js.mjs: JSON of some computing. /pause answers the longest time, in
// milliseconds, for which its event loop has not turned since it was last asked.

const http = require('node:http');

function weigh(items) {
  let sum = 0;
  for (const { name, size } of items) sum += name.length * Math.sqrt(size);
  return sum;
}

function makeItems(count) {
  return Array.from({ length: count }, (_, i) => ({ name: `item ${i % 97}`, size: i % 1013 }));
}

function answer(url) {
  const items = makeItems(400).sort((a, b) => a.size - b.size);
  return JSON.stringify({ url, weight: weigh(items), items: items.slice(0, 20) });
}

let last = performance.now();
let longest = 0;
setInterval(() => {
  const now = performance.now();
  longest = Math.max(longest, now - last);
  last = now;
}, 1);

http
  .createServer((request, response) => {
    if (request.url === '/pause') {
      response.end(`${longest}`);
      longest = 0;
    } else {
      response.end(answer(request.url));
    }
  })
  .listen(0, '127.0.0.1', function () {
    console.log(this.address().port);
  });
