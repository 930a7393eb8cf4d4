// The file that V8's code is in: `node`, or a library of it, as in Debian's packages.

import { readFileSync } from 'node:fs';

/** The file with the largest executable mapping of this process. */
export function engineFile(): string {
  let largest = { path: process.execPath, size: 0 };
  for (const line of readFileSync('/proc/self/maps', 'utf8').split('\n')) {
    const match = /^([0-9a-f]+)-([0-9a-f]+) r-xp .* (\/.*)$/.exec(line);
    if (match === null) continue;
    const [, start, end, path] = match as unknown as [string, string, string, string];
    const size = Number.parseInt(end, 16) - Number.parseInt(start, 16);
    if (size > largest.size) largest = { path, size };
  }
  return largest.path;
}
