// The programs of `bench/node-kinds.mjs`: their sources, the packages that they need, and how a Node runs
// each. Each works for MS milliseconds (environment) where it can, else for as long as its task takes.

import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { INLINED_FUNCTIONS } from '../inlined-functions.mjs';

export const PACKAGES = [
  'typescript@5.9 eslint@9 typescript-eslint@8 prettier@3 rollup@4 vitest@4 jest@30 babel-jest@30 ts-jest@29',
  '@babel/core@7 @babel/register@7 @babel/preset-typescript@7 @babel/preset-env@7 ts-node@10 tsx@4',
  '@swc-node/register@1 @swc/core@1 esbuild esbuild-register@3 express@5 fastify@5 acorn@8 marked@16',
  'three@0.170 @types/node@20 @node-rs/crc32@1',
].flatMap((line) => line.split(' '));

/** Types, overloads and fields move and remove lines when they are compiled. */
const LOGIC = `interface Entry {
  readonly name: string;
  readonly size: number;
}

type Weigh = (entry: Entry) => number;

/* Two lines that
   a compiler leaves out or not. */
declare const neverThere: number;

export function find(entries: Entry[], wanted: string): Entry | undefined {
  for (const entry of entries) {
    if (entry.name === wanted) return entry;
  }
  return undefined;
}

abstract class Shape {
  abstract area(): number;

  constructor(
    protected readonly width: number,
    protected readonly height: number,
  ) {}

  get ratio(): number {
    return this.width / this.height;
  }
}

export class Box extends Shape {
  #cache: number[] = [];

  override area(): number {
    for (let i = 0; i < 20; i++) this.#cache[i] = Math.sqrt(this.width * this.height + i);
    return this.#cache.reduce((sum, one) => sum + one, 0) * this.ratio;
  }
}

function slugify(text: string): string;
function slugify(text: string, glue: string): string;
function slugify(text: string, glue = '-'): string {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, glue);
}

export const weigh: Weigh = ({ name, size }: Entry): number => {
  let sum = size;
  for (let i = 0; i < name.length; i++) sum = (sum * 31 + name.charCodeAt(i)) | 0;
  return sum;
};

export async function render(entries: Entry[]): Promise<string> {
  const rows: string[] = entries
    .map((entry) => \`\${slugify(entry.name)}: \${weigh(entry)}\`)
    .sort((a, b) => (a < b ? -1 : 1));
  await null;
  return rows.join('\\n');
}

export async function work(count: number): Promise<number> {
  const entries: Entry[] = Array.from({ length: count }, (_, i) => ({ name: \`Entry No \${i * 7 % count}\`, size: i }));
  let sum = (await render(entries)).length;
  for (const entry of entries) sum += find(entries, entry.name)!.size + new Box(entry.size, 3).area();
  return sum;
}

export async function workFor(ms: number): Promise<number> {
  const end = Date.now() + ms;
  let sum = 0;
  while (Date.now() < end) {
    sum += await work(300);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return sum;
}
`;

/** Asks a server in its own process until the time is over, then ends it. */
const DRIVE = `const http = require('node:http');
const agent = new http.Agent({ keepAlive: true });

function ask(port) {
  return new Promise((resolve, reject) => {
    http.get({ port, agent, path: '/work/100?n=1' }, (response) => {
      response.resume().on('end', resolve);
    }).on('error', reject);
  });
}

async function driveOne(port, end) {
  while (Date.now() < end) await ask(port);
}

exports.drive = async function drive(port, exit = () => process.exit(0)) {
  const end = Date.now() + Number(process.env.MS);
  await Promise.all([driveOne(port, end), driveOne(port, end), driveOne(port, end)]);
  exit();
};
`;

const DRIVE_IN_TYPESCRIPT = `// @ts-nocheck
${DRIVE.replace('const http = require', 'import http = require').replace('exports.drive =', 'export const drive =')}`;

const EXPRESS = `import express from 'express';
import { drive } from './drive';
import { work } from './logic';

type Counter = { answered: number };

const counter: Counter = { answered: 0 };
const app = express();

app.use(function count(_request: any, _response: any, next: any): void {
  counter.answered++;
  next();
});
app.get('/work/:count', async (request: any, response: any): Promise<void> => {
  response.json({ sum: await work(Number(request.params.count)), counter });
});
const server = app.listen(0, (): void => {
  void drive((server.address() as { port: number }).port);
});
`;

const LOOP_OF = (setup, body) => `${setup}
const end = Date.now() + Number(process.env.MS);
async function main() {
  while (Date.now() < end) {
    ${body}
    await new Promise((resolve) => setImmediate(resolve));
  }
}
await main();
`;
const TEXT_OF = (path) => `import { readFileSync } from 'node:fs';
const text = readFileSync(new URL('./node_modules/${path}', import.meta.url), 'utf8');`;

const TEST = `import { workFor } from './logic';

type Sum = number;

test('works', async (): Promise<void> => {
  const sum: Sum = await workFor(Number(process.env.MS));
  expect(sum).toBeGreaterThan(0);
}, 60_000);
`;

/** A module with one exported function, \`spin\`, which counts down, and its name section. */
function wasm() {
  const section = (id, bytes) => [id, bytes.length, ...bytes];
  const text = (name) => [name.length, ...Buffer.from(name)];
  const body = [0, 3, 0x40, 0x20, 0, 0x41, 1, 0x6b, 0x22, 0, 0x0d, 0, 0x0b, 0x20, 0, 0x0b];
  return Buffer.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, 1, 0x7f, 1, 0x7f]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...text('spin'), 0, 0]),
    ...section(10, [1, body.length, ...body]),
    ...section(0, [...text('name'), 1, 7, 1, 0, ...text('spin')]),
  ]);
}

const SOURCES = {
  'ts/logic.ts': LOGIC,
  'ts/drive.ts': DRIVE_IN_TYPESCRIPT,
  'ts/main.ts': `import { workFor } from './logic';\n\ntype Ms = number;\n\nconst ms: Ms = Number(process.env.MS);\nvoid workFor(ms);\n`,
  'ts/server.ts': EXPRESS,
  'ts/tsconfig.json': JSON.stringify({
    compilerOptions: {
      ...{
        target: 'es2022',
        module: 'commonjs',
        moduleResolution: 'node10',
        esModuleInterop: true,
      },
      ...{ sourceMap: true, outDir: '../out', skipLibCheck: true, strict: false, types: ['node'] },
    },
    files: ['main.ts', 'server.ts'],
  }),
  'strip/package.json': '{"type":"module"}',
  'strip/logic.ts': LOGIC.replace(/constructor\([\s\S]*?\) \{\}/, (text) =>
    text
      .replace(/protected readonly /g, '')
      .replace('{}', '{\n    this.width = width;\n    this.height = height;\n  }'),
  ).replace(
    'abstract area',
    'protected readonly width: number;\n  protected readonly height: number;\n  abstract area',
  ),
  'strip/main.ts': `import { workFor } from './logic.ts';\n\ntype Ms = number;\n\nconst ms: Ms = Number(process.env.MS);\nawait workFor(ms);\n`,
  'vitest/logic.test.ts': TEST,
  'vitest/vitest.config.mjs': `export default { test: { globals: true, pool: 'forks', maxWorkers: 1 } };\n`,
  'jest-ts/logic.test.ts': TEST,
  'jest-ts/tsconfig.json':
    '{"compilerOptions":{"target":"es2022","module":"commonjs","strict":false,"types":[]}}',
  'jest-ts/jest.config.js': `module.exports = { transform: { '\\\\.ts$': ['ts-jest', { diagnostics: false }] } };\n`,
  'jest-babel/logic.test.ts': TEST,
  'jest-babel/jest.config.js': 'module.exports = {};\n',
  'jest-babel/babel.config.js': `module.exports = { presets: [['@babel/preset-env', { targets: { node: '18' } }], '@babel/preset-typescript'] };\n`,
  'babel-hook.cjs': `require('@babel/register')({ extensions: ['.ts'], cache: false, presets: [['@babel/preset-env', { targets: { node: '18' } }], '@babel/preset-typescript'] });\n`,
  'eslint.config.mjs': `import tseslint from 'typescript-eslint';\nexport default tseslint.config({ files: ['many/*.ts'], extends: [tseslint.configs.recommended] });\n`,
  'fastify.cjs': `const fastify = require('fastify');
const { drive } = require('./drive.cjs');
const { work } = require('./out/logic.js');

async function answer(request) {
  return { sum: await work(Number(request.params.count)) };
}

const app = fastify();
app.get('/work/:count', answer);
app.listen({ port: 0 }).then(() => drive(app.server.address().port));
`,
  'drive.cjs': DRIVE,
  'http.cjs': `const http = require('node:http');
const { drive } = require('./drive.cjs');
const { work } = require('./out/logic.js');

async function answer(request, response) {
  response.end(String(await work(100)));
}

http.createServer(answer).listen(0, function listening() {
  drive(this.address().port);
});
`,
  'cluster.cjs': `const cluster = require('node:cluster');

if (cluster.isPrimary) {
  let left = 2;
  for (let i = 0; i < 2; i++) cluster.fork();
  cluster.on('exit', function ended() {
    if (--left === 0) process.exit(0);
  });
} else {
  require('./http.cjs');
}
`,
  'workers.mjs': `import { Worker } from 'node:worker_threads';

for (const name of ['one', 'two']) new Worker(new URL('./worker.mjs', import.meta.url), { name });
`,
  'worker.mjs': `import logic from './out/logic.js';

async function run() {
  await logic.workFor(Number(process.env.MS));
}
await run();
`,
  'acorn.mjs': LOOP_OF(
    `import { parse } from 'acorn';\n${TEXT_OF('three/build/three.module.js')}`,
    `parse(text, { ecmaVersion: 'latest', sourceType: 'module' });`,
  ),
  'marked.mjs': LOOP_OF(
    `import { marked } from 'marked';\n${TEXT_OF('marked/README.md')}`,
    'marked.parse(text);',
  ),
  'wasm.mjs': LOOP_OF(
    `import { readFileSync } from 'node:fs';
const bytes = readFileSync(new URL('./spin.wasm', import.meta.url));
const { instance } = await WebAssembly.instantiate(bytes);
function turn(count) {
  return instance.exports.spin(count);
}`,
    'for (let i = 0; i < 100; i++) turn(100_000 + i);',
  ),
  'addon.mjs': LOOP_OF(
    `import { createRequire } from 'node:module';
const { crc32 } = createRequire(import.meta.url)('@node-rs/crc32');
const block = Buffer.alloc(1 << 20, 7);
function checksum(i) {
  block[i & 1023] = i;
  return crc32(block);
}`,
    'for (let i = 0; i < 50; i++) checksum(i);',
  ),
  'inlined.mjs': LOOP_OF(INLINED_FUNCTIONS, 'outer(10_000);'),
};

const bin = (path) => `node_modules/${path}`;

/** Kind -> arguments of Node, oldest Node, whether it runs for MS and can be attached to, its folder. */
export const PROGRAMS = {
  tsc: { args: [bin('typescript/lib/tsc.js'), '-p', 'ts', '--noEmit', '--skipLibCheck', 'false'] },
  'eslint, typescript-eslint': { args: [bin('eslint/bin/eslint.js'), 'many'] },
  prettier: { args: [bin('prettier/bin/prettier.cjs'), '--check', 'three-math/*.js'] },
  rollup: { args: [bin('rollup/dist/bin/rollup'), bin('three/src/Three.js'), '-d', 'rolled'] },
  'vitest 4': { args: ['../node_modules/vitest/vitest.mjs', 'run'], cwd: 'vitest', oldest: 20 },
  'jest 30, ts-jest': { args: ['../node_modules/jest/bin/jest.js', '-i'], cwd: 'jest-ts' },
  'jest 30, babel': { args: ['../node_modules/jest/bin/jest.js', '-i'], cwd: 'jest-babel' },
  'ts-node': {
    args: ['-r', 'ts-node/register/transpile-only', 'ts/main.ts'],
    attach: true,
    env: { TS_NODE_PROJECT: 'ts/tsconfig.json' },
  },
  '@swc-node': { args: ['-r', '@swc-node/register', 'ts/main.ts'] },
  '@babel/register': { args: ['-r', './babel-hook.cjs', 'ts/main.ts'] },
  'esbuild-register': { args: ['-r', 'esbuild-register', 'ts/main.ts'] },
  'express, tsc': { args: ['out/server.js'], attach: true },
  'express, tsx': { args: ['--import', 'tsx', 'ts/server.ts'], attach: true },
  'express, minified': { args: ['bundle/server.js'], attach: true },
  fastify: { args: ['fastify.cjs'], attach: true, oldest: 20 },
  tsx: { args: ['--import', 'tsx', 'ts/main.ts'], attach: true },
  'native TypeScript': { args: ['strip/main.ts'], attach: true, oldest: 22 },
  acorn: { args: ['acorn.mjs'], attach: true },
  workers: { args: ['workers.mjs'], attach: true },
  cluster: { args: ['cluster.cjs'] },
  WebAssembly: { args: ['wasm.mjs'], attach: true },
  addon: { args: ['addon.mjs'], attach: true },
  marked: { args: ['marked.mjs'], attach: true, isExtra: true },
  'outer → middle → leafSqrt': { args: ['inlined.mjs'], isExtra: true },
  http: { args: ['http.cjs'], attach: true, isExtra: true },
};

/** Writes the sources below `folder`, and what tsc and esbuild make of them. `npm` installs, `node` builds. */
export function writePrograms(folder, run) {
  mkdirSync(folder, { recursive: true });
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) writeFileSync(manifest, '{"private":true}');
  if (!existsSync(join(folder, 'node_modules'))) {
    run('npm', ['install', '--silent', '--no-audit', '--no-fund', ...PACKAGES]);
  }
  for (const [path, text] of Object.entries(SOURCES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  for (const kind of ['vitest', 'jest-ts', 'jest-babel'])
    writeFileSync(join(folder, kind, 'logic.ts'), LOGIC);
  mkdirSync(join(folder, 'many'), { recursive: true });
  for (let i = 0; i < 30; i++) writeFileSync(join(folder, `many/logic-${i}.ts`), LOGIC);
  writeFileSync(join(folder, 'spin.wasm'), wasm());
  cpSync(join(folder, 'node_modules/three/src/math'), join(folder, 'three-math'), {
    recursive: true,
  });
  run(process.execPath, [bin('typescript/lib/tsc.js'), '-p', 'ts']);
  const { buildSync } = createRequire(manifest)('esbuild');
  buildSync({
    ...{ entryPoints: [join(folder, 'ts/server.ts')], outfile: join(folder, 'bundle/server.js') },
    ...{ bundle: true, minify: true, sourcemap: true, platform: 'node', target: 'node18' },
  });
}
