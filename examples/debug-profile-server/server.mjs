// A server that profiles itself when it is asked to:
//
//     node server.mjs [PORT]
//     curl -o p.cpuprofile 'http://localhost:8080/debug/profile?seconds=5&format=cpuprofile'

import { createServer } from 'node:http';
import { debugProfile } from './debug-profile.mjs';

const handleProfile = debugProfile({ onNotice: (notice) => console.error(`profile: ${notice}`) });

/** Some work, so that there is something to see. */
function renderOrders(count) {
  const orders = Array.from({ length: count }, (_, id) => ({ id, price: (id * 7919) % 1000 }));
  return JSON.stringify(orders.toSorted((a, b) => a.price - b.price));
}

const server = createServer((request, response) => {
  if (request.url?.startsWith('/debug/profile')) {
    void handleProfile(request, response);
    return;
  }
  response.setHeader('content-type', 'application/json');
  response.end(renderOrders(2000));
});

const [port = '8080'] = process.argv.slice(2);
server.listen(Number(port), () => console.log(`listening on ${server.address().port}`));
