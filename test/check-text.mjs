// Checks that the text files that git has, or would add, are whole: no marker of a merge that was not settled,
// no empty file, no last line without its newline, no fenced block that is never closed. Run by `npm run check`;
// prints each place, and exits 1.

import { spawnSync } from 'node:child_process';
import { lstatSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
/** A line of seven `=` alone underlines a heading in Markdown: the other three are enough to see a merge. */
const MARKER = /^(?:<{7}|>{7}|\|{7})(?: |$)/;
const FENCE = /^ {0,3}(?:```|~~~)/;
/** Other programs wrote these: they are kept byte by byte. */
const FIXTURE = /(?:^|\/)fixtures\//;

/** What is wrong with a text, each with its line. Bytes that are not text have nothing wrong. */
export function findBrokenText(name, bytes) {
  if (bytes.length === 0) return [`${name}:1: the file is empty`];
  if (bytes.includes(0)) return [];
  const lines = bytes.toString('utf8').split('\n');
  const problems = [];
  for (const [index, line] of lines.entries()) {
    if (MARKER.test(line)) problems.push(`${name}:${index + 1}: a conflict marker, ${line}`);
  }
  if (lines.at(-1) !== '' && !FIXTURE.test(name)) {
    problems.push(`${name}:${lines.length}: the last line has no newline: is the file cut short?`);
  }
  const fences = name.endsWith('.md') ? lines.filter((line) => FENCE.test(line)).length : 0;
  if (fences % 2 === 1) problems.push(`${name}:${lines.length}: a fenced block has no end`);
  return problems;
}

function main() {
  const words = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const listed = spawnSync('git', words, { cwd: root, encoding: 'utf8', maxBuffer: 64e6 });
  if (listed.status !== 0) {
    console.log('no git checkout here: conflict markers and cut files are not looked for');
    return;
  }
  const names = listed.stdout
    .split('\0')
    .filter((name) => name && lstatSync(join(root, name), { throwIfNoEntry: false })?.isFile());
  const problems = names.flatMap((name) => findBrokenText(name, readFileSync(join(root, name))));
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exit(1);
  console.log(`${names.length} files, none with a conflict marker or cut short`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
