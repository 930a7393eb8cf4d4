// Checks the direction of imports: a stage may import itself and the stages to its left, only the
// composition folders may touch node:, and no files import each other in a circle, types included. Run
// by `npm run check`; prints every arrow that points the wrong way and every circle, and exits 1.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');

/** Folder -> folders that it may import, itself aside. The drawing is in docs/architecture.md. */
const PURE = {
  base: [],
  'perf-event': ['base'],
  'perf-data': ['base', 'perf-event'],
  events: ['base'],
  order: ['base'],
  tracepoint: ['base'],
  process: ['base'],
  elf: ['base'],
  dwarf: ['base', 'elf'],
  unwind: ['base'],
  disassembly: ['base'],
  jit: ['base', 'process'],
  symbols: ['base', 'elf', 'dwarf', 'process', 'jit'],
  period: ['base'],
  count: ['base'],
  cpu: ['base'],
  profile: ['base'],
  'off-cpu': ['base', 'profile'],
  javascript: ['base', 'profile'],
  export: ['base', 'profile'],
  import: ['base', 'profile'],
};
const STAGES = Object.keys(PURE);
const COMPOSITION = {
  native: ['base'],
  register: [],
  session: [...STAGES, 'native'],
  view: [...STAGES, 'session'],
  cli: [...STAGES, 'session', 'view'],
  '(root)': [...STAGES, 'session'],
};
const ALLOWED = { ...PURE, ...COMPOSITION };
const MAY_USE_NODE = new Set(['session', 'native', 'register', 'view', 'cli']);
/** A type may be taken where the value may not: the shape is shared, the code is not. */
const TYPES_ONLY = {
  symbols: ['process'],
  process: ['profile'],
  period: ['profile'],
  export: ['period'],
  cli: ['native'],
};
const WEB_ALLOWED = ['base', 'profile', 'period', 'export'];
const WEB_TYPES_ONLY = ['disassembly'];

const IMPORT =
  /^\s*(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]/gm;

const problems = [];
const ours = sourceFiles(join(root, 'src'));
const pages = sourceFiles(join(root, 'web'));
for (const file of ours) checkSource(file);
for (const file of pages) checkWeb(file);
checkCycles([...ours, ...pages]);
if (problems.length > 0) {
  for (const problem of problems) console.error(problem);
  console.error(`${problems.length} imports or circles of imports are wrong`);
  process.exit(1);
}
console.log('imports point the right way, and none goes in a circle');

function checkSource(file) {
  const folder = folderOf(file);
  const name = relative(root, file);
  if (!(folder in ALLOWED)) problems.push(`${name}: unknown stage ${folder}`);
  if (/(^|\/)index\.ts$/.test(relative(join(root, 'src'), file)) && folder !== '(root)') {
    problems.push(`${name}: index.ts only at the package root`);
  }
  for (const { target, typeOnly } of importsOf(file)) {
    if (target.startsWith('node:')) {
      if (!MAY_USE_NODE.has(folder)) problems.push(`${name}: ${folder} may not import ${target}`);
    } else if (target.startsWith('.')) {
      const other = folderOf(resolve(dirname(file), target));
      const types = typeOnly ? (TYPES_ONLY[folder] ?? []) : [];
      if (other === folder || ALLOWED[folder]?.includes(other) || types.includes(other)) continue;
      problems.push(`${name}: ${folder} may not import ${other} (${target})`);
    }
  }
}

function checkWeb(file) {
  if (/vite(\.worker)?\.config\.ts$/.test(file)) return;
  for (const { target, typeOnly } of importsOf(file)) {
    if (!target.startsWith('.')) continue;
    const path = resolve(dirname(file), target);
    if (!path.startsWith(join(root, 'src'))) continue;
    const other = folderOf(path);
    const isTaken = WEB_ALLOWED.includes(other) || (typeOnly && WEB_TYPES_ONLY.includes(other));
    if (!isTaken) {
      problems.push(`${relative(root, file)}: web may not import ${other} (${target})`);
    }
  }
}

/** Tarjan, "Depth-first search and linear graph algorithms" (1972): strongly connected components. */
function checkCycles(files) {
  const known = new Set(files);
  const number = new Map();
  const lowest = new Map();
  const stack = [];
  const onStack = new Set();
  const visit = (file) => {
    number.set(file, number.size);
    lowest.set(file, number.get(file));
    stack.push(file);
    onStack.add(file);
    for (const { target } of importsOf(file)) {
      const other = resolve(dirname(file), target);
      if (!target.startsWith('.') || !known.has(other)) continue;
      if (!number.has(other)) visit(other);
      if (onStack.has(other)) lowest.set(file, Math.min(lowest.get(file), lowest.get(other)));
    }
    if (lowest.get(file) !== number.get(file)) return;
    const circle = stack.splice(stack.indexOf(file));
    for (const member of circle) onStack.delete(member);
    if (circle.length > 1) {
      const names = circle.map((member) => relative(root, member)).sort();
      problems.push(`these import each other: ${names.join(', ')}`);
    }
  };
  for (const file of files) if (!number.has(file)) visit(file);
}

function importsOf(file) {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(IMPORT)].map((match) => ({
    target: match[2] ?? match[3],
    typeOnly: match[1] !== undefined,
  }));
}

function folderOf(file) {
  const parts = relative(join(root, 'src'), file).split('/');
  return parts.length === 1 ? '(root)' : parts[0];
}

function sourceFiles(directory) {
  let entries;
  try {
    entries = readdirSync(directory, { withFileTypes: true, recursive: true });
  } catch {
    return [];
  }
  return entries
    .filter((entry) => entry.isFile() && /\.[cm]?tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}
