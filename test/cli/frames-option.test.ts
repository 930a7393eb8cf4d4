import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { perfTs, scratchDirectory } from '../helpers/cli.ts';

const scratch = scratchDirectory();
const written = (name: string, lines: readonly string[]): string => {
  const path = join(scratch, name);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
};
const LOOP = '__libc_start_call_main;node::Start(int, char**);uv_run';
const HANDLE = 'JS:*handle /srv/app.js:7:1';
const QUEUE = 'JS:*add /srv/node_modules/queue/index.js:3:1';
const node = written('node.folded', [
  `node;${LOOP};uv__read;${HANDLE};Builtins_LoadIC 40`,
  `node;${LOOP};${HANDLE};${QUEUE} 25`,
  `node;${LOOP};${HANDLE};${QUEUE};v8::internal::Heap::CollectGarbage(int) 10`,
  'node;start_thread;node::PlatformWorkerThread(void*);v8::internal::maglev::Run() 20',
  `node;${LOOP};entry_SYSCALL_64_after_hwframe_[k];__x64_sys_epoll_pwait_[k] 5`,
]);
const native = written('native.folded', ['app;main;work 3', 'app;main;memcpy 1']);

const sample = (...frames: string[]) => [
  'app 1 [000] 1.000001: 1 cpu-clock: ',
  ...frames.map((frame, i) => `\t ${i + 1}000 ${frame}`),
  '',
];
const start = ['main (/usr/bin/app)', '_start (/usr/bin/app)'];
const program = written('program.txt', [
  ...sample('memcpy (/lib/libc.so.6)', 'work (/usr/bin/app)', ...start),
  ...sample('work (/usr/bin/app)', ...start),
]);

/** Self shares of a report by name and place, in its order. */
function rows(...args: string[]): [name: string, share: string][] {
  const { status, stdout } = perfTs(['report', '-n', '5', ...args]);
  expect(status).toBe(0);
  return stdout
    .split('\n')
    .filter((line) => /^ *\d+\.\d\d% /.test(line) && !line.trim().startsWith('0.00%'))
    .map((line) => {
      const [share = '', ...rest] = line.trim().split(/\s{2,}/);
      const [file = '', name = ''] = rest.slice(-2);
      return [/:\d+$/.test(file) ? `${name} ${file}` : name, share];
    });
}

describe('--frames', () => {
  test('a report of a program of JavaScript begins with its functions, and says so', () => {
    expect(rows(node)).toEqual([
      ['handle /srv/app.js:7', '40.00%'],
      ['add queue/index.js:3', '25.00%'],
      ['(compiler: Maglev)', '20.00%'],
      ['(garbage collector)', '10.00%'],
      ['(kernel: epoll_pwait)', '5.00%'],
    ]);
    expect(perfTs(['report', node]).stdout).toMatch(/^# frames: JavaScript; .*--frames all/m);
  });

  test('a report of a native program has all frames, from main on, or its own functions', () => {
    const report = (...options: string[]) =>
      perfTs(['report', '--tree', ...options, program]).stdout;
    expect(report()).toMatch(/_start\n.*main\n/);
    expect(report()).not.toContain('# frames');
    const main = report('--frames', 'main');
    expect(main).toMatch(/^# frames: from main and thread functions on/m);
    expect(main).not.toContain('_start');
    expect(main).toContain('memcpy');
    const own = report('--frames', 'own');
    expect(own).toMatch(/^# frames: own functions only: libraries and the kernel/m);
    expect(own).toMatch(/work\n.*\(libc\)\n/);
    expect(rows('--frames', 'main', program)).toEqual(rows(program));
  });

  test('own: what dependencies did counts for the function that called them', () => {
    expect(rows('--frames', 'own', node).slice(0, 2)).toEqual([
      ['handle /srv/app.js:7', '65.00%'],
      ['(compiler: Maglev)', '20.00%'],
    ]);
  });

  test.each([
    ['--frames all', ['--frames', 'all']],
    ['--js-raw', ['--js-raw']],
  ])('%s shows every frame', (_, options) => {
    expect(rows(...options, node).map(([name]) => name)).toContain('Builtins_LoadIC');
    expect(perfTs(['report', ...options, node]).stdout).not.toContain('# frames:');
  });

  test('--js-simple, rows of files and a file that is asked for are about all frames', () => {
    for (const options of [['--js-simple'], ['--sort', 'dso'], ['-d', '[kernel.kallsyms]']]) {
      expect(perfTs(['report', ...options, node]).stdout).not.toContain('# frames:');
    }
  });

  test('-S means the names that are shown, and says so', () => {
    const found = perfTs(['report', '-S', '(garbage collector)', node]).stderr;
    expect(found).toContain('--symbol (garbage collector): 10 of 100 samples');
    const { stderr } = perfTs(['report', '-S', 'Builtins_LoadIC', node]);
    expect(stderr).toContain('0 of 100 samples');
    expect(stderr).toContain('--frames all has those that are folded');
    const all = perfTs(['report', '-S', 'Builtins_LoadIC', '--frames', 'all', node]).stderr;
    expect(all).toContain('40 of 100 samples');
    expect(all).not.toContain('that are folded');
  });

  test('a document for programs has the frames that the table has, unless others are asked for', () => {
    const names = (...options: string[]): string[] =>
      JSON.parse(perfTs(['report', '--json', ...options, node]).stdout).events[0].rows.map(
        ({ name }: { name: string }) => name,
      );
    expect(names()).toContain('(garbage collector)');
    expect(names()).not.toContain('Builtins_LoadIC');
    expect(names('--frames', 'all')).toContain('Builtins_LoadIC');
  });

  test('an export is folded, and its provenance says so', () => {
    const path = join(scratch, 'out.folded');
    expect(perfTs(['export', '--format', 'folded', '-o', path, node]).status).toBe(0);
    expect(readFileSync(path, 'utf8')).toContain('node;(event loop);handle /srv/app.js:7 40\n');
    const provenance = JSON.parse(readFileSync(`${path}.provenance.json`, 'utf8'));
    expect(provenance.frames).toBe('javascript');
    const all = ['export', '--format', 'folded', '--frames', 'all', '-o', path, node];
    expect(perfTs(all).status).toBe(0);
    expect(readFileSync(path, 'utf8')).toContain('Builtins_LoadIC 40\n');
    const { frames } = JSON.parse(readFileSync(`${path}.provenance.json`, 'utf8'));
    expect(frames).toBe(undefined);
  });

  test('--frames folds both sides of a diff alike', () => {
    const { status, stdout } = perfTs(['diff', node, node]);
    expect(status).toBe(0);
    expect(stdout).toContain('(garbage collector)');
    expect(stdout).not.toContain('CollectGarbage');
  });

  test('a program without JavaScript is shown as ever', () => {
    for (const options of [[], ['--frames', 'javascript'], ['--frames', 'own']]) {
      expect(rows(...options, native)).toEqual([
        ['work', '75.00%'],
        ['memcpy', '25.00%'],
      ]);
    }
    expect(perfTs(['report', native]).stdout).not.toContain('# frames:');
  });

  test("V8's own names are not folded", () => {
    const { status, stderr } = perfTs(['report', '--js-raw', '--frames', 'own', node]);
    expect(status).toBe(2);
    expect(stderr).toContain('--js-raw and --frames own exclude each other');
  });
});
