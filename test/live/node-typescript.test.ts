import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { perfTs, projectRoot, scratchDirectory } from '../helpers/cli.ts';
import { describeLive } from '../helpers/live.ts';

// TypeScript under load, named by its own lines, without any flag from the user.

const SERVER = join(projectRoot, 'examples/typescript-server');
const SOURCE = readFileSync(join(SERVER, 'work.ts'), 'utf8').split('\n');
const scratch = scratchDirectory();

type Row = { readonly name: string; readonly self: number; readonly total: number };

/** `score …/work.ts:41`: the line of the source that has `text`. */
function nameAt(name: string, text: string): RegExp {
  const line = SOURCE.findIndex((source) => source.includes(text)) + 1;
  expect(line).toBeGreaterThan(0);
  return new RegExp(`^${name} \\S*work\\.ts:${line}$`);
}

/** Records a command in the scratch directory; what was said, and the rows of the report. */
function recorded(name: string, command: string[], ...reportOptions: string[]) {
  const file = join(scratch, `${name}.data`);
  const env = { ...process.env, LOAD_MS: '60000', REQUESTS: '300', NODE_OPTIONS: '' };
  const options = ['-g', '-F', '997', '-e', 'cpu-clock:u', '-o', file];
  const run = perfTs(['record', ...options, '--', ...command], { cwd: scratch, env });
  expect(run.stderr).toContain('samples of cpu-clock:u');
  expect(run.status).toBe(0);
  const report = perfTs(['report', '--json', ...reportOptions, file]);
  expect(report.status).toBe(0);
  const { rows } = (JSON.parse(report.stdout) as { events: { rows: Row[] }[] }).events[0];
  return { reported: run.stderr, rows };
}

/** Functions of the server at their lines, and nothing of V8's interpreter among the first 50. */
function expectServer(rows: readonly Row[]): void {
  const total = (name: RegExp): number => rows.find((row) => name.test(row.name))?.total ?? 0;
  expect(total(nameAt('score', 'score(items'))).toBeGreaterThan(0);
  expect(total(nameAt('renderItems', 'function renderItems'))).toBeGreaterThan(0);
  const first = rows.slice(0, 50).map((row) => row.name);
  expect(first.some((name) => /\bwork\.ts:\d+$/.test(name))).toBe(true);
  expect(first.filter((name) => /BytecodeHandler|InterpreterEntry|Handler$/.test(name))).toEqual(
    [],
  );
}

describeLive('a TypeScript server', () => {
  beforeAll(() => {
    const tsc = join(projectRoot, 'node_modules/.bin/tsc');
    execFileSync(tsc, ['-p', SERVER, '--outDir', join(scratch, 'out')]);
    writeFileSync(join(scratch, 'out/package.json'), '{"type":"module"}');
  });

  test('TypeScript compiled with source maps has its own names', () => {
    const { reported, rows } = recorded('compiled', [process.execPath, 'out/server.js']);
    expect(reported).not.toContain('preload');
    expectServer(rows);
    const plain = perfTs(['report', '--json', '--no-source-maps', join(scratch, 'compiled.data')]);
    expect(plain.stdout).toMatch(/"score out\/work\.js:\d+"/);
    expect(plain.stdout).not.toContain('work.ts');
  });

  test('TypeScript compiled in memory by a loader has its own names', () => {
    writeFileSync(
      join(scratch, 'hooks.mjs'),
      `import { readFileSync } from 'node:fs';
       import { fileURLToPath } from 'node:url';
       import { transformSync } from ${JSON.stringify(import.meta.resolve('rolldown/experimental'))};
       export async function load(url, context, next) {
         if (!url.endsWith('.ts')) return next(url, context);
         const path = fileURLToPath(url);
         const { code, map } = transformSync(path, readFileSync(path, 'utf8'), { sourcemap: true });
         const data = Buffer.from(JSON.stringify(map)).toString('base64');
         const source = code + '\\n//# sourceMappingURL=data:application/json;base64,' + data;
         return { format: 'module', source, shortCircuit: true };
       }`,
    );
    writeFileSync(
      join(scratch, 'loader.mjs'),
      `import { register } from 'node:module';
       register('./hooks.mjs', import.meta.url);`,
    );
    const command = [process.execPath, '--import', './loader.mjs', join(SERVER, 'server.ts')];
    const { rows } = recorded('loaded', command);
    expectServer(rows);
  });

  test('recording Node leaves no files behind', () => {
    const script = join(scratch, 'pid.cjs');
    writeFileSync(script, 'console.log(process.pid)');
    const file = join(scratch, 'pid.data');
    const command = ['record', '-o', file, '-e', 'cpu-clock:u', '--', process.execPath, script];
    const { stdout } = perfTs(command, { cwd: scratch });
    const pid = stdout.trim();
    expect(pid).toMatch(/^\d+$/);
    expect(existsSync(`/tmp/perf-${pid}.map`)).toBe(false);
    expect(existsSync(`/tmp/perf-ts-${pid}.notes`)).toBe(false);
    expect(readdirSync(scratch).filter((name) => name.endsWith('-v8.log'))).toEqual([]);
  });

  test('recording Node names worker threads', () => {
    writeFileSync(
      join(scratch, 'spin.mjs'),
      `import { isMainThread, Worker } from 'node:worker_threads';
       if (isMainThread) new Worker(new URL(import.meta.url));
       else for (let x = 0, until = Date.now() + 300; Date.now() < until; ) x += Math.sqrt(x);`,
    );
    const { rows } = recorded('workers', [process.execPath, 'spin.mjs'], '--sort', 'thread');
    expect(rows.map((row) => row.name.replace(/ \d+\/\d+$/, ''))).toContain('Worker #1 spin.mjs');
  });
});
