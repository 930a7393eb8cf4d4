// Records, then ends the process in the way that the argument names.
import { closeSync, openSync, writeSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { addonPath, binding, everything, live, open, takeAll } from './session.mjs';

const ends = {
  'exit in a callback': () => process.exit(5),
  'an exception in a callback': () => {
    throw new Error('thrown in a callback');
  },
  'an unhandled rejection': () => Promise.reject(new Error('rejected')),
  'close in a callback': (sampler) => {
    sampler.close();
    sampler.close();
    takeAll(sampler);
  },
  'stop in a callback': (sampler) => sampler.stop(),
};

const [way, path] = process.argv.slice(2);
if (way === 'two paths') {
  // The same file under another name is a second copy of the addon.
  const { createRequire } = await import('node:module');
  const require = createRequire(import.meta.url);
  const other = require(path);
  const context = createContext({ require });
  const inside = runInContext(`require(${JSON.stringify(addonPath)})`, context);
  const samplers = [open(everything), open(everything, other), open(everything, inside)];
  const seen = new Set();
  for (const [i, sampler] of samplers.entries()) {
    sampler.startLive(live, () => {
      if (takeAll(sampler) > 0) seen.add(i);
      if (seen.size === samplers.length) for (const each of samplers) each.close();
    });
  }
  process.on('exit', () =>
    console.log(JSON.stringify({ copies: seen.size, same: other === binding })),
  );
} else if (way === 'exit of a file recording') {
  const fd = openSync(path, 'w+');
  writeSync(fd, new Uint8Array(4096));
  const sampler = open(everything);
  sampler.startFile({ fd, dataOffset: 4096, dataSize: 0, stream: false, maxBytes: 0 }, () => {});
  closeSync(fd);
  const timer = setInterval(() => {
    if (sampler.totals().samples === 0) return;
    clearInterval(timer);
    process.exit(0);
  }, 1);
} else {
  const sampler = open(everything);
  sampler.startLive(live, (event) => {
    takeAll(sampler);
    if (event.kind === 'chunks') ends[way](sampler);
    if (event.kind === 'recording-ended') console.log(event.reason);
  });
}
