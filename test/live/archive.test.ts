import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cleanEnvironment, perfTs, scratchDirectory } from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';

/** Functions of the report with their samples, by DSO. */
function report(file: string, ...options: string[]): { rows: string[]; stderr: string } {
  // perf may have kept a copy of the program, by its build ID.
  const env = { ...cleanEnvironment(), PERF_BUILDID_DIR: '/nonexistent' };
  const { stdout, stderr, status } = perfTs(['report', '--json', ...options, file], { env });
  expect(status).toBe(0);
  const { events } = JSON.parse(stdout) as {
    events: { rows: { dso: string; name: string; self: number }[] }[];
  };
  const rows = events.flatMap((event) => event.rows);
  return { rows: rows.map(({ dso, name, self }) => `${dso} ${name} ${self}`), stderr };
}

describeLive('an archive of a recording', () => {
  const here = scratchDirectory();
  const away = scratchDirectory();
  const app = join(here, 'bin/app');
  const file = join(here, 'r.data');
  const moved = join(away, 'r.data');
  const hidden = join(here, 'hidden');

  function record(): void {
    mkdirSync(join(here, 'bin'), { recursive: true });
    execFileSync('cp', [compileWorkload(), app]);
    // As distributions do: a stripped program, its debug file found through a link.
    execFileSync('objcopy', ['--only-keep-debug', app, `${app}.debug`]);
    execFileSync('objcopy', ['--strip-all', app]);
    execFileSync('objcopy', [`--add-gnu-debuglink=${app}.debug`, app]);
    // The recording itself keeps no symbols: those of the archive are under test.
    const words = ['record', '-qN', '-g', '-F', '2000', '-e', 'cpu-clock', '--archive', '-o', file];
    expect(perfTs([...words, '--', app, 'sys', '1000000']).status).toBe(0);
  }

  test("an archive gives another machine all names, the kernel's included", () => {
    record();
    const before = report(file);
    expect(before.rows.filter((row) => row.startsWith('app '))).not.toEqual([]);
    expect(before.rows.some((row) => /^app \[app\]/.test(row))).toBe(false);
    // Few samples are in getppid itself; those of the way there and back are.
    expect(before.rows.some((row) => /^\[kernel\.kallsyms\] \w*sys(?:call)?_/i.test(row))).toBe(
      true,
    );
    cpSync(file, moved);
    cpSync(`${file}.symbols`, `${moved}.symbols`, { recursive: true });
    mkdirSync(hidden, { recursive: true });
    for (const name of ['app', 'app.debug']) {
      execFileSync('mv', [join(here, 'bin', name), hidden]);
    }
    expect(report(moved)).toEqual(before);
    // The layout is one that --symfs takes.
    cpSync(moved, join(away, 'alone.data'));
    const symfs = ['--symfs', `${moved}.symbols`];
    expect(report(join(away, 'alone.data'), ...symfs).rows).toEqual(before.rows);
    const unnamed = report(join(away, 'alone.data'));
    expect(unnamed.stderr).toContain(`no names for ${app}: file can not be read (ENOENT)`);
    expect(unnamed.rows.some((row) => /^app \[app\]/.test(row))).toBe(true);
  });

  test('an archive holds no code', () => {
    const copy = join(`${file}.symbols`, app);
    const [stored, original] = [copy, join(hidden, 'app')].map((path) => readFileSync(path));
    expect(stored?.length).toBe(original?.length);
    expect(stored).not.toEqual(original);
    expect(statSync(`${file}.symbols`).mode & 0o777).toBe(0o700);
  });

  test('archive -o FILE.tar.gz unpacks next to the recording', () => {
    const tar = join(away, 'r.tar.gz');
    expect(perfTs(['archive', '--symfs', `${moved}.symbols`, moved, '-o', tar]).status).toBe(0);
    const before = report(moved);
    rmSync(`${moved}.symbols`, { recursive: true });
    execFileSync('tar', ['-xf', tar, '-C', away]);
    expect(existsSync(`${moved}.symbols`)).toBe(true);
    expect(report(moved)).toEqual(before);
  });

  test('a copy without code is not disassembled: the program is, where it is still here', () => {
    const folder = scratchDirectory();
    const program = join(folder, 'app');
    execFileSync('cp', [compileWorkload(), program]);
    const recording = join(folder, 'code.data');
    const words = ['record', '-q', '-g', '-e', 'cpu-clock:u', '--archive', '-o', recording, '--'];
    expect(perfTs([...words, program, 'burn', '1', '0.3']).status).toBe(0);
    const annotate = () => perfTs(['annotate', '-i', recording], { cwd: folder });
    const alone = join(folder, 'alone.data');
    cpSync(recording, alone);
    const before = perfTs(['annotate', '-i', alone], { cwd: folder }).stdout;
    expect(before).toMatch(/^ *\d+\.\d+% +\d+ +[0-9a-f]+ {2}\S/m);
    expect(annotate().stdout).toBe(before);
    rmSync(program);
    const { stdout, stderr } = annotate();
    expect(stdout + stderr).toContain('app: its symbols were stored without its code');
    expect(stdout).not.toContain('add byte ptr [rax], al');
  });

  test('archive replaces an earlier archive only', () => {
    expect(perfTs(['archive', file]).status).toBe(0);
    const other = join(away, 'other');
    mkdirSync(other, { recursive: true });
    writeFileSync(join(other, 'mine'), 'text');
    const { status, stderr } = perfTs(['archive', file, '-o', other]);
    expect(status).toBe(2);
    expect(stderr).toContain(`cannot write ${other}: it is there, and is not an archive`);
    expect(readFileSync(join(other, 'mine'), 'utf8')).toBe('text');
  });
});

describeLive('an archive of a recording of Node', () => {
  const here = scratchDirectory();
  const file = join(here, 'node.data');

  test("an archive has the scripts, source maps and sources that name functions of Node's", () => {
    const script = join(here, 'dist/app.mjs');
    mkdirSync(join(here, 'dist'));
    // `hot` begins on line 1, column 13; the map has it on line 7 of its source.
    const loop = 'let sum = 0; for (let i = 0; i < 3e8; i++) sum += i % 7; return sum;';
    writeFileSync(script, `function hot() { ${loop} }\nhot();\n`);
    const sources = ['../src/app.ts'];
    const map = { version: 3, sources, names: [], mappings: 'AAMA', sourcesContent: [null] };
    writeFileSync(`${script}.map`, JSON.stringify(map));
    const words = ['record', '-q', '-F', '997', '-e', 'cpu-clock', '--archive', '-o', file];
    const { status, stderr } = perfTs([...words, '--', process.execPath, script]);
    expect(status, stderr).toBe(0);
    const files = join(`${file}.symbols`, here);
    expect(existsSync(join(files, 'dist/app.mjs.map'))).toBe(true);
    const rows = report(file).rows.map((row) => row.replace(/ [\d.]+$/, ''));
    const name = expect.stringContaining(`hot ${join(here, 'src/app.ts')}:7`);
    expect(rows).toContainEqual(name);
    rmSync(join(here, 'dist'), { recursive: true });
    expect(report(file).rows.map((row) => row.replace(/ [\d.]+$/, ''))).toEqual(rows);
  });
});

describe('record --archive', () => {
  test('record --archive needs an output file', () => {
    const { status, stderr } = perfTs(['record', '--archive', '-o', '-', '--', 'true']);
    expect(status).toBe(2);
    expect(stderr).toContain('--archive needs a file');
  });
});
