// Reads vitest's JSON report, names what was skipped, and fails when every live test was: a green
// run that recorded nothing has tested nothing. Ends with the line that counts the tests.

import { readFileSync } from 'node:fs';

const results = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const tests = results.testResults.flatMap((file) =>
  file.assertionResults.map((test) => ({ file: file.name, ...test })),
);
const isSkipped = (test) => test.status === 'skipped' || test.status === 'pending';
const skipped = tests.filter(isSkipped);
const live = tests.filter((test) => test.fullName.includes('[live]'));
const ran = live.filter((test) => !isSkipped(test));

const byFile = new Map();
for (const test of skipped) byFile.set(test.file, (byFile.get(test.file) ?? 0) + 1);
for (const [file, count] of byFile) console.log(`skipped ${count} in ${file}`);
console.log(`live tests: ${ran.length} ran, ${live.length - ran.length} skipped`);
const browser = tests.filter((test) => test.fullName.includes('[browser]'));
const shown = browser.filter((test) => !isSkipped(test)).length;
console.log(`browser tests: ${shown} ran, ${browser.length - shown} skipped`);
const passed = tests.filter((test) => test.status === 'passed').length;
const failed = tests.filter((test) => test.status === 'failed').length;
console.log(`${passed} passed, ${failed} failed, ${skipped.length} skipped`);
if (ran.length === 0) {
  console.error('no live test could run: events may not be opened on this machine');
  process.exit(1);
}
