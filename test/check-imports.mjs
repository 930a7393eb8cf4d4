// Checks the direction of imports: a stage may import itself and the stages to its left, only the
// composition folders may touch node:, no files import each other in a circle and no two folders each
// other, types included; and that nobody goes around the rooms for what strangers may give. Run by `npm run check`; prints every arrow that points the wrong way and every
// circle, and exits 1.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sourceFiles } from './source-files.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');

/**
 * Folder -> folders that it may import, itself aside: the stages, bytes in and tables out. The drawing is
 * in docs/architecture.md.
 */
const PURE = {
  base: [],
  options: ['base', 'kernel/perf-event', 'profile', 'profile/analysis'],
  'kernel/perf-event': ['base'],
  'kernel/tracepoint': ['base'],
  'kernel/events': ['base'],
  'kernel/order': ['base'],
  'formats/perf-data': ['base', 'kernel/perf-event'],
  profile: ['base'],
  'profile/analysis': ['base', 'profile'],
  'profile/off-cpu': ['base', 'profile', 'profile/analysis'],
  period: ['base'],
  'code/elf': ['base'],
  'code/dwarf': ['base'],
  'code/unwind': ['base'],
  'code/disassembly': ['base'],
  'code/process': ['base'],
  'code/jit': ['base', 'code/process'],
  'code/golang': ['base', 'code/elf'],
  'code/symbols': ['base', 'code/elf', 'code/dwarf', 'code/golang', 'code/unwind'],
  'code/native-frames': ['base', 'profile', 'profile/analysis'],
  'code/javascript': ['base', 'profile', 'profile/analysis', 'code/native-frames'],
  'code/levels': ['base', 'profile', 'profile/analysis', 'code/native-frames', 'code/javascript'],
  questions: ['base', 'profile', 'profile/analysis', 'period'],
  'counting/count': ['base', 'options'],
  'counting/cpu': ['base', 'options'],
  findings: ['base', 'profile', 'profile/analysis', 'period'],
  'formats/export': ['base', 'profile', 'profile/analysis', 'profile/off-cpu', 'findings'],
  'formats/tables': ['base', 'profile'],
  'formats/import': ['base', 'profile'],
};
const STAGES = Object.keys(PURE);

/** The rooms that touch files, clocks, threads and the kernel; each may use what stands above it. */
const MACHINE = {
  native: ['base'],
  system: ['base'],
  'system/time': ['base', 'native'],
  'system/accounts': ['base', 'options', 'native', 'system'],
  'system/processes': ['base', 'system', 'system/accounts'],
  'system/strangers': ['base', 'native', 'system', 'system/files', 'system/processes'],
  'system/files': [
    'base',
    'options',
    'native',
    'system',
    'system/time',
    'system/accounts',
    'system/processes',
  ],
  'system/kernel': [
    'system',
    'base',
    'options',
    'code/elf',
    'kernel/events',
    'kernel/perf-event',
    'native',
    'system/files',
  ],
  'system/runtimes': [
    'register',
    'base',
    'options',
    'native',
    'system',
    'system/files',
    'system/accounts',
    'system/processes',
  ],
  'system/launch': [
    'base',
    'options',
    'native',
    'system',
    'system/files',
    'system/accounts',
    'system/processes',
    'system/time',
    'system/runtimes',
  ],
};
const SYSTEM = Object.keys(MACHINE);
const COMPOSITION = {
  ...MACHINE,
  register: [],
  read: [...STAGES, ...SYSTEM],
  rewrite: [...STAGES, ...SYSTEM, 'read'],
  'counting/groups': [...STAGES, ...SYSTEM],
  'counting/processor': [...STAGES, ...SYSTEM, 'counting/groups'],
  'counting/stat': [...STAGES, ...SYSTEM, 'read'],
  record: [...STAGES, ...SYSTEM, 'register', 'read', 'rewrite', 'counting/stat'],
  'tools/script': [...STAGES, 'read'],
  'tools/archive': [...STAGES, ...SYSTEM, 'read'],
  'tools/list': [...STAGES, ...SYSTEM],
  'tools/live-profile': [...STAGES, ...SYSTEM, 'read', 'record'],
  'tools/top': [...STAGES, ...SYSTEM, 'record', 'tools/live-profile'],
  'tools/agent': [...STAGES, ...SYSTEM, 'read', 'record', 'query', 'tools/live-profile'],
  'tools/self': [...STAGES, ...SYSTEM, 'read', 'record'],
  'tools/doctor': [...STAGES, ...SYSTEM, 'read', 'record', 'counting/processor'],
  'tools/selftest': [...STAGES, ...SYSTEM, 'read', 'record'],
  'tools/leftovers': [...STAGES, ...SYSTEM, 'read'],
  query: [...STAGES, ...SYSTEM, 'read'],
  'tools/mcp': [...STAGES, 'system', 'read', 'query'],
  view: [...STAGES, 'system', 'system/accounts', 'system/files', 'system/strangers', 'read'],
};
const BELOW_CLI = [...STAGES, ...Object.keys(COMPOSITION)];
const ALLOWED = { ...PURE, ...COMPOSITION, cli: BELOW_CLI, '(root)': BELOW_CLI };
const MAY_USE_NODE = new Set([...Object.keys(COMPOSITION), 'cli']);
/** A type may be taken where the value may not: the shape is shared, the code is not. */
const TYPES_ONLY = {
  'code/symbols': ['code/process'],
  'code/golang': ['code/dwarf'],
  'code/process': ['profile'],
  'code/javascript': ['code/jit'],
  period: ['profile', 'profile/analysis'],
  'formats/export': ['period'],
  'system/files': ['code/elf', 'code/symbols'],
};
/** Folders of native/core, and those that each may include; plain structs are at its root. */
const NATIVE_CORE = {
  posix: [],
  ring: [],
  names: [],
  event: ['posix', 'ring'],
  command: ['posix'],
  zstd: [],
  recording: ['posix', 'ring', 'zstd'],
  code_events: ['posix'],
  session: ['posix', 'ring', 'event', 'command', 'zstd'],
  counter: ['posix', 'event'],
};

const WEB_ALLOWED = [
  'base',
  'profile',
  'profile/analysis',
  'profile/off-cpu',
  'period',
  'findings',
  'counting/count',
  'formats/export',
  'code/javascript',
  'code/levels',
  'questions',
];
const WEB_TYPES_ONLY = ['code/disassembly'];

/**
 * Ways to processes and files of strangers, which go through `system/strangers` and `base/foreign-json.ts`: each with the
 * files that may go them all the same, and why.
 */
const TO_STRANGERS = [
  {
    way: 'reads memory, mappings or files of another process',
    text: /\/proc\/\$\{[^}]*\}\/(?:mem|environ|cmdline|maps|root|map_files)\b/,
    mayGo: {
      'system/strangers/': 'the helper, which may be left behind',
      'system/accounts/caller-environment.ts': 'our own ancestors',
      'system/processes/system-processes.ts':
        'before a recording begins, and an agent its windows: see its README',
      'system/runtimes/attached-runtimes.ts': 'before a recording begins',
      'system/processes/process-tree.ts': 'who may send us signals',
      'record/code-events/open-inspector.ts': 'before the handshake',
      'record/code-events/handshake.ts': 'a program of its own, which may be left behind',
      'record/code-events/registered.ts': 'in a helper, and before a recording begins',
      'record/existing/mapped-build-ids.ts': 'files that were mapped when the recording began',
      'record/output/held-programs.ts': 'programs of a recording, while it runs',
      'record/jit-maps/recorded-processes.ts': 'maps of processes in containers',
      'system/files/mapped-file.ts': 'symbols of what runs',
      'read/files/symbol-files.ts': 'symbols of what runs',
    },
  },
  {
    way: 'parses JSON without a look at what came: base/foreign-json.ts',
    text: /\bJSON\.parse\(/,
    mayGo: {
      'base/foreign-json.ts': 'the way itself',
      'register/': 'runs in the profiled program',
      'code/javascript/source-map.ts': 'checks each field',
      'formats/export/': 'what we wrote ourselves',
      'formats/import/json-text.ts': 'each importer checks what it reads',
      'query/clickhouse.ts': "the user's own server",
      'read/facts/provenance.ts': 'checks each field',
      'read/files/name-cache.ts': 'our own cache',
      'read/kept-profile.ts': 'our own cache',
      'system/files/kept-parts.ts': 'our own cache',
      'cli/': "the user's own files and requests",
      'tools/agent/config/parse-config.ts': "the user's own file, each field checked",
      'tools/agent/delivery/window-queue.ts': 'our own spool',
      'tools/agent/encode/encoded-window.ts': 'our own spool',
      'tools/archive/archive-output.ts': 'checks the field that it reads',
      'tools/mcp/protocol.ts': 'the assistant that has started us',
      'tools/selftest/run-case.ts': 'our own programs',
      'system/version.ts': 'our own package.json',
    },
  },
  {
    way: 'connects to a server of a stranger',
    text: /lateModules\.net\.connect\(|import \{[^}]*\b(?:connect|get|request)\b[^}]*\} from 'node:(?:net|https?)'/,
    mayGo: {
      'record/code-events/registered.ts': 'in a helper: deadline, bytes, fields',
      'record/code-events/inspector.ts': 'in the handshake: deadline, bytes, fields',
      'record/code-events/web-socket.ts': 'in the handshake: deadline, bytes',
      'record/load/wait-ready.ts': 'the address that the user gave',
      'tools/agent/sinks/connections.ts': "the user's own proxy: deadline, status",
      'tools/agent/sinks/http-post.ts': "the user's own server",
      'tools/leftovers/find-leftovers.ts': 'sockets of the own user',
    },
  },
];

const IMPORT =
  /^\s*(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]/gm;

const problems = [];
/** Imports by file: each is asked for twice, for directions and for circles. */
const imports = new Map();
const ours = sourceFiles(join(root, 'src'));
const pages = sourceFiles(join(root, 'web'));
for (const file of ours) checkSource(file);
for (const file of pages) checkWeb(file);
checkStrangers(ours);
checkCycles([...ours, ...pages]);
checkFolders([...ours, ...pages]);
checkNativeCore();
if (problems.length > 0) {
  for (const problem of problems) console.error(problem);
  console.error(`${problems.length} imports or circles of imports are wrong`);
  process.exit(1);
}
console.log(
  'imports point the right way, none goes in a circle, and no two folders import each other',
);

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
      if (isDeclaration(resolve(dirname(file), target)) && !mayDeclare(file)) {
        problems.push(`${name}: a declaration is for declarations only (${target})`);
      }
      const types = typeOnly ? (TYPES_ONLY[folder] ?? []) : [];
      if (other === folder || ALLOWED[folder]?.includes(other) || types.includes(other)) continue;
      problems.push(`${name}: ${folder} may not import ${other} (${target})`);
    }
  }
}

/** Ways to strangers that a file may not go, and permissions that nobody needs any more. */
function checkStrangers(files) {
  for (const { way, text, mayGo } of TO_STRANGERS) {
    const unused = new Set(Object.keys(mayGo));
    for (const file of files) {
      if (!text.test(readFileSync(file, 'utf8'))) continue;
      const name = relative(join(root, 'src'), file);
      const allowed = Object.keys(mayGo).find((start) => name.startsWith(start));
      unused.delete(allowed);
      if (allowed === undefined) problems.push(`src/${name}: ${way}`);
    }
    for (const name of unused) problems.push(`src/${name}: may, and does not: ${way}`);
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

/** The core of the addon is tested without Node: it knows neither N-API nor the glue. */
function checkNativeCore() {
  const core = join(root, 'native/core');
  const names = readdirSync(core, { recursive: true });
  for (const name of names.filter((file) => /\.(cc|h)$/.test(file))) {
    const folder = dirname(name);
    const text = readFileSync(join(core, name), 'utf8');
    for (const [, target] of text.matchAll(/^#include "(.*)"/gm)) {
      const other = relative(core, dirname(resolve(core, folder, target)));
      const isTaken = ['', folder, ...(NATIVE_CORE[folder] ?? [])].includes(other);
      if (!isTaken) problems.push(`native/core/${name}: may not include ${target}`);
    }
    const ofNode = /^#include <(.*(?:napi|node_api).*)>/m.exec(text);
    if (ofNode !== null) problems.push(`native/core/${name}: may not include ${ofNode[1]}`);
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

/**
 * A folder and one below it count as two: what both need lies in one that neither of them imports back. A command's
 * declaration is above all commands, whose code it loads when it runs; nothing but declarations imports it.
 */
function checkFolders(files) {
  const arrows = new Map();
  for (const file of files) {
    if (isDeclaration(file)) continue;
    const from = relative(root, dirname(file));
    for (const { target } of importsOf(file)) {
      const to = relative(root, dirname(resolve(dirname(file), target)));
      if (target.startsWith('.') && to !== from) arrows.set(`${from} ${to}`, relative(root, file));
    }
  }
  for (const [arrow, file] of arrows) {
    const [from, to] = arrow.split(' ');
    const back = arrows.get(`${to} ${from}`);
    if (from < to && back !== undefined) {
      problems.push(`${from} and ${to} import each other: ${file}, ${back}`);
    }
  }
}

function mayDeclare(file) {
  return isDeclaration(file) || /\/cli\/(?:program|reference\/[^/]+)\.ts$/.test(file);
}

function isDeclaration(file) {
  return /\/cli\/(?:(?!shared\/)[^/]+\/[^/]+-command|declare-program)\.ts$/.test(file);
}

function importsOf(file) {
  if (!imports.has(file)) imports.set(file, readImports(file));
  return imports.get(file);
}

function readImports(file) {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(IMPORT)].map((match) => ({
    target: match[2] ?? match[3],
    typeOnly: match[1] !== undefined,
  }));
}

/** The deepest folder of the list that a file lies in; `(root)` for index.ts. */
function folderOf(file) {
  const parts = relative(join(root, 'src'), dirname(file)).split('/');
  if (parts[0] === '') return '(root)';
  const two = parts.slice(0, 2).join('/');
  return two in ALLOWED || !(parts[0] in ALLOWED) ? two : parts[0];
}
