// perf-ts with what to run in place of a command: one line from a program to where its time went.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { perfTs, scratchDirectory, startPerfTs } from '../helpers/cli.ts';
import { describeLiveAsUser } from '../helpers/live.ts';
import { AS_NOBODY, canRecordAsNobody, openDirectory } from '../helpers/nobody.ts';
import { until } from '../helpers/tasks.ts';

const scratch = scratchDirectory();
const isRoot = process.geteuid?.() === 0;
const PROGRAM = `
function callsSpin() { spin(process.cpuUsage().user + 3e5); return 1; }
function spin(until) { while (process.cpuUsage().user < until) for (let i = 0; i < 1000; i++) JSON.parse('[1,2,3]'); }
callsSpin();
console.log('output of the program');
process.exitCode = 3;
`;

function folderWithProgram(name: string): string {
  const folder = openDirectory(scratch, name);
  writeFileSync(join(folder, 'app.js'), PROGRAM);
  return folder;
}

/** The program's output, which is alone on standard output, and the report on standard error. */
function expectReported({ status, stdout, stderr }: ReturnType<typeof perfTs>): void {
  expect(status).toBe(3);
  expect(stdout).toBe('output of the program\n');
  expect(stderr).toMatch(/%.* app\.js:3 +spin$/m);
  expect(stderr).toMatch(/^# next: .*perf-ts view/m);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

describeLiveAsUser('one command to an answer', () => {
  it('a script is run and reported, and perf-ts ends with its status', () => {
    const cwd = folderWithProgram('script');
    expectReported(perfTs(['app.js'], { cwd }));
    expect(existsSync(join(cwd, 'perf.data'))).toBe(true);
  });

  it('a program is run with its arguments, behind options of record', () => {
    const cwd = folderWithProgram('program');
    expectReported(perfTs(['node', 'app.js'], { cwd }));
    expectReported(perfTs(['-F', '999', '--', 'node', 'app.js'], { cwd }));
    expect(perfTs(['info', 'perf.data'], { cwd }).stdout).toContain('999');
  });

  it.skipIf(!isRoot || !canRecordAsNobody(process.execPath))(
    'an ordinary user gets the same report',
    () => {
      const cwd = folderWithProgram('nobody');
      expectReported(perfTs(['app.js'], { cwd, under: AS_NOBODY }));
    },
  );

  it('-o writes an export by its ending beside the recording, in run and in record', () => {
    const cwd = folderWithProgram('exports');
    const reported = perfTs(['-o', 'out.html', 'app.js'], { cwd });
    expectReported(reported);
    expect(reported.stderr).toContain('written: out.html');
    expect(readFileSync(join(cwd, 'out.html'), 'latin1')).toMatch(/^<!doctype html>/i);
    const recorded = perfTs(['record', '-o', 'out.folded', '--', 'node', 'app.js'], { cwd });
    expect(recorded.status).toBe(3);
    expect(recorded.stdout).toBe('output of the program\n');
    expect(readFileSync(join(cwd, 'out.folded'), 'utf8')).toMatch(/;callsSpin app\.js:2;.* \d+$/m);
    expect(perfTs(['export', '-o', 'p.cpuprofile'], { cwd }).status).toBe(0);
    expect(
      JSON.parse(readFileSync(join(cwd, 'p.cpuprofile'), 'utf8')).nodes.length,
    ).toBeGreaterThan(1);
    expect(perfTs(['export', '-o', 'flame.svg'], { cwd }).status).toBe(0);
    expect(readFileSync(join(cwd, 'flame.svg'), 'utf8')).toMatch(/<title>callsSpin app\.js:2\n/);
    const refused = perfTs(['record', '-o', 'out.png', '--', 'node', 'app.js'], { cwd });
    expect(refused.status).toBe(2);
    expect(refused.stdout).toBe('');
  });

  it('an attached process is reported at Ctrl-C, on standard output, and runs on', async () => {
    const cwd = folderWithProgram('attached');
    const node = spawn(process.execPath, ['-e', 'for (;;) JSON.parse("[1]")'], { stdio: 'ignore' });
    try {
      const { child, ended } = startPerfTs(['-p', `${node.pid}`], { cwd });
      // Samples are in the file.
      await until(() => sizeOf(join(cwd, 'perf.data')) > 32_768);
      child.kill('SIGINT');
      const { status, stdout } = await ended;
      expect(status).toBe(0);
      expect(stdout).toMatch(/\d%/);
      expect(stdout).toMatch(/^# next: .*perf-ts view/m);
      expect(node.exitCode).toBeNull();
    } finally {
      node.kill('SIGKILL');
    }
  });

  it.each([[[]], [['open']]])('%j and a recording open its page', async (words) => {
    const cwd = folderWithProgram('opened');
    expect(perfTs(['record', '-q', '-o', 'out.data', '--', 'node', 'app.js'], { cwd }).status).toBe(
      3,
    );
    const { child, stdout, ended } = startPerfTs([...words, 'out.data', '--no-open'], { cwd });
    await until(() => /^http:\/\/127\.0\.0\.1:\d+/.test(stdout()));
    child.kill('SIGINT');
    await ended;
  });

  it('a word that is nothing of all this is answered with the nearest command', () => {
    const { status, stderr } = perfTs(['reprot'], { cwd: scratch });
    expect(status).toBe(2);
    expect(stderr).toContain("unknown command 'reprot'");
    expect(stderr).toContain('did you mean report?');
  });
});
