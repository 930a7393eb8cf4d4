// The programs of `bench/real-programs.mjs`: real servers and tools with some code of their own, their packages, how
// a Node runs each, and whose each file is, by hand.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PACKAGES = {
  web: 'express@5 koa@3 @koa/router@14 hono@4 @hono/node-server@1 fastify@5 @nestjs/core@11 @nestjs/common@11 @nestjs/platform-express@11 reflect-metadata@0.2 rxjs@7 zod@4 webpack@5 ts-loader@9 rollup@4 vite@7 prettier@3 typescript@5.9 esbuild@0.25 @swc/core@1 @babel/core@7 @babel/preset-env@7 @babel/preset-typescript@7 handlebars@4 @types/node@20',
  next: 'next@15 react@19 react-dom@19 typescript@5.9 @types/react@19 @types/node@20',
};

/** Work that a request asks for: its sort has a callback without a name, its sum has one. */
const WORK = `type Row = { id: number; name: string; score: number };

export const rowsOf = (count: number): Row[] =>
  Array.from({ length: count }, (_, i) => ({ id: i, name: \`row \${(i * 7919) % count}\`, score: (i * 31) % 97 }));

export function rank(rows: Row[]): Row[] {
  return [...rows].sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1));
}
`;

/** A loop that is the time of the function around it. */
const SPIN = (times = 40_000) =>
  `let sum = 0; for (let i = 0; i < ${times}; i++) sum = (sum * 31 + i) | 0;`;

const EXPRESS = `import express from 'express';
import { rank, rowsOf } from './work.js';

const app = express();
const api = express.Router();
app.use((_request: any, response: any, next: any) => { ${SPIN()} response.setHeader('x-sum', sum); next(); });
api.get('/users', (_request: any, response: any) => { ${SPIN()} response.json({ sum, first: rank(rowsOf(200))[0] }); });
api.route('/orders').get(async (_request: any, response: any) => { await null; ${SPIN()} response.json({ sum }); });
app.use('/api', api);
app.get('/', async (_request: any, response: any) => { await null; ${SPIN()} response.send(String(sum)); });
app.listen(Number(process.env.PORT));
`;

const KOA = `import Koa from 'koa';
import Router from '@koa/router';
import { rank, rowsOf } from './ts-out/es2022/work.js';

const app = new Koa();
const router = new Router({ prefix: '/api' });
app.use(async (ctx, next) => { ${SPIN()} ctx.set('x-sum', String(sum)); await next(); });
router.get('/users', async (ctx) => { ${SPIN()} ctx.body = { sum, first: rank(rowsOf(200))[0] }; });
router.get('orders', '/orders', (ctx) => { ${SPIN()} ctx.body = { sum }; });
app.use(router.routes());
app.use(async (ctx) => { ${SPIN()} ctx.body ??= String(sum); });
app.listen(Number(process.env.PORT));
`;

const HONO = `import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { rank, rowsOf } from './ts-out/es2022/work.js';

const api = new Hono()
  .get('/users', (c) => { ${SPIN()} return c.json({ sum, first: rank(rowsOf(200))[0] }); })
  .on('GET', '/orders', async (c) => { await null; ${SPIN()} return c.json({ sum }); });
const app = new Hono();
app.use('*', async (c, next) => { ${SPIN()} c.header('x-sum', String(sum)); await next(); });
app.route('/api', api);
app.get('/', (c) => { ${SPIN()} return c.text(String(sum)); });
serve({ fetch: app.fetch, port: Number(process.env.PORT) });
`;

const FASTIFY = `import fastify from 'fastify';
import { rank, rowsOf } from './ts-out/es2022/work.js';

const app = fastify();
app.addHook('onRequest', async (request) => { ${SPIN()} request.sum = sum; });
app.get('/', async () => { ${SPIN()} return { sum }; });
app.route({
  method: 'GET',
  url: '/api/users',
  preHandler: async () => { ${SPIN()} return void sum; },
  handler: async () => { ${SPIN()} return { sum, first: rank(rowsOf(200))[0] }; },
});
app.register(async (scope) => {
  scope.get('/orders', { schema: {} }, (request, reply) => { ${SPIN()} reply.send({ sum }); });
}, { prefix: '/api' });
await app.listen({ port: Number(process.env.PORT) });
`;

const NEST = `import 'reflect-metadata';
import { Controller, Get, Injectable, Module, type NestMiddleware } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { rank, rowsOf } from './work.js';

@Injectable()
class UsersService {
  private readonly rows = rowsOf(200);
  top() { ${SPIN()} return this.rows.map((row) => ({ ...row, sum })).slice(0, 3); }
  ranked() { return rank(this.rows)[0]; }
}

@Controller('api')
class UsersController {
  constructor(private readonly users: UsersService) {}

  @Get('users')
  findAll() { ${SPIN()} return { sum, first: this.users.ranked() }; }

  @Get('orders')
  async orders() { await null; ${SPIN()} return { sum, top: this.users.top() }; }
}

Reflect.defineMetadata('design:paramtypes', [UsersService], UsersController);
void ({} as NestMiddleware);

@Module({ controllers: [UsersController], providers: [UsersService] })
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: false });
app.use((_request: any, _response: any, next: any) => { ${SPIN()} if (sum !== 0.5) next(); });
await app.listen(Number(process.env.PORT));
`;

const ZOD = `import { z } from 'zod';

const user = z.object({
  id: z.number().int(),
  name: z.string().transform((text) => { ${SPIN(2000)} return text.trim() + sum; }),
  mail: z.string().refine((text) => { ${SPIN(2000)} return sum !== 0.5 && text.includes('@'); }),
  tags: z.array(z.string()).superRefine((tags) => { ${SPIN(2000)} return tags.length + sum; }),
});
const end = Date.now() + Number(process.env.MS);
while (Date.now() < end) {
  for (let i = 0; i < 50; i++) user.parse({ id: i, name: ' a ', mail: 'a@b.c', tags: ['x', 'y'] });
  await new Promise((resolve) => setImmediate(resolve));
}
`;

const WEBPACK = `import webpack from 'webpack';

const end = Date.now() + Number(process.env.MS);
const build = () => new Promise((resolve, reject) => {
  const compiler = webpack({
    ...{ mode: 'production', entry: './big/main.js', output: { path: '/tmp/never', filename: 'out.js' } },
    ...{ target: 'node', context: import.meta.dirname ?? process.cwd(), plugins: [{ apply }] },
  });
  compiler.outputFileSystem = { ...compiler.outputFileSystem, mkdir: (...a) => a.at(-1)(), writeFile: (...a) => a.at(-1)(), stat: (...a) => a.at(-1)(new Error('none')) };
  compiler.run((error) => (error ? reject(error) : compiler.close(resolve)));
});
function apply(compiler) {
  compiler.hooks.compilation.tap('count', (compilation) => {
    compilation.hooks.buildModule.tap('count', () => { ${SPIN(400_000)} return void sum; });
  });
}
do await build(); while (Date.now() < end);
`;

const ROLLUP = `import { rollup } from 'rollup';

const end = Date.now() + Number(process.env.MS);
do {
  const bundle = await rollup({ input: 'big/main.js', plugins: [{
    name: 'count',
    transform(code) { ${SPIN(400_000)} return code + '\\n//' + sum; },
    renderChunk: (code) => { ${SPIN(400_000)} return code + sum; },
  }] });
  await bundle.generate({ format: 'es' });
} while (Date.now() < end);
`;

const VITE = `import { build } from 'vite';

const end = Date.now() + Number(process.env.MS);
const counter = () => ({
  name: 'count',
  transform: { handler(code) { ${SPIN(400_000)} return { code: code + '\\n//' + sum, map: null }; } },
  resolveId: (id) => { ${SPIN(400_000)} return sum === 0.5 ? id : null; },
});
do {
  await build({ configFile: false, logLevel: 'silent', plugins: [counter()], build: { write: false, ssr: 'big/main.js' } });
} while (Date.now() < end);
`;

const PRETTIER = `import { readFileSync } from 'node:fs';
import prettier from 'prettier';

const text = readFileSync('node_modules/webpack/lib/Compilation.js', 'utf8');
const end = Date.now() + Number(process.env.MS);
do await prettier.format(text, { parser: 'babel' }); while (Date.now() < end);
`;

const HANDLEBARS = `import handlebars from 'handlebars';

handlebars.registerHelper('cost', (value) => { ${SPIN(4000)} return sum + value; });
const page = handlebars.compile('{{#each rows}}<li>{{name}} {{cost id}}</li>{{/each}}');
const rows = Array.from({ length: 50 }, (_, id) => ({ id, name: 'n' + id }));
const validate = new Function('row', ${JSON.stringify(`${SPIN(4000)} return row.id + sum;`)});
const end = Date.now() + Number(process.env.MS);
while (Date.now() < end) { page({ rows }); rows.forEach((row) => validate(row)); }
`;

/** Packages of the same project, linked into node_modules. */
const SHOP = `import { total } from '@shop/lib';
import { chalky } from 'chalky';

const end = Date.now() + Number(process.env.MS);
const orders = [1, 2, 3].map((n) => ({ n }));
while (Date.now() < end) { orders.forEach((order) => total(order)); chalky(3); }
`;
const LIB = `const cost = (n) => { ${SPIN()} return sum + n; };
export const total = (order) => [order.n].map((n) => cost(n)).reduce((a, b) => a + b, 0);
`;
const CHALKY = `export function chalky(n) { ${SPIN()} return sum + n; }\n`;

const PAGE = `import { rank, rowsOf } from '../lib/work';

export const dynamic = 'force-dynamic';
export default async function Page() {
  ${SPIN()}
  return <ul>{rank(rowsOf(200)).slice(0, 20).map((row) => { ${SPIN(2000)} return <li key={row.id}>{row.name} {sum}</li>; })}<li>{sum}</li></ul>;
}
`;
const ROUTE = `import { rank, rowsOf } from '../../../lib/work';

export const dynamic = 'force-dynamic';
export async function GET() {
  ${SPIN()}
  return Response.json({ sum, first: rank(rowsOf(200))[0] });
}
export const POST = async () => Response.json({});
`;
const ORDERS = `export const dynamic = 'force-dynamic';
const wrap = (handler: () => Promise<Response>) => async () => { ${SPIN()} return sum === 0.5 ? new Response() : handler(); };
export const GET = wrap(async () => { ${SPIN()} return Response.json({ sum }); });
`;

const SOURCES = {
  'web/ts/work.ts': WORK,
  'web/ts/express.ts': EXPRESS,
  'web/ts/nest.ts': NEST,
  'web/koa.mjs': KOA,
  'web/hono.mjs': HONO,
  'web/fastify.mjs': FASTIFY,
  'web/zod.mjs': ZOD,
  'web/webpack.mjs': WEBPACK,
  'web/rollup.mjs': ROLLUP,
  'web/vite.mjs': VITE,
  'web/prettier.mjs': PRETTIER,
  'web/handlebars.mjs': HANDLEBARS,
  'web/big/main.js': `export * from '../ts-out/es2022/work.js';\nexport { z } from 'zod';\n`,
  'web/ts/package.json': '{"type":"module"}',
  'shop/package.json': '{"private":true,"workspaces":["packages/*"]}',
  'shop/packages/app/package.json':
    '{"name":"@shop/app","type":"module","dependencies":{"@shop/lib":"*"}}',
  'shop/packages/app/main.js': SHOP,
  'shop/packages/lib/package.json': '{"name":"@shop/lib","type":"module","exports":"./index.js"}',
  'shop/packages/lib/index.js': LIB,
  'shop/chalky/package.json':
    '{"name":"chalky","version":"1.0.0","type":"module","exports":"./index.js"}',
  'shop/chalky/index.js': CHALKY,
  'next/app/page.tsx': PAGE,
  'next/app/layout.tsx':
    'export default function Layout({ children }: { children: unknown }) {\n  return <html><body>{children as never}</body></html>;\n}\n',
  'next/app/api/users/route.ts': ROUTE,
  'next/app/api/orders/route.ts': ORDERS,
  'next/lib/work.ts': WORK,
  'next/next.config.mjs':
    'export default { experimental: { serverSourceMaps: true }, eslint: { ignoreDuringBuilds: true }, typescript: { ignoreBuildErrors: true } };\n',
};

const REQUESTS = ['/', '/api/users', '/api/orders'];
const tsOut = (target) => `ts-out/${target}`;
const next = (...args) => ['node_modules/next/dist/bin/next', ...args];

/**
 * Kind -> arguments of Node, its folder, paths that a server is asked for. `own`: paths of files of the program, by
 * hand, below its folder.
 */
export const PROGRAMS = {
  express: { args: [`${tsOut('es2022')}/express.js`], asked: REQUESTS, own: /^ts\// },
  'express, tsc es2015': { args: [`${tsOut('es2015')}/express.js`], asked: REQUESTS, own: /^ts\// },
  'express, tsc es5': { args: [`${tsOut('es5')}/express.js`], asked: REQUESTS, own: /^ts\// },
  'express, SWC es5': { args: [`${tsOut('swc')}/express.js`], asked: REQUESTS, own: /^ts\// },
  'express, Babel': { args: [`${tsOut('babel')}/express.js`], asked: REQUESTS, own: /^ts\// },
  'express, esbuild bundle': {
    args: [`${tsOut('esbuild')}/express.cjs`],
    asked: REQUESTS,
    own: /^ts\//,
  },
  'express, esbuild without a map': {
    args: [`${tsOut('esbuild-bare')}/express.cjs`],
    asked: REQUESTS,
    own: /^ts-out\//,
    isOneFile: true,
  },
  koa: { args: ['koa.mjs'], asked: REQUESTS },
  hono: { args: ['hono.mjs'], asked: REQUESTS },
  fastify: { args: ['fastify.mjs'], asked: REQUESTS },
  nest: {
    args: [`${tsOut('es2022')}/nest.js`],
    asked: ['/api/users', '/api/orders'],
    own: /^ts\//,
  },
  'nest, SWC': {
    args: [`${tsOut('swc-nest')}/nest.js`],
    asked: ['/api/users', '/api/orders'],
    own: /^ts\//,
  },
  'next start': {
    args: next('start'),
    cwd: 'next',
    asked: REQUESTS,
    own: /^(?:app|lib)\//,
    build: next('build'),
  },
  'next dev': { args: next('dev'), cwd: 'next', asked: REQUESTS, own: /^(?:app|lib)\// },
  'next dev --turbopack': {
    args: next('dev', '--turbopack'),
    cwd: 'next',
    asked: REQUESTS,
    own: /^(?:app|lib)\//,
  },
  zod: { args: ['zod.mjs'] },
  webpack: { args: ['webpack.mjs'] },
  rollup: { args: ['rollup.mjs'] },
  vite: { args: ['vite.mjs'] },
  prettier: { args: ['prettier.mjs'] },
  tsc: {
    args: [
      'node_modules/typescript/lib/tsc.js',
      '--noEmit',
      '--target',
      'es2022',
      '--module',
      'esnext',
      '--moduleResolution',
      'bundler',
      '--experimentalDecorators',
      '--types',
      'node',
      'ts/nest.ts',
      'ts/express.ts',
    ],
  },
  handlebars: { args: ['handlebars.mjs'] },
  'npm workspace': { args: ['packages/app/main.js'], cwd: 'shop', own: /^packages\// },
};

const NODE = process.execPath;

/** Writes the sources below `folder`, installs their packages, and builds what is built. */
export function writePrograms(folder, run) {
  for (const [path, text] of Object.entries(SOURCES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    if (!existsSync(join(folder, path)) || !path.endsWith('package.json'))
      writeFileSync(join(folder, path), text);
  }
  for (const [name, packages] of Object.entries(PACKAGES)) {
    const cwd = join(folder, name);
    if (!existsSync(join(cwd, 'package.json')))
      writeFileSync(join(cwd, 'package.json'), '{"private":true}');
    if (existsSync(join(cwd, 'node_modules'))) continue;
    run('npm', ['install', '--silent', '--no-audit', '--no-fund', ...packages.split(' ')], cwd);
  }
  const shop = join(folder, 'shop');
  if (!existsSync(join(shop, 'node_modules'))) {
    run('npm', ['pack', '--silent', './chalky'], shop);
    run(
      'npm',
      ['install', '--silent', '--no-audit', '--no-fund', '--no-save', './chalky-1.0.0.tgz'],
      shop,
    );
  }
  if (!existsSync(join(folder, 'web/ts-out/esbuild-bare'))) compile(join(folder, 'web'), run);
  if (!existsSync(join(folder, 'next/.next/BUILD_ID')))
    run(NODE, next('build'), join(folder, 'next'));
}

const IN_TS = ['ts/work.ts', 'ts/express.ts', 'ts/nest.ts'];

function compile(web, run) {
  const common = [
    '--sourceMap',
    '--skipLibCheck',
    '--esModuleInterop',
    '--experimentalDecorators',
    '--noCheck',
  ];
  const tsc = (target, module, files) =>
    run(
      NODE,
      [
        'node_modules/typescript/lib/tsc.js',
        ...files,
        ...common,
        '--target',
        target,
        '--module',
        module,
        '--moduleResolution',
        'bundler',
        '--outDir',
        tsOut(target),
      ],
      web,
    );
  tsc('es2022', 'esnext', IN_TS);
  tsc('es2015', 'es2015', IN_TS.slice(0, 2));
  tsc('es5', 'es2015', IN_TS.slice(0, 2));
  for (const target of ['es2022', 'es2015', 'es5', 'swc', 'swc-nest', 'babel']) {
    mkdirSync(join(web, tsOut(target)), { recursive: true });
    writeFileSync(join(web, tsOut(target), 'package.json'), '{"type":"module"}');
  }
  run(NODE, ['-e', COMPILE], web);
}

/** In the folder of the packages: what SWC, Babel and esbuild make of the same sources. */
const COMPILE = `
const swc = require('@swc/core'), babel = require('@babel/core'), esbuild = require('esbuild');
const { writeFileSync: write, copyFileSync: copy } = require('node:fs');
const keep = (to, { code, map }) => {
  write(to, code + '\\n//# sourceMappingURL=' + to.split('/').pop() + '.map');
  write(to + '.map', typeof map === 'string' ? map : JSON.stringify(map));
};
for (const name of ['work', 'express', 'nest']) {
  const from = 'ts/' + name + '.ts';
  const parser = { syntax: 'typescript', decorators: true };
  const transform = { legacyDecorator: true, decoratorMetadata: true };
  if (name !== 'nest') keep('ts-out/swc/' + name + '.js', swc.transformFileSync(from, { swcrc: false, sourceMaps: true, jsc: { parser, target: 'es5' }, module: { type: 'es6' }, outputPath: 'ts-out/swc/x' }));
  if (name !== 'express') keep('ts-out/swc-nest/' + name + '.js', swc.transformFileSync(from, { swcrc: false, sourceMaps: true, jsc: { parser, transform, target: 'es2022' }, module: { type: 'es6' }, outputPath: 'ts-out/swc-nest/x' }));
  if (name !== 'nest') keep('ts-out/babel/' + name + '.js', babel.transformFileSync(from, { babelrc: false, sourceMaps: true, sourceFileName: '../../' + from, presets: [['@babel/preset-env', { targets: 'ie 11', modules: false }], '@babel/preset-typescript'] }));
}
const bundle = { entryPoints: ['ts/express.ts'], bundle: true, minify: true, keepNames: true, platform: 'node', target: 'es2016' };
esbuild.buildSync({ ...bundle, sourcemap: true, outfile: 'ts-out/esbuild/express.cjs' });
esbuild.buildSync({ ...bundle, minify: false, outfile: 'ts-out/esbuild-bare/express.cjs' });
`;
