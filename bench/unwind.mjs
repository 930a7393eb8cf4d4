// Reads one recording to interned stacks, with and without unwinding, twice each, and prints what the
// better runs took as JSON. Its own process, so that nothing else is compiled or in memory.

import { openProfile } from '../dist/read/open-profile.js';

const [file] = process.argv.slice(2);

/** CPU seconds, user and system. */
async function read(unwind) {
  const before = process.cpuUsage();
  const { profile } = await openProfile(file, { symbols: false, unwind });
  const { user, system } = process.cpuUsage(before);
  return { seconds: (user + system) / 1e6, profile };
}

/** Frames of all samples; in the stack table parents come before children. */
function countFrames({ samples, stacks }) {
  const depth = new Uint16Array(stacks.length);
  for (let row = 0; row < stacks.length; row++) {
    const prefix = stacks.prefix[row];
    depth[row] = 1 + (prefix < 0 ? 0 : depth[prefix]);
  }
  let frames = 0;
  for (let i = 0; i < samples.length; i++) {
    const stack = samples.stack[i];
    if (stack >= 0) frames += depth[stack];
  }
  return frames;
}

let whole = null;
let without = Number.POSITIVE_INFINITY;
for (let run = 0; run < 2; run++) {
  without = Math.min(without, (await read(false)).seconds);
  const unwound = await read(true);
  if (whole === null || unwound.seconds < whole.seconds) whole = unwound;
}
const { seconds, profile } = whole;
const frames = countFrames(profile);
console.log(JSON.stringify({ samples: profile.samples.length, frames, seconds, without }));
