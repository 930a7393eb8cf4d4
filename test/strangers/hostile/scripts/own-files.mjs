// A recorded program that puts something else where its map, dump and notes are looked for: own-files.mjs fifo|huge|link|folder|lines
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { printCpuOfParent } from './cpu-of-recorder.mjs';

const [how] = process.argv.slice(2);
const paths = [
  `/tmp/perf-${process.pid}.map`,
  `/tmp/jit-${process.pid}.dump`,
  `/tmp/perf-ts-${process.pid}.notes`,
];
for (const path of paths) {
  fs.rmSync(path, { force: true });
  if (how === 'fifo') execFileSync('mkfifo', [path]);
  if (how === 'folder') fs.mkdirSync(path);
  if (how === 'link') fs.symlinkSync('/dev/zero', path);
  if (how === 'huge') {
    fs.writeFileSync(path, '7f0000000000 40 f\n');
    fs.truncateSync(path, 64 * 2 ** 30);
  }
}
if (how === 'lines') {
  const lines = Buffer.alloc(1 << 20, '7f0000000000 40 JS:*work /srv/app.js:1:1\n');
  const map = fs.openSync(paths[0], 'w');
  for (let mebibyte = 0; mebibyte < 300; mebibyte++) fs.writeSync(map, lines);
}
console.log(paths.join('\n'));
const end = Date.now() + 300;
while (Date.now() < end);
printCpuOfParent();
process.exit(7);
