// Checks that an option is declared in one place, a table of src/options: only declare-options.ts makes options for
// commander; and that what a caller of the library gets names no flag of perf-ts but behind the command that has it.
// Run by `npm run check`; prints every other place, and exits 1.

import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';
import { sourceFiles } from './source-files.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');

const DECLARES = 'src/cli/shared/declare-options.ts';
/** Options of perf that are accepted or refused, and do nothing: they have no value that could be asked for. */
const OF_PERF = ['src/cli/habits/same-options.ts', 'src/cli/record/record-command.ts'];
const DECLARATION = /\.(?:option|requiredOption)\(\s*['"`]|\bnew Option\(/;

/** Rooms whose texts reach a terminal only, or have commands as their subject: doctor, the agent's configuration, mcp. */
const COMMAND = /^src\/(?:cli|options|tools)\//;
/** Flags of other programs: Node and V8, Docker, xz, what runs a command (nice, flock …). */
const OF_OTHERS = {
  'src/system/buffer-garbage.ts': /^--(?:no-)?expose-gc$/,
  'src/counting/processor/why-no-counters.ts': /--performance-monitoring-unit/,
  'src/read/code/code-sources.ts': /--perf-(?:basic-)?prof/,
  'src/findings/diagnostic-text.ts': /--(?:perf-basic-prof|js-flags|no-sandbox)/,
  'src/read/files/xz.ts': /--(?:decompress|stdout|memlimit-decompress)/,
  'src/record/code-events/attach-js.ts': /--disable-sigusr1/,
  'src/record/jit-maps/unmapped-node.ts': /--max-old-space-size/,
  'src/system/container.ts': /--(?:runtime|set-version|cap-add|security-opt)/,
  'src/system/runtimes/attached-runtimes.ts': /--(?:permission|allow-inspector)/,
  'src/system/runtimes/node-command.ts': /--run/,
  'src/system/runtimes/node-session.ts': /--require/,
  'src/system/launch/start-failure.ts': /--pids-limit/,
  'src/system/runtimes/v8-flags.ts':
    /--(?:perf-(?:basic-)?prof|interpreted-frames-native-stack|logfile|no-logfile-per-isolate|no-|import)/,
  'src/system/runtimes/other-runtimes.ts':
    /--(?:perf-basic-prof|interpreted-frames-native-stack|logfile|no-logfile-per-isolate)/,
  'src/system/runtimes/wrapped-command.ts': /--/,
  'src/system/run-place.ts': /--user/,
  'src/system/strangers/helper-process.ts': /--max-/,
};
const OTHERS_FOLDER = /^src\/register\//;
const FLAG = /(?:^|[^\w-])--[a-z][\w-]*/g;
/** `perf-ts record --counts`, `record with --call-graph auto`, `perf record --threads`. */
const BEHIND_COMMAND =
  /\b(?:record|report|archive|inject|query|view)\b[^;:]*?--[a-z][a-z-]*(?:\s+or\s+--[a-z-]+)?/g;

const problems = [];
for (const file of sourceFiles(join(root, 'src'))) {
  const name = relative(root, file);
  const text = readFileSync(file, 'utf8');
  const lineOf = (at) => text.slice(0, at).split('\n').length;
  if (name !== DECLARES && !OF_PERF.includes(name)) {
    text.split('\n').forEach((line, index) => {
      if (!DECLARATION.test(line)) return;
      problems.push(`an option outside of src/options: ${name}:${index + 1}: ${line.trim()}`);
    });
  }
  if (COMMAND.test(name) || OTHERS_FOLDER.test(name)) continue;
  literals(parseAst(text, { lang: 'ts' }), (words, at) => {
    const own = words.replace(BEHIND_COMMAND, '').match(FLAG) ?? [];
    if (own.every((flag) => OF_OTHERS[name]?.test(flag))) return;
    problems.push(`a flag in a text of the library: ${name}:${lineOf(at)}: ${words.trim()}`);
  });
}
for (const problem of problems) console.error(problem);
process.exit(problems.length > 0 ? 1 : 0);

/** Visits the texts below a node; an option that a room below the tables names has its flag as `inCommand`. */
function literals(node, visit) {
  if (Array.isArray(node)) {
    for (const each of node) literals(each, visit);
    return;
  }
  if (typeof node?.type !== 'string') return;
  if (node.type === 'Property' && node.key.name === 'inCommand') return;
  if (node.type === 'CallExpression' && node.callee.name === 'commandOnly') return;
  if (node.type === 'Literal' && typeof node.value === 'string') visit(node.value, node.start);
  if (node.type === 'TemplateElement') visit(node.value.cooked ?? '', node.start);
  for (const child of Object.values(node)) {
    if (typeof child === 'object' && child !== null) literals(child, visit);
  }
}
