// Notices to the user of a command of which little or nothing was recorded.

import { chmodSync, copyFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { perfTs, scratchDirectory } from '../helpers/cli.ts';
import { describeLive } from '../helpers/live.ts';
import { AS_NOBODY, canRecordAsNobody, openDirectory } from '../helpers/nobody.ts';

const scratch = scratchDirectory();
const file = join(scratch, 'notices.data');
const CLOCK = ['record', '-e', 'cpu-clock', '-o', file];

describeLive('a recording that cannot begin', () => {
  it.skipIf(process.geteuid?.() !== 0 || !canRecordAsNobody('/bin/true')).each([
    [['-p', '1'], 'process 1: the kernel does not let this user record it'],
    [['-p', '4194304'], 'no such process: 4194304'],
    [['-o', '/no/such/folder/x.data', '--', 'true'], 'cannot write /no/such/folder/x.data'],
    [['-o', '', '--', 'true'], '-o: the name of the file is empty'],
  ])('is refused in the first line, before all notices: record %s', (words, refusal) => {
    const cwd = openDirectory(scratch, 'refused');
    const env = { PATH: process.env.PATH, HOME: cwd };
    const { stderr } = perfTs(['record', ...words], { under: AS_NOBODY, cwd, env });
    expect(stderr.split('\n')[0]).toContain(`perf-ts: ${refusal}`);
  });
});

describeLive('a command that leaves processes behind', () => {
  const RUN_ON = /the command ended after \d+(?: ms|\.\d s); processes that it started run on/;
  /** Runs until `done` is there; nothing of it keeps the pipes of the test open. */
  const daemon = (done: string): string =>
    `(while [ -d ${scratch} ] && [ ! -e ${done} ]; do sleep 0.02; done) > /dev/null 2>&1 < /dev/null &`;

  /** `cat` reads to the end of what the shell would write, which comes when the shell ends. */
  const helper = `mkfifo ${scratch}/helper; cat ${scratch}/helper > /dev/null & exec 3> ${scratch}/helper`;

  it('record reports processes that outlive their command', () => {
    const done = join(scratch, 'done');
    const { status, stderr } = perfTs([...CLOCK, '--', 'sh', '-c', `${daemon(done)} exit 4`]);
    writeFileSync(done, '');
    expect(stderr).toMatch(RUN_ON);
    expect(stderr).toContain('-p or -a records them');
    expect(status).toBe(4);
  });

  it.each([
    ['its processes have ended', [], 'sleep 0.01 & wait'],
    ['its processes have ended, with who woke them', ['--off-cpu'], 'sleep 0.01 & wait'],
    ['a helper ends because the command has', [], helper],
    ['the whole system is recorded', ['-a'], daemon(join(scratch, 'done-of-all'))],
    ['its processes are not recorded', ['--no-inherit'], daemon(join(scratch, 'done-of-one'))],
  ])('record does not report outliving processes where %s', (_name, flags, script) => {
    const { status, stderr } = perfTs([...CLOCK, ...flags, '--', 'sh', '-c', script]);
    for (const name of ['all', 'one']) writeFileSync(join(scratch, `done-of-${name}`), '');
    expect(status).toBe(0);
    expect(stderr).not.toMatch(RUN_ON);
  });
});

describeLive('a program that the kernel does not let an ordinary user record', () => {
  const itAsNobody = it.skipIf(process.geteuid?.() !== 0 || !canRecordAsNobody('/bin/true'));

  itAsNobody.each([
    ['4755', 'is setuid: the kernel stops its events at its exec'],
    ['2755', 'is setgid: the kernel stops its events at its exec'],
    ['711', 'may be executed and not read: the kernel stops its events at its exec'],
  ])('is named, and why nothing of it comes (mode %s)', (mode, reason) => {
    chmodSync(scratch, 0o755);
    const folder = openDirectory(scratch, `mode-${mode}`);
    const program = join(folder, 'program');
    copyFileSync('/bin/true', program);
    chmodSync(program, Number.parseInt(mode, 8));
    const flags = ['-e', 'cpu-clock:u', '-o', join(folder, 'x.data')];
    const { status, stderr } = perfTs(['record', ...flags, '--', program], { under: AS_NOBODY });
    expect(stderr).toContain(`${program} ${reason}`);
    expect(status).toBe(0);
    // A file that anybody may read and nobody changes needs no word.
    chmodSync(program, 0o755);
    const plain = perfTs(['record', ...flags, '--', program], { under: AS_NOBODY });
    expect(plain.stderr).not.toContain('the kernel stops');
  });
});

describeLive('ids that no process has', () => {
  const IDS = ['0', '99999999999', '12,0'];

  it.each(['record', 'stat', 'top'])('ids out of range are a usage error of %s', (subcommand) => {
    for (const flag of ['-p', '-t']) {
      for (const id of IDS) {
        const { status, stderr } = perfTs([subcommand, flag, id], { cwd: scratch });
        expect(stderr).toBe(`perf-ts: ${flag} ${id}: expected ids between 1 and 2147483647\n`);
        expect(status).toBe(2);
      }
    }
    expect(existsSync(join(scratch, 'perf.data'))).toBe(false);
  });
});
