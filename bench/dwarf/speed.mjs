// How fast lines and inlined calls are found in a large binary:
//
//   node bench/dwarf/speed.mjs [--addresses N] [--random] BINARY [CODE]
//
// First answer: opening the file, the index of its units, and one address. Then N addresses (default
// 1 000 000), spread evenly over .text (of CODE, where BINARY is its separate debug file) and in
// order, as a report asks for them, or with --random in any order.

import { openElf, SourceFrames } from './open-elf.mjs';

const args = process.argv.slice(2);
const at = args.indexOf('--addresses');
const count = at < 0 ? 1_000_000 : Number(args.splice(at, 2)[1]);
const random = args.indexOf('--random');
if (random >= 0) args.splice(random, 1);
const [path, code = path] = args;

/** Seconds of CPU, the garbage collector's threads included: these machines are shared. */
const cpuSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
const start = cpuSeconds();
const { dwarf } = openElf(path);
const { text } = openElf(code);
const frames = new SourceFrames();
dwarf.find(text.address + Math.floor(text.size / 2), frames);
const first = cpuSeconds();

const addresses = Float64Array.from({ length: count }, (_, i) =>
  Math.floor(text.address + (text.size / count) * i),
);
if (random >= 0) {
  let state = 1;
  for (let i = count - 1; i > 0; i--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const other = state % (i + 1);
    [addresses[i], addresses[other]] = [addresses[other], addresses[i]];
  }
}
const begin = cpuSeconds();
let found = 0;
let sum = 0;
for (const address of addresses) {
  const length = dwarf.find(address, frames);
  if (length > 0) found++;
  sum += length;
}
const seconds = cpuSeconds() - begin;
const megabytes = process.resourceUsage().maxRSS / 1024;
console.log(
  '| first answer (CPU) | addresses | a second (CPU) | frames each | with an answer | memory |',
);
console.log('| --- | --- | --- | --- | --- | --- |');
console.log(
  `| ${(first - start).toFixed(2)} s | ${count} | ${Math.round(count / seconds)} ` +
    `| ${(sum / Math.max(1, found)).toFixed(2)} | ${((100 * found) / count).toFixed(1)} % | ${megabytes.toFixed(0)} MB |`,
);
