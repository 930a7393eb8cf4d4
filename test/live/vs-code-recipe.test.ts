// The two files of docs/how-to/record-in-vs-code.md, as VS Code reads them: its variables replaced, then started.

import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CLI, projectRoot, scratchDirectory } from '../helpers/cli.ts';
import { describeLive } from '../helpers/live.ts';

type Task = { readonly command: string; readonly args: readonly string[] };
type Launch = {
  readonly runtimeExecutable: string;
  readonly runtimeArgs: readonly string[];
  readonly program: string;
};

const page = readFileSync(join(projectRoot, 'docs/how-to/record-in-vs-code.md'), 'utf8');
const [tasks, launch] = [...page.matchAll(/```json\n([^`]*)```/g)].map(([, text]) => text);

describeLive('the recipe for VS Code', () => {
  const folder = scratchDirectory();
  const bin = join(folder, 'node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'perf-ts'), `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`);
  chmodSync(join(bin, 'perf-ts'), 0o755);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  copyFileSync(join(projectRoot, 'examples/app/app.js'), join(folder, 'my app.js'));
  const read = (text: string) =>
    JSON.parse(
      text
        .replaceAll(`\${file}`, join(folder, 'my app.js'))
        .replaceAll(`\${workspaceFolder}`, folder),
    );
  const run = (command: string, args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    return stdout + stderr;
  };

  test('the first task prints a report, the second leaves a page', () => {
    const [report, exported]: readonly Task[] = read(tasks).tasks;
    expect(run(report.command, report.args)).toMatch(/\b(?:parse|score)\b/);
    run(exported.command, exported.args);
    expect(readFileSync(join(folder, 'profile.html'), 'utf8')).toContain('<html');
  });

  test('the launch configuration leaves a profile with the functions of the program', () => {
    const [{ runtimeExecutable, runtimeArgs, program }]: readonly Launch[] =
      read(launch).configurations;
    run(runtimeExecutable, [...runtimeArgs, program]);
    const { nodes } = JSON.parse(readFileSync(join(folder, 'profile.cpuprofile'), 'utf8'));
    const names = nodes.map((node: { callFrame: { functionName: string } }) =>
      String(node.callFrame.functionName),
    );
    expect(names.some((name: string) => name.startsWith('parse'))).toBe(true);
  });
});
