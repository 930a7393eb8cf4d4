// The 17 expectations that clig.dev has of a command line, each shown once on the built command. What the declared commands show of
// them is in conventions.test.ts, and what programs that measure are expected to do is in expectations.test.ts.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import {
  CLI,
  cleanEnvironment,
  perfTs,
  projectRoot,
  scratchDirectory,
  startPerfTs,
} from '../helpers/cli.ts';
import { describeLiveAsUser } from '../helpers/live.ts';
import { until } from '../helpers/tasks.ts';

const ESCAPE = String.fromCharCode(27);
/** Progress that was shown, and cleared. */
const CLEARED = new RegExp(`\\r[^\\n]*${ESCAPE}\\[K`, 'g');
const COLOUR = new RegExp(`${ESCAPE}\\[[\\d;]*m`);
const SCREEN = 48;
const COMMANDS =
  'run record stat top agent report view diff annotate turns periods script export inject archive query mcp info evlist buildid-list doctor list cpu version completion'.split(
    ' ',
  );

const folder = scratchDirectory();
const { FORCE_COLOR: _force, NO_COLOR: _no, CI: _ci, ...plain } = cleanEnvironment();

function run(words: string, env: NodeJS.ProcessEnv = {}, input?: string | Uint8Array) {
  const { status, stdout, stderr } = perfTs(words.split(' '), {
    cwd: folder,
    env: { ...plain, XDG_CONFIG_HOME: folder, ...env },
    ...(input !== undefined && { input }),
  });
  return { status, stdout, stderr };
}

/** The screen of a person who types a line. */
function onTerminal(words: string, env: NodeJS.ProcessEnv = {}): string {
  const { stdout } = spawnSync(
    'script',
    ['-qec', `'${process.execPath}' '${CLI}' ${words}`, '/dev/null'],
    {
      cwd: folder,
      env: { ...plain, TERM: 'xterm', XDG_CONFIG_HOME: folder, ...env },
      encoding: 'utf8',
    },
  );
  return stdout.replaceAll('\r\n', '\n');
}

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '');

describeLiveAsUser('clig.dev', () => {
  beforeAll(() => {
    writeFileSync(
      join(folder, 'app.js'),
      `function spin() { let n = 0; while (process.cpuUsage().user < 4e5) for (let i = 0; i < 1e5; i++) n += i % 7; return n; }
      console.log(spin() > 0);\n`,
    );
    writeFileSync(join(folder, 'text.data'), 'no recording\n');
    for (let i = 0; i < 2; i++) expect(run('record -- node app.js').status).toBe(0);
  });

  test('1: examples come first in the help of the program and of each command', () => {
    for (const name of ['', ...COMMANDS]) {
      const { status, stdout } = run(`${name} --help`.trim());
      const [examples, option] = [stdout.indexOf('Examples:\n'), stdout.search(/^ {2}-/m)];
      expect([name, status, examples > 0, examples < option]).toEqual([name, 0, true, true]);
    }
  });

  test('2: -h is one screen, --help has all, and help COMMAND is the same', () => {
    for (const name of COMMANDS) {
      const short = linesOf(run(`${name} -h`).stdout);
      expect([name, short.length <= SCREEN, short.length > 8]).toEqual([name, true, true]);
    }
    expect(run('help diff').stdout).toBe(run('diff --help').stdout);
    expect(run('help help').stdout).toBe(run('--help').stdout);
  });

  test('3: what ends in a file or a first screen names the next command', () => {
    expect(onTerminal('record -- node app.js')).toMatch(/next: perf-ts report .*\n.*perf-ts view/);
    expect(onTerminal('app.js')).toContain('next: perf-ts report --tree');
    expect(run('report').stdout).toContain('next: perf-ts report --tree');
    for (const file of [
      'a.html',
      'a.cpuprofile',
      'a.pb.gz',
      'a.speedscope.json',
      'a.firefox.json',
      'a.folded',
      'a.parquet',
    ]) {
      expect(onTerminal(`export -o ${file}`)).toMatch(/ in a\..*: .*(?:opens?|draw) it/);
    }
    expect(run('record -e cpu-clock:u -g none -- true').stderr).not.toContain('next:');
  });

  test('4: success is brief, and what was written is named with its size', () => {
    const { stdout, stderr } = run('record -e cpu-clock:u -o brief.data -- node app.js');
    expect(stdout).toBe('true\n');
    expect(linesOf(stderr).length).toBeLessThanOrEqual(2);
    expect(stderr).toMatch(/[\d.]+ [kM]?B in brief\.data\n$/);
    for (const line of ['export -o b.html', 'export -o b.folded', 'inject -o b.data', 'archive']) {
      const words = onTerminal(line).replace(CLEARED, '');
      expect([line, linesOf(words).length, /\d B|kB|MB|bytes/.test(words)]).toEqual([
        line,
        1,
        true,
      ]);
    }
    expect(existsSync(join(folder, 'b.html'))).toBe(true);
  });

  test('5: tables are for people, and --json is a document for programs', () => {
    const lines =
      'report,report --tree,diff,annotate spin,periods,info,evlist,buildid-list,list sw,cpu,version,doctor,stat -- true';
    for (const line of lines.split(',')) {
      const table = run(line);
      const json = run(
        line.startsWith('stat') ? 'stat --json -o - -- true' : `${line} --json`,
      ).stdout;
      expect([line, table.status]).toEqual([line, 0]);
      expect(() => JSON.parse(table.stdout)).toThrow();
      expect([line, (JSON.parse(json) as { schema: string }).schema]).toEqual([
        line,
        expect.stringMatching(/^perf-ts\/[a-z-]+@\d+$/),
      ]);
    }
  });

  test('6: colour is for terminals; NO_COLOR, TERM=dumb, FORCE_COLOR and --color decide otherwise', () => {
    const isColoured = (text: string) => COLOUR.test(text);
    expect(isColoured(run('report').stdout)).toBe(false);
    expect(isColoured(run('report --color always').stdout)).toBe(true);
    expect(isColoured(run('report', { FORCE_COLOR: '1' }).stdout)).toBe(true);
    expect(isColoured(run('report --color never', { FORCE_COLOR: '1' }).stdout)).toBe(false);
    expect(isColoured(onTerminal('report'))).toBe(true);
    expect(isColoured(onTerminal('report', { NO_COLOR: '1' }))).toBe(false);
    expect(isColoured(onTerminal('report', { TERM: 'dumb' }))).toBe(false);
  });

  test('7: an error is a sentence on what was typed, with a way on, and no stack of ours', () => {
    const wrong: readonly (readonly [line: string, named: string, way: string])[] = [
      ['reocrd', 'reocrd', 'did you mean record?'],
      ['record --frequenzy 9 -- true', '--frequenzy', 'did you mean --freq'],
      ['record -p 99999999', '99999999', 'pgrep'],
      ['record -- no-such-program', 'no-such-program', 'command not found'],
      ['record -e page-fautls -- true', 'page-fautls', 'did you mean page-faults?'],
      ['report no-such.data', 'no-such.data', 'perf-ts record'],
      ['report text.data', 'text.data', 'it looks like text'],
      ['report -o report.txt', '-o', 'perf-ts report >'],
      ['report --sort nosuch', 'nosuch', 'the keys are'],
      ['annotate no_such_function', 'no_such_function', 'perf-ts report'],
      ['export', '--output', 'perf-ts export -o perf.html'],
      ['view no-such.data', 'no-such.data', 'perf-ts record'],
    ];
    for (const [line, named, way] of wrong) {
      const { status, stderr } = run(line);
      expect([line, status === 0, linesOf(stderr).length < 6]).toEqual([line, false, true]);
      expect([line, stderr]).toEqual([line, expect.stringMatching(/^perf-ts: /)]);
      expect([line, stderr]).toEqual([line, expect.stringContaining(named)]);
      expect([line, stderr]).toEqual([line, expect.stringContaining(way)]);
      expect(stderr).not.toMatch(/^\s+at |node:internal/m);
    }
  });

  test('8: what can be refused at once is refused before a file is read or a program runs', () => {
    for (const words of [
      'report --time bogus',
      'report --sort nosuch',
      'report --frames nosuch',
      'export -o /no/such/x.html',
      'diff --fail-if nonsense',
    ]) {
      const { status, stderr } = run(`${words} text.data`);
      expect([words, status !== 0, stderr.includes('text.data')]).toEqual([words, true, false]);
    }
    for (const words of [
      '-e nosuch',
      '-F fast',
      '-o /no/such/perf.data',
      '--call-graph nosuch',
      '--duration long',
      '-p 99999999',
    ]) {
      const { status } = run(`record ${words} -- touch was-run`);
      expect([words, status !== 0, existsSync(join(folder, 'was-run'))]).toEqual([
        words,
        true,
        false,
      ]);
    }
  });

  test('9: without an option a program of Node has stacks and names, and a report begins with its functions', () => {
    // Beside the output of a program that is no terminal, the report is on standard error.
    for (const printed of [run('app.js').stderr, run('report').stdout]) {
      expect(printed).toMatch(/\nself .*\n.*app\.js:1 +spin\n/);
    }
    expect(run('report --tree').stdout).toMatch(/\(module\)[\s\S]*spin/);
  });

  test('10: two recordings have one order at every command, and what selects has one name', () => {
    for (const name of ['diff', 'view'])
      expect(run(`${name} --help`).stdout).toMatch(/the older one first/);
    for (const name of ['report', 'diff', 'annotate', 'export', 'script', 'info']) {
      const { stdout } = run(`${name} --help`);
      expect([name, /-c, --comm <names>/.test(stdout), /--time <ranges>/.test(stdout)]).toEqual([
        name,
        true,
        true,
      ]);
    }
  });

  test('11: -h, --help, -V, --version, -q, -v, -o, -n, -f and --json are what they are elsewhere', () => {
    expect(run('--version').stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(run('-V').stdout).toBe(run('--version').stdout);
    expect(run('-v').stderr).toContain('perf-ts --version');
    expect(run('report -q').stderr).toBe('');
    expect(run('report -f -n 1').status).toBe(0);
    expect(run('record -v -e cpu-clock:u -o v.data -- true').stderr).toContain('rings:');
  });

  test('12: Ctrl-C ends what runs, writes it, and a second one ends what does not', async () => {
    writeFileSync(
      join(folder, 'deaf.js'),
      `const recorder = process.ppid;
process.on('SIGINT', () => {});
console.log('up');
setInterval(() => { if (process.ppid !== recorder) process.exit(); }, 100);`,
    );
    const recording = startPerfTs(
      ['record', '-e', 'cpu-clock:u', '-o', 'deaf.data', '--', 'node', 'deaf.js'],
      { cwd: folder },
    );
    await until(() => recording.stdout().includes('up'));
    recording.child.kill('SIGINT');
    await until(() => recording.stderr().includes('in deaf.data'));
    recording.child.kill('SIGINT');
    expect((await recording.ended).status).toBe(130);
    expect(run('info deaf.data').status).toBe(0);
  });

  test('13: what takes a second shows how far it is, on a terminal only', () => {
    const AT_ONCE = { PERF_TS_PROGRESS_MS: '0' };
    expect(onTerminal('report', AT_ONCE)).toMatch(/reading perf\.data: \d+ %/);
    expect(run('report', AT_ONCE).stderr).not.toContain('\r');
  });

  test('14: an option is stronger than a variable, and that than the file below XDG_CONFIG_HOME', () => {
    const dry = 'record -e cpu-clock:u --dry-run -- true';
    const settings = scratchDirectory();
    mkdirSync(join(settings, 'perf-ts'));
    writeFileSync(join(settings, 'perf-ts/config.json'), JSON.stringify({ record: { freq: 555 } }));
    const withFile = { XDG_CONFIG_HOME: settings };
    expect(run(dry, withFile).stderr).toContain(' 555 Hz');
    expect(run(dry, { ...withFile, PERF_TS_FREQ: '777' }).stderr).toContain(' 777 Hz');
    expect(
      run(dry.replace('record', 'record -F 99'), { ...withFile, PERF_TS_FREQ: '777' }).stderr,
    ).toContain(' 99 Hz');
    expect(readFileSync(join(projectRoot, 'docs/reference/configuration.md'), 'utf8')).toContain(
      'XDG_CONFIG_HOME',
    );
  });

  test('15: no file of the folder in which it is typed changes what it does', () => {
    const dry = 'record -e cpu-clock:u --dry-run -- true';
    const { stderr } = run(dry);
    const here = scratchDirectory();
    const setting = JSON.stringify({ record: { freq: 555 } });
    for (const file of [
      'perf-ts/config.json',
      '.perf-ts/config.json',
      '.config/perf-ts/config.json',
      'config.json',
      '.perf-ts.json',
      '.perf-tsrc',
      'perf-ts.json',
      'perf-ts.config.json',
    ]) {
      mkdirSync(dirname(join(here, file)), { recursive: true });
      writeFileSync(join(here, file), setting);
    }
    writeFileSync(
      join(here, 'package.json'),
      JSON.stringify({ 'perf-ts': { record: { freq: 555 } } }),
    );
    writeFileSync(join(here, '.env'), 'PERF_TS_FREQ=555\n');
    expect(
      perfTs(dry.split(' '), { cwd: here, env: { ...plain, XDG_CONFIG_HOME: folder } }).stderr,
    ).toBe(stderr);
  });

  test('16: the help names where a mistake is reported, and with what', () => {
    expect(run('--help').stdout.replace(/\s+/g, ' ')).toMatch(/report it .* perf-ts doctor/);
  });

  test('17: - is standard input and standard output', () => {
    const made = spawnSync(
      'sh',
      ['-c', `'${process.execPath}' '${CLI}' record -q -o - -- node -e 0 >piped.data`],
      { cwd: folder, env: plain },
    );
    expect(made.status).toBe(0);
    const recording = readFileSync(join(folder, 'piped.data'));
    expect(run('info -', {}, recording).stdout).toContain('node -e 0');
    expect(run('report -', {}, recording).status).toBe(0);
    const folded = run('export --format folded -o -').stdout;
    expect(folded).toMatch(/;spin .*\d+$/m);
    expect(run('report -', {}, folded).stdout).toContain('spin');
  });
});
