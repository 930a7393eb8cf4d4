// A recorder that was killed with SIGKILL leaves files in /tmp; these tests say who removes them. Each run has a /tmp of its own:
// the tests beside it have files there, too.

import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { CLI, cleanEnvironment, projectRoot } from '../helpers/cli.ts';
import { describeLive } from '../helpers/live.ts';
import {
  canMount,
  inMountNamespace,
  MOUNT_OWN_TMP,
  RUN_FROM_TMP,
} from '../helpers/mount-namespace.ts';

/** Starts `words` of perf-ts, kills it and its command when `isTime`, then runs `next` and prints what is left. */
const DRIVER = `
const { spawn, spawnSync } = require('node:child_process');
const { existsSync, readdirSync, readFileSync } = require('node:fs');
const [cli, moment, next, ...words] = process.argv.slice(1);
const notesOf = () => readdirSync('/tmp').filter((name) => name.endsWith('.notes'));
const hasText = (name) => readFileSync('/tmp/' + name, 'utf8').endsWith('\\n');
const isTime = {
  noted: () => notesOf().some(hasText),
  busy: () => existsSync('/tmp/busy'),
  dumped: () => existsSync('/tmp/busy') && readdirSync('/tmp').some((name) => name.endsWith('.dump')),
  folder: () => readdirSync('/tmp').some((name) => name.startsWith('perf-ts-live-')),
}[moment];
const child = spawn(process.execPath, [cli, ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
let said = '';
child.stderr.on('data', (text) => { said += text; });
(function look() {
  if (child.exitCode !== null) throw new Error('ended: ' + said);
  if (!isTime()) return setTimeout(look, 5);
  child.kill('SIGKILL');
  child.once('exit', async () => {
    const pids = notesOf().map((name) => Number(name.match(/\\d+/)[0]));
    if (existsSync('/tmp/busy')) pids.push(Number(readFileSync('/tmp/busy', 'utf8')));
    for (const pid of pids) {
      try { process.kill(pid, 'SIGKILL'); } catch {}
      // Whoever takes in orphans has to reap it.
      while (existsSync('/proc/' + pid) && !/\\) Z/.test(readFileSync('/proc/' + pid + '/stat', 'utf8'))) {
        await new Promise((done) => setTimeout(done, 5));
      }
    }
    const before = readdirSync('/tmp').sort();
    const run = spawnSync(process.execPath, [cli, ...JSON.parse(next)], { encoding: 'utf8' });
    const after = readdirSync('/tmp').sort();
    console.log(JSON.stringify({ before, after, status: run.status, stdout: run.stdout, stderr: run.stderr }));
  });
})();
`;

const BUSY = `function hot(n) { return n < 2 ? n : hot(n - 1) + hot(n - 2); }
  hot(20);
  require('fs').writeFileSync('/tmp/begun', String(process.pid));
  require('fs').renameSync('/tmp/begun', '/tmp/busy');
  for (;;) hot(20);`;

type Moment = 'noted' | 'busy' | 'dumped' | 'folder';

function killed(moment: Moment, next: readonly string[], words: readonly string[]) {
  const under = inMountNamespace(`mount -t tmpfs tmpfs /mnt; own=/mnt; ${MOUNT_OWN_TMP}; cd /tmp`);
  const driver = [process.execPath, '-e', DRIVER, CLI, moment, JSON.stringify(next), ...words];
  const { stdout, stderr } = spawnSync(under[0], [...under.slice(1), ...driver], {
    encoding: 'utf8',
    env: {
      ...cleanEnvironment(),
      ...{ TMPDIR: '/tmp', HOME: '/tmp', XDG_DATA_HOME: '/tmp/data', NODE_OPTIONS: '' },
    },
  });
  expect(stderr).toBe('');
  const found = JSON.parse(stdout) as Record<'before' | 'after', string[]> & {
    status: number;
    stdout: string;
    stderr: string;
  };
  const isOfRun = (name: string) => !RUN_FROM_TMP.includes(name);
  return { ...found, before: found.before.filter(isOfRun), after: found.after.filter(isOfRun) };
}

const CLEAN = ['doctor', '--clean', '--json'];
const RECORD = ['record', '-q', '-g', '-e', 'cpu-clock:u', '-F', '997'];
const OURS = /\.notes$|\.map$|\.dump$|\.sock$|^perf-ts-|^isolate-/;

describe.skipIf(!canMount())('a recorder that was killed', () => {
  describeLive('with its command', () => {
    test('a killed recorder leaves nothing of the names of its command', () => {
      const words = [...RECORD, '--', process.execPath, '-e', BUSY];
      const { before, status, stdout } = killed('busy', CLEAN, words);
      expect(before.filter((name) => OURS.test(name))).toEqual([]);
      expect(before).toContain('perf.data');
      expect(JSON.parse(stdout)).toMatchObject({ leftovers: [] });
      expect(status).toBe(0);
    });

    test.each([
      ['as the command starts', 'noted', ['--jitdump']],
      ['while V8 writes a jitdump', 'dumped', ['--jitdump']],
    ] as const)('leaves nothing behind doctor --clean: %s', (_, moment, options) => {
      const words = [...RECORD, ...options, '--', process.execPath, '-e', BUSY];
      const { before, after, status, stdout } = killed(moment, CLEAN, words);
      expect(before.filter((name) => OURS.test(name))).not.toEqual([]);
      expect(after.filter((name) => OURS.test(name))).toEqual([]);
      expect(after).toContain('perf.data');
      const { schema, leftovers } = JSON.parse(stdout);
      expect(schema).toBe('perf-ts/leftovers@1');
      const paths = leftovers.map(({ path }: { path: string }) => path.replace('/tmp/', ''));
      const inTmp = paths.filter((path: string) => !path.includes('/'));
      expect(inTmp.sort()).toEqual(before.filter((name) => OURS.test(name)));
      expect(status).toBe(0);
    });

    test('the next recording cleans up behind a recorder that was killed', () => {
      const words = [...RECORD, '--jitdump', '--', process.execPath, '-e', BUSY];
      const next = [...RECORD, '-v', '-o', 'next.data', '--', 'true'];
      const { before, after, status, stderr } = killed('dumped', next, words);
      // The folder of the sockets is for the programs that start next.
      const sockets = `perf-ts-${process.geteuid?.()}`;
      const left = before.filter((name) => OURS.test(name) && name !== sockets);
      expect(left).toContainEqual(expect.stringMatching(/^jit-\d+\.dump$/));
      expect(after.filter((name) => OURS.test(name) && name !== sockets)).toEqual([]);
      for (const name of left)
        expect(stderr).toContain(`removed /tmp/${name}, left by what was killed`);
      expect(status).toBe(0);
    });

    test('view --live leaves no folder behind doctor --clean, and a dry run removes none', () => {
      const words = ['view', '--live', '-p', `${process.pid}`, '--no-open', '-e', 'cpu-clock:u'];
      const dry = killed('folder', ['doctor', '--clean', '--dry-run'], words);
      expect(dry.after).toEqual(dry.before);
      expect(dry.stdout).toMatch(
        /^would remove {2}\/tmp\/perf-ts-live-\S+ {2}folder of process \d+\n/,
      );
      expect(dry.stdout).toMatch(/would remove 1 of ours, /);
      const { before, after } = killed('folder', CLEAN, words);
      expect(before.filter((name) => OURS.test(name))).toHaveLength(1);
      expect(after.filter((name) => OURS.test(name))).toEqual([]);
    });
  });
});

test('the options of doctor --clean go with nothing else', () => {
  const run = (...words: string[]) =>
    spawnSync(process.execPath, [CLI, 'doctor', ...words], { cwd: projectRoot, encoding: 'utf8' });
  expect(run('--dry-run')).toMatchObject({ status: 2 });
  expect(run('--clean', '--selftest')).toMatchObject({ status: 2 });
});
