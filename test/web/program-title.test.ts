import { expect, it } from 'vitest';
import { attachedTitle, programTitle } from '../../web/src/head/program-title.ts';

it.each([
  ['perf-ts record -g -F 2000 -- tsx src/server.ts', 'server.ts'],
  ['perf-ts record -- ./hot-paths 2', 'hot-paths'],
  ['perf record -g -- node --max-old-space-size=4096 dist/app.mjs --port 80', 'app.mjs'],
  ['perf-ts record -- env NODE_ENV=production timeout -k 5 30s node app.js', 'app.js'],
  ['perf-ts record -- node', 'node'],
  ['perf-ts record -- npx vitest run', 'vitest'],
  ['perf-ts record -- bash -c ls', 'bash'],
  ['perf-ts record -- node -e work(0.5)', 'node'],
  ['perf-ts record -- node node_modules/typescript/bin/tsc --strict m0.ts', 'tsc'],
  ['perf-ts record -- node node_modules/.bin/eslint src/a.ts', 'eslint'],
  ['perf-ts record -- node --import ./hook.mjs server.js', 'server.js'],
  ['perf-ts record -- node server --config prod.json', 'server'],
  ['perf-ts record -- python3 -m http.server 8000', 'http.server'],
  ['perf-ts record -- node bin/www', 'www'],
  ['perf-ts record -- node --require=./x.cjs cli dev', 'cli'],
  ['perf-ts record -- deno run -A main.ts', 'main.ts'],
  ['perf-ts record -- java -jar app.jar --port=80', 'app.jar'],
  ['perf-ts record -- ruby bin/rails server -e production.rb', 'rails'],
])('%s ran %s', (command, title) => {
  expect(programTitle(command.split(' '))).toBe(title);
});

it.each([['perf-ts record -p 1234'], ['perf-ts record -a -g'], ['perf-ts record --'], ['']])(
  'the command "%s" does not contain a program',
  (command) => {
    expect(programTitle(command.split(' '))).toBeNull();
  },
);

const THREADS = [
  { pid: 12, tid: 14, comm: 'V8 worker' },
  { pid: 12, tid: 12, comm: 'node' },
  { pid: 30, tid: 31, comm: 'redis' },
];

it.each([
  ['perf-ts view --live -p 12', 'node (pid 12)'],
  ['perf-ts record --pid=12,30 -g', 'node (pid 12), redis (pid 30)'],
  ['perf-ts record -t14', 'V8 worker (tid 14)'],
  ['perf-ts record -g --port 12', null],
  ['perf-ts record -p 99', null],
])('%s is called %s', (command, title) => {
  expect(attachedTitle(command.split(' '), THREADS)).toBe(title);
});
