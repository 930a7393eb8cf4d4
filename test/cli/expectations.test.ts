// Expectations of a command line that nobody has to say, by number: perf, samply, hyperfine and
// async-profiler have made these habits. Most have tests of their own elsewhere that go deeper; here each
// is asked once, so that none gets lost. Those that clig.dev has as well are in guidelines.test.ts.

import { spawnSync } from 'node:child_process';
import { existsSync, openSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import {
  CLI,
  cleanEnvironment,
  infoOf,
  perfTs,
  projectRoot,
  scratchDirectory,
  startPerfTs,
} from '../helpers/cli.ts';
import { describeLiveAsUser } from '../helpers/live.ts';
import { until } from '../helpers/tasks.ts';

const RECORD = ['record', '-q', '-e', 'cpu-clock:u'];
const isRoot = process.geteuid?.() === 0;

describeLiveAsUser('what is expected of a command line', () => {
  const cwd = scratchDirectory();
  const runIn = (folder: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    perfTs(args, { cwd: folder, env: { ...cleanEnvironment(), ...env } });
  const run = (args: readonly string[], env?: NodeJS.ProcessEnv) => runIn(cwd, args, env);
  const shell = (script: string) => ['sh', '-c', script];
  const recordSome = (folder: string) =>
    runIn(folder, [
      ...RECORD,
      '-g',
      '--',
      ...shell('i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done'),
    ]);
  /** A folder whose `perf.data` and `perf.data.old` are recordings of some CPU time, for all that only read. */
  const recorded = scratchDirectory();
  const read = (args: readonly string[], env?: NodeJS.ProcessEnv) => runIn(recorded, args, env);
  beforeAll(() => {
    for (let i = 0; i < 2; i++) recordSome(recorded);
  });
  const LOOP = ['sh', '-c', 'while :; do :; done'];

  it('1: the exit status of record and stat is that of the command', () => {
    expect(run([...RECORD, '--', ...shell('exit 7')]).status).toBe(7);
    expect(run(['stat', '-e', 'task-clock:u', '--', ...shell('exit 7')]).status).toBe(7);
  });

  it('2: a command killed by signal n ends the recording with 128 + n', () => {
    expect(run([...RECORD, '--', ...shell('kill -SEGV $$')]).status).toBe(139);
    expect(run([...RECORD, '--', ...shell('kill -KILL $$')]).status).toBe(137);
  });

  it('3: failures of perf-ts have statuses of their own, which a page lists', () => {
    expect(run([...RECORD, '--', './no-such-program']).status).toBe(127);
    expect(run([...RECORD, '--', '/etc/passwd']).status).toBe(126);
    expect(run(['report', 'no-such-file']).status).toBe(125);
    expect(run(['report', '--no-such-option']).status).toBe(2);
    const page = readFileSync(join(projectRoot, 'docs/reference/exit-statuses.md'), 'utf8');
    for (const status of [2, 3, 125, 126, 127]) expect(page).toContain(`| ${status} |`);
  });

  it('4: the first Ctrl-C ends the recording and writes it', async () => {
    const recording = startPerfTs([...RECORD, '-o', 'ctrl-c.data', '--', ...LOOP], {
      cwd,
      detached: true,
    });
    await until(() => existsSync(join(cwd, 'ctrl-c.data')));
    process.kill(-recording.pid, 'SIGINT');
    expect((await recording.ended).status).toBe(130);
    expect(infoOf(join(cwd, 'ctrl-c.data')).truncatedAt).toBeNull();
  });

  it('5: SIGTERM ends it and writes it too', async () => {
    const recording = startPerfTs([...RECORD, '-o', 'term.data', '--', ...LOOP], { cwd });
    await until(() => existsSync(join(cwd, 'term.data')));
    recording.child.kill('SIGTERM');
    expect((await recording.ended).status).toBe(143);
    expect(infoOf(join(cwd, 'term.data')).truncatedAt).toBeNull();
  });

  it('6: the end of an attach leaves the process running, and is a success', () => {
    const script = `${LOOP[2]} & '${process.execPath}' '${CLI}' ${RECORD.join(' ')} -o p.data -p $! --duration 0.2
      echo "status $?"; kill -0 $! && echo alive; kill $!`;
    const { stdout } = spawnSync('sh', ['-c', script], { cwd, encoding: 'utf8' });
    expect(stdout).toBe('status 0\nalive\n');
  });

  it('7: options behind the command are the command’s, with and without --', () => {
    expect(run([...RECORD, 'echo', '-q', '--json']).stdout).toBe('-q --json\n');
    expect(run([...RECORD, '--', 'sh', '-c', 'echo $0', '--help']).stdout).toBe('--help\n');
  });

  it('8: NAME=value may stand before the command', () => {
    expect(run([...RECORD, '--', 'GREETING=hello', 'sh', '-c', 'echo $GREETING']).stdout).toBe(
      'hello\n',
    );
  });

  it('9: standard input and output are the command’s', () => {
    const { stdout, stderr } = perfTs([...RECORD, '--', 'cat'], { cwd, input: 'through\n' });
    expect([stdout, stderr]).toEqual(['through\n', '']);
  });

  it('10: the recording before is kept, and nobody else may read it', () => {
    recordSome(cwd);
    const before = readFileSync(join(cwd, 'perf.data'));
    recordSome(cwd);
    expect(readFileSync(join(cwd, 'perf.data.old')).equals(before)).toBe(true);
    expect(statSync(join(cwd, 'perf.data')).mode & 0o777).toBe(0o600);
  });

  it.skipIf(!isRoot)('11: under sudo the command and the file are the invoking user’s', () => {
    const open = scratchDirectory();
    spawnSync('chmod', ['777', open]);
    const sudo = { SUDO_UID: '65534', SUDO_GID: '65534', SUDO_USER: 'nobody' };
    const file = join(open, 'sudo.data');
    expect(run([...RECORD, '-o', file, '--', 'id', '-u'], sudo).stdout).toBe('65534\n');
    expect(statSync(file).uid).toBe(65_534);
  });

  it('13: a closing line has samples, losses, size and place', () => {
    const { stderr } = run(['record', '-e', 'cpu-clock:u', '-o', 'closing.data', '--', 'true']);
    expect(stderr).toMatch(
      /perf-ts: \d+ samples of cpu-clock:u, none lost; [\d.]+ k?B in closing\.data\n$/,
    );
  });

  it('15: a frequency over the limit is lowered, with the sysctl named; --strict-freq refuses', () => {
    const asked = [
      'record',
      '-e',
      'page-faults:u',
      '-F',
      '9999999',
      '-o',
      'fast.data',
      '--',
      'true',
    ];
    const lowered = run(asked);
    expect(lowered.status).toBe(0);
    expect(lowered.stderr).toContain('kernel.perf_event_max_sample_rate');
    expect(run(['record', '--strict-freq', ...asked.slice(1)]).status).toBe(2);
  });

  it('16: an event that was recorded in place of another is announced and stored', ({ skip }) => {
    const { stderr } = run(['record', '-e', 'cycles', '-o', 'asked.data', '--', 'true']);
    const [{ name }] = infoOf(join(cwd, 'asked.data')).events;
    skip(name.startsWith('cycles'), 'cycles opens here: nothing stands in for it');
    expect(stderr).toContain(`recording ${name} instead`);
    expect(run(['info', 'asked.data']).stdout).toContain(`recording ${name} instead`);
  });

  it.skipIf(!isRoot)(
    '17: a refusal names the value, the one needed, and the command',
    ({ skip }) => {
      const open = scratchDirectory();
      spawnSync('chmod', ['777', open]);
      const words = ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, CLI];
      for (const command of ['record', 'stat']) {
        const args = [...words, command, '-a', '-e', 'page-faults', '--', 'true'];
        const { status, stderr } = spawnSync('setpriv', args, { cwd: open, encoding: 'utf8' });
        skip(status === 0, 'kernel.perf_event_paranoid lets an ordinary user watch all CPUs here');
        skip(stderr.includes('Cannot find module'), 'nobody may not read this folder');
        expect(stderr).toMatch(/kernel\.perf_event_paranoid is \d; .* needs 0 or lower/);
        expect(stderr).toContain('sysctl kernel.perf_event_paranoid=0');
      }
    },
  );

  it('18: an unknown event is pointed at, with the nearest name and where to look', () => {
    const { status, stderr } = run(['record', '-e', 'page-fautls', '--', 'true']);
    expect(status).toBe(2);
    expect(stderr).toMatch(/page-fautls\n +\^\n/);
    expect(stderr).toContain('did you mean page-faults?');
    expect(stderr).toContain('perf-ts list');
  });

  it('20: --version, and what this build has', () => {
    expect(run(['--version']).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(run(['version', '--build-options']).stdout).toMatch(/addon +o(?:n|ff)/);
  });

  it('21: --json gives one document that names its schema, from every command with a table', () => {
    for (const line of ['report', 'periods', 'list sw', 'evlist', 'archive', 'version', 'doctor']) {
      const { stdout } = read([...line.split(' '), '--json']);
      expect([line, (JSON.parse(stdout) as { schema: string }).schema]).toEqual([
        line,
        expect.stringMatching(/^perf-ts\/[a-z-]+@\d+$/),
      ]);
    }
  });

  it('23: the locale changes no number', () => {
    const inGerman = read(['report', '--json'], { LC_ALL: 'de_DE.UTF-8' }).stdout;
    expect(inGerman).toBe(read(['report', '--json'], { LC_ALL: 'C.UTF-8' }).stdout);
  });

  it.each(['bash', 'zsh', 'fish'])('24: there is a completion for %s', (name) => {
    const { status, stdout } = run(['completion', name]);
    expect(status).toBe(0);
    expect(stdout).toContain('perf-ts');
  });

  it('25: -q prints nothing but errors, -v prints more', () => {
    expect(read(['report', '-q']).stderr).toBe('');
    expect(read(['report', '-q', 'no-such-file']).stderr).not.toBe('');
    const command = ['-e', 'cpu-clock:u', '-o', 'quiet.data', '--', 'true'];
    expect(run(['record', '-q', ...command]).stderr).toBe('');
    expect(run(['record', ...command]).stderr).not.toContain('rings:');
    expect(run(['record', '-v', ...command]).stderr).toContain('rings:');
    expect(read(['report', '-v']).status).toBe(0);
  });

  it('26: --dry-run prints what would be opened, and opens nothing', () => {
    const { status, stderr } = run([
      'record',
      '-e',
      'cpu-clock:u',
      '--dry-run',
      '-o',
      'dry.data',
      '--',
      'touch',
      'dry-ran',
    ]);
    expect(status).toBe(0);
    expect(stderr).toContain('cpu-clock:u: type 1');
    expect(readdirSync(cwd).filter((name) => name.startsWith('dry'))).toEqual([]);
  });

  it('27: --duration and --max-size bound a recording', async () => {
    const bounded = startPerfTs(
      [...RECORD, '--duration', '0.1', '-o', 'd.data', '--', 'sleep', '0.3'],
      { cwd },
    );
    expect((await bounded.ended).status).toBe(0);
    const limits = [...RECORD, '-F', 'max', '-g', '--max-size', '10K', '-o', 'size.data', '--'];
    run([...limits, ...shell('i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done')]);
    expect(statSync(join(cwd, 'size.data')).size).toBeLessThan(1 << 20);
  });

  it('28: the page listens on this machine only, prints its address, and takes the next port', async () => {
    const taken = createServer();
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, '127.0.0.1', () => resolve((taken.address() as { port: number }).port));
    });
    expect(read(['view', '--no-open', '--port', String(port)]).status).toBe(125);
    const view = startPerfTs(['view', '--no-open', '--port', `${port}+`], { cwd: recorded });
    await until(() => view.stdout().includes('http://'));
    const address = /http:\/\/127\.0\.0\.1:(\d+)\//.exec(view.stdout());
    expect(Number(address?.[1])).toBeGreaterThan(port);
    view.child.kill('SIGINT');
    await view.ended;
    taken.close();
  });

  it('29: a page is one file that loads nothing', () => {
    read(['export', '--format', 'html', '-o', 'page.html']);
    const html = readFileSync(join(recorded, 'page.html'), 'utf8');
    expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  });

  it('30: a recording has a header with host, kernel and command line', () => {
    const { stdout } = read(['report', '--header-only']);
    for (const field of ['host', 'kernel', 'command']) expect(stdout).toContain(field);
  });

  it('31: files of other tools are read, and others get ours', () => {
    writeFileSync(join(cwd, 'few.folded'), 'main;work 3\nmain;rest 1\n');
    expect(run(['report', 'few.folded']).stdout).toContain('work');
    for (const format of ['folded', 'speedscope', 'pprof', 'firefox', 'cpuprofile']) {
      expect([format, read(['export', '--format', format, '-o', `out.${format}`]).status]).toEqual([
        format,
        0,
      ]);
    }
  });

  it('32: files of a JIT are gone when the recording ends', () => {
    const before = new Set(readdirSync('/tmp'));
    const { stdout } = run([
      ...RECORD,
      '-g',
      '-o',
      'node.data',
      '--',
      process.execPath,
      '-p',
      'process.pid',
    ]);
    // Other tests leave files there, of pids in which this one's digits may be.
    const ofProcess = new RegExp(`\\b${stdout.trim()}\\b`);
    const left = readdirSync('/tmp').filter((name) => !before.has(name) && ofProcess.test(name));
    expect(left).toEqual([]);
  });

  it('34: there is a page for each command, and recipes', () => {
    const pages = readdirSync(join(projectRoot, 'docs/reference/commands'));
    for (const name of ['record', 'report', 'stat', 'view']) expect(pages).toContain(`${name}.md`);
    expect(readdirSync(join(projectRoot, 'docs/how-to')).length).toBeGreaterThan(20);
  });

  it('35: without a terminal nothing waits or opens, and thresholds set the status', () => {
    const [before, after] = ['perf.data.old', 'perf.data'];
    const gate = ['diff', '--old', before, before, '--new', after, after];
    expect(read([...gate, '--fail-if', 'weight(*) grows by 100000%']).status).toBe(0);
    expect(read([...gate, '--fail-if', 'nonsense']).status).toBe(2);
    expect(run(['record', '--fail-on-loss', '100%', ...RECORD.slice(1), '--', 'true']).status).toBe(
      0,
    );
  });

  it('36: the library gives what the command line gives', async () => {
    const { openProfile } = await import('../../src/index.ts');
    const opened = await openProfile(join(recorded, 'perf.data'));
    const document = JSON.parse(read(['report', '--json']).stdout) as {
      events: { samples: number }[];
    };
    expect(opened.report().samples).toBe(document.events[0].samples);
  });

  it('output that can’t be written is a failure with a reason', () => {
    for (const line of ['--help', '--version', 'record --help', 'list sw']) {
      const full = openSync('/dev/full', 'w');
      const { status, stderr } = spawnSync(process.execPath, [CLI, ...line.split(' ')], {
        stdio: ['ignore', full, 'pipe'],
        encoding: 'utf8',
      });
      expect([line, status]).toEqual([line, 125]);
      expect(stderr).toContain('no space left');
    }
  });

  it('list fails where nothing matches, and -m says that it rounds', () => {
    const { status, stdout, stderr } = run(['list', 'no-such-event']);
    expect([status, stdout]).toEqual([125, '']);
    expect(stderr).toContain("unknown event 'no-such-event'");
    expect(run(['list', 'no-such-*']).stderr).toContain('no event matches no-such-*');
    const rounded = run(['record', '-m', '3', '-e', 'cpu-clock:u', '-o', 'm.data', '--', 'true']);
    expect(rounded.stderr).toContain('-m 3: rings of 4 pages');
  });
});
