import { execFileSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cleanEnvironment, perfTs, scratchDirectory } from '../helpers/cli.ts';
import { compileFaults, compileWorkload } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';

/** Functions of the program, as a report names them. */
function namesIn(file: string): { names: string[]; stderr: string } {
  // perf may have kept a copy of the program, by its build ID.
  const env = { ...cleanEnvironment(), PERF_BUILDID_DIR: '/nonexistent' };
  const { stdout, stderr } = perfTs(['report', '--json', file], { env });
  const [{ rows }] = JSON.parse(stdout).events;
  const own = rows.filter(({ dso }: { dso: string }) => dso === 'app');
  return { names: own.map(({ name }: { name: string }) => name).sort(), stderr };
}

describeLive('a program that was built again in place', () => {
  const here = scratchDirectory();
  const app = join(here, 'app');

  /** Records the workload, and puts another program in its place. */
  function recorded(name: string, prepare: () => void, ...options: string[]): string {
    cpSync(compileWorkload(), app);
    prepare();
    const file = join(here, name);
    const words = ['record', '-q', '-g', '-e', 'cpu-clock', ...options, '-o', file];
    expect(perfTs([...words, '--', app, 'burn', '1', '0.3']).status).toBe(0);
    return file;
  }
  function replace(): void {
    cpSync(compileFaults(), app);
    if (existsSync(`${app}.debug`))
      execFileSync('objcopy', ['--only-keep-debug', app, `${app}.debug`]);
  }

  test('a rebuilt program is named by what was recorded', () => {
    const file = recorded('r.data', () => {});
    const before = namesIn(file);
    expect(before.names).not.toEqual([]);
    expect(before.names).not.toContain('[unknown]');
    replace();
    expect(namesIn(file)).toEqual(before);
  });

  test('a rebuilt program with symbols in a debug file is named by what was recorded', () => {
    const file = recorded('stripped.data', () => {
      execFileSync('objcopy', ['--only-keep-debug', app, `${app}.debug`]);
      execFileSync('objcopy', ['--strip-all', app]);
      execFileSync('objcopy', [`--add-gnu-debuglink=${app}.debug`, app]);
    });
    const before = namesIn(file);
    expect(before.names).not.toEqual([]);
    expect(before.names).not.toContain('[unknown]');
    replace();
    expect(namesIn(file)).toEqual(before);
  });

  test('a rebuilt program without a build ID is named by what was recorded', () => {
    const file = recorded('plain.data', () => {
      execFileSync('objcopy', ['--remove-section=.note.gnu.build-id', app]);
    });
    const before = namesIn(file);
    expect(before.names).not.toEqual([]);
    replace();
    expect(namesIn(file).names).toEqual(before.names);
  });

  test('a rebuilt program has no names where they were not to be kept, which is reported with the remedy', () => {
    const file = recorded('bare.data', () => {}, '-N');
    replace();
    const { names, stderr } = namesIn(file);
    expect(new Set(names)).toEqual(new Set(['[app]']));
    expect(stderr).toContain(`no names for ${app}: the file there is not the one recorded`);
    expect(stderr).toContain('(perf-ts record --archive -- COMMAND)');
  });
});
