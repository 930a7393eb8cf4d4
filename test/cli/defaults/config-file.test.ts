// The user's file and variables, as the built command reads them.

import { chmodSync, chownSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cleanEnvironment, perfTs, scratchDirectory } from '../../helpers/cli.ts';
import { AS_NOBODY, canRunAsNobody, NOBODY } from '../../helpers/nobody.ts';

const scratch = scratchDirectory();
const recording = join(scratch, 'stacks.folded');
writeFileSync(recording, 'main;parse;read 5\nmain;write 3\n');

/** A folder of settings with this file in it. */
function configHome(text: string, mode = 0o600): { home: string; file: string } {
  const home = mkdtempSync(join(scratch, 'config-'));
  mkdirSync(join(home, 'perf-ts'));
  const file = join(home, 'perf-ts/config.json');
  writeFileSync(file, text);
  chmodSync(file, mode);
  return { home, file };
}

function report(
  words: readonly string[],
  variables: NodeJS.ProcessEnv,
  options: { cwd?: string } = {},
) {
  const env = { ...cleanEnvironment(), LC_ALL: 'C.UTF-8', ...variables };
  return perfTs(['report', recording, ...words], { env, ...options });
}

/** The rows that were left out say how many there are to be. */
const CUT = ' rows (-n 0 shows all)';
const LIMITED = '{"report": {"limit": 1}}';

test('a default of the file holds until the environment or the command line says otherwise', () => {
  const { home, file } = configHome(LIMITED);
  const XDG_CONFIG_HOME = home;
  const byFile = report(['-v'], { XDG_CONFIG_HOME });
  expect(byFile.stdout).toContain(CUT);
  expect(byFile.stderr).toContain(`perf-ts: --limit 1 comes from ${file}\n`);
  const byVariable = report(['-v'], { XDG_CONFIG_HOME, PERF_TS_REPORT_LIMIT: '0' });
  expect(byVariable.stdout).not.toContain(CUT);
  expect(byVariable.stderr).toContain('perf-ts: --limit 0 comes from PERF_TS_REPORT_LIMIT\n');
  const byLine = report(['-v', '-n', '0'], { XDG_CONFIG_HOME });
  expect(byLine.stdout).not.toContain(CUT);
  expect(byLine.stderr).not.toContain('comes from');
});

test('the configuration file is in ~/.config without XDG_CONFIG_HOME', () => {
  const { home } = configHome('');
  mkdirSync(join(home, '.config/perf-ts'), { recursive: true });
  writeFileSync(join(home, '.config/perf-ts/config.json'), LIMITED);
  const { stdout } = report([], { XDG_CONFIG_HOME: undefined, HOME: home });
  expect(stdout).toContain(CUT);
});

test('no file is read from the current folder', () => {
  const { home } = configHome(LIMITED);
  for (const XDG_CONFIG_HOME of ['.', '']) {
    const { stdout } = report([], { XDG_CONFIG_HOME, HOME: scratch }, { cwd: home });
    expect(stdout).not.toContain(CUT);
  }
});

test('a file that everybody may write is refused, and that is printed', () => {
  const { home, file } = configHome(LIMITED, 0o666);
  const { stdout, stderr, status } = report([], { XDG_CONFIG_HOME: home });
  expect(status).toBe(0);
  expect(stdout).not.toContain(CUT);
  expect(stderr).toContain(`perf-ts: ${file} is not read: everybody may write to it`);
});

test.skipIf(process.getuid?.() !== 0)('a file of another user is refused', () => {
  const { home, file } = configHome(LIMITED);
  chownSync(file, 65534, 65534);
  const { stdout, stderr } = report([], { XDG_CONFIG_HOME: home });
  expect(stdout).not.toContain(CUT);
  expect(stderr).toContain(`${file} is not read: it belongs to another user (uid 65534)`);
});

const asNobody = test.skipIf(!canRunAsNobody('/bin/true'));

asNobody('a file that may not be read is reported with why and what to do', () => {
  const { home, file } = configHome(LIMITED);
  chmodSync(home, 0o700);
  const env = { ...cleanEnvironment(), LC_ALL: 'C.UTF-8', XDG_CONFIG_HOME: home };
  const { stderr, status } = perfTs(['version'], { under: AS_NOBODY, env });
  expect(stderr).toBe(
    `perf-ts: ${file} is not read: permission denied (EACCES)\n` +
      `  make it readable for uid ${NOBODY}, or set HOME or XDG_CONFIG_HOME to a folder of your own\n`,
  );
  expect(status).toBe(0);
});

asNobody('a user without an account and without HOME has no file, and commands work', () => {
  const { HOME: _home, XDG_CONFIG_HOME: _config, ...env } = cleanEnvironment();
  const under = ['setpriv', '--reuid=54321', '--regid=54321', '--clear-groups'];
  expect(perfTs(['version'], { under, env })).toMatchObject({ stderr: '', status: 0 });
  const { stdout } = perfTs(['doctor', '--json'], { under, env });
  expect(JSON.parse(stdout)).toMatchObject({ defaults: { file: { path: null, state: 'absent' } } });
});

test('doctor lists the defaults in force, with their places and commands', () => {
  const { home, file } = configHome('{"report": {"limit": 1}, "event": ["cycles", "faults"]}');
  const env = {
    ...cleanEnvironment(),
    LC_ALL: 'C.UTF-8',
    XDG_CONFIG_HOME: home,
    PERF_TS_FREQ: '999',
  };
  const { stdout } = perfTs(['doctor'], { env });
  expect(stdout).toContain(`defaults of options (${file} is read):\n`);
  expect(stdout).toMatch(/^ {2}--freq 999 +run, record, top +PERF_TS_FREQ$/m);
  expect(stdout).toContain('  --event cycles --event faults  run, record, stat, top  ');
  expect(JSON.parse(perfTs(['doctor', '--json'], { env }).stdout).defaults).toEqual({
    file: { path: file, state: 'read' },
    values: expect.arrayContaining([
      { option: 'limit', value: 1, from: file, commands: ['report'] },
      { option: 'freq', value: '999', from: 'PERF_TS_FREQ', commands: ['run', 'record', 'top'] },
    ]),
  });
});

test('a variable that nobody reads is reported once, and not with -q', () => {
  const { stderr, status } = report([], { PERF_TS_FREQUENCY: '9' });
  expect(stderr).toMatch(/^perf-ts: PERF_TS_FREQUENCY is set, .*PERF_TS_FREQ\?.*\n$/);
  expect(status).toBe(0);
  expect(report(['-q'], { PERF_TS_FREQUENCY: '9' }).stderr).toBe('');
});

test('a folder in the place of the file is refused', () => {
  const home = mkdtempSync(join(scratch, 'config-'));
  mkdirSync(join(home, 'perf-ts/config.json'), { recursive: true });
  const { stderr, status } = report([], { XDG_CONFIG_HOME: home });
  expect(status).toBe(0);
  expect(stderr).toContain('config.json is not read: it is not a file');
});

test('a file that is no JSON ends the command with status 2 and its path', () => {
  const { home, file } = configHome('{"limit": ');
  const { stderr, status } = report([], { XDG_CONFIG_HOME: home });
  expect(status).toBe(2);
  expect(stderr).toMatch(new RegExp(`^perf-ts: ${file}: `));
});

test('a value that the option refuses is printed with where it comes from', () => {
  const { stderr, status } = report([], { PERF_TS_LIMIT: 'many' });
  expect(status).toBe(2);
  expect(stderr).toContain('perf-ts: PERF_TS_LIMIT many: expected a whole number');
});

test('-q as a default silences notices, and the result is there', () => {
  const { home } = configHome('{"quiet": true, "unknown": 1}');
  const { stdout, stderr } = report([], { XDG_CONFIG_HOME: home });
  expect(stderr).toBe('');
  expect(stdout).toContain('read');
});
