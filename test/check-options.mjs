// Checks that an option is declared in one place, a table of src/options: only declare-options.ts makes options for
// commander. Run by `npm run check`; prints every other place, and exits 1.

import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sourceFiles } from './source-files.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');

const DECLARES = 'src/cli/shared/declare-options.ts';
/** Options of perf that are accepted or refused, and do nothing: they have no value that could be asked for. */
const OF_PERF = ['src/cli/perf/same-options.ts', 'src/cli/record/record-command.ts'];
const DECLARATION = /\.(?:option|requiredOption)\(\s*['"`]|\bnew Option\(/;

const problems = [];
for (const file of sourceFiles(join(root, 'src'))) {
  const name = relative(root, file);
  if (name === DECLARES || OF_PERF.includes(name)) continue;
  readFileSync(file, 'utf8')
    .split('\n')
    .forEach((line, index) => {
      if (DECLARATION.test(line)) problems.push(`${name}:${index + 1}: ${line.trim()}`);
    });
}
for (const problem of problems) console.error(`an option outside of src/options: ${problem}`);
process.exit(problems.length > 0 ? 1 : 0);
