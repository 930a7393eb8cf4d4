// The line that a refused user is given is run, by sudo where that is installed.

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CLI, cleanEnvironment, perfTs, scratchDirectory } from '../helpers/cli.ts';
import { describeLive } from '../helpers/live.ts';
import { AS_NOBODY, canRunAsNobody, NOBODY, paranoidLevel } from '../helpers/nobody.ts';

const isRoot = process.geteuid?.() === 0;
const scratch = scratchDirectory();

/** A folder for programs that no list of sudo's has, as nvm's is. */
function versionFolder(): string {
  const folder = join(scratch, '.nvm');
  if (!existsSync(folder)) {
    chmodSync(scratch, 0o755);
    mkdirSync(folder, { mode: 0o755 });
    symlinkSync(process.execPath, join(folder, 'node'));
    symlinkSync(CLI, join(folder, 'perf-ts'));
  }
  return folder;
}

describeLive('the lines of a refusal', () => {
  const itAsNobody = it.skipIf(!isRoot || !canRunAsNobody('/bin/true') || paranoidLevel() < 1);

  itAsNobody.each(['record', 'stat', 'top'])(
    '%s: the line for root works as printed',
    (command) => {
      const folder = versionFolder();
      const env = { ...cleanEnvironment(), PATH: `${folder}:/usr/bin:/bin`, USER: 'nobody' };
      const refused = spawnSync(
        'setpriv',
        [...AS_NOBODY.slice(1), 'node', join(folder, 'perf-ts'), command, '-a'],
        {
          encoding: 'utf8',
          env,
        },
      );
      const line =
        /or run it as root: (.*?(?:perf-ts|main\.js) \w+)(?: --user \w+)? …/.exec(
          refused.stderr,
        )?.[1] ?? '';
      // In a container that confines, there is no such line.
      if (line === '' && refused.stderr.includes('--cap-add')) return;
      expect(line, refused.stderr).toMatch(new RegExp(`(?:perf-ts|main\\.js) ${command}$`));
      const rest = {
        record: `-q -a -e cpu-clock -o ${join(scratch, 'a.data')} -- true`,
        stat: '-a -e page-faults -- true',
        top: '-q -a -e cpu-clock --duration 0.3',
      }[command];
      const asRoot = line.startsWith('sudo ')
        ? `${line} ${rest}`
        : `${line.slice("su -c '".length).replaceAll("'\\''", "'")} ${rest}`;
      const { status, stderr } = spawnSync('sh', ['-c', asRoot], { encoding: 'utf8', env });
      expect(status, stderr).toBe(0);
    },
  );
});

it.skipIf(!isRoot)("a command of the caller's PATH alone is named, not run", () => {
  const sudo = { SUDO_UID: String(NOBODY), SUDO_GID: String(NOBODY), PATH: '/nonexistent' };
  const folder = process.env.PATH?.split(':').find((path) => existsSync(join(path, 'node')));
  const { status, stderr } = perfTs(['record', '--', 'node'], {
    env: { ...cleanEnvironment(), ...sudo },
  });
  expect(status).toBe(127);
  expect(stderr).toContain('command not found: node');
  expect(stderr).toContain(`or name it by its path: ${join(folder ?? '', 'node')}`);
});
