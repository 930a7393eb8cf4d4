// Opens sessions and forgets them; the collector must give everything back.
import { readdirSync, readFileSync } from 'node:fs';
import { everything, open, sleeper } from './session.mjs';

function held() {
  const maps = readFileSync('/proc/self/maps', 'utf8').split('\n');
  return {
    fds: readdirSync('/proc/self/fd').length,
    mappings: maps.filter((line) => line.includes('perf_event')).length,
  };
}

/** Finalizers run behind the collection, in turns of the loop. */
async function collect(isEnough) {
  for (let i = 0; i < 200 && !isEnough(); i++) {
    globalThis.gc();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const count = Number(process.argv[2]);
const before = held();
let most = 0;
for (let i = 0; i < count; i++) {
  open(i % 10 === 0 ? sleeper : everything);
  if (i % 50 === 49) {
    most = Math.max(most, held().mappings);
    await collect(() => held().mappings === 0);
  }
}
await collect(() => held().fds === before.fds);
console.log(JSON.stringify({ before, after: held(), most }));
