// Reads the results of a test run, prints which tests failed, why others were skipped and what files and lanes cost,
// and ends with the line that counts the tests. Further arguments are the commands of the run that failed.

import { existsSync, readFileSync } from 'node:fs';

const [path, ...commands] = process.argv.slice(2);
if (!existsSync(path)) {
  for (const command of commands) console.log(`failed: ${command}`);
  console.log('the test runner ended before it had any results');
  process.exit(1);
}
const { results, costs } = JSON.parse(readFileSync(path, 'utf8'));
const having = (state) => results.filter((result) => result.state === state);
const [passed, failed, skipped] = ['passed', 'failed', 'skipped'].map(having);

/** As many files as a reader who looks for minutes wants to see. */
const SHOWN_FILES = 15;
const sum = (rows, key) => rows.reduce((total, row) => total + row[key], 0);
const printCost = (name, files, rows) => {
  const figures = [files, sum(rows, 'cpuSeconds').toFixed(1), sum(rows, 'seconds').toFixed(1)];
  console.log(`${figures.map((figure) => String(figure).padStart(9)).join('')}  ${name}`);
};
console.log('    files    CPU s        s  lane, and the files of most CPU time');
for (const [lane, files] of groupBy(costs, 'lane')) printCost(lane, files.length, files);
const costliest = [...costs].sort((a, b) => b.cpuSeconds - a.cpuSeconds).slice(0, SHOWN_FILES);
for (const cost of costliest) printCost(cost.file, '', [cost]);

const largestFirst = (groups) => [...groups].sort(([, a], [, b]) => b.length - a.length);
for (const [reason, tests] of largestFirst(groupBy(skipped, 'reason'))) {
  console.log(`skipped ${tests.length}: ${reason}`);
  for (const [file, { length }] of groupBy(tests, 'file')) console.log(`  ${length} in ${file}`);
}
for (const { file, title } of failed) console.log(`failed: ${file} > ${title}`);

for (const command of commands) console.log(`failed: ${command}`);

let liveRan = 0;
for (const kind of ['live', 'browser', 'firefox']) {
  const tests = results.filter(({ title }) => title.includes(`[${kind}]`));
  const ran = tests.filter(({ state }) => state !== 'skipped').length;
  if (kind === 'live') liveRan = ran;
  console.log(`${kind} tests: ${ran} ran, ${tests.length - ran} skipped`);
}
if (liveRan === 0) {
  console.log('no live test ran: this user may not open events here, so nothing was recorded');
}
console.log(`${passed.length} passed, ${failed.length} failed, ${skipped.length} skipped`);
// A machine on which every change is tested has to be able to record.
if (failed.length > 0 || passed.length === 0 || (liveRan === 0 && process.env.CI)) process.exit(1);

function groupBy(tests, key) {
  const groups = new Map();
  for (const test of tests) groups.set(test[key], [...(groups.get(test[key]) ?? []), test]);
  return groups;
}
